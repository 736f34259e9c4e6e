import { isObject, MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { chunksOf, NOT_UTF8, type ReadOptions, textOf } from './bytes.ts'

/** A feature of a collection as its text, or why it is none; and its number from 1. */
export type FeatureText = { readonly number: number; readonly text: string; readonly fault?: string }

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\,{}[]') as unknown as number[]
const MAX_AROUND = 1_000_000 // bytes of what a collection has beside its features
const LIST = /^\s*\{.*"(features|results)"\s*:\s*\[$/s

/** Where in the text the next byte is: beside the list of features, between two of them, or in one. */
type Where = 'around' | 'between' | 'within'

/**
 * The features of a GeoJSON FeatureCollection, or of a page of the event list, one by one: no more of the file is held
 * than one of them. Throws LoadError for a file that is neither, and
 * for one that names its reference system behind its features, unless its positions are converted.
 */
export async function* featuresOf(file: string, converted = false, options?: ReadOptions): AsyncGenerator<FeatureText> {
  const around: Buffer[] = [] // with the list, but none of its features
  let [aroundLength, where, depth, quoted, escaped] = [0, 'around' as Where, 0, false, false]
  let [number, comma, held] = [0, true, [] as Buffer[]]
  const fail = (reason: string) => new LoadError(`${file}, after feature ${number}: ${reason}`)
  const keep = (bytes: Buffer) => {
    around.push(Buffer.from(bytes))
    aroundLength += bytes.length
    if (aroundLength > MAX_AROUND) throw fail('too much that is no feature: is it a FeatureCollection?')
  }
  for await (const chunk of chunksOf(file, options)) {
    let from = 0 // of what is not yet kept or held
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] as number
      if (quoted) {
        if (escaped) escaped = false
        else if (byte === BACKSLASH) escaped = true
        else if (byte === QUOTE) quoted = false
      } else if (where === 'between') {
        if (byte === OPEN && comma) [where, from, depth, comma] = ['within', i, 1, false]
        else if (byte === COMMA && !comma) comma = true
        else if (byte === CLOSE_LIST && (!comma || number === 0)) [where, from, depth] = ['around', i, 1]
        else if (byte > 0x20) throw fail('what follows is no object: put features with one comma between them')
      } else if (byte === QUOTE) quoted = true
      else if (byte === OPEN || byte === OPEN_LIST) {
        depth += 1
        if (where === 'around' && depth === 2 && byte === OPEN_LIST) {
          keep(chunk.subarray(from, i + 1))
          from = i + 1
          if (LIST.test(Buffer.concat(around).toString())) [where, comma] = ['between', true]
        }
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        depth -= 1
        if (where === 'within' && depth === 0) {
          number += 1
          yield featureOf(number, [...held, chunk.subarray(from, i + 1)])
          ;[where, held] = ['between', []]
        }
      }
    }
    if (where === 'around') keep(chunk.subarray(from))
    if (where === 'within') held.push(Buffer.from(chunk.subarray(from)))
    if (held.reduce((sum, { length }) => sum + length, 0) > 3 * MAX_LINE) throw fail(`more than ${MAX_LINE} characters`)
  }
  const single = checkAround(file, Buffer.concat(around), where !== 'around' || depth !== 0, converted)
  if (single !== null) yield { number: 1, text: single }
}

function featureOf(number: number, pieces: Buffer[]): FeatureText {
  const bytes = Buffer.concat(pieces)
  const text = textOf(bytes)
  return text === null ? { number, text: bytes.toString(), fault: NOT_UTF8 } : { number, text }
}

/** Refuses what is no collection; answers the text of what is a single feature. */
function checkAround(file: string, bytes: Buffer, open: boolean, converted: boolean): string | null {
  if (open) throw new LoadError(`${file}: it ends in the middle of the collection: get the rest of it`)
  const text = (textOf(bytes) ?? '').replace(/^\ufeff/, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new LoadError(
      `${file}: not JSON: put a FeatureCollection, such as {"type": "FeatureCollection", "features": [...]}`,
    )
  }
  if (!isObject(value)) throw new LoadError(`${file}: not a GeoJSON object: put a FeatureCollection`)
  if (!converted) refuseOther(file, value.crs)
  if (value.type === 'Feature') return text
  if (Array.isArray(value.features) ? value.type === 'FeatureCollection' : Array.isArray(value.results)) return null
  throw new LoadError(`${file}: no list of features: put {"type": "FeatureCollection", "features": [...]}`)
}

/** The EPSG code of the reference system that a `crs` member names, as the GeoJSON of 2008 had it; null for degrees. */
export function sridOf(file: string, crs: unknown): number | null {
  const name = JSON.stringify(crs ?? null)
  if (name === 'null' || /CRS84/i.test(name)) return null
  const [, code] = /EPSG:+(?:[\d.]*:)?(\d+)\b/i.exec(name) ?? []
  if (code === undefined)
    throw new LoadError(`${file}: its "crs" names no EPSG code: say --crs CODE, such as --crs 28992`)
  return code === '4326' ? null : Number(code)
}

/** Throws LoadError where positions are no degrees. */
function refuseOther(file: string, crs: unknown): void {
  const named = sridOf(file, crs)
  if (named !== null) throw new LoadError(`${file}: its "crs" is EPSG:${named}: say --crs ${named}`)
}

/** The reference system that the beginning of a file names, before its features. */
export function sridAhead(file: string, head: string): number | null {
  const before = head.slice(0, /"(features|results)"\s*:/.exec(head)?.index ?? 0)
  const [, crs] = /"crs"\s*:\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/.exec(before) ?? []
  return crs === undefined ? null : sridOf(file, JSON.parse(crs))
}
