import { optionError } from '../load/error.ts'

const QUARTER = 900_000 // milliseconds; an offset changes only between two quarters
const MAX_KNOWN = 100_000

/**
 * Returns a function from local time to UTC, in milliseconds since 1970. If two UTC times fit in autumn, it uses the
 * first. A time skipped in spring has the offset before the change. Throws LoadError for an unknown zone.
 */
export function zoneOf(name: string): (local: number) => number {
  const offsetAt = offsetsOf(name)
  return (local) => {
    const [before, after] = [offsetAt(local - 86_400_000), offsetAt(local + 86_400_000)]
    const first = local - before
    if (before === after || offsetAt(first) === before) return first
    const second = local - after
    return offsetAt(second) === after ? second : first
  }
}

/** Returns a function that gives the offset of a zone at an instant: how many milliseconds it is ahead of UTC. */
function offsetsOf(name: string): (instant: number) => number {
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' })
  } catch {
    throw optionError('--timezone', name, 'enter the name of a time zone, such as Europe/Amsterdam')
  }
  const known = new Map<number, number>()
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER)
    let offset = known.get(quarter)
    if (offset === undefined) {
      offset = millisecondsOf(format.format(quarter * QUARTER))
      if (known.size === MAX_KNOWN) known.clear()
      known.set(quarter, offset)
    }
    return offset
  }
}

const OFFSET = /GMT(?<sign>[+-])(?<hours>\d\d):(?<minutes>\d\d)(:(?<seconds>\d\d))?$/

/** Reads the offset at the end of a text, such as `GMT+01:00`. It is 0 for `GMT`. */
function millisecondsOf(text: string): number {
  const { sign, hours, minutes, seconds } = OFFSET.exec(text)?.groups ?? {}
  return (sign === '-' ? -1000 : 1000) * ((Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60 + Number(seconds ?? 0))
}
