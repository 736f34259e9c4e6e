import { computed, signal } from '@preact/signals'
import { firstFrom, type NamedZone, UTC, zoneOf } from '../../base/zone.ts'
import { changed, isDated, type PageAddress, parameter, setView, view, zoneIn } from './address.ts'
import type { Bounds } from './rows.ts'
import { keep, language, readKept, texts } from './text.ts'

/** The time zone that the reader chooses: UTC, or the zone of the browser. */
type ShownZone = 'utc' | 'local'

const STORED = 'zone'

const zoneHere = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone
const isUtcNamed = (name: string): boolean => /^(Etc\/)?UTC$/.test(name)

const choiceNamed = (name: string | null | undefined): ShownZone | undefined =>
  name === 'utc' || name === 'local' ? name : undefined

/** The choice in the address, or else that of the last visit, or else the zone of the browser. */
export const zone = signal<ShownZone>(
  choiceNamed(readKept('localStorage', STORED)) ?? (isUtcNamed(zoneHere()) ? 'utc' : 'local'),
)

view.subscribe((parts) => {
  zone.value = choiceNamed(parts.get('zone')) ?? zone.value
})

/** The time zone that the query of the page asks for. Null: the reader chooses. */
export const zoneAsked = signal<string | null>(null)

/** The clock of all instants on the page. */
export const clock = computed<NamedZone>(() => {
  const name = zoneAsked.value ?? (zone.value === 'utc' ? 'UTC' : zoneHere())
  const found = isUtcNamed(name) ? null : zoneOf(name)
  return found === null ? UTC : { ...found, name }
})

/** Changes the time zone, also for later visits. Returns the place whose dates are in that zone. */
export const chooseZone = (chosen: ShownZone, place: PageAddress): PageAddress => {
  keep('localStorage', STORED, chosen)
  setView({ zone: chosen })
  if (zoneIn(place) === null) return place
  const days = place.parameters.map(({ name, value }) => parameter(name, value.replaceAll(LAST, LAST.slice(0, -1))))
  const isLocal = chosen === 'local' && !isUtcNamed(zoneHere())
  return changed({ ...place, parameters: days }, { timezone: isLocal ? zoneHere() : null })
}

/** The end of a day in UTC. Without its Z it is the end of that day in each zone. */
const LAST = 'T23:59:59.999999Z'

/** Returns the time zone of a request with dates or with units. UTC needs none. Others would share no cached answer. */
export const zoneFor = (place: PageAddress, hasUnits = false): PageAddress['parameters'] =>
  clock.value !== UTC && (hasUnits || isDated(place)) ? [parameter('timezone', clock.value.name)] : []

/** Names the zone of the page's instants, for a heading. */
export const zoneName = ({ utc, local }: Readonly<Record<ShownZone, string>> = texts().units): string => {
  const { name } = clock.value
  if (name === UTC.name) return utc
  return name === zoneHere() ? local : name
}

const numberFormats = new Map<string, Intl.NumberFormat>()

/** Makes a format of numbers once for each language, because making it takes longer than many uses. */
const numberFormat = (options: Intl.NumberFormatOptions) => {
  const name = JSON.stringify(options)
  return (value: number): string => {
    const key = `${language.value} ${name}`
    const format = numberFormats.get(key) ?? new Intl.NumberFormat(language.value, options)
    numberFormats.set(key, format)
    return format.format(value)
  }
}

/** Formats a number, such as 15,175 in English and 15.175 in Dutch. */
export const formatCount = numberFormat({})

/** Formats a number in few characters, such as 15K in English and 15K in Dutch. */
export const formatCompact = numberFormat({ notation: 'compact', maximumFractionDigits: 1 })

/** Formats a change as a percentage with its sign, such as +31 %. */
export const formatChange = numberFormat({ style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 })

/** Formats a part as a percentage, such as 31 %. */
export const formatPart = numberFormat({ style: 'percent', maximumFractionDigits: 0 })

/** Returns a format of numbers that all have so many decimals. */
export const formatterOfNumbers = (decimals: number): ((value: number) => string) =>
  numberFormat({ minimumFractionDigits: decimals, maximumFractionDigits: decimals })

