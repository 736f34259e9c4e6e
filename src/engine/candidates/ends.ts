import { codesOf } from '../../../schema/durations.ts'
import { at, bisect } from '../../collections.ts'
import { numbersOf, type ValueRange } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import { type Index, indexIn } from '../conditions/table.ts'
import type { Facts } from './facts.ts'
import { periodOf } from './kept.ts'
import { partOf, rowsIn } from './nodes.ts'

/**
 * The rows of one entry that end near a slice. Short rows start near it, so the index of the entry has them together.
 * Long rows are read by class of duration, among the rows of all entries.
 */
export interface Ends {
  readonly index: Index
  readonly id: number
  /** Short rows last less than this number of milliseconds. */
  readonly short: number
  /** Long rows have these classes. Each has a least and a greatest duration in milliseconds. */
  readonly long: readonly (readonly [durationClass: number, least: number, greatest: number])[]
  /** All rows of the entry start in this period. */
  readonly starts: ValueRange
  /** The estimated rows, if the slice has only a few. */
  readonly rows: number
}

/** This part of the rows starts before the usual time, and this part after it. */
const RARE = 1 / 10

/**
 * Returns how to read the rows of the only entry in the order of the end. Null: the search has other conditions. It takes the
 * limit of short rows for which both indexes together read the fewest rows.
 */
export const endsOf = ({ access, criteria }: Search, { statistics, entries }: Facts): Ends | null => {
  const { plain, spans, lists, area } = criteria
  if (plain.length + spans.length + lists.length > 0 || area !== null) return null
  const [only, ...others] = entries
  const [id, ...more] = only?.ids ?? []
  if (only === undefined || id === undefined || others.length + more.length > 0) return null
  const { start, classes } = access.time
  const index = indexIn(access, only.group.dictionary.key, true)
  if (index?.second !== start) return null
  const starts = numbersOf(periodOf(entries))
  const around = rowsIn(statistics.starts, ...starts)
  const timeOf = (part: number) =>
    bisect(...starts, (time) => rowsIn(statistics.starts, starts[0], time) < part * around)
  const usual = timeOf(1 - RARE) - timeOf(RARE)
  const partWithin = (time: number) => partOf(time, usual)
  const ranges = classes.map((each, i) => [each, i === 0 ? 0 : 2 ** at(classes, i - 1), 2 ** each] as const)
  const lasting = ranges.map(
    ([each, , greatest]) =>
      rowsIn(statistics.durations, ...codesOf(each)) * partOf(around, statistics.total) * partWithin(greatest),
  )
  return ranges
    .map(([, , short], i): Ends => {
      const rows = lasting.slice(i + 1).reduce((sum, rows) => sum + rows, only.rows * partWithin(short))
      return { index, id, short, long: ranges.slice(i + 1), starts, rows }
    })
    .reduce((best, each) => (each.rows < best.rows ? each : best))
}
