import { ONE_ATTRIBUTE } from '../../formats/columns.ts'
import { bboxOf } from '../../geometry/bbox.ts'
import { type AddressParameter, filtersOf, type PageAddress, parameter } from '../state/address.ts'
import {
  type About,
  choiceLabel,
  type Field,
  filterFieldsOf,
  labelNamed,
  labelOf,
  lookupLabel,
} from '../state/fields.ts'
import { clock, formatBounds, zoneName } from '../state/format.ts'
import { partLabel } from '../state/groups.ts'
import { NO_SERIES, type SeriesById } from '../state/known.ts'
import { instantOf, readerTag, saidPeriod } from '../state/periods.ts'
import { askedDuration, shownDuration } from '../state/read/durations.ts'
import { numbersOf, ONE, readingsOf, readNumbers, writeNumbers } from '../state/read/numbers.ts'
import { askedInterval, askedOf, shownOf } from '../state/read/times.ts'
import { relativeText } from '../state/read/words.ts'
import type { RefusedAnswer } from '../state/store.ts'
import { language, texts } from '../state/text.ts'

/** A filter as people read and edit it. */
export interface Filter {
  readonly field: Field
  /** The parameter without its lookup. Only a filter by an attribute has another name than its field. */
  readonly base: string
  readonly lookup: string
  readonly text: string
  /** The parameter of the address that it shows. Absent after a change, and in a new filter. */
  readonly given?: AddressParameter
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

export const nameOf = ({ base, lookup }: Filter): string => (lookup === '' ? base.trim() : `${base.trim()}__${lookup}`)

/** The lookup that people need first, by the kind of a field. */
const FIRST: Readonly<Record<string, string>> = { text: 'icontains', duration: 'gte' }

/** Returns a filter by a field without a value. */
export const emptyFilter = (field: Field): Filter => {
  const isText = field.kind === ONE_ATTRIBUTE && field.decimals === null
  const lookup = isText ? 'icontains' : (FIRST[field.kind] ?? '')
  const base = field.kind === ATTRIBUTES ? ATTRIBUTE : field.name
  return { field, base, lookup: field.lookups.includes(lookup) ? lookup : '', text: '' }
}

/** Returns a filter whose text is read anew. */
export const renewed = ({ given: _, ...filter }: Filter): Filter => filter

/** Returns the parameter of a filter. Null without a value. */
export const parameterOf = (filter: Filter): AddressParameter | null => {
  const { field, base, lookup, text, given } = filter
  if (given !== undefined) return given
  const isEmptyText = field.kind === 'text' && lookup.startsWith('exact')
  if (base === ATTRIBUTE || (text.trim() === '' && !isEmptyText)) return null
  const [asked, value] = askedFor(field, lookup, text.trim())
  return parameter(nameOf({ ...filter, lookup: asked }), value)
}

/** Returns both readings of a filter whose numbers are not clear. Null for others. */
export const doubtOf = ({ field, lookup, text, given }: Filter): ReturnType<typeof readingsOf> => {
  const numbers = numbersOf(field, lookup)
  return given !== undefined || numbers === null ? null : readingsOf(text.trim(), numbers)
}

/** The id of an object, such as 986 in airport$986. */
const OBJECT_ID = /(?<=\$).*/

/** Returns the lookup and the value for the service. A period in words becomes a range. */
const askedFor = (field: Field, lookup: string, text: string): readonly [lookup: string, value: string] => {
  const { kind } = field
  if (kind === 'duration') return [lookup, askedDuration(lookup, text)]
  if (kind === 'object') return [lookup, text.replace(OBJECT_ID, (id) => readNumbers(id, ONE) ?? id)]
  if (kind === 'instant' || kind === 'interval') {
    const reader = { language: readerTag(), clock: clock.value, now: Date.now() }
    return kind === 'interval' ? [lookup, askedInterval(text, reader)] : askedOf(lookup, text, reader)
  }
  const numbers = numbersOf(field, lookup)
  return [lookup, (numbers && readNumbers(text, numbers)) ?? text]
}

/** Returns the text that people read for a value. */
const shownText = (field: Field, lookup: string, value: string): string => {
  const { day, hour, minute, second, millisecond } = texts().units
  const { kind } = field
  if (kind === 'duration') return shownDuration(lookup, value, [day, hour, minute, second, millisecond])
  if (kind === 'instant') return shownTimes(lookup, value)
  if (kind === 'object') return value.replace(OBJECT_ID, (id) => writeNumbers(id, ONE))
  if (kind !== 'interval') {
    const numbers = numbersOf(field, lookup)
    return numbers === null ? value : writeNumbers(value, numbers)
  }
  const [from = '', until = from, ...others] = value.split('/')
  const isDay = /^\d{4}-\d\d-\d\d$/.test(until)
  if (others.length > 0 || [from, until].includes('..') || !(isDay || value.includes('/'))) return value
  // In an interval, a date means its whole day.
  return shownTimes('range', `${from},${isDay ? `${until}T23:59:59.999999` : until}`)
}

const shownTimes = (lookup: string, value: string): string => {
  const words = value.split(',').map((part) => relativeText(part, language.value) ?? part)
  return shownOf(lookup, words.join(','), clock.value)
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
      return { field, base, lookup, text: shownText(field, lookup, given.value), given }
  }
  return null
}

