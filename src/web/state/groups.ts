import { attributeIn } from '../../formats/columns.ts'
import { changed, exchanged, filtersOf, type PageAddress, parameter, type view } from './address.ts'
import { type Column, statisticOf, titleOf } from './fields.ts'
import { zoneFor } from './format.ts'
import { type FacetEntry, type Statistics, sum, TIMES } from './known.ts'
import { isEvent } from './rows.ts'
import { language, textsOf } from './text.ts'

export const groupTexts = textsOf({
  group: ['Group by', 'Groepeer op'],
  second: ['then by', 'daarna op'],
  number: ['Number', 'Getal'],
  compare: ['Compare with', 'Vergelijk met'],
  none: ['nothing', 'niets'],
  onlyCounts: ['only counts', 'alleen aantallen'],
  compares: {
    before: ['the period before', 'de periode ervoor'],
    year: ['a year before', 'een jaar eerder'],
  },
  parts: {
    timestamp_start__year: ['Year', 'Jaar'],
    timestamp_start__month: ['Month', 'Maand'],
    timestamp_start__weekday: ['Weekday', 'Weekdag'],
    timestamp_start__hour: ['Hour', 'Uur'],
  },
  event_series: ['Series', 'Reeks'],
  object_type__model: ['Object', 'Object'],
  heads: {
    count: ['Count', 'Aantal'],
    sum: ['Sum', 'Som'],
    mean: ['Mean', 'Gemiddeld'],
    min: ['Least', 'Kleinste'],
    max: ['Greatest', 'Grootste'],
  },
  all: ['All', 'Alles'],
  without: ['none', 'geen'],
  empty: ['(empty)', '(leeg)'],
  hour: ['{}:00 – {}:59', '{}:00 – {}:59'],
  open: ['Show the parts of {}', 'Toon de delen van {}'],
  table: ['Download as CSV', 'Download als CSV'],
  more: ['Show {} more groups', 'Toon nog {} groepen'],
  beyond: ['{} more groups', 'nog {} groepen'],
  unnumbered: ['{} of {} without a number', '{} van {} zonder getal'],
  versus: ['{}, compared with {}', '{}, vergeleken met {}'],
  now: ['Now', 'Nu'],
  earlier: ['Earlier', 'Eerder'],
  difference: ['Change', 'Verschil'],
})

/** Events have groups by these parts of their start, on the clock of the page. */
const PARTS = [...TIMES, 'timestamp_start__weekday', 'timestamp_start__hour']

/** The statistics of a number that a table of groups shows. */
export const STATISTICS = ['sum', 'mean', 'min', 'max'] as const

/** The reader chooses groups in the address, such as `#group=attributes__town,category&number=value&order=-sum`. */
export interface Grouping {
  /** The names of the first and the second level. */
  readonly names: readonly string[]
  readonly number: string | null
  /** `count`, `text` or a statistic of the number. A - in front reverses it. */
  readonly order: string
}

/** Returns the grouping in the address. Without one it has no names. `levels` are numbers without a sum. */
export const groupingIn = (parts: typeof view.value, levels: readonly string[] = []): Grouping => {
  const names = parts.get('group')?.split(',').filter(Boolean) ?? []
  const number = parts.get('number') ?? null
  const [first = ''] = names
  let usual = number !== null && levels.includes(number) ? '-mean' : '-sum'
  if (number === null) usual = '-count'
  if (PARTS.includes(first)) usual = 'text'
  return { names: names.slice(0, 2), number, order: parts.get('order') ?? usual }
}

/** A column or a part of the start, with its title. */
export type Named = readonly [name: string, title: string]

/** All columns of a list, and the name of its only series. Null: there are several. */
interface Columns {
  readonly every: readonly Column[]
  readonly only: string | null
}

/**
 * Returns the groups that a list can have, its numbers, and the numbers that have no sum. People's own columns come first,
 * and filters take them.
 */
export const choicesFor = ({ every, only }: Columns, rows: readonly object[]) => {
  const t = groupTexts()
  const attributes = every.filter(({ name, lookups }) => attributeIn(name) !== null && lookups.length > 0)
  const isNumeric = ({ decimals }: Column) => decimals !== null
  const told = (column: Column): Named => [column.name, titleOf(column)]
  const events = rows.filter(isEvent)
  const ours: Named[] = [
    ...(only === null ? [['event_series', t.event_series] as const] : []),
    ...(events.some(({ object }) => object !== null) ? [['object_type__model', t.object_type__model] as const] : []),
  ]
  const categories = every.filter(({ name }) => name === 'category')
  const texts = [...categories, ...attributes.filter((column) => !isNumeric(column))]
  const numbers = [...every.filter(({ name }) => name === 'value'), ...attributes].filter(isNumeric)
  return {
    columns: [...texts.map(told), ...ours, ...attributes.filter(isNumeric).map(told)],
    times: Object.entries(t.parts),
    numbers: numbers.map(told),
    levels: numbers.filter((column) => statisticOf(column) === 'mean').map(({ name }) => name),
  }
}

