import { bboxOf } from '../../geometry/bbox.ts'
import { type AddressParameter, filtersOf, type PageAddress, parameter, textOf } from '../state/address.ts'
import type { About } from '../state/fields.ts'
import { choiceLabel, type Field, filterFieldsOf, labelNamed, labelOf, lookupLabel } from '../state/fields.ts'
import { formatBounds, formatValue, readValue, zone, zoneName } from '../state/format.ts'
import { askedDuration, shownDuration } from '../state/read/durations.ts'
import { askedInterval, askedOf, shownOf } from '../state/read/times.ts'
import { relativeText } from '../state/read/words.ts'
import { type Series, uuidOf } from '../state/rows.ts'
import type { Refusal } from '../state/store.ts'
import { language, texts } from '../state/text.ts'

/** A filter as people read and edit it. */
export interface Filter {
  readonly field: Field
  /** The parameter without its lookup. Only a filter by an attribute has another name than its field. */
  readonly base: string
  readonly lookup: string
  readonly text: string
}

/** The kind of the field of attributes. Each attribute has filters of its own. */
export const ATTRIBUTES = 'attributes'
/** The beginning of the parameters of attributes. */
export const ATTRIBUTE = `${ATTRIBUTES}__`

/** Returns the lookups of a field. Only a text has `exact`, because `exact` accepts the empty text. */
export const lookupsOf = ({ lookups, kind }: Field): readonly string[] =>
  lookups.filter((lookup) => lookup !== 'exact' || kind === 'text')

/** Returns the values of a filter that accepts only some. */
export const choicesOf = ({ field, lookup }: Filter): readonly string[] =>
  lookup === 'isnull' ? ['true', 'false'] : (field.choices ?? [])

export const nameOf = ({ base, lookup }: Filter): string => (lookup === '' ? base : `${base}__${lookup}`)

/** The lookup that people need first, by the kind of a field. */
const FIRST: Readonly<Record<string, string>> = { text: 'icontains', duration: 'gte' }

/** Returns a filter by a field without a value. */
export const emptyFilter = (field: Field): Filter => {
  const lookup = FIRST[field.kind] ?? ''
  const base = field.kind === ATTRIBUTES ? ATTRIBUTE : field.name
  return { field, base, lookup: field.lookups.includes(lookup) ? lookup : '', text: '' }
}

/** Tests if a value may be a number with the decimal mark of the language. In a list, commas separate the values. */
const isMarked = ({ name, kind }: Field, lookup: string): boolean =>
  (name === 'value' || kind === ATTRIBUTES) && !/^(in|range)(__|$)/.test(lookup)

/** Returns the parameter of a filter. Null without a value. */
export const parameterOf = (filter: Filter): AddressParameter | null => {
  const { field, base, lookup, text } = filter
  const { kind } = field
  const isEmptyText = kind === 'text' && lookup.startsWith('exact')
  if (base === ATTRIBUTE || (text.trim() === '' && !isEmptyText)) return null
  if (kind === 'duration') return parameter(nameOf(filter), askedDuration(lookup, text))
  if (isMarked(field, lookup)) return parameter(nameOf(filter), readValue(text))
  if (kind !== 'instant' && kind !== 'interval') return parameter(nameOf(filter), text.trim())
  const locale = navigator.languages.find((tag) => tag.startsWith(language.value)) ?? language.value
  const reader = { language: locale, isLocal: zone.value === 'local', now: Date.now() }
  if (kind === 'interval') return parameter(base, askedInterval(text, reader))
  const [asked, value] = askedOf(lookup, text, reader)
  return parameter(nameOf({ ...filter, lookup: asked }), value)
}

/** Returns the text that people read for a value. */
const shownText = (field: Field, lookup: string, value: string): string => {
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
  const words = value.split(',').map((part) => relativeText(part, language.value) ?? part)
  return shownOf(lookup, words.join(','), zone.value === 'local')
}

