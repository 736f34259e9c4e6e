import { LoadError } from '../../seed/load/error.ts'
import type { KindLine, Taken } from './kinds.ts'
import { median } from './measure.ts'

/** Makes a table of the rows read and the milliseconds of each kind, by the number of events. */
export const growthTable = (sizes: ReadonlyMap<number, readonly KindLine[]>): string => {
  const last = [...sizes.values()].at(-1) ?? []
  const cells = (name: string) =>
    [...sizes.values()].map((lines) => {
      const answers = lines.find(({ kind }) => kind.name === name)?.taken.map(({ answer }) => answer) ?? []
      const rows = median(answers.map(({ rowsRead }) => rowsRead))
      return `${number(rows)} (${number(median(answers.map(({ milliseconds }) => milliseconds)), 1)})`
    })
  return table(
    ['rows read (ms), of events', ...[...sizes.keys()].map((size) => number(size))],
    last.map(({ kind: { name } }) => [name, ...cells(name)]),
  )
}

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