/**
 * Formats a number of a column with at least so many digits behind the mark. A measured one has groups of three digits.
 * Any other one has them from five digits on, because it may be a year.
 */
export const formatNumber = (value: number, decimals: number, isMeasured: boolean): string => {
  const useGrouping = isMeasured ? 'always' : 'min2'
  return numberFormat({ minimumFractionDigits: decimals, maximumFractionDigits: 20, useGrouping })(value)
}

/** Writes a text that is a decimal number with the mark of the language, such as 4,5 in Dutch. Other texts stay. */
export const formatValue = (text: string): string =>
  /^[-+]?\d+\.\d+$/.test(text) ? text.replace('.', decimalMark()) : text

/** Returns the decimal mark of the language: a comma in Dutch. */
export const decimalMark = (): string => formatCount(1.1).charAt(1)

/** Milliseconds since 1970, or ISO 8601. */
export type Instant = number | string | null | undefined

/** Formats an instant to the second, such as 2018-01-31 02:18:21. */
export const formatSecond = (instant: Instant): string =>
  inZone(instant)
    .replace('T', ' ')
    .replace(/\.\d+$/, '')

/** Formats an instant to the minute, such as 2018-01-31 02:18. */
const formatMinute = (instant: Instant): string => formatSecond(instant).replace(/:\d\d$/, '')

/**
 * Returns the format of instants that stand together. Sources without times have all of them at midnight, in the page's
 * zone or in UTC. The reader then sees days, if both zones have the same ones. Sources without seconds show minutes.
 */
export const formatterOf = (instants: readonly Instant[]): ((instant: Instant) => string) => {
  const areMidnights = (own?: NamedZone) => instants.every((each) => !/T(?!00:00:00\.000)/.test(inZone(each, own)))
  const areSameDays = () => instants.every((each) => formatDay(each) === inZone(each, UTC).replace(/T.*$/, ''))
  if (areMidnights() || (areMidnights(UTC) && areSameDays())) return formatDay
  return instants.every((each) => inZone(each).endsWith(':00.000')) ? formatMinute : formatSecond
}

/** Formats the day of an instant, such as 2018-01-31. */
export const formatDay = (instant: Instant): string => inZone(instant).replace(/T.*$/, '')

/** Formats the month of an instant, such as Jan 2018. Empty without an instant. */
export const formatMonth = (instant: number | null | undefined): string =>
  typeof instant === 'number'
    ? new Intl.DateTimeFormat(language.value, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
        clock.value.toLocal(instant),
      )
    : ''

/** Formats an instant with its zone. A fraction of a second is in milliseconds. */
export const formatExact = (instant: Instant): string => {
  if (instant === null || instant === undefined) return '–'
  const text = inZone(instant).replace('T', ' ').replace('.000', '')
  return `${text} ${clock.value === UTC ? 'UTC' : offsetAt(new Date(instant).getTime())}`
}

/** Writes an instant as the clock of the zone shows it, such as 2018-01-31T02:18:21.000. Null: a dash. */
export const inZone = (instant: Instant, { toLocal } = clock.value): string => {
  if (instant === null || instant === undefined) return '–'
  const date = new Date(instant)
  if (Number.isNaN(date.getTime())) return String(instant)
  return new Date(toLocal(date.getTime())).toISOString().slice(0, -1)
}

