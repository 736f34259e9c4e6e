import { number, table } from '../report.ts'

/** What a workload at one concurrency came to. */
export interface Figures {
  readonly name: string
  readonly concurrency: number
  /** How long it was driven. */
  readonly seconds: number
  /** Of every answer that was right, in milliseconds. */
  readonly times: readonly number[]
  /** Every other answer, and how often it came. */
  readonly errors: ReadonlyMap<string, number>
  /** The greatest that the Worker's process had so far, in MB; null where that is not known. */
  readonly memory: number | null
}

/** The least of the numbers that so many percent of them do not exceed (nearest rank); NaN of none. */
export const percentile = (numbers: readonly number[], percent: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.max(0, Math.ceil((numbers.length * percent) / 100) - 1)] ?? Number.NaN

export const errorsOf = ({ errors }: Figures): number => [...errors.values()].reduce((sum, count) => sum + count, 0)

const HEAD = ['workload', 'connections', 'requests/s', 'p50 ms', 'p95 ms', 'p99 ms', 'errors', 'MB']

/** The figures as a table in Markdown. */
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
