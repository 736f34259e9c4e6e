import { fill, h } from '../app/dom.ts'
import { type AddressParameter, filtersOf, type PageAddress } from '../state/address.ts'
import { type About, ATTRIBUTES, fieldsOf } from '../state/context.ts'
import { makeField } from './field.ts'

/** The form of a list's filters. */
export interface Filters {
  readonly element: HTMLElement
  readonly update: (place: PageAddress) => void
  /** Shows messages at their fields. Returns the messages without a field. */
  readonly tell: (faults: Readonly<Record<string, string[]>>) => string[]
}

/**
 * Makes a form with every filter of the list. `onChange` gets the filters of the form. `area` replaces the input of a
 * geometry. `lists` has the id of a list of values for some fields.
 */
export const makeFilters = (
  about: About,
  onChange: (filters: readonly AddressParameter[]) => void,
  area: AreaInput | null,
  lists: Readonly<Record<string, string>>,
): Filters => {
  const fields = fieldsOf(about)
  const views = fields
    .filter(({ kind }) => area === null || kind !== 'geometry')
    .map((field) => makeField(field, lists[field.name] ?? null, () => submit()))
  let ofAttributes: readonly AddressParameter[] = []
  const read = () => [
    ...ofAttributes,
    ...views.flatMap(({ lines }) => lines.map((line) => line.read()).filter((each) => each !== null)),
    ...(area?.read() ?? []),
  ]
  const apply = (filters: readonly AddressParameter[]) => {
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
      // A new lookup without a value sends no request. An input that was replaced during a change sends none.
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
      ofAttributes = given.filter(({ name }) => name.startsWith(`${ATTRIBUTES}__`))
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

/** The input of the area that contains the events. */
export interface AreaInput {
  readonly element: HTMLElement
  readonly name: () => string
  readonly read: () => AddressParameter[]
  readonly update: (given: readonly AddressParameter[]) => void
  readonly tell: (messages: readonly string[]) => void
}

/** Fills a list of values with options. */
export const fillList = (
  list: HTMLDataListElement,
  values: readonly (readonly [value: string, label: string])[],
): void =>
  fill(
    list,
    values.map(([value, label]) => h('option', { value, label })),
  )
