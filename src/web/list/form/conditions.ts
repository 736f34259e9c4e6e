import { type AddressParameter, parameter, textOf } from '../../state/address.ts'
import { type About, ATTRIBUTES, type FormField, fieldsOf } from '../../state/context.ts'
import { formatValue, readValue, zone } from '../../state/format.ts'
import { askedDuration, shownDuration } from '../../state/read/durations.ts'
import { askedInterval, askedOf, shownOf } from '../../state/read/times.ts'
import { relativeOf } from '../../state/read/words.ts'
import { language, texts } from '../../state/text.ts'

/** A condition on a field in the form. */
export interface FieldCondition {
  /** The parameter without its lookup. Only a condition on an attribute has its own. */
  readonly base: string
  readonly lookup: string
  readonly text: string
  /** The parameter of the address, and its text in the form. While both are unchanged, its bytes are sent as they came. */
  readonly given: (Pick<FieldCondition, 'base' | 'lookup' | 'text'> & { readonly parameter: AddressParameter }) | null
  /** True if the user has just added it. Its input gets the focus. */
  readonly isNew: boolean
}

/** The lookups of an attribute that the form offers. */
const OF_ATTRIBUTES = ['gt', 'gte', 'lt', 'lte', 'range', 'in', 'icontains', 'istartswith', 'isnull', 'not', 'in__not']

/** Returns the fields of the form. The box for words is above the list. */
export const formFields = (about: About): FormField[] => {
  const fields = fieldsOf(about).filter(({ kind }) => kind !== 'words')
  const hasAttributes = Object.values(about.filters ?? {}).includes(ATTRIBUTES)
  const attributes = { name: ATTRIBUTES, kind: ATTRIBUTES, group: 'more' as const, lookups: OF_ATTRIBUTES, choices: [] }
  return hasAttributes ? [...fields, attributes] : fields
}

/** Returns the lookups of a field. Only a text has `exact`, because `exact` accepts the empty text. */
export const lookupsOf = ({ lookups, kind }: FormField): string[] => [
  '',
  ...lookups.filter((lookup) => lookup !== 'exact' || kind === 'text'),
]

/** Returns the values of a condition that accepts only some. */
export const choicesOf = (field: FormField, lookup: string): readonly string[] =>
  lookup === 'isnull' ? ['true', 'false'] : field.choices

export const nameOf = ({ base, lookup }: FieldCondition): string => (lookup === '' ? base : `${base}__${lookup}`)

/** The beginning of the parameters of attributes. */
export const ATTRIBUTE = `${ATTRIBUTES}__`

/** Tests if a value may be a number with the decimal mark of the language. In a list, commas separate the values. */
const isMarked = ({ name, kind }: FormField, lookup: string): boolean =>
  (name === 'value' || kind === ATTRIBUTES) && !/^(in|range)(__|$)/.test(lookup)

/** Returns the parameter of a condition. Null without a value. */
export const readCondition = (field: FormField, condition: FieldCondition): AddressParameter | null => {
  const { kind } = field
  const { base, lookup, text, given } = condition
  if (given?.base === base && given.lookup === lookup && given.text === text) return given.parameter
  const isEmptyText = kind === 'text' && lookup.startsWith('exact')
  if (base === ATTRIBUTE || (text.trim() === '' && !isEmptyText)) return null
  if (kind === 'duration') return parameter(nameOf(condition), askedDuration(lookup, text))
  if (isMarked(field, lookup)) return parameter(nameOf(condition), readValue(text))
  if (kind !== 'instant' && kind !== 'interval') return parameter(nameOf(condition), text)
  const locale = navigator.languages.find((tag) => tag.startsWith(language.value)) ?? language.value
  const reader = { language: locale, isLocal: zone.value === 'local', now: Date.now() }
  if (kind === 'interval') return parameter(base, askedInterval(text, reader))
  const [asked, value] = askedOf(lookup, text, reader)
  return parameter(nameOf({ ...condition, lookup: asked }), value)
}

export const readAll = (field: FormField, conditions: readonly FieldCondition[]): AddressParameter[] =>
  conditions.map((each) => readCondition(field, each)).filter((each) => each !== null)

