import { fill, h, setAttribute } from '../app/dom.ts'
import { type AddressParameter, parameter, textOf } from '../state/address.ts'
import { type FormField, labelOf, parameterName } from '../state/context.ts'
import { askedOf, shownOf } from '../state/times.ts'
import { kindOf, wordOf } from './kinds.ts'

/** One condition on a field: a lookup, a value, and the message of its fault. */
export interface ConditionLine {
  readonly element: HTMLElement
  readonly name: () => string
  readonly lookup: () => string
  /** Returns the parameter. Null without a value. */
  readonly read: () => AddressParameter | null
  readonly write: (lookup: string, given: AddressParameter | null) => void
  readonly tell: (messages: readonly string[]) => void
}

let lines = 0 // for ids that connect inputs with their messages

/** Makes a line of a field. `list` is the id of a list of values. */
export const makeLine = (field: FormField, list: string | null): ConditionLine => {
  const id = `line-${lines++}`
  // The given parameter and its text in the input. If the text is unchanged, the page sends the bytes as they came.
  let [given, shown]: [AddressParameter | null, string] = [null, '']
  const select = h('select', { 'aria-label': `Lookup of ${labelOf(field.name)}`, change: () => renew() })
  for (const lookup of lookupsOf(field)) select.append(h('option', { value: lookup }, wordOf(lookup, field.kind)))
  const holder = h('span', { class: 'value' })
  const fault = h('p', { class: 'fault', id: `${id}-fault`, hidden: true })
  const element = h('div', { class: 'line' }, select.options.length > 1 && select, holder, fault)
  let input = makeInput(field, select.value, list)

  /** Makes the input that the lookup needs. isnull needs a select. A text input stays, so that it keeps the focus. */
  const renew = () => {
    const next = makeInput(field, select.value, list)
    if (next.tagName !== input.tagName || next.tagName === 'SELECT') {
      next.value = input.value
      if (next instanceof HTMLSelectElement && next.selectedIndex < 0) next.value = ''
      input = next
    }
    const name = parameterName(field, select.value)
    setAttribute(input, 'name', name)
    setAttribute(input, 'aria-label', `${labelOf(field.name)} ${wordOf(select.value, field.kind)}`)
    setAttribute(input, 'aria-describedby', fault.id)
    if (!holder.contains(input)) fill(holder, input)
  }
  renew()

  return {
    element,
    name: () => parameterName(field, select.value),
    lookup: () => select.value,
    read: () => {
      const name = parameterName(field, select.value)
      if (given !== null && given.name === name && shown === input.value) return given
      if (field.kind === 'instant' && input.value !== '') {
        const [lookup, value] = askedOf(select.value, input.value, {
          language: navigator.language,
          isLocal: false,
          now: Date.now(),
        })
        return parameter(parameterName(field, lookup), value)
      }
      const isEmptyText = field.kind === 'text' && select.value === 'exact'
      return input.value === '' && !isEmptyText ? null : parameter(name, input.value)
    },
    write: (lookup, next) => {
      given = next
      if (select.value !== lookup) {
        select.value = lookup
        renew()
      }
      const value = next === null ? '' : textOf(next)
      shown = field.kind === 'instant' ? shownOf(lookup, value) : value
      if (input.value !== shown) input.value = shown
      setAttribute(input, 'title', shown === value ? null : value)
    },
    tell: (messages) => {
      const { fault: own } = kindOf(field.kind)
      fault.hidden = messages.length === 0
      fault.textContent = messages.length > 0 && own !== undefined ? own : messages.join(' ')
      setAttribute(input, 'aria-invalid', messages.length > 0 ? 'true' : null)
    },
  }
}

/** Returns the lookups of a field. Only a text has `exact`, because `exact` accepts the empty text. */
export const lookupsOf = (field: FormField): string[] => [
  '',
  ...field.lookups.filter((lookup) => lookup !== 'exact' || field.kind === 'text'),
]

const makeInput = (field: FormField, lookup: string, list: string | null): HTMLInputElement | HTMLSelectElement => {
  const choices = lookup === 'isnull' ? ['true', 'false'] : field.choices
  if (choices.length === 0) {
    const { example } = kindOf(field.kind)
    return h('input', { type: 'text', placeholder: example, autocomplete: 'off', spellcheck: 'false', list })
  }
  const words = lookup === 'isnull' ? ['yes', 'no'] : choices
  const options = choices.map((choice, i) => h('option', { value: choice }, words[i]))
  return h('select', {}, h('option', { value: '' }, 'any'), options)
}
