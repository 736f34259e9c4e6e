import { invalidParameters } from '../../../base/errors.ts'
import type { Zone } from '../../../base/zone.ts'
import { CELL_LEVELS } from '../../../geometry/cell.ts'
import { MAX_GROUPS } from '../../limits.ts'
import { MAX_BINS, MAX_CROSSED_BINS, type Shape, UNITS, type Unit } from '../../summaries.ts'

/** Bins start at multiples of their length, so there are at least two: before 1970 and after. */
const LEAST_BINS = 2

/** The size of groups. */
export type Fineness = Pick<Shape, 'bins' | 'zone' | 'from' | 'level'>

/** Rows counted by their start. */
interface Bins {
  /** The milliseconds of a bin. It is null if the bins differ in length. */
  readonly step: number | null
  /** The rows of each bin, by its first instant in milliseconds since 1970. */
  readonly bins: ReadonlyMap<number, number>
  /** Returns the first instant of the bin of a start. */
  readonly binOf: (start: number) => number
}

/** Receives a number of rows with one start, and returns the bins of all rows so far. */
export interface BinCounter {
  readonly add: (rows: number, start: number) => void
  readonly bins: () => Bins
  /** The number of bins with rows so far. */
  readonly size: () => number
}

/** Rows counted by start and by cell. */
export interface CountedGroups extends Bins {
  readonly count: number
  /** The first and the last start in milliseconds since 1970. Null without rows. */
  readonly least: number | null
  readonly greatest: number | null
  /** The level of the cells, and the rows of each cell by its number at that level. */
  readonly level: number
  readonly cells: ReadonlyMap<number, number>
}

/** Makes the 400 for more bins of a unit with rows than an answer may have. */
export const tooManyBins = (): Error =>
  invalidParameters({
    bins: [
      `More than ${MAX_BINS} bins of this length hold events. Enter a longer one of ${UNITS.join(', ')}, or a number of bins.`,
    ],
  })

/**
 * Counts rows one by one, as finely as the limits allow. If there are too many bins or cells, it merges them into
 * larger ones. So it needs no more memory than an answer. Throws a 400 if the client chose the unit. Bins by number have
 * at least 2^leastStep milliseconds.
 */
export const histogram = (fineness: Fineness, leastStep = 0) => {
  let [count, least, greatest, level] = [0, Infinity, -Infinity, fineness.level]
  let size = 4 ** (CELL_LEVELS - level)
  let cells = new Map<number, number>()
  const time = binCounter(fineness, leastStep)
  const addStart = (rows: number, start: number): void => {
    count += rows
    if (start < least) least = start
    if (start > greatest) greatest = start
    time.add(rows, start)
  }
  const addCell = (rows: number, cell: number): void => {
    bump(cells, Math.floor(cell / size), rows)
    while (cells.size > MAX_GROUPS) {
      cells = coarser(cells, (each) => Math.floor(each / 4))
      level -= 1
      size *= 4
    }
  }
  return {
    addStart,
    addCell,
    /** Adds a row. The cell is -1 without coordinates. */
    add: (start: number, cell: number): void => {
      addStart(1, start)
      if (cell >= 0) addCell(1, cell)
    },
    groups: (): CountedGroups => {
      const ends = count === 0 ? { least: null, greatest: null } : { least, greatest }
      const groups = { count, ...ends, ...time.bins(), level, cells }
      return fineness.bins === 1 ? inOneBin(groups, fineness.from) : groups
    },
  }
}

/** Counts rows by start. Throws a 400 for too many bins of a unit. */
export const binCounter = ({ bins: fineness, zone, from }: Fineness, leastStep = 0): BinCounter => {
  const counter = typeof fineness === 'number' ? binsThatFit(fineness, leastStep) : binsOfUnit(fineness, zone)
  if (from === null) return counter
  const bins = (): Bins => {
    const counted = counter.bins()
    return { ...counted, binOf: (start) => counted.binOf(Math.max(start, from)) }
  }
  return { ...counter, bins, add: (rows, start) => counter.add(rows, Math.max(start, from)) }
}

/**
 * Makes bins of 2^step milliseconds. The step is the smallest with at most `most` bins from the first to the last
 * start.
 */
const binsThatFit = (most: number, leastStep: number): BinCounter => {
  let [first, last, size] = [Infinity, -Infinity, 2 ** leastStep]
  let bins = new Map<number, number>()
  const binOf = (start: number) => Math.floor(start / size)
  const widenTo = (start: number): void => {
    first = Math.min(first, start)
    last = Math.max(last, start)
    while (binOf(last) - binOf(first) >= Math.max(most, LEAST_BINS)) {
      bins = coarser(bins, (bin) => Math.floor(bin / 2))
      size *= 2
    }
  }
  return {
    add: (rows: number, start: number): void => {
      if (start < first || start > last) widenTo(start)
      bump(bins, binOf(start), rows)
    },
    bins: () => {
      const length = size
      return {
        step: length,
        bins: new Map(Array.from(bins, ([bin, rows]) => [bin * length, rows])),
        binOf: (start) => Math.floor(start / length) * length,
      }
    },
    size: () => bins.size,
  }
}

