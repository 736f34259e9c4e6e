import { badRequest, tooLarge } from '../errors.ts'
import type { Item } from './fields.ts'
import { isObject } from './records.ts'

/** How many items one body may have. */
export const MAX_ITEMS = 10_000

/** The items of a body, and whether it is one alone, not a list of one. */
interface Items {
  readonly items: readonly Item[]
  readonly single: boolean
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * How many values, of any depth, one body may have: twice what so many features have as they are read. Parsed, they take up
 * to 70 bytes each, of the 128 MB that all requests of a Worker share.
 */
export const MAX_VALUES = 500_000

/** The value of a body of JSON. Throws a 400 for anything else, and a 413 for one of too many values, which is not parsed. */
export const parseBody = (bytes: ArrayBuffer): unknown => {
  if (hasMoreValues(new Uint8Array(bytes), MAX_VALUES))
    throw tooLarge(`The body has more than ${MAX_VALUES} values. Send fewer items, the others in another request.`)
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw badRequest('The body is no JSON in UTF-8. Send one JSON object, or an array of them.')
  }
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Array.from('"\\,[{', (sign) => sign.charCodeAt(0))

/** Whether JSON has more values than so many: outside of its texts, each but the first comes after a comma or a bracket. */
const hasMoreValues = (bytes: Uint8Array, most: number): boolean => {
  let values = 1
  for (let at = 0; at < bytes.length && values <= most; at++) {
    const byte = bytes[at]
    if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1
    else if (byte === QUOTE) at = endOfText(bytes, at)
  }
  return values > most
}

/** Where the text ends that begins at a quote. */
const endOfText = (bytes: Uint8Array, quote: number): number => {
  let at = quote + 1
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}

/** The items of a body: one object, an array, the features of a FeatureCollection, or the results of a page of a list. */
export const itemsOf = (body: unknown): Items => {
  const [name, list] = listIn(body)
  if (!Array.isArray(list)) {
    if (name === 'features') throw badRequest('A FeatureCollection has its features in the array "features".')
    return { items: [{ value: body, at: '' }], single: true }
  }
  if (list.length === 0) throw badRequest('Send one item at least.')
  if (list.length > MAX_ITEMS)
    throw tooLarge(`The body has ${list.length} items. Send ${MAX_ITEMS} at most, the others in another request.`)
  return { items: list.map((value, i) => ({ value, at: `${name}[${i}].` })), single: false }
}

/** The member of a body that holds its items, and these. The name is empty if the body itself holds them. */
const listIn = (body: unknown): readonly [name: '' | 'features' | 'results', list: unknown] => {
  if (!isObject(body)) return ['', body]
  if (body.type === 'FeatureCollection') {
    if (!isInDegrees(body.crs))
      throw badRequest('Send coordinates in degrees, longitude first (WGS 84), and leave the member crs out.')
    return ['features', body.features]
  }
  return Array.isArray(body.results) ? ['results', body.results] : ['', null]
}

/** The reference system of old GeoJSON, as ogr2ogr still writes it. */
const isInDegrees = (crs: unknown): boolean => {
  const { name } = isObject(crs) && isObject(crs.properties) ? crs.properties : {}
  return crs === undefined || crs === null || /(:CRS84|EPSG:+4326)$/.test(typeof name === 'string' ? name : '')
}
