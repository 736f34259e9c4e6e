import { type Signal, signal } from '@preact/signals'
import { type AddressParameter, filtersOf, type PageAddress } from '../../state/address.ts'
import type { About, FormField } from '../../state/context.ts'
import {
  ATTRIBUTE,
  belongsTo,
  choicesOf,
  conditionsOf,
  emptyCondition,
  type FieldCondition,
  formFields,
  lookupsOf,
  readAll,
  readCondition,
} from './conditions.ts'

/** A field of the form and its conditions. */
export interface FieldState {
  readonly field: FormField
  readonly conditions: readonly FieldCondition[]
  /** True if the user has changed the field since its conditions were last asked for or shown. */
  readonly isBegun: boolean
  /** The conditions as last asked for or shown. */
  readonly known: string
}

/** The state of a form, and its changes. */
export interface FormState {
  readonly fields: Signal<readonly FieldState[]>
  /** Shows the filters of a place. */
  readonly show: (place: PageAddress) => void
  readonly edit: (name: string, index: number, change: Partial<FieldCondition>) => void
  /** Adds an empty condition to a field. */
  readonly add: (name: string) => void
  /** Asks with all values of the form. */
  readonly submit: () => void
  /** Asks if a field has other conditions than the last request. */
  readonly commit: (name: string) => void
}

/** Makes the state of a list's form. The handler gets the filters of the form, and the words of the search. */
export const makeFormState = (
  about: About,
  first: PageAddress,
  handler: () => (filters: readonly AddressParameter[]) => void,
): FormState => {
  const empty = formFields(about).map((field) => ({ field, conditions: [], isBegun: false, known: '' }))
  const fields = signal<readonly FieldState[]>(empty)
  let others: readonly AddressParameter[] = []
  const change = (name: string, next: (state: FieldState) => Partial<FieldState>) => {
    fields.value = fields.value.map((state) => (state.field.name === name ? { ...state, ...next(state) } : state))
  }
  const submit = () => {
    fields.value = fields.value.map((state) => ({ ...state, isBegun: false, known: keyOf(state) }))
    handler()([...others, ...fields.value.flatMap(({ field, conditions }) => readAll(field, conditions))])
  }
  const show = (place: PageAddress) => {
    const given = filtersOf(place)
    others = given.filter(({ name }) => name === 'q')
    fields.value = fields.value.map((state) => shown(state, given))
  }
  show(first)
  return {
    fields,
    show,
    submit,
    edit: (name, index, changes) =>
      change(name, ({ field, conditions }) => ({
        conditions: conditions.map((each, i) => (i === index ? fitted(field, { ...each, ...changes }) : each)),
        isBegun: true,
      })),
    add: (name) =>
      change(name, ({ field, conditions }) => {
        const free = lookupsOf(field).find((lookup) => conditions.every((each) => each.lookup !== lookup)) ?? ''
        const next = emptyCondition(field.name, free, true)
        const ofAttribute = { ...next, base: ATTRIBUTE, lookup: '' }
        return { conditions: [...conditions, field.kind === 'attributes' ? ofAttribute : next] }
      }),
    commit: (name) => {
      const state = fields.value.find(({ field }) => field.name === name)
      if (state !== undefined && keyOf(state) !== state.known) submit()
    },
  }
}

const textOfAll = (parameters: readonly AddressParameter[]): string =>
  parameters
    .map(({ name, encoded }) => `${name}=${encoded}`)
    .sort()
    .join('&')

const keyOf = ({ field, conditions }: FieldState): string => textOfAll(readAll(field, conditions))

/**
 * Shows the given filters in a field. An answer may come while the user writes. The input then stays, unless another
 * request has changed the field.
 */
const shown = (state: FieldState, given: readonly AddressParameter[]): FieldState => {
  const { field, conditions, isBegun, known } = state
  const own = textOfAll(given.filter((each) => belongsTo(field, each)))
  if (isBegun && own === known) return state
  return { field, conditions: conditionsOf(field, given, conditions), isBegun: false, known: own }
}

/** Empties a condition whose new lookup does not accept its text. */
const fitted = (field: FormField, condition: FieldCondition): FieldCondition => {
  const choices = choicesOf(field, condition.lookup)
  return choices.length === 0 || choices.includes(condition.text) ? condition : { ...condition, text: '' }
}

/** Tests if a field has a value. */
export const hasValue = ({ field, conditions }: FieldState): boolean =>
  conditions.some((each) => readCondition(field, each) !== null)