/** Returns the base and the lookup of a parameter of a field. Null for other parameters. */
const partsOf = (field: Field, name: string): readonly [base: string, lookup: string] | null => {
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

/** Reads a parameter of a list. Null if no field has it. */
export const filterOf = (about: About, given: AddressParameter): Filter | null => {
  for (const field of filterFieldsOf(about)) {
    const [base, lookup] = partsOf(field, given.name) ?? []
    if (base !== undefined && lookup !== undefined)
      return { field, base, lookup, text: shownText(field, lookup, textOf(given)) }
  }
  return null
}

/** Returns the filters of a place that people see as one: a position and the metres around it belong together. */
export const chipsOf = (about: About, place: PageAddress): readonly (readonly AddressParameter[])[] => {
  const isOf = (kind: string) => (each: AddressParameter) => filterOf(about, each)?.field.kind === kind
  const given = filtersOf(place)
  const metres = given.some(isOf('position')) ? given.filter(isOf('metres')) : []
  const others = given.filter((each) => !metres.includes(each))
  return others.map((each) => (isOf('position')(each) ? [each, ...metres] : [each]))
}

/** Returns the first faulty parameter that an editor can correct. Null without one. */
export const firstFaulty = (about: About, { place, messages }: Refusal): AddressParameter | null =>
  filtersOf(place).find((each) => each.name in messages && filterOf(about, each) !== null) ?? null

/** The longest value in words, in characters. An area may have thousands. */
const LONGEST = 60

/** Says a filter in words, such as "Category contains flood" and "Start from 7 days ago". */
export const wordsOf = (given: AddressParameter, about: About, series: readonly Series[] | null): string => {
  const filter = filterOf(about, given)
  const value = shownValueOf(given, filter, series)
  return `${labelOfFilter(about, given, filter)} ${value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value}`
}

const labelOfFilter = (about: About, { name }: AddressParameter, filter: Filter | null): string => {
  if (filter === null) return `${labelNamed(about, name)}:`
  const { field, base, lookup } = filter
  const label = field.kind === ATTRIBUTES ? base.slice(ATTRIBUTE.length) : labelOf(field)
  if (lookup === '' || lookup === 'range') return `${label}:`
  return `${label} ${lookupLabel(lookup, field.kind).replace(/ \(a, b\)$/, '')}`
}

const shownValueOf = (given: AddressParameter, filter: Filter | null, series: readonly Series[] | null): string => {
  if (filter === null) return textOf(given)
  const { field, lookup, text } = filter
  if (field.kind === 'geometry') return boundsOf(text) ?? text
  if (field.kind === 'uuid prefix') return namesOf(text, series)
  if (lookup === 'range') return text.replace(/[,;] ?/, ' – ')
  return choicesOf(filter).length > 0 ? choiceLabel(text) : text
}

/** The WKT of a polygon that the map writes. */
const POLYGON = /^POLYGON \(\([-\d., ]+\)\)$/

/** Says a polygon by its bounds. Undefined for other geometries. */
const boundsOf = (text: string): string | undefined => {
  if (!POLYGON.test(text)) return undefined
  const numbers = text.slice('POLYGON (('.length, -2).split(/,? /)
  const [west, south, east, north] = bboxOf(Float64Array.from(numbers, Number)) ?? []
  if (west === undefined || south === undefined || east === undefined || north === undefined) return undefined
  return formatBounds({ west, south, east, north })
}

const namesOf = (uuids: string, series: readonly Series[] | null): string =>
  uuids
    .split(',')
    .map((uuid) => series?.find((each) => uuidOf(each).startsWith(uuid.trim()))?.name ?? uuid)
    .join(', ')

/** Says how a time or a length in words is understood. Empty if it says no more than the text. */
export const understood = (about: About, filter: Filter): string => {
  const { kind } = filter.field
  const asked = parameterOf(filter)
  if (asked === null || !['instant', 'interval', 'duration'].includes(kind)) return ''
  const read = filterOf(about, asked)
  if (read === null || (read.text === filter.text && read.lookup === filter.lookup)) return ''
  return `${wordsOf(asked, about, null)}${kind === 'duration' ? '' : ` ${zoneName()}`}`
}
