import { view } from '../state/address.ts'
import { formatCompact, formatterOfNumbers } from '../state/format.ts'
import type { Statistics } from '../state/known.ts'

/** The statistics that a graph shows. */
const SHOWN = ['sum', 'mean', 'max'] as const

/** A statistic of a number, such as `value__sum`. */
export interface Measure {
  readonly name: string
  readonly number: string
  readonly statistic: (typeof SHOWN)[number]
}

/** Returns the names of the measures of a number. */
export const measuresOf = (number: string): Measure[] =>
  SHOWN.map((statistic) => ({ name: `${number}__${statistic}`, number, statistic }))

/** Returns the measure in the address, such as `#graph=value__sum`, or else `usual`. Null: the graph counts. */
export const measureIn = (usual: string): Measure | null => {
  const name = view.value.get('graph') ?? usual
  return measuresOf(name.replace(/__[a-z]+$/, '')).find((each) => each.name === name) ?? null
}

/** The statistics of a number in each bar of a graph, which shows one of them. Null: a bar has no number. */
export interface Measured {
  readonly statistic: Measure['statistic']
  /** The name of the number for people. */
  readonly title: string
  readonly statistics: readonly (Statistics | null)[]
}

/** Returns the statistic that a graph shows of each bar. */
export const valuesOf = ({ statistics, statistic }: Measured): (number | null)[] =>
  statistics.map((each) => each?.[statistic] ?? null)

/** Puts the statistics of several bins together. */
export const together = (one: Statistics | null, other: Statistics | null): Statistics | null => {
  if (one === null || other === null) return one ?? other
  const [count, sum] = [one.count + other.count, Number(one.sum) + Number(other.sum)]
  const [min, max] = [Math.min(Number(one.min), Number(other.min)), Math.max(Number(one.max), Number(other.max))]
  return { count, sum, mean: sum / count, min, max }
}

/** Says a value in few digits. */
export const sayValue = (value: number): string => {
  const decimals = Number.isInteger(value) || Math.abs(value) >= 1000 ? 0 : 1
  return formatterOfNumbers(decimals)(value)
}

/** Says a tick of an axis. A tick has few decimals. */
export const sayTick = (value: number): string =>
  Math.abs(value) >= 10_000 ? formatCompact(value) : formatterOfNumbers(String(value).split('.')[1]?.length ?? 0)(value)