/** Returns the text that the form shows for a value. */
const shownText = (field: FormField, lookup: string, value: string): string => {
  const { kind } = field
  const { units } = texts()
  if (isMarked(field, lookup)) return formatValue(value)
  if (kind === 'duration')
    return shownDuration(lookup, value, [units.day, units.hour, units.minute, units.second, units.millisecond])
  if (kind === 'interval') {
    const [from = '', until = from, ...others] = value.split('/')
    const isDay = /^\d{4}-\d\d-\d\d$/.test(until)
    if (others.length > 0 || [from, until].includes('..') || !(isDay || value.includes('/'))) return value
    // In an interval, a date means its whole day.
    return shownTimes('range', `${from},${isDay ? `${until}T23:59:59.999999Z` : until}`)
  }
  return kind === 'instant' ? shownTimes(lookup, value) : value
}

const shownTimes = (lookup: string, value: string): string => {
  const { form } = texts()
  const words = value.split(',').map((part) => {
    const relative = relativeOf(part)
    return relative === null ? part : form.relative(relative.sign, relative.amount, relative.unit)
  })
  return shownOf(lookup, words.join(','), zone.value === 'local')
}

export const emptyCondition = (base: string, lookup: string, isNew = false): FieldCondition => ({
  base,
  lookup,
  isNew,
  text: '',
  given: null,
})

/** Returns the base and the lookup of a parameter of a field. Null for other parameters. */
const partsOf = (field: FormField, name: string): readonly [base: string, lookup: string] | null => {
  if (field.kind === ATTRIBUTES) {
    if (!name.startsWith(ATTRIBUTE)) return null
    const [own = '', ...lookup] = name.slice(ATTRIBUTE.length).split('__')
    return [`${ATTRIBUTE}${own}`, lookup.join('__')]
  }
  if (name === field.name) return [name, '']
  const lookup = name.slice(field.name.length + 2)
  if (name !== `${field.name}__${lookup}` || !field.lookups.includes(lookup)) return null
  return [field.name, lookup === 'exact' && field.kind !== 'text' ? '' : lookup]
}

/** Returns the conditions of a field in an address. */
export const givenConditions = (field: FormField, given: readonly AddressParameter[]): FieldCondition[] =>
  given.flatMap((each) => {
    const parts = partsOf(field, each.name)
    if (parts === null) return []
    const [base, lookup] = parts
    const text = shownText(field, lookup, textOf(each))
    return [{ base, lookup, text, given: { base, lookup, text, parameter: each }, isNew: false }]
  })

export const belongsTo = (field: FormField, { name }: AddressParameter): boolean => partsOf(field, name) !== null

/** The lookups that have a condition at first, by the kind of the field. Other kinds have the field without a lookup. */
const FIRST: Readonly<Record<string, readonly string[]>> = {
  text: ['icontains'],
  instant: ['gte', 'lte'],
  duration: ['gte'],
}

/**
 * Returns the conditions of a field. There is one for each given parameter, and one for each that the user has added.
 * A field without any gets its first ones. Two first ones, such as the ends of a period, always appear together.
 */
export const conditionsOf = (
  field: FormField,
  given: readonly AddressParameter[],
  before: readonly FieldCondition[],
): readonly FieldCondition[] => {
  const all = givenConditions(field, given)
  const empty = before.filter((each) => readCondition(field, each) === null).map((each) => ({ ...each, isNew: false }))
  if (field.kind === ATTRIBUTES) {
    const both = [...all, ...empty]
    return both.length > 0 ? both : [emptyCondition(ATTRIBUTE, '')]
  }
  const first = (FIRST[field.kind] ?? ['']).filter((lookup) => lookupsOf(field).includes(lookup))
  const add = (condition: FieldCondition) => {
    if (!all.some(({ lookup }) => endOf(lookup) === endOf(condition.lookup))) all.push(condition)
  }
  for (const each of empty) if (!first.includes(each.lookup)) add({ ...each, text: '' })
  if (all.length === 0 || first.length > 1) for (const lookup of first) add(emptyCondition(field.name, lookup))
  return all.sort((a, b) => rank(first, a) - rank(first, b))
}

/** Returns the same key for `lt` and `lte`, and for `gt` and `gte`. Each end of a period has only one condition. */
const endOf = (lookup: string): string => lookup.replace(/^([lg]t)e$/, '$1')

const rank = (first: readonly string[], { lookup }: FieldCondition): number => {
  const found = first.findIndex((each) => endOf(each) === endOf(lookup))
  return found < 0 ? first.length : found
}
