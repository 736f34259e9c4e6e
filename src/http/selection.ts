import { invalidParameters, ValueError, valueError } from '../base/errors.ts'
import { type Engine, Refused } from '../engine/engine.ts'
import { EXAMPLE, placeOf } from '../filters/spatial.ts'
import { attributeIn } from '../filters/text.ts'
import type { Owner, Resource } from '../lists/resource.ts'
import { allOf, type Condition, oneOf } from '../question/condition.ts'
import type { Order, Selection } from '../question/question.ts'
import { attempt, parameterIn, type QueryValues, textIn } from './parameters.ts'
import type { Spelling } from './route.ts'

/** Selects only the events of an owner. */
export const narrowed = <S extends Selection>(owner: Owner | null, selection: S): S =>
  owner === null
    ? selection
    : { ...selection, where: allOf([oneOf('series', [BigInt(owner.id)]), ...conditionsIn(selection)]) }

/** Returns the conditions that must all hold. */
export const conditionsIn = ({ where }: Pick<Selection, 'where'>): readonly Condition[] =>
  where.kind === 'all' ? where.of : [where]

/** Returns what all filters in a request select. Notes a mistake for each faulty value. */
export const selectionOf = (
  engine: Engine,
  { filters, list }: Pick<Resource, 'filters' | 'list'>,
  values: QueryValues,
): Selection => {
  const asked = [...values.texts].flatMap(([name, value]) => {
    const filter = parameterIn(filters, name)
    if (filter === undefined || (value === '' && !filter.takesEmpty)) return []
    const other = filter.beside === undefined ? undefined : values.texts.get(filter.beside)
    const decidable = () => {
      const conditions = [filter.lookup(value, values.clock, other)].flat()
      const [refusal] = conditions.flatMap((each) => (each.kind === 'latest' ? [] : engine.refusals(list, each)))
      if (refusal !== undefined) throw valueError(refusal.message)
      return conditions
    }
    return attempt(values, name, decidable, [])
  })
  return {
    where: { kind: 'all', of: asked.filter((each) => each.kind !== 'latest') },
    latest: asked.some(({ kind }) => kind === 'latest') ? 'series' : null,
  }
}

/** Returns one of the orders of a list. Throws a ValueError for another name. */
export const orderNamed = (
  { orderings, filters }: Pick<Resource, 'orderings' | 'filters'>,
  values: QueryValues,
  name: string | undefined,
  descending: boolean,
): Order => {
  const takesAttributes = filters.has('attributes')
  const attribute = takesAttributes ? attributeIn(name ?? '') : null
  if (attribute !== null) return { by: { attribute }, descending, nulls: 'last' }
  const order = name !== undefined && Object.hasOwn(orderings, name) ? orderings[name] : undefined
  if (order === undefined) {
    const known = [...Object.keys(orderings), ...(takesAttributes ? ['attributes__NAME'] : [])]
    throw new ValueError(`Enter one of ${known.join(', ')}, or one of these with a - in front.`)
  }
  if (order.by !== 'distance') return { ...order, descending }
  const near = textIn(values, 'near')
  if (near === '') throw new ValueError(`Enter a position and a radius as well, such as ${EXAMPLE}.`)
  // A faulty position is a mistake of `near`.
  return { ...order, from: placeOf(near) ?? [0, 0], descending }
}

/** Runs a read. It throws a 400 for a part of the question that the engine refuses. `words` names its parameter. */
export const admitted = async <T>(
  { orderings }: Pick<Resource, 'orderings'>,
  { words }: Spelling,
  reading: Promise<T>,
): Promise<T> => {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const { of, message } = error
    const start = Object.keys(orderings).find((name) => orderings[name]?.by === 'start')
    const advice = of === 'order' ? message.replace(/\.$/, ` such as category or ${start}__gte.`) : message
    throw invalidParameters({ [words[of]]: [advice] })
  }
}