/** Returns the filters of a place that people see as one: a position and its metres, and both ends of a period. */
export const chipsOf = (about: About, place: PageAddress): readonly (readonly AddressParameter[])[] => {
  const isOf = (kind: string) => (each: AddressParameter) => filterOf(about, each)?.field.kind === kind
  const given = filtersOf(place)
  const metres = given.some(isOf('position')) ? given.filter(isOf('metres')) : []
  const ends = given.filter(isOf('instant')).flatMap((each) => {
    const end = given.find(({ name }) => each.name.endsWith('__gte') && name === each.name.replace(/gte$/, 'lt'))
    return end === undefined ? [] : [[each, end] as const]
  })
  const others = given.filter((each) => !metres.includes(each) && !ends.some(([, end]) => end === each))
  return others.map((each) => {
    const [, end] = ends.find(([from]) => from === each) ?? []
    return [each, ...(isOf('position')(each) ? metres : []), ...(end === undefined ? [] : [end])]
  })
}

/** A day without a time. */
const DAY = /^\d{4}-\d\d-\d\d$/

/** Says a chip in words. Whole days from a first to a last one are a period. */
export const wordsOfChip = (chip: readonly AddressParameter[], about: About, series: SeriesById): string => {
  const [first, before] = chip.map((each) => filterOf(about, each))
  const isPeriod = before?.lookup === 'lt' && [first?.text ?? '', before.text].every((text) => DAY.test(text))
  if (!first || !before || !isPeriod) return chip.map((each) => wordsOf(each, about, series)).join(', ')
  return `${labelOf(first.field)}: ${saidPeriod({ from: instantOf(first.text), before: instantOf(before.text) })}`
}

/** Returns the first faulty parameter that an editor can correct. Null without one. */
export const firstFaulty = (about: About, { place, messages }: RefusedAnswer): AddressParameter | null =>
  filtersOf(place).find((each) => each.name in messages && filterOf(about, each) !== null) ?? null

/** The longest value in words, in characters. An area may have thousands. */
const LONGEST = 60

/** Says a filter in words, such as "Category contains flood" and "Start from 7 days ago". */
export const wordsOf = (given: AddressParameter, about: About, series: SeriesById): string => {
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

const shownValueOf = (given: AddressParameter, filter: Filter | null, series: SeriesById): string => {
  if (filter === null) return given.value
  const { field, lookup, text } = filter
  const part = lookup === '' || lookup === 'in' ? text.split(/[,;]/).map((each) => partLabel(field.name, each)) : [null]
  if (!part.includes(null)) return part.join(', ')
  if (field.kind === 'geometry') return boundsOf(text) ?? text
  if (field.kind === 'uuid prefix') return namesOf(text, series)
  if (lookup === 'range') return text.replace(text.includes(';') ? /; ?/ : /, ?/, ' – ')
  return choicesOf(filter).length > 0 ? choiceLabel(text) : text
}

/** The WKT of a polygon that the map writes. */
const POLYGON = /^POLYGON \(\([-\d., ]+\)\)$/

/** Says a polygon by its bounds. Undefined for other geometries. */
const boundsOf = (text: string): string | undefined => {
  if (!POLYGON.test(text)) return undefined
  const numbers = text.slice('POLYGON (('.length, -2).split(/[, ]+/)
  const [west, south, east, north] = bboxOf(Float64Array.from(numbers, Number)) ?? [0, 0, 0, 0]
  return formatBounds({ west, south, east, north })
}

const namesOf = (uuids: string, series: SeriesById): string =>
  uuids
    .split(',')
    .map(
      (given) =>
        [...series].find(([uuid]) => uuid.startsWith(given.trim()))?.[1].name ?? given.replace(/^(.{8}).{28}$/, '$1…'),
    )
    .join(', ')

/** Says how a time, a length or a number is understood. Empty if it says no more than the text. */
export const understood = (about: About, filter: Filter): string => {
  const { field, lookup, text } = filter
  const isTime = ['instant', 'interval'].includes(field.kind)
  const asked = doubtOf(filter) === null ? parameterOf(filter) : null
  if (asked === null || (!isTime && numbersOf(field, lookup) === null)) return ''
  const read = filterOf(about, asked)
  if (read === null || (read.text === text.trim() && read.lookup === lookup)) return ''
  return `${wordsOf(asked, about, NO_SERIES)}${isTime ? ` ${zoneName()}` : ''}`
}
