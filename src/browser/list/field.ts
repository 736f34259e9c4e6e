import type { Parameter } from '../page/address.ts'
import { type Field, labelOf, parameterName } from '../page/context.ts'
import { h } from '../page/dom.ts'
import { kindOf } from './kinds.ts'
import { type Line, lookupsOf, makeLine } from './line.ts'

/** What stands for a field in the form. */
export interface FieldView {
  readonly field: Field
  readonly element: HTMLElement
  readonly lines: Line[]
  readonly update: (given: readonly Parameter[]) => void
  /** What was begun in it was asked for. */
  readonly settle: () => void
}

/** The conditions on a field. `list`: the id of a list of values to choose from; `submit` asks for what stands in the form. */
export const makeField = (field: Field, list: string | null, submit: () => void): FieldView => {
  const lines: Line[] = []
  const names = new Set(['', ...field.lookups].map((lookup) => parameterName(field, lookup)))
  const holder = h('div', { class: 'lines' })
  const first = kindOf(field.kind).first.filter((lookup) => lookupsOf(field).includes(lookup))
  const add = (lookup: string, given: Parameter | null) => {
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
  // Answers come while people write: what they have begun stays as it is, unless it is asked for otherwise meanwhile.
  let [isBegun, known] = [false, '']
  const begin = () => {
    isBegun = true
  }
  const update = (given: readonly Parameter[]) => {
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
    // What takes an input away that was written in begins something, too.
    ;[isBegun, known] = [false, own]
  }
  update([])
  for (const type of ['input', 'change']) holder.addEventListener(type, begin)
  // Enter in a field applies, as in any form; leaving a changed one does too, by the form's own event.
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

const textOfAll = (parameters: readonly Parameter[]): string =>
  parameters
    .map(({ name, encoded }) => `${name}=${encoded}`)
    .sort()
    .join('&')

/**
 * The lines a field needs: one for each parameter given, those begun with another lookup, and those that stand there at
 * first where there would be none, or that belong together as the ends of a period do.
 */
const wantedOf = (
  field: Field,
  first: readonly string[],
  empty: readonly string[],
  given: readonly Parameter[],
): [string, Parameter | null][] => {
  const names = new Map(['', ...field.lookups].map((lookup) => [parameterName(field, lookup), lookup]))
  const set = given.flatMap((each): [string, Parameter][] => {
    const lookup = names.get(each.name)
    return lookup === undefined ? [] : [[lookup === 'exact' && field.kind !== 'text' ? '' : lookup, each]]
  })
  const all: [string, Parameter | null][] = [...set]
  const add = (lookup: string) => {
    if (!all.some(([each]) => endOf(each) === endOf(lookup))) all.push([lookup, null])
  }
  for (const lookup of empty) if (!first.includes(lookup)) add(lookup)
  if (all.length === 0 || first.length > 1) for (const lookup of first) add(lookup)
  return all.sort(([a], [b]) => rank(first, a) - rank(first, b))
}

/** Lookups that say the same end of a period have one line: who wrote until which day is not asked before which. */
const endOf = (lookup: string): string => lookup.replace(/^([lg]t)e$/, '$1')

const rank = (first: readonly string[], lookup: string): number => {
  const found = first.findIndex((each) => endOf(each) === endOf(lookup))
  return found < 0 ? first.length : found
}