/** A group with its number of events, and the statistics of a number. */
export interface Group extends Omit<FacetEntry, 'value'> {
  readonly value?: unknown
  readonly statistics?: Readonly<Record<string, Statistics>>
}

/** The groups of one level. */
export interface Groups {
  readonly entries: readonly Group[]
  readonly more: number
  /** The number of events without the attribute. */
  readonly without: number
  readonly count: number
  readonly whole: Statistics | null
}

/** The most groups of an answer. */
const MOST = 1000

/** Returns the parameters of a summary with groups. */
const askedFor = (name: string, { number, order }: Omit<Grouping, 'names'>, size: number) => {
  const [, sign = '', by = 'count'] = /^(-?)(.*)$/.exec(order) ?? []
  const isStatistic = STATISTICS.some((each) => each === by)
  const key = isStatistic ? (number === null ? 'count' : `${number}__${by}`) : by
  const asked = { facets: name, facet_size: String(size), facet_ordering: `${sign}${key}` }
  return { bins: '1', level: '0', ...asked, ...(number && { statistics: number }) }
}

/** Returns the address of a table of the groups, with numbers and cells as in the language of the page. */
export const tableOf = (place: PageAddress, name: string, grouping: Grouping): PageAddress => {
  const format = language.value === 'en' ? { format: 'csv' } : { format: 'spreadsheet', locale: language.value }
  const more = Object.entries({ ...askedFor(name, grouping, MOST), ...format })
  const asked = more.map(([name, value]) => parameter(name, value))
  return { path: `${place.path}summary/`, parameters: [...filtersOf(place), ...zoneFor(place, true), ...asked] }
}

/** Reads the groups of the events at a place. Null if the service failed. */
export const groupsOf = async (
  place: PageAddress,
  name: string,
  grouping: Omit<Grouping, 'names'>,
  size: number,
  signal: AbortSignal,
): Promise<Groups | null> => {
  const found = await sum(place, askedFor(name, grouping, size), signal)
  const facet = found?.facets?.[name] as (Partial<Groups> & Pick<Groups, 'entries' | 'more'>) | undefined
  if (found === null || facet === undefined) return null
  const whole = (grouping.number !== null && found.statistics?.[grouping.number]) || null
  return { without: 0, ...facet, count: found.count, whole }
}

/** Returns what tells a group apart from others. */
export const keyOf = ({ uuid, value }: Group): string => uuid ?? JSON.stringify(value)

/** Returns a part of a start for people, such as a month or a weekday. Null for other names. */
export const partLabel = (name: string, value: unknown): string | null => {
  const [, part] = /start__(month|weekday|hour)$/.exec(name) ?? []
  const number = Number(value)
  if (part === undefined || !Number.isInteger(number)) return null
  if (part === 'hour') return groupTexts().hour(String(number), String(number))
  return (part === 'month' ? monthNames() : dayNames())[number - 1] ?? String(value)
}

/** Returns the name of a group for people. */
export const labelOf = (name: string, { name: called, value }: Group): string => {
  const t = groupTexts()
  const label = called ?? partLabel(name, value)
  if (label !== null) return label
  if (value === '') return t.empty
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const namesBy = (options: Intl.DateTimeFormatOptions, days: readonly number[]): string[] => {
  const format = new Intl.DateTimeFormat(language.value, { ...options, timeZone: 'UTC' })
  return days.map((day) => format.format(day))
}

const monthNames = (): string[] =>
  namesBy(
    { month: 'long' },
    Array.from({ length: 12 }, (_, month) => Date.UTC(2001, month, 1)),
  )
/** 1 January 2001 was a Monday. */
const dayNames = (): string[] =>
  namesBy(
    { weekday: 'long' },
    Array.from({ length: 7 }, (_, day) => Date.UTC(2001, 0, 1 + day)),
  )

/** Returns the list with only the events of a group. Null: no filter selects them. */
export const placeOfGroup = (place: PageAddress, name: string, { uuid, value }: Group): PageAddress | null => {
  if (uuid !== undefined) return changed(place, { event_series: uuid })
  // The clock of the page decides the part of a start.
  if (PARTS.includes(name))
    return exchanged(place, [name, 'timezone'], [parameter(name, String(value)), ...zoneFor(place, true)])
  if (value === '') return exchanged(place, [name], [parameter(`${name}__exact`, '')])
  return typeof value === 'object' ? null : exchanged(place, [name], [parameter(name, String(value))])
}
