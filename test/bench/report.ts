import { LoadError } from '../../seed/load/error.ts'
import type { KindLine, Taken } from './kinds.ts'
import { type Measured, median } from './measure.ts'
import type { Workload } from './workloads.ts'

/** A workload and its costs. Null if it was not measured. */
export interface Line {
  readonly workload: Workload
  readonly worker: Measured | null
  readonly plain: Measured | null
}

const HEAD = ['workload', 'matches', 'rows', 'ms', 'round trips', 'rows read']
const PLAIN = ['plain: ms', 'round trips', 'rows read', 'times as long']

/**
 * Makes a table in Markdown of the costs of each workload, with the plain implementation beside the Worker.
 */
export const costTable = (lines: readonly Line[]): string =>
  table(
    [...HEAD, ...PLAIN],
    lines.flatMap(({ workload, worker, plain }) => {
      if (worker === null) return []
      return [
        [
          workload.name,
          number(worker.count),
          number(worker.ids.length),
          milliseconds(worker),
          number(worker.roundTrips),
          number(worker.rowsRead),
          ...plainCells(worker, plain),
        ],
      ]
    }),
  )

const plainCells = (worker: Measured, plain: Measured | null): string[] =>
  plain === null
    ? PLAIN.map(() => '')
    : [
        milliseconds(plain),
        number(plain.roundTrips),
        number(plain.rowsRead),
        number(plain.milliseconds / worker.milliseconds, 1),
      ]

/** Makes a table of the rows read and the milliseconds of each workload, by the number of events. */
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

/** Returns the workloads for which the plain implementation has another count or other rows. */
export const differing = (lines: readonly Line[]): string[] =>
  lines
    .filter(({ worker, plain }) => plain !== null && resultOf(worker) !== resultOf(plain))
    .map(({ workload }) => workload.name)

const KIND_HEAD = ['requests', 'answered', 'matches', 'ms', 'worst', 'x /readyz', 'worst', 'round trips']
const KIND_ROWS = ['rows read', 'worst']

/** Makes a table of the costs of each kind: the medians and the maxima. */
export const kindTable = (lines: readonly KindLine[]): string =>
  table(
    [...KIND_HEAD, ...KIND_ROWS],
    lines.map(({ kind, taken, refused }) => {
      const valuesOf = (value: (each: Taken) => number) => taken.map(value)
      const ms = valuesOf(({ answer }) => answer.milliseconds)
      const times = valuesOf(({ answer, bare }) => answer.milliseconds / bare)
      const rows = valuesOf(({ answer }) => answer.rowsRead)
      return [
        kind.name,
        `${taken.length} of ${taken.length + refused.length}`,
        number(median(valuesOf(({ answer }) => answer.count))),
        ...[median(ms), Math.max(...ms), median(times), Math.max(...times)].map((value) => number(value, 1)),
        number(Math.max(...valuesOf(({ answer }) => answer.roundTrips))),
        ...[median(rows), Math.max(...rows)].map((value) => number(value)),
      ]
    }),
  )

const resultOf = (measured: Measured | null) => measured && JSON.stringify([measured.count, measured.ids])

const milliseconds = ({ milliseconds }: Measured): string => number(milliseconds, milliseconds < 100 ? 1 : 0)

/** Formats a number with thousands separators. */
export const number = (value: number, digits = 0): string =>
  !Number.isFinite(value)
    ? ''
    : value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** Makes a table in Markdown. The first column is aligned left, and the others right. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`
  const rule = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

/**
 * Replaces the text between `<!-- begin NAME -->` and `<!-- end NAME -->` in a Markdown document. Throws LoadError if
 * these marks are missing.
 */
export const replaceSection = (document: string, name: string, text: string): string => {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new LoadError(`write ${begin} and ${end} where the table shall stand`)
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`
}
