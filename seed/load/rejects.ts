import { createWriteStream, existsSync, realpathSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isObject } from '../../src/model/kinds.ts'
import { type Piece, piecesOf, placeOf, type SourceFile } from '../read/items.ts'
import { LoadError } from './error.ts'
import type { OnFault } from './faults.ts'
import type { ScannedFile } from './reading.ts'
import type { LoadOptions } from './sources.ts'

/** The items of a file that a load leaves out. `--rejects` writes them to another file. */
export interface Rejects {
  readonly onFault: OnFault
  /**
   * Writes the items from the source file. A CSV row or a JSON object gets its reason as `fault`. A line of ndjson
   * stays unchanged.
   */
  readonly write: (reads: readonly ScannedFile[]) => Promise<void>
}

/**
 * Collects the items that a load leaves out, in the format of their file, so that a user can correct and load them.
 * Returns null without `--rejects`. Throws LoadError for several files, or if the output would overwrite the source.
 */
export function rejectsOf({ rejects: target }: Pick<LoadOptions, 'rejects'>, files: readonly string[]): Rejects | null {
  if (target === undefined) return null
  if (files.length > 1) throw new LoadError('--rejects needs the format of one FILE: load one file at a time')
  if (existsSync(target) && files.some((file) => existsSync(file) && realpathSync(file) === realpathSync(target)))
    throw new LoadError(`--rejects would overwrite ${target}: enter another name`)
  const reasons = new Map<string, string>()
  return {
    onFault: (reason, place) => reasons.set(place(), reason),
    write: async ([read]) => {
      if (read === undefined) return
      const { source } = read
      const lines = source.format === 'csv' ? rowsWith(source, reasons) : textsWith(source, reasons)
      await pipeline(Readable.from(lines), createWriteStream(target))
    },
  }
}

type Reasons = ReadonlyMap<string, string>

async function* rowsWith(source: SourceFile, reasons: Reasons): AsyncGenerator<string> {
  let isHeader = true
  for await (const { number, content } of piecesOf(source)) {
    const reason = isHeader ? 'fault' : reasons.get(placeOf(source, number))
    if (reason !== undefined) yield `${[...content, reason].map(quoted).join(',')}\r\n`
    isHeader = false
  }
}

async function* textsWith(source: SourceFile, reasons: Reasons): AsyncGenerator<string> {
  for await (const piece of piecesOf(source)) {
    const reason = reasons.get(placeOf(source, piece.number))
    if (reason !== undefined)
      yield `${source.format === 'ndjson' ? String(piece.content) : withReason(piece, reason)}\n`
  }
}

/** Returns the JSON of an object on one line, with the reason as `fault`. Returns any other text unchanged. */
function withReason({ content }: Piece, fault: string): string {
  try {
    const value: unknown = JSON.parse(String(content))
    return isObject(value) ? JSON.stringify({ ...value, fault }) : String(content)
  } catch {
    return String(content)
  }
}

const quoted = (cell: string): string => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
