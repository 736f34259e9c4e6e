import { createWriteStream, existsSync, realpathSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isObject } from '../../src/model/kinds.ts'
import { piecesOf, placeOf, type SourceFile } from '../read/items.ts'
import { LoadError } from './error.ts'
import type { OnFault } from './faults.ts'
import type { ScannedFile } from './reading.ts'
import type { LoadOptions } from './sources.ts'

/**
 * Collects the items that a load leaves out. `write` writes them from the source file in its format, so that a user can
 * correct and load them. Returns null without `--rejects`. Throws LoadError for several files, or if the output would
 * overwrite the source.
 */
export function rejectsOf({ rejects: target }: Pick<LoadOptions, 'rejects'>, files: readonly string[]) {
  if (target === undefined) return null
  if (files.length > 1) throw new LoadError('--rejects needs the format of one FILE: load one file at a time')
  if (existsSync(target) && files.some((file) => existsSync(file) && realpathSync(file) === realpathSync(target)))
    throw new LoadError(`--rejects would overwrite ${target}: enter another name`)
  const reasons = new Map<string, string>()
  const onFault: OnFault = (reason, place) => reasons.set(place(), reason)
  const write = async ([read]: readonly ScannedFile[]): Promise<void> => {
    if (read !== undefined) await pipeline(Readable.from(linesOf(read.source, reasons)), createWriteStream(target))
  }
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