/** Puts all rows into one bin. It begins at the first start, or at `from` if that is later. */
const inOneBin = (groups: CountedGroups, from: number | null): CountedGroups => {
  const { count, least, greatest } = groups
  if (least === null || greatest === null) return groups
  const first = Math.max(least, from ?? least)
  return {
    ...groups,
    step: 2 ** Math.ceil(Math.log2(Math.max(greatest, first) - first + 1)),
    bins: new Map([[first, count]]),
    binOf: () => first,
  }
}

/** Makes bins of one calendar unit, in UTC or on the clock of a zone. */
const binsOfUnit = (unit: Unit, zone: Zone | null): BinCounter => {
  const { keyOf, toInstant } = clockOf(unit, zone)
  const bins = new Map<number, number>()
  return {
    add: (rows: number, start: number): void => {
      bump(bins, keyOf(start), rows)
      if (bins.size > MAX_BINS) throw tooManyBins()
    },
    bins: () => {
      const instants = new Map(Array.from(bins.keys(), (key) => [key, toInstant(key)]))
      const instantOf = (key: number) => instants.get(key) ?? toInstant(key)
      return {
        // On a clock, the length of a bin may differ.
        step: zone === null ? LENGTHS[unit] : null,
        bins: new Map(Array.from(bins, ([key, rows]) => [instantOf(key), rows])),
        binOf: (start) => instantOf(keyOf(start)),
      }
    },
    size: () => bins.size,
  }
}

/** Adds to the count of a key. */
export const bump = (counts: Map<number, number>, key: number, rows: number): void => {
  counts.set(key, (counts.get(key) ?? 0) + rows)
}

/** Counts the rows of listed entries by bin. Throws a 400 for more bins with rows than an answer may have. */
export const crossedBins = (ids: readonly number[]) => {
  const bins = new Map(ids.map((id) => [id, new Map<number, number>()]))
  let size = 0
  const add = (id: number, bin: number, rows: number): void => {
    const own = bins.get(id)
    if (own === undefined) return
    if (!own.has(bin)) size += 1
    if (size > MAX_CROSSED_BINS)
      throw invalidParameters({
        bins: [
          `The entries of by have more than ${MAX_CROSSED_BINS} bins. Enter fewer or longer bins, such as bins=year, or a smaller by_size.`,
        ],
      })
    bump(own, bin, rows)
  }
  return { bins, add }
}

const coarser = (counts: ReadonlyMap<number, number>, into: (key: number) => number): Map<number, number> => {
  const result = new Map<number, number>()
  for (const [key, rows] of counts) bump(result, into(key), rows)
  return result
}

const HOUR = 3_600_000 // milliseconds
const DAY = 24 * HOUR
/** The earliest instant that a JavaScript Date can hold. */
const FIRST = -8_640_000_000_000_000

/** The milliseconds of each unit. Null: its length varies. */
export const LENGTHS: Readonly<Record<Unit, number | null>> = {
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: null,
  year: null,
}

/**
 * Returns the start of the hour, day, week, month or year that contains an instant. Both are milliseconds since 1970.
 * The result is never before the earliest instant.
 */
export const startOf = (unit: Unit, instant: number): number => Math.max(FIRST, STARTS[unit](instant))

const floorTo = (size: number, instant: number): number => Math.floor(instant / size) * size

/** 1970 began on a Thursday, so the week of that day began three days before. */
const STARTS: Readonly<Record<Unit, (instant: number) => number>> = {
  hour: (instant) => floorTo(HOUR, instant),
  day: (instant) => floorTo(DAY, instant),
  week: (instant) => floorTo(7 * DAY, instant + 3 * DAY) - 3 * DAY,
  month: (instant) => {
    const date = new Date(instant)
    return floorTo(DAY, instant) - (date.getUTCDate() - 1) * DAY
  },
  year: (instant) => {
    const date = new Date(instant)
    // The calendar repeats every 400 years. Date.UTC takes years below 100 as 1900 and later.
    const year = 2000 + (date.getUTCFullYear() % 400)
    const sinceStart = Date.UTC(year, date.getUTCMonth(), date.getUTCDate()) - Date.UTC(year, 0, 1)
    return floorTo(DAY, instant) - sinceStart
  },
}

/** Returns functions for the key of the bin that contains an instant, and for the first instant of such a bin. */
export const clockOf = (unit: Unit, zone: Zone | null) => (zone === null ? inUtc(unit) : onClock(unit, zone))

const inUtc = (unit: Unit) => ({
  keyOf: (start: number) => startOf(unit, start),
  toInstant: (key: number) => key,
})

/** An hour that the clock repeats in autumn is two bins. So the key of an hour is its instant, not its local time. */
const onClock = (unit: Unit, { toLocal, toInstant }: Zone) => ({
  keyOf: (start: number) => {
    const local = toLocal(start)
    const key = startOf(unit, local)
    return unit === 'hour' ? start - local + key : key
  },
  toInstant: unit === 'hour' ? (key: number) => key : toInstant,
})
