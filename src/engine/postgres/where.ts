import { type SQL, sql } from 'drizzle-orm'
import { wholeNumber } from '../../filters/numbers.ts'
import type { Area, Condition, Field, Range } from '../../question/condition.ts'
import type { FieldName } from '../../question/fields.ts'
import { ceiling, decimalOf, type Extent, exactOf, floor, keyOfInstant, TICKS } from '../../question/range.ts'
import { areaSql, meetsRectangle } from './area.ts'
import { attributeIn } from './attributes.ts'
import { compared } from './compare.ts'
import { type Context, idOf } from './context.ts'
import { fieldsOf, type StoredField, whole } from './fields.ts'
import { all, doubleOf, either, ifPresent, inExtents, integers, texts } from './sql.ts'
import { passes } from './texts.ts'
import { instantOf } from './times.ts'
import type { Views } from './views.ts'

/**
 * Writes a condition as SQL that is true, false or null. It is null for a row without the value. `decided` has all that the
 * Worker decides.
 */
export const where = (context: Context, condition: Condition): SQL => {
  const write = (each: Condition) => where(context, each)
  const strictly = (each: Condition) => where({ ...context, isStrict: true }, each)
  switch (condition.kind) {
    case 'all':
      return all(condition.of.map(write))
    case 'any':
      return either(condition.of.map(write))
    case 'not':
      return sql`NOT (${strictly(condition.of)})`
    case 'unless':
      return sql`(${write(condition.of)}) IS NOT TRUE`
    case 'same':
      return sql`(${strictly(condition.one)}) = (${strictly(condition.other)})`
    case 'known':
      return sql`coalesce(${sql.join(condition.of.map(strictly), sql`, `)})`
    case 'missing':
      return sql`NOT ${isKnown(context, condition.field)}`
    case 'range':
      return ofRange(context, condition)
    case 'text':
      return ofText(context, condition)
    case 'match':
      return ofMatch(context, condition)
    case 'equals':
      return attributeAmong(context.views, condition)
    case 'compare':
      return compared(context, condition)
    case 'area':
      return condition.of === 'rectangle'
        ? ofRectangle(context, condition.area)
        : areaSql(context.decided, condition.area)
    case 'words':
      return isAmong(context, condition)
  }
}

/** Tests if a row has a value. */
const isKnown = ({ list, views }: Context, field: Field | 'place'): SQL => {
  const known = (name: FieldName) => fieldsOf(views)(list, name).known
  if (field === 'place') return list === 'events' ? all([known('x'), known('y')]) : known('west')
  return typeof field === 'object' ? sql`${attributeIn(views, field.attribute).json} IS NOT NULL` : known(field)
}

const ofRectangle = ({ views }: Context, area: Area): SQL => {
  const side = (name: 'west' | 'south' | 'east' | 'north') => whole(fieldsOf(views)('series', name))
  return meetsRectangle(side('west'), side('south'), side('east'), side('north'), area)
}

/** Tests if the Worker has found a row. */
const isAmong = ({ list, decided }: Context, condition: Condition): SQL => {
  const ids = decided.rows.get(condition)
  if (ids === undefined) throw new RangeError(`Nobody has decided the condition ${condition.kind}.`)
  return sql`${idOf(list)} = ANY(${integers(ids)})`
}

const ofRange = ({ list, views, isStrict }: Context, { field, extents, exact }: Range): SQL => {
  if (typeof field === 'object') return attributeInExtents(views, field, extents, exact)
  const stored = fieldsOf(views)(list, field)
  const test = ofValues(stored, extents)
  if (stored.isTotal) return test
  // Only plain comparisons use an index.
  return isStrict ? sql`CASE WHEN ${stored.known} THEN ${test} END` : all([stored.known, test])
}

const ofValues = (stored: StoredField, extents: readonly Extent[]): SQL => {
  if (stored.kind === 'number') return inExtents(stored.value, extents, doubleOf)
  if (stored.kind === 'integer') return inExtents(stored.value, extents)
  const inUnit = extents.flatMap((extent) => unitsIn(extent, stored.unit))
  if (inUnit.length === 0) return ifPresent(stored.value, sql`false`)
  return either(
    inUnit.map((extent) => (stored.kind === 'instant' ? ofInstants(stored, extent) : ofLengths(stored, extent))),
  )
}

/** Returns the whole units in an extent of ticks. */
const unitsIn = ([least, greatest]: Extent, unit: bigint): Extent[] => {
  const first = least === null ? null : ceiling(least, unit)
  const last = greatest === null ? null : floor(greatest, unit)
  return first !== null && last !== null && first > last ? [] : [[first, last]]
}

/**
 * Tests if an instant is in an extent of its units. An instant with more digits belongs to its unit: answers show it so. The
 * column stands alone, so that its index is used.
 */
