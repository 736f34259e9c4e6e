import { isDegrees, sridOfCrs } from '../../src/geometry/srid.ts'
import { isObject } from '../../src/model/kinds.ts'
import { MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { type ReadOptions, type Text, textOf, utf8Of } from './bytes.ts'

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d]
const LIST = /^\s*\{.*"(features|results)"\s*:\s*\[$/s
/** The maximum number of bytes of one feature, and of the text around all features. */
const MAX_BYTES = 3 * MAX_LINE

/**
 * Yields the features of a FeatureCollection or of a page of the event list, with one in memory at a time. Throws
 * LoadError for any other file, and for a reference system other than degrees unless `converted` is true.
 */
export async function* featuresOf(file: string, converted = false, options: ReadOptions = {}): AsyncGenerator<Text> {
  const around: Buffer[] = [] // the text of the collection without its features
  let [number, depth, feature] = [0, 0, [] as Buffer[]]
  let [quoted, escaped, inList, isNext] = [false, false, false, true]
  const fail = (reason: string) => new LoadError(`${file}, after feature ${number}: ${reason}`)
  for await (const chunk of utf8Of(file, options)) {
    let [from, i] = [0, -1] // `from` is the first byte that is not stored yet.
    for (const byte of chunk) {
      i += 1
      const isBetween = inList && depth === 2
      if (quoted) {
        quoted = escaped || byte !== QUOTE
        escaped = byte === BACKSLASH && !escaped
      } else if (
        isBetween &&
        byte > 0x20 &&
        !(byte === (isNext ? OPEN : COMMA) || (byte === CLOSE_LIST && (!isNext || number === 0)))
      )
        throw fail('the next value is not an object: write features with one comma between them')
      else if (byte === QUOTE) quoted = true
      else if (byte === COMMA && isBetween) isNext = true
      else if (byte === OPEN || byte === OPEN_LIST) {
        depth += 1
        if (isBetween) from = i
        else if (byte === OPEN_LIST && depth === 2) {
          around.push(chunk.subarray(from, i + 1))
          from = i + 1
          inList = LIST.test(Buffer.concat(around).toString())
        }
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        depth -= 1
        if (isBetween) [inList, from] = [false, i]
        else if (inList && depth === 2) {
          number += 1
          isNext = false
          yield textOf(number, Buffer.concat([...feature, chunk.subarray(from, i + 1)]))
          feature = []
        }
      }
    }
    if (!inList) around.push(Buffer.from(chunk.subarray(from)))
    else if (depth > 2) feature.push(Buffer.from(chunk.subarray(from)))
    if (sizeOf(around) > MAX_BYTES) throw fail('too much text that is not a feature: is it a FeatureCollection?')
    if (sizeOf(feature) > MAX_BYTES) throw fail(`more than ${MAX_LINE} characters`)
  }
  if (depth !== 0) throw new LoadError(`${file}: the file ends in the middle of the collection: get the whole file`)
  const single = checkAround(file, textOf(1, Buffer.concat(around)), converted)
  if (single !== null) yield single
}

const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** Throws LoadError if the text is not a collection. Returns the text if it is a single feature, otherwise null. */
function checkAround(file: string, around: Text, converted: boolean): Text | null {
  let value: unknown
  try {
    value = JSON.parse(around.text)
  } catch {
    throw new LoadError(
      `${file}: not JSON: enter a FeatureCollection, such as {"type": "FeatureCollection", "features": [...]}`,
    )
  }
  if (!isObject(value)) throw new LoadError(`${file}: not a GeoJSON object: enter a FeatureCollection`)
  const srid = converted ? null : sridOf(file, value.crs)
  if (srid !== null) throw new LoadError(`${file}: its "crs" is EPSG:${srid}: add --crs ${srid}`)
  if (value.type === 'Feature') return around
  if (Array.isArray(value.features) ? value.type === 'FeatureCollection' : Array.isArray(value.results)) return null
  throw new LoadError(`${file}: no list of features: enter {"type": "FeatureCollection", "features": [...]}`)
}

/** Returns the EPSG code that a `crs` member names. Null: degrees. Throws LoadError for an unknown name. */
function sridOf(file: string, crs: unknown): number | null {
  const srid = sridOfCrs(crs)
  if (srid === null) throw new LoadError(`${file}: its "crs" names no EPSG code: add one, such as --crs 28992`)
  return isDegrees(srid) ? null : srid
}

/** Returns the EPSG code that the head of a file names before its features. Null for degrees. */
export function sridAhead(file: string, head: string): number | null {
  const before = head.slice(0, /"(features|results)"\s*:/.exec(head)?.index ?? 0)
  const [, crs] = /"crs"\s*:\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})/.exec(before) ?? []
  return crs === undefined ? null : sridOf(file, JSON.parse(crs))
}
