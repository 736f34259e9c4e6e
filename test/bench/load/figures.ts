import { number, table } from '../report.ts'

/** The results of a workload with some parallel connections. */
export interface Figures {
  readonly name: string
  readonly concurrency: number
  /** The duration of the test. */
  readonly seconds: number
  /** The milliseconds of each correct answer. */
  readonly times: readonly number[]
  /** The messages of all other answers, and their numbers. */
  readonly errors: ReadonlyMap<string, number>
  /** The peak memory of the Worker's process so far, in MB. Null if it is unknown. */
  readonly memory: number | null
}

/** Returns a percentile by the method of nearest rank. NaN if there are no numbers. */
export const percentile = (numbers: readonly number[], percent: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.max(0, Math.ceil((numbers.length * percent) / 100) - 1)] ?? Number.NaN

export const errorsOf = ({ errors }: Figures): number => [...errors.values()].reduce((sum, count) => sum + count, 0)

const HEAD = ['workload', 'connections', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'errors', 'MB']

/** Formats the figures as a table in Markdown. */
export const figuresTable = (figures: readonly Figures[]): string =>
  table(
    HEAD,
    figures.map((each) => [
      each.name,
      number(each.concurrency),
      number(each.times.length / each.seconds),
      ...[50, 95, 99].map((percent) => number(percentile(each.times, percent), 1)),
      number(errorsOf(each)),
      each.memory === null ? '' : number(each.memory),
    ]),
  )
