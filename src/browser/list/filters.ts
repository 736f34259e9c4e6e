import { filtersOf, type Parameter, type Place } from '../page/address.ts'
import { type About, type Field, fieldsOf, labelOf, parameterName } from '../page/context.ts'
import { fill, h } from '../page/dom.ts'
import { kindOf } from './kinds.ts'
import { type Line, lookupsOf, makeLine } from './line.ts'

/** The form of a list's filters. */
export interface Filters {
  readonly element: HTMLElement
  readonly update: (place: Place) => void
  /** Shows messages at their fields; answers those that have none. */
  readonly tell: (faults: Readonly<Record<string, string[]>>) => string[]
}

/** What stands for a field in the form. */
interface FieldView {
  readonly field: Field
  readonly element: HTMLElement
  readonly lines: Line[]
  readonly update: (given: readonly Parameter[]) => void
}

/**
 * A form with every filter that the list says it has. `onChange` is told the filters as they stand in the form. `area`
 * stands in for the input of a geometry; `lists`: field -> id of a list of values to choose from.
 */
export const makeFilters = (
  about: About,
  onChange: (filters: readonly Parameter[]) => void,
  area: AreaInput | null,
  lists: Readonly<Record<string, string>>,
): Filters => {
  const fields = fieldsOf(about)
  const views = fields
    .filter(({ kind }) => area === null || kind !== 'geometry')
    .map((field) => makeField(field, lists[field.name] ?? null, () => submit()))
  const read = () => [
    ...views.flatMap(({ lines }) => lines.map((line) => line.read()).filter((each) => each !== null)),
    ...(area?.read() ?? []),
  ]
  const submit = () => onChange(read())
  const active = h('span', { class: 'badge', hidden: true })
  const form = h(
    'form',
    {
      class: 'filters',
      'aria-label': 'Filters',
      submit: (event) => {
        event.preventDefault()
        submit()
      },
      // Another lookup asks for nothing as long as it has no value.
      change: ({ target }) => {
        const line = views.flatMap(({ lines }) => lines).find(({ element }) => element.contains(target as Node))
        if (line === undefined || line.read() !== null || target === line.element.querySelector('.value > *')) submit()
      },
    },
    area?.element,
    views.map(({ element }) => element),
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'submit', class: 'primary' }, 'Apply'),
      h('button', { type: 'button', click: () => onChange([]) }, 'Clear all'),
    ),
  )
  const element = h('details', { class: 'panel filters-panel' }, h('summary', {}, h('h2', {}, 'Filters'), active), form)
  element.open = matchMedia('(min-width: 62rem)').matches
  return {
    element,
    update: (place) => {
      const given = filtersOf(place)
      for (const view of views) view.update(given)
      area?.update(given)
      active.hidden = given.length === 0
      active.textContent = String(given.length)
    },
    tell: (faults) => {
      const told = new Set<string>()
      const targets = [...views.flatMap(({ lines }) => lines), ...(area === null ? [] : [area])]
      for (const target of targets) {
        const messages = faults[target.name()] ?? []
        if (messages.length > 0) told.add(target.name())
        target.tell(messages)
      }
      if (told.size > 0) element.open = true
      element.querySelector<HTMLElement>('[aria-invalid]')?.focus()
      return Object.entries(faults)
        .filter(([name]) => !told.has(name))
        .map(([name, messages]) => `${name}: ${messages.join(' ')}`)
    },
  }
}

/** What stands in the form for the geometry that events are within. */
export interface AreaInput {
  readonly element: HTMLElement
  readonly name: () => string
  readonly read: () => Parameter[]
  readonly update: (given: readonly Parameter[]) => void
  readonly tell: (messages: readonly string[]) => void
}

const makeField = (field: Field, list: string | null, submit: () => void): FieldView => {
  const lines: Line[] = []
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
  const update = (given: readonly Parameter[]) => {
    const empty = lines.filter((line) => line.read() === null).map((line) => line.lookup())
    const wanted = wantedOf(field, first, empty, given)
    while (lines.length > wanted.length) lines.pop()?.element.remove()
    wanted.forEach(([lookup, value], i) => {
      const line = lines[i] ?? add(lookup, value)
      line.write(lookup, value)
      line.tell([])
    })
  }
  update([])
  // Enter in a field applies, as in any form; leaving a changed one does too, by the form's own event.
  holder.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    submit()
  })
  return { field, element, lines, update }
}

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
  const begun = empty.filter((lookup) => !first.includes(lookup))
  const standing = set.length + begun.length === 0 || first.length > 1 ? [...begun, ...first] : begun
  const missing = new Set(standing.filter((lookup) => !set.some(([each]) => each === lookup)))
  const all: [string, Parameter | null][] = [...set, ...[...missing].map((lookup): [string, null] => [lookup, null])]
  return all.sort(([a], [b]) => rank(first, a) - rank(first, b))
}

const rank = (first: readonly string[], lookup: string): number =>
  first.includes(lookup) ? first.indexOf(lookup) : first.length

/** Puts options into a list of values. */
export const fillList = (
  list: HTMLDataListElement,
  values: readonly (readonly [value: string, label: string])[],
): void =>
  fill(
    list,
    values.map(([value, label]) => h('option', { value, label })),
  )
