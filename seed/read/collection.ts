import { at } from '../../src/base/collections.ts'
import { orUndefined } from '../../src/base/errors.ts'
import { isDegrees, sridOfCrs } from '../../src/geometry/srid.ts'
import { isObject } from '../../src/model/kinds.ts'
import { MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { type ReadOptions, type Text, textOf, utf8Of } from './bytes.ts'

const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d]
/** The usual names of the list in an object, most likely first. */
const LISTS = ['features', 'results', 'records', 'rows', 'value', 'items', 'data']
const FEATURES = 'features|results'
/** The greatest depth of a list: CKAN has the list `records` in the object `result`. */
const MAX_DEPTH = 4
/** The maximum number of bytes of one feature, and of the text around all features. */
const MAX_BYTES = 3 * MAX_LINE
const MAX_NAME = 200 // bytes of the name of a list

/** Tests if a text begins with a list of objects. */
export const isArray = (head: string): boolean => /^\s*\[\s*[{\]]/.test(head)

/** Returns the name of the list of objects in the head of a file of JSON. The empty name: the file is an array. Null: it has none. */
export function listIn(head: string): string | null {
  if (isArray(head)) return ''
  const names = Array.from(head.matchAll(/"([^"\\]{1,100})"\s*:\s*\[\s*\{/g), (match) => at(match, 1))
  return LISTS.find((name) => names.includes(name)) ?? names[0] ?? null
}

/**
 * Yields the objects of a list, with one in memory at a time. The list is that of a FeatureCollection, of a page of the event list,
 * or the one with a name. Throws LoadError for any other file, and for a reference system other than degrees unless `converted` is true.
 */
export async function* featuresOf(
  file: string,
  converted = false,
  options: ReadOptions = {},
  list = FEATURES,
): AsyncGenerator<Text> {
  const around: Buffer[] = []
  yield* objectsOf(file, options, list, around)
  if (list !== FEATURES) return
  const single = checkAround(file, textOf(1, Buffer.concat(around)), converted)
  if (single !== null) yield single
}

/** Yields the objects of a list. `around` receives the text of the file without them. */
async function* objectsOf(file: string, options: ReadOptions, list: string, around: Buffer[]): AsyncGenerator<Text> {
  const isList = list === '' ? /^\s*\[$/ : new RegExp(`"(${list.replace(/[$()*+.?[\\\]^{}]/g, '\\$&')})"\\s*:\\s*\\[$`)
  const deepest = list === FEATURES ? 2 : MAX_DEPTH
  let level = 0 // of the objects in the list
  let [number, depth, feature] = [0, 0, [] as Buffer[]]
  let [quoted, escaped, inList, isNext] = [false, false, false, true]
  const fail = (reason: string) => new LoadError(`${file}, after feature ${number}: ${reason}`)
  for await (const chunk of utf8Of(file, options)) {
    let [from, i] = [0, -1] // `from` is the first byte that is not stored yet.
    for (const byte of chunk) {
      i += 1
      const isBetween = inList && depth === level
      if (quoted) {
        quoted = escaped || byte !== QUOTE
        escaped = byte === BACKSLASH && !escaped
      } else if (isBetween && isMisplaced(byte, isNext, number === 0))
        throw fail('the next value is not an object: write objects with one comma between them')
      else if (byte === QUOTE) quoted = true
      else if (byte === COMMA && isBetween) isNext = true
      else if (byte === OPEN || byte === OPEN_LIST) {
        depth += 1
        if (isBetween) from = i
        else if (byte === OPEN_LIST && level === 0 && depth <= deepest) {
          around.push(chunk.subarray(from, i + 1))
          from = i + 1
          inList = isList.test(Buffer.concat(around.slice(-2)).toString().slice(-MAX_NAME))
          if (inList) level = depth
        }
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        depth -= 1
        if (isBetween) [inList, from] = [false, i]
        else if (inList && depth === level) {
          number += 1
          isNext = false
          yield textOf(number, Buffer.concat([...feature, chunk.subarray(from, i + 1)]))
          feature = []
        }
      }
    }
    if (!inList) around.push(Buffer.from(chunk.subarray(from)))
    else if (depth > level) feature.push(Buffer.from(chunk.subarray(from)))
    if (sizeOf(around) > MAX_BYTES) throw fail('too much text that is not a feature: is it a FeatureCollection?')
    if (sizeOf(feature) > MAX_BYTES) throw fail(`more than ${MAX_LINE} characters`)
  }
  if (depth !== 0) throw new LoadError(`${file}: the file ends in the middle of the collection: get the whole file`)
}

/** Tests if a byte may not stand between the objects of a list. `isNext`: an object must follow. */
const isMisplaced = (byte: number, isNext: boolean, isFirst: boolean): boolean => {
  if (byte <= 0x20 || byte === (isNext ? OPEN : COMMA)) return false
  return byte !== CLOSE_LIST || (isNext && !isFirst)
}

const sizeOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** Throws LoadError if the text is not a collection. Returns the text if it is a single feature, otherwise null. */
function checkAround(file: string, around: Text, converted: boolean): Text | null {
  const value = orUndefined((): unknown => JSON.parse(around.text))
  if (value === undefined) throw new LoadError(`${file}: not JSON: enter a FeatureCollection, such as ${EXAMPLE}`)
  if (!isObject(value)) throw new LoadError(`${file}: not a GeoJSON object: enter a FeatureCollection`)
  const srid = converted ? null : sridOf(file, value.crs)
  if (srid !== null) throw new LoadError(`${file}: its "crs" is EPSG:${srid}: add --crs ${srid}`)
  if (value.type === 'Feature') return around
  if (Array.isArray(value.features) ? value.type === 'FeatureCollection' : Array.isArray(value.results)) return null
  throw new LoadError(`${file}: no list of features: enter ${EXAMPLE}`)
}

const EXAMPLE = '{"type": "FeatureCollection", "features": [...]}'

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
