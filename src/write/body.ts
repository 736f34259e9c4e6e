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

/** The value of a body of JSON. Throws a 400 for anything else. */
export const parseBody = (bytes: ArrayBuffer): unknown => {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw badRequest('The body is no JSON in UTF-8. Send one JSON object, or an array of them.')
  }
}

/** The items of a body: an object alone, an array of them, or the features of a FeatureCollection. */
export const itemsOf = (body: unknown, ofFeatures: boolean): Items => {
  const collection = ofFeatures && isObject(body) && body.type === 'FeatureCollection'
  const list = collection ? body.features : body
  if (collection && !isInDegrees(body.crs))
    throw badRequest('Send coordinates in degrees, longitude first (WGS 84), and leave the member crs out.')
  if (!Array.isArray(list)) {
    if (collection) throw badRequest('A FeatureCollection has its features in the array "features".')
    return { items: [{ value: body, at: '' }], single: true }
  }
  if (list.length === 0) throw badRequest('Send one item at least.')
  if (list.length > MAX_ITEMS)
    throw tooLarge(`The body has ${list.length} items. Send ${MAX_ITEMS} at most, the others in another request.`)
  const name = collection ? 'features' : ''
  return { items: list.map((value, i) => ({ value, at: `${name}[${i}].` })), single: false }
}

/** The reference system of old GeoJSON, as ogr2ogr still writes it. */
const isInDegrees = (crs: unknown): boolean => {
  const { name } = isObject(crs) && isObject(crs.properties) ? crs.properties : {}
  return crs === undefined || crs === null || /(:CRS84|EPSG:+4326)$/.test(typeof name === 'string' ? name : '')
}
