import { h } from '../app/dom.ts'
import type { AddressParameter } from '../state/address.ts'
import { type FormField, labelOf, parameterName } from '../state/context.ts'
import { kindOf } from './kinds.ts'
import { type ConditionLine, lookupsOf, makeLine } from './line.ts'

/** A field in the form. */
export interface FieldView {
  readonly field: FormField
  readonly element: HTMLElement
  readonly lines: ConditionLine[]
  readonly update: (given: readonly AddressParameter[]) => void
  /** Notes that the page has asked with the current input. */
  readonly settle: () => void
}

/** Makes the conditions on a field. `list` is the id of a list of values. `submit` asks with the values of the form. */
export const makeField = (field: FormField, list: string | null, submit: () => void): FieldView => {
  const lines: ConditionLine[] = []
  const names = new Set(['', ...field.lookups].map((lookup) => parameterName(field, lookup)))
  const holder = h('div', { class: 'lines' })
  const first = kindOf(field.kind).first.filter((lookup) => lookupsOf(field).includes(lookup))
  const add = (lookup: string, given: AddressParameter | null) => {
    const line = makeLine(field, list)
    line.write(lookup, given)
    lines.push(line)
    holder.append(line.element)
    return line
  }
  const more = h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      title: `Another condition on ${field.name}`,
      'aria-label': `Another condition on ${labelOf(field.name)}`,
      click: () => {
        const used = lines.map((line) => line.lookup())
        const free = lookupsOf(field).find((lookup) => !used.includes(lookup)) ?? ''
        add(free, null).element.querySelector<HTMLElement>('select, input')?.focus()
      },
    },
    '+',
  )
  const head = h('div', { class: 'field-head' }, h('span', { class: 'label' }, labelOf(field.name)))
  head.append(h('code', {}, field.name))
  if (field.lookups.length > 0) head.append(more)
  const element = h('div', { class: 'field', role: 'group', 'aria-label': labelOf(field.name) }, head, holder)
  // An answer may come while the user writes. The input stays, unless another request has changed the field.
  let [isBegun, known] = [false, '']
  const begin = () => {
    isBegun = true
  }
  const update = (given: readonly AddressParameter[]) => {
    const own = textOfAll(given.filter(({ name }) => names.has(name)))
    if (isBegun && own === known) return
    const empty = lines.filter((line) => line.read() === null).map((line) => line.lookup())
    const wanted = wantedOf(field, first, empty, given)
    while (lines.length > wanted.length) lines.pop()?.element.remove()
    wanted.forEach(([lookup, value], i) => {
      const line = lines[i] ?? add(lookup, value)
      line.write(lookup, value)
      line.tell([])
    })
    // Removing a changed input fires a change event, which sets isBegun. So this comes last.
    ;[isBegun, known] = [false, own]
  }
  update([])
  for (const type of ['input', 'change']) holder.addEventListener(type, begin)
  // Enter applies the form. Leaving a changed field applies it through the form's change event.
  holder.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    submit()
  })
  const settle = () => {
    ;[isBegun, known] = [false, textOfAll(lines.flatMap((line) => line.read() ?? []))]
  }
  return { field, element, lines, update, settle }
}

const textOfAll = (parameters: readonly AddressParameter[]): string =>
  parameters
    .map(({ name, encoded }) => `${name}=${encoded}`)
    .sort()
    .join('&')

/**
 * Returns the lines of a field. There is one for each given parameter, and one for each lookup that the user has added.
 * A field without lines gets its first ones. Two first lines, such as the ends of a period, always appear together.
 */
const wantedOf = (
  field: FormField,
  first: readonly string[],
  empty: readonly string[],
  given: readonly AddressParameter[],
): [string, AddressParameter | null][] => {
  const names = new Map(['', ...field.lookups].map((lookup) => [parameterName(field, lookup), lookup]))
  const set = given.flatMap((each): [string, AddressParameter][] => {
    const lookup = names.get(each.name)
    return lookup === undefined ? [] : [[lookup === 'exact' && field.kind !== 'text' ? '' : lookup, each]]
  })
  const all: [string, AddressParameter | null][] = [...set]
  const add = (lookup: string) => {
    if (!all.some(([each]) => endOf(each) === endOf(lookup))) all.push([lookup, null])
  }
  for (const lookup of empty) if (!first.includes(lookup)) add(lookup)
  if (all.length === 0 || first.length > 1) for (const lookup of first) add(lookup)
  return all.sort(([a], [b]) => rank(first, a) - rank(first, b))
}

/** Returns the same key for `lt` and `lte`, and for `gt` and `gte`. Each end of a period has only one line. */
const endOf = (lookup: string): string => lookup.replace(/^([lg]t)e$/, '$1')

const rank = (first: readonly string[], lookup: string): number => {
  const found = first.findIndex((each) => endOf(each) === endOf(lookup))
  return found < 0 ? first.length : found
}
