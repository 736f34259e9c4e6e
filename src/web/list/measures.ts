import { formatChange, formatCount, formatterOfNumbers } from '../state/format.ts'
import { type Group, type Grouping, type Groups, groupTexts, STATISTICS } from '../state/groups.ts'
import type { Statistics } from '../state/known.ts'

/** The number of events, and the statistics of their numbers. */
export interface Totals {
  readonly count: number
  readonly numbers: Statistics | null
}

/** A column of numbers. */
export interface NumberColumn {
  /** A click on the head of the column orders the groups by it. Absent: the head is no button. */
  readonly by?: OrderedBy
  /** The head of the column, and the head over its block of columns. */
  readonly title: string
  readonly over: string
  /** Says the number of a group. `before` is the same group in the earlier period, if it is known. */
  readonly say: (of: Totals, before: Totals | null) => string
}

export type OrderedBy = (typeof STATISTICS)[number] | 'count'

export const measureOf = ({ count, numbers }: Totals, by: OrderedBy): number | null =>
  by === 'count' ? count : (numbers?.[by] ?? null)

export const measuredOf = ({ count, statistics }: Group, number: string | null): Totals => ({
  count,
  numbers: (number !== null && statistics?.[number]) || null,
})

/** Returns the measure that orders groups. Groups in the order of their names have bars of their sums or counts. */
export const orderedBy = ({ order, number }: Grouping): OrderedBy =>
  STATISTICS.find((each) => order.endsWith(each)) ?? (number === null || order.endsWith('count') ? 'count' : 'sum')

/** Returns the greatest number among those that order the groups. */
export const greatestOf = (entries: readonly Group[], grouping: Grouping): number =>
  Math.max(...entries.map((group) => measureOf(measuredOf(group, grouping.number), orderedBy(grouping)) ?? 0))

/**
 * Returns the columns of the table. A comparison adds the earlier number and the difference to each number. A level has no
 * sum.
 */
export const columnsOf = (
  number: string | null,
  over: string,
  levels: readonly string[],
  groups: Groups,
  periods: readonly string[],
): NumberColumn[] => {
  const { heads, difference } = groupTexts()
  const decimals = decimalsIn(groups, number)
  const [format, formatMean] = [formatterOfNumbers(decimals), formatterOfNumbers(decimals + 1)]
  const formats = { count: formatCount, sum: format, mean: formatMean, min: format, max: format }
  const saying = (by: OrderedBy) => (of: Totals | null) => said(of && measureOf(of, by), formats[by])
  const single = (by: OrderedBy, over: string): NumberColumn => ({ by, title: heads[by], over, say: saying(by) })
  const isLevel = number !== null && levels.includes(number)
  const statistics = STATISTICS.filter((each) => !isLevel || each !== 'sum')
  if (periods.length === 0)
    return [single('count', ''), ...(number === null ? [] : statistics.map((each) => single(each, over)))]
  const [now = '', then = ''] = periods
  const compared = (by: OrderedBy, over: string): NumberColumn[] => [
    { by, title: now, over, say: saying(by) },
    { title: then, over, say: (_, before) => saying(by)(before) },
    { title: difference, over, say: (of, before) => changeOf(measureOf(of, by), before && measureOf(before, by)) },
  ]
  const by = isLevel ? 'mean' : 'sum'
  return [...compared('count', heads.count), ...(number === null ? [] : compared(by, `${heads[by]} ${over}`))]
}

const said = (value: number | null, format: (value: number) => string): string => (value === null ? '–' : format(value))

const changeOf = (now: number | null, then: number | null): string =>
  now === null || then === null || then === 0 ? '–' : formatChange(now / then - 1)

/** The most decimals that a column of numbers shows. */
const MOST_DECIMALS = 3

/** Returns the number of decimals of the least and the greatest numbers. */
const decimalsIn = ({ entries, whole }: Groups, number: string | null): number => {
  const all = [whole, ...entries.map((group) => measuredOf(group, number).numbers)]
  const ends = all.flatMap((each) => [each?.min ?? 0, each?.max ?? 0])
  return Math.min(MOST_DECIMALS, Math.max(...ends.map((end) => String(end).split('.')[1]?.length ?? 0)))
}
