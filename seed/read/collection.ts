import { isObject, MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { chunksOf, NOT_UTF8, type ReadOptions, textOf } from './bytes.ts'

/** The text of a feature and its number, from 1. `fault` says why the text cannot be read. */
export type FeatureText = { readonly number: number; readonly text: string; readonly fault?: string }

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = Buffer.from('"\\,{}[]') as unknown as number[]
const MAX_AROUND = 1_000_000 // bytes outside the features
const LIST = /^\s*\{.*"(features|results)"\s*:\s*\[$/s

/** The position of the next byte: outside the list of features, between two features, or in a feature. */
type Where = 'around' | 'between' | 'within'

/**
 * Yields the features of a FeatureCollection or of a page of the event list, with one in memory at a time. Throws
 * LoadError for any other file, and for a reference system other than degrees unless `converted` is true.
 */
export async function* featuresOf(file: string, converted = false, options?: ReadOptions): AsyncGenerator<FeatureText> {
  const around: Buffer[] = [] // the text of the collection without its features
  let [aroundLength, where, depth, quoted, escaped] = [0, 'around' as Where, 0, false, false]
  let [number, comma, featureChunks] = [0, true, [] as Buffer[]]
  const fail = (reason: string) => new LoadError(`${file}, after feature ${number}: ${reason}`)
  const keep = (bytes: Buffer) => {
    around.push(Buffer.from(bytes))
    aroundLength += bytes.length
    if (aroundLength > MAX_AROUND) throw fail('too much text that is not a feature: is it a FeatureCollection?')
  }
  for await (const chunk of chunksOf(file, options)) {
    let from = 0 // the first byte that is not stored yet
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
        else if (byte > 0x20) throw fail('the next value is not an object: write features with one comma between them')
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
          yield featureOf(number, [...featureChunks, chunk.subarray(from, i + 1)])
          ;[where, featureChunks] = ['between', []]
        }
      }
    }
    if (where === 'around') keep(chunk.subarray(from))
    if (where === 'within') featureChunks.push(Buffer.from(chunk.subarray(from)))
    if (featureChunks.reduce((sum, { length }) => sum + length, 0) > 3 * MAX_LINE)
      throw fail(`more than ${MAX_LINE} characters`)
  }
  const single = checkAround(file, Buffer.concat(around), where !== 'around' || depth !== 0, converted)
  if (single !== null) yield { number: 1, text: single }
}

function featureOf(number: number, pieces: Buffer[]): FeatureText {
  const bytes = Buffer.concat(pieces)
  const text = textOf(bytes)
  return text === null ? { number, text: bytes.toString(), fault: NOT_UTF8 } : { number, text }
}

/** Throws LoadError if the text is not a collection. Returns the text if it is a single feature, otherwise null. */
function checkAround(file: string, bytes: Buffer, open: boolean, converted: boolean): string | null {
  if (open) throw new LoadError(`${file}: the file ends in the middle of the collection: get the whole file`)
  const text = (textOf(bytes) ?? '').replace(/^\ufeff/, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new LoadError(
      `${file}: not JSON: enter a FeatureCollection, such as {"type": "FeatureCollection", "features": [...]}`,
    )
  }
  if (!isObject(value)) throw new LoadError(`${file}: not a GeoJSON object: enter a FeatureCollection`)
  if (!converted) refuseOther(file, value.crs)
  if (value.type === 'Feature') return text
  if (Array.isArray(value.features) ? value.type === 'FeatureCollection' : Array.isArray(value.results)) return null
  throw new LoadError(`${file}: no list of features: enter {"type": "FeatureCollection", "features": [...]}`)
}

/**
 * Returns the EPSG code that a `crs` member names, which GeoJSON had in 2008. Null for degrees. Throws LoadError if it
 * has no code.
 */
export function sridOf(file: string, crs: unknown): number | null {
  const name = JSON.stringify(crs ?? null)
  if (name === 'null' || /CRS84/i.test(name)) return null
  const [, code] = /EPSG:+(?:[\d.]*:)?(\d+)\b/i.exec(name) ?? []
  if (code === undefined) throw new LoadError(`${file}: its "crs" names no EPSG code: add one, such as --crs 28992`)
  return code === '4326' ? null : Number(code)
}

/** Throws LoadError if positions are not degrees. */
function refuseOther(file: string, crs: unknown): void {
  const named = sridOf(file, crs)
  if (named !== null) throw new LoadError(`${file}: its "crs" is EPSG:${named}: add --crs ${named}`)
}

/** Returns the EPSG code that the head of a file names before its features. Null for degrees. */
export function sridAhead(file: string, head: string): number | null {
  const before = head.slice(0, /"(features|results)"\s*:/.exec(head)?.index ?? 0)
  const [, crs] = /"crs"\s*:\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/.exec(before) ?? []
  return crs === undefined ? null : sridOf(file, JSON.parse(crs))
}
