import { filtersOf, type Parameter, type Place } from '../page/address.ts'
import { type About, fieldsOf } from '../page/context.ts'
import { fill, h } from '../page/dom.ts'
import { makeField } from './field.ts'

/** The form of a list's filters. */
export interface Filters {
  readonly element: HTMLElement
  readonly update: (place: Place) => void
  /** Shows messages at their fields; answers those that have none. */
  readonly tell: (faults: Readonly<Record<string, string[]>>) => string[]
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
  const apply = (filters: readonly Parameter[]) => {
    for (const { settle } of views) settle()
    onChange(filters)
  }
  const submit = () => apply(read())
  let isShowing = false
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
      // Another lookup asks for nothing as long as it has no value, nor does an input that is taken away while it was written in.
      change: ({ target }) => {
        if (isShowing) return
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
      h('button', { type: 'button', click: () => apply([]) }, 'Clear all'),
    ),
  )
  const element = h('details', { class: 'panel filters-panel' }, h('summary', {}, h('h2', {}, 'Filters'), active), form)
  element.open = matchMedia('(min-width: 62rem)').matches
  return {
    element,
    update: (place) => {
      const given = filtersOf(place)
      isShowing = true
      for (const view of views) view.update(given)
      isShowing = false
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

/** Puts options into a list of values. */
export const fillList = (
  list: HTMLDataListElement,
  values: readonly (readonly [value: string, label: string])[],
): void =>
  fill(
    list,
    values.map(([value, label]) => h('option', { value, label })),
  )
