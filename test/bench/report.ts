import type { Measured } from './measure.ts'
import type { Workload } from './workloads.ts'

/** A workload and what it cost; null where it has no such page. */
export interface Line {
  readonly workload: Workload
  readonly worker: Measured | null
  readonly plain: Measured | null
}

const HEAD = ['workload', 'matches', 'rows', 'ms', 'round trips', 'rows read', 'budget']
const PLAIN = ['plain: ms', 'round trips', 'rows read', 'times as long']

/** What every workload cost at the Worker, next to the plain way, as a table in Markdown; bold is above the budget. */
export const costTable = (lines: readonly Line[]): string =>
  table(
    [...HEAD, ...PLAIN],
    lines.flatMap(({ workload, worker, plain }) => {
      if (worker === null || plain === null) return []
      const most = workload.most(worker.count)
      const read = number(worker.rowsRead)
      return [
        [
          workload.name,
          number(worker.count),
          number(worker.ids.length),
          milliseconds(worker),
          number(worker.roundTrips),
          worker.rowsRead > most ? `**${read}**` : read,
          number(most),
          milliseconds(plain),
          number(plain.roundTrips),
          number(plain.rowsRead),
          number(plain.milliseconds / worker.milliseconds, 1),
        ],
      ]
    }),
  )

/** The rows read, and the milliseconds, of every workload by the number of events. */
export const growthTable = (sizes: ReadonlyMap<number, readonly Line[]>): string => {
  const last = [...sizes.values()].at(-1) ?? []
  const cells = (name: string) =>
    [...sizes.values()].map((lines) => {
      const worker = lines.find(({ workload }) => workload.name === name)?.worker ?? null
      return worker === null ? '' : `${number(worker.rowsRead)} (${milliseconds(worker)})`
    })
  return table(
    ['rows read (ms), of events', ...[...sizes.keys()].map((size) => number(size))],
    last.map(({ workload: { name } }) => [name, ...cells(name)]),
  )
}

/** The workloads of which the plain way gives another count or other rows. */
export const differing = (lines: readonly Line[]): string[] =>
  lines
    .filter(({ worker, plain }) => plain !== null && told(worker) !== told(plain))
    .map(({ workload }) => workload.name)

const told = (measured: Measured | null) => measured && JSON.stringify([measured.count, measured.ids])

const milliseconds = ({ milliseconds }: Measured): string => number(milliseconds, milliseconds < 100 ? 1 : 0)

/** A number as people write it. */
export const number = (value: number, digits = 0): string =>
  Number.isNaN(value)
    ? ''
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** A table in Markdown: text to the left, numbers to the right. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(head), rule, ...rows.map(line)].join('\n')
}