const ofInstants = ({ value, unit }: StoredField, [first, last]: Extent): SQL => {
  const micros = unit / TICKS
  const [least, beyond] = [first === null ? null : first * micros, last === null ? null : (last + 1n) * micros]
  return all([
    least === null ? null : sql`${value} >= ${instantOf(least)}`,
    beyond === null ? null : sql`${value} < ${instantOf(beyond)}`,
    first === null && last === null ? ifPresent(value, sql`true`) : null,
  ])
}

/** The longest duration that an interval of PostgreSQL has, in milliseconds. */
const LONGEST = 9_000_000_000_000_000n

const ofLengths = ({ value }: StoredField, [first, last]: Extent): SQL =>
  all([
    first === null ? null : sql`${value} >= ${lengthOf(first)}`,
    last === null ? null : sql`${value} <= ${lengthOf(last)}`,
    first === null && last === null ? ifPresent(value, sql`true`) : null,
  ])

const lengthOf = (milliseconds: bigint): SQL => {
  const within = milliseconds > LONGEST ? LONGEST : milliseconds < -LONGEST ? -LONGEST : milliseconds
  return sql`(${String(within)}::float8 * interval '1 millisecond')`
}

const ofText = (context: Context, condition: Extract<Condition, { kind: 'text' }>): SQL => {
  const { field } = condition
  if (typeof field === 'object') return passes(attributeIn(context.views, field.attribute).text, condition)
  const found = context.decided.texts.get(condition)
  const { value } = fieldsOf(context.views)(context.list, field)
  return passes(value, found === undefined ? condition : { fold: null, test: 'is', texts: found })
}

/** Tests a regular expression, which the Worker has decided: for the texts of a field, or for each row. */
const ofMatch = (context: Context, condition: Extract<Condition, { kind: 'match' }>): SQL => {
  const { field } = condition
  const found = context.decided.texts.get(condition)
  if (found === undefined || typeof field === 'object') return isAmong(context, condition)
  return passes(fieldsOf(context.views)(context.list, field).value, { fold: null, test: 'is', texts: found })
}

/** Tests if an attribute is one of some texts, numbers and booleans. It is unknown for a value of another type. */
const attributeAmong = (views: Views, { attribute, values }: Extract<Condition, { kind: 'equals' }>): SQL => {
  const { text, number, exact, boolean } = attributeIn(views, attribute)
  const textValues = values.filter((value) => typeof value === 'string')
  const doubles = values.filter((value) => typeof value === 'number').map(String)
  const decimals = textValues.filter((value) => wholeNumber(value) !== null).map((value) => decimalOf(exactOf(value)))
  const booleans = values.filter((value) => typeof value === 'boolean').map(String)
  const typed = [
    [text, textValues.length, texts(textValues)],
    exact
      ? [exact, decimals.length, listOf(decimals, sql`numeric`)]
      : [number, doubles.length, listOf(doubles, sql`float8`)],
    [boolean, booleans.length, listOf(booleans, sql`boolean`)],
  ] as const
  const tests = typed.flatMap(([value, count, list]) => (count === 0 ? [] : [[value, list] as const]))
  const isKnown = either(tests.map(([value]) => sql`${value} IS NOT NULL`))
  return sql`CASE WHEN ${isKnown} THEN ${either(tests.map(([value, list]) => sql`(${value} = ANY(${list})) IS TRUE`))} END`
}

const listOf = (values: readonly string[], type: SQL): SQL => sql`${sql.param(values)}::${type}[]`

/** Tests if an attribute is in one of some extents: of the keys of doubles, of exact numbers, or of ticks. */
const attributeInExtents = (
  views: Views,
  { attribute, as }: Exclude<Field, string>,
  extents: readonly Extent[],
  exactExtents?: readonly Extent[],
): SQL => {
  const { number, exact, instant } = attributeIn(views, attribute)
  if (as === 'instant') return inExtents(instant, extents, (ticks) => sql`${keyOfInstant(ticks)}`)
  if (exact === undefined || exactExtents === undefined) return inExtents(number, extents, doubleOf)
  return inExtents(exact, exactExtents, (key) => sql`${decimalOf(key)}::numeric`)
}

/** Returns all fields that a condition names. */
export const fieldsIn = (condition: Condition): readonly FieldName[] => {
  switch (condition.kind) {
    case 'all':
    case 'any':
    case 'known':
      return condition.of.flatMap(fieldsIn)
    case 'not':
    case 'unless':
      return fieldsIn(condition.of)
    case 'same':
      return [condition.one, condition.other].flatMap(fieldsIn)
    case 'range':
    case 'text':
    case 'match':
      return typeof condition.field === 'object' ? [] : [condition.field]
    case 'missing':
      return typeof condition.field === 'object' || condition.field === 'place' ? [] : [condition.field]
    case 'compare':
      return [condition.left, condition.right].flatMap(operandFields)
    default:
      return []
  }
}

type Compare = Extract<Condition, { kind: 'compare' }>

const operandFields = (operand: Compare['left']): readonly FieldName[] => {
  if (typeof operand === 'string') return [operand]
  if ('fold' in operand) return operandFields(operand.of)
  return 'op' in operand ? operand.of.flatMap(operandFields) : []
}
