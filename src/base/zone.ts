import { bisect } from './collections.ts'

/** Converts between UTC and the local time of a zone. Both are milliseconds since 1970-01-01T00:00. */
export interface Zone {
  readonly toLocal: (instant: number) => number
  /**
   * Converts a local time to UTC. If two instants fit in autumn, it returns the first. A time that is skipped in spring
   * has the offset before the change.
   */
  readonly toInstant: (local: number) => number
}

/** Returns a time zone by its IANA name, such as `Europe/Amsterdam`. Returns null for another name. */
export const zoneOf = (name: string): Zone | null => {
  const offsetAt = offsetsOf(name)
  return (
    offsetAt && {
      toLocal: (instant) => instant + offsetAt(instant),
      toInstant: (local) => {
        const [before, after] = [offsetAt(local - DAY), offsetAt(local + DAY)]
        const first = local - before
        if (before === after || offsetAt(first) === before) return first
        const second = local - after
        return offsetAt(second) === after ? second : first
      },
    }
  )
}

/** A time zone with its IANA name. */
export interface NamedZone extends Zone {
  readonly name: string
}

/** The zone without offsets. */
export const UTC: NamedZone = { name: 'UTC', toLocal: (instant) => instant, toInstant: (local) => local }

/** The clock of a request, which reads local times. Null: UTC. */
export type Clock = NamedZone | null

/** Returns the first instant whose local time is not before another one. The clock may skip that one. */
export const firstFrom = ({ toLocal, toInstant }: Zone, local: number): number => {
  const instant = toInstant(local)
  if (toLocal(instant) === local) return instant
  return bisect(instant - DAY, instant, (each) => toLocal(each) < local)
}

/** Returns the local times between which the clock skips a time. Null: it does not skip that time. */
export const skipOf = (zone: Zone, local: number): readonly [before: number, after: number] | null => {
  const first = firstFrom(zone, local)
  const after = zone.toLocal(first)
  return after === local ? null : [zone.toLocal(first - 1) + 1, after]
}

/** The parts of a time, on the clock of a zone. Months are 1 to 12, Monday is 1, and hours are 0 to 23. */
export const TIME_PARTS = ['year', 'month', 'weekday', 'hour'] as const
export type TimePart = (typeof TIME_PARTS)[number]

/** The first and the last of some values. Null: no end. */
type Span = readonly [first: number | null, last: number | null]

/**
 * Returns the instants whose local times are in one of some spans, as sorted spans that share none. A span may have several:
 * a clock that goes back passes some local times twice. All are in milliseconds.
 */
export const instantsIn = (zone: Zone, spans: readonly Span[]): readonly Span[] => {
  const isIn = (instant: number) => {
    const local = zone.toLocal(instant)
    return spans.some(([first, last]) => local >= (first ?? local) && local <= (last ?? local))
  }
  const ends = spans.flatMap(([first, last]) => [first, last === null ? null : last + 1])
  const cuts = [...new Set(ends.flatMap((end) => (end === null ? [] : cutsAt(zone, end))))].sort((a, b) => a - b)
  const found: [number | null, number | null][] = []
  for (const [i, first] of [null, ...cuts].entries()) {
    const next = cuts[i]
    const [previous, last] = [found.at(-1), next === undefined ? null : next - 1]
    if (!isIn(first ?? last ?? 0)) continue
    if (previous !== undefined && previous[1] === (first ?? 0) - 1) previous[1] = last
    else found.push([first, last])
  }
  return found
}

/** Returns instants. At one of them the clock reaches a local time, and at another it may fall back behind it. */
const cutsAt = ({ toLocal }: Zone, local: number): readonly number[] => {
  const offsetAt = (instant: number) => toLocal(instant) - instant
  const [before, after] = [offsetAt(local - DAY), offsetAt(local + DAY)]
  if (before === after) return [local - before]
  const change = bisect(local - DAY, local + DAY, (instant) => offsetAt(instant) === before)
  return [local - before, change, local - after]
}

const MINUTE = 60_000 // milliseconds
const padded = (number: number): string => String(number).padStart(2, '0')

/** Writes an instant of ISO 8601 in UTC as the local time of a zone with its offset, such as `2020-06-01T14:00:00+02:00`. */
export const inZone = ({ toLocal }: Zone, instant: string): string => {
  // A year beyond 9999, or before 0, has a sign and six digits.
  const [, seconds = '', fraction = ''] = /^([-+]?\d+-.{14})(\.\d+)?Z$/.exec(instant) ?? []
  const utc = Date.parse(`${seconds}Z`)
  const local = toLocal(utc)
  // Long ago, offsets had seconds. ISO 8601 has none, so the local time has whole minutes of offset.
  const minutes = Math.round((local - utc) / MINUTE)
  const time = new Date(utc + minutes * MINUTE).toISOString().replace('.000Z', '')
  const offset = `${padded(Math.floor(Math.abs(minutes) / 60))}:${padded(Math.abs(minutes) % 60)}`
  return `${time}${fraction}${minutes < 0 ? '-' : '+'}${offset}`
}

const DAY = 86_400_000 // milliseconds
/** In so many milliseconds, about six days, no zone changes its offset twice. */
const WINDOW = 2 ** 29
const MAX_WINDOWS = 10_000
/** The greatest distance from 1970 that a JavaScript Date can hold, in milliseconds. */
const REACH = 8_640_000_000_000_000

/** Returns a function that gives the offset of a zone at an instant: how many milliseconds it is ahead of UTC. */
const offsetsOf = (name: string): ((instant: number) => number) | null => {
  const format = formatOf(name)
  if (format === null) return null
  const read = (instant: number) => offsetIn(format.format(Math.min(Math.max(instant, -REACH), REACH)))
  /** Returns the offsets of a window. It is `before` until the instant `change`, and then `after`. */
  const windowAt = (first: number) => {
    const [before, after] = [read(first), read(first + WINDOW)]
    const change = before === after ? first : bisect(first, first + WINDOW, (instant) => read(instant) === before)
    return { before, change, after }
  }
  const windows = new Map<number, ReturnType<typeof windowAt>>()
  return (instant) => {
    const number = Math.floor(instant / WINDOW)
    let offsets = windows.get(number)
    if (offsets === undefined) {
      offsets = windowAt(number * WINDOW)
      if (windows.size === MAX_WINDOWS) windows.clear()
      windows.set(number, offsets)
    }
    return instant < offsets.change ? offsets.before : offsets.after
  }
}

const formatOf = (timeZone: string): Intl.DateTimeFormat | null => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    return null
  }
}

const OFFSET = /GMT(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d)(:(?<seconds>\d\d))?$/

/** Reads the offset at the end of a text, such as `GMT+01:00`. It is 0 for `GMT`. */
const offsetIn = (text: string): number => {
  const { sign, hours, minutes, seconds } = OFFSET.exec(text)?.groups ?? {}
  return (sign === '-' ? -1000 : 1000) * ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0))
}
