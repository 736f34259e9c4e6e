import { createWriteStream, existsSync, realpathSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isObject } from '../../src/model/kinds.ts'
import { piecesOf, placeOf, type SourceFile } from '../read/items.ts'
import { LoadError } from './error.ts'

const SHOWN = 3
const MAX_KINDS = 20

/** Returns the kind of a fault. It is the reason without the faulty value and with 0 for each number. */
const kindOf = (reason: string): string => reason.replace(/ is .*: (enter|use) /s, ' is …: $1 ').replace(/\d+/g, '0')

export type OnFault = (reason: string, place: () => string) => void

/** Collects the faults in the records of files, grouped by kind. */
export function createFaults(onFault?: OnFault) {
  const kinds = new Map<string, { count: number; readonly first: string[] }>()
  let [count, others] = [0, 0]
  return {
    add: (reason: string, place: () => string): void => {
      count += 1
      onFault?.(reason, place)
      const name = kindOf(reason)
      const kind = kinds.get(name) ?? { count: 0, first: [] }
      if (kinds.size < MAX_KINDS) kinds.set(name, kind)
      if (!kinds.has(name)) others += 1
      kind.count += 1
      if (kind.first.length < SHOWN) kind.first.push(`${place()}: ${reason}`)
    },
    count: (): number => count,
    /** Returns the first three faults of each kind with their places, and the number of the others. */
    lines: (): string[] => [
      ...Array.from(kinds.values(), ({ count, first }) =>
        count > first.length ? [...first, `  and ${count - first.length} more like these`] : first,
      ).flat(),
      ...(others > 0 ? [`and ${others} faults of other kinds`] : []),
    ],
  }
}

/**
 * Collects the items that a load leaves out. `write` writes them from the source file in its format, so that a user can
 * correct and load them. Returns null without `--rejects`. Throws LoadError for several files, or if the output would
 * overwrite the source.
 */
export function rejectsOf(target: string | undefined, files: readonly string[]) {
  if (target === undefined) return null
  if (files.length > 1) throw new LoadError('--rejects needs the format of one FILE: load one file at a time')
  if (existsSync(target) && files.some((file) => existsSync(file) && realpathSync(file) === realpathSync(target)))
    throw new LoadError(`--rejects would overwrite ${target}: enter another name`)
  const reasons = new Map<string, string>()
  const onFault: OnFault = (reason, place) => reasons.set(place(), reason)
  const write = (source: SourceFile): Promise<void> =>
    pipeline(Readable.from(linesOf(source, reasons)), createWriteStream(target))
  return { onFault, write }
}

/** Yields the rejected items. A CSV row or a JSON object gets its reason as `fault`. A line of ndjson stays unchanged. */
async function* linesOf(source: SourceFile, reasons: ReadonlyMap<string, string>): AsyncGenerator<string> {
  let isHeader = source.format === 'csv'
  for await (const { number, content } of piecesOf(source)) {
    const reason = isHeader ? 'fault' : reasons.get(placeOf(source, number))
    isHeader = false
    if (reason === undefined) continue
    if (typeof content !== 'string') yield `${[...content, reason].map(quoted).join(',')}\r\n`
    else yield `${source.format === 'ndjson' ? content : withReason(content, reason)}\n`
  }
}

/** Returns the JSON of an object on one line, with the reason as `fault`. Returns any other text unchanged. */
function withReason(text: string, fault: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? JSON.stringify({ ...value, fault }) : text
  } catch {
    return text
  }
}

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