/** Formats the distance of the page's zone from UTC, such as +01:00. */
const offsetAt = (instant: number): string => {
  const minutes = Math.round((clock.value.toLocal(instant) - instant) / 60_000)
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${minutes < 0 ? '−' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`
}

/** Splits a length of time into days, hours, minutes, seconds and milliseconds. */
export const partsOf = (milliseconds: number): number[] => {
  let rest = Math.abs(milliseconds)
  return [86_400_000, 3_600_000, 60_000, 1000, 1].map((size) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count
  })
}

/** Formats a length of time in its two largest units, such as 4 d 6 h. */
export const formatDuration = (milliseconds: number): string => {
  const { day, hour, minute, second, millisecond } = texts().units
  const names = [day, hour, minute, second, millisecond]
  const parts = partsOf(milliseconds).flatMap((count, i) => (count === 0 ? [] : [`${formatCount(count)} ${names[i]}`]))
  return `${milliseconds < 0 ? '−' : ''}${parts.slice(0, 2).join(' ') || `0 ${second}`}`
}

/** Formats a position in degrees, such as 59.841° N 136.556° W. */
export const formatPosition = ([x = 0, y = 0]: readonly number[]): string =>
  [y, x].map((value, i) => `${formatThousandths(Math.abs(value))}°\u00a0${sideOf(value, i === 0)}`).join(' ')

/** Formats bounds, such as 50.3 to 67.9° N, 178.5 to 136.6° W. */
export const formatBounds = (bounds: Bounds | null | undefined): string => {
  if (bounds === null || bounds === undefined) return '–'
  const { west, east, south, north } = bounds
  return `${formatRange(south, north, true)}, ${formatRange(west, east, false)}`
}

const formatRange = (from: number, to: number, isLatitude: boolean): string => {
  const [first, second] = [formatTenths(Math.abs(from)), formatTenths(Math.abs(to))]
  const [side, other] = [sideOf(from, isLatitude), sideOf(to, isLatitude)]
  const until = texts().units.until
  return side === other ? `${first} ${until} ${second}° ${side}` : `${first}° ${side} ${until} ${second}° ${other}`
}

const formatTenths = formatterOfNumbers(1)
const formatThousandths = formatterOfNumbers(3)

const sideOf = (value: number, isLatitude: boolean): string => {
  const { north, south, east, west } = texts().units
  if (isLatitude) return value < 0 ? south : north
  return value < 0 ? west : east
}

/** A bar is some units of the calendar long, in the zone of the page. A bar of three months is a quarter. */
export interface BarLength {
  readonly unit: 'hour' | 'day' | 'week' | 'month' | 'year'
  readonly size: number
}

const HOUR = 3_600_000 // milliseconds
const DAY = 24 * HOUR
const YEAR = 365.25 * DAY

/** The lengths of bars, and the longest period that each divides. A longer period has too many bars. */
const LENGTHS = [
  [{ unit: 'hour', size: 1 }, 4 * DAY],
  [{ unit: 'day', size: 1 }, 70 * DAY],
  [{ unit: 'week', size: 1 }, 300 * DAY],
  [{ unit: 'month', size: 1 }, 5 * YEAR],
  [{ unit: 'month', size: 3 }, 15 * YEAR],
  [{ unit: 'year', size: 1 }, 60 * YEAR],
] as const

/** Returns the length of bars that divides a period of so many milliseconds into at most some 60 bars. */
export const barLengthOf = (milliseconds: number): BarLength => {
  const [fitting] = LENGTHS.find(([, longest]) => milliseconds <= longest) ?? []
  if (fitting !== undefined) return fitting
  const size = 10 ** Math.ceil(Math.log10(milliseconds / (60 * YEAR)))
  return { unit: 'year', size: milliseconds <= 30 * size * YEAR ? size / 2 : size }
}

/** Returns the year, the month from 0 and the day that the clock of the page shows at an instant. */
export const dateAt = (instant: number): readonly [year: number, month: number, day: number] => {
  const date = new Date(clock.value.toLocal(instant))
  return [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
}

/** Returns the first instant of a day on the clock of the page. */
const dayAt = (year: number, month: number, day: number): number =>
  firstFrom(clock.value, new Date(0).setUTCFullYear(year, month, day))

/** Returns the start of the bar that contains the start of a unit. */
export const barAt = (start: number, { unit, size }: BarLength): number => {
  const [year, month] = dateAt(start)
  if (unit === 'year') return dayAt(Math.floor(year / size) * size, 0, 1)
  return unit === 'month' ? dayAt(year, Math.floor(month / size) * size, 1) : start
}

/** Returns the start of the bar after this one. */
export const nextBar = (start: number, { unit, size }: BarLength): number => {
  const [year, month, day] = dateAt(start)
  if (unit === 'year') return dayAt(year + size, 0, 1)
  if (unit === 'month') return dayAt(year, month + size, 1)
  return unit === 'hour' ? start + HOUR : dayAt(year, month, day + (unit === 'week' ? 7 : 1))
}
