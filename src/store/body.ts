import { badRequest, tooLarge } from '../base/errors.ts'
import { parseJson } from '../base/json.ts'
import { isInDegrees } from '../geometry/srid.ts'
import { isObject } from '../model/kinds.ts'
import { type BodyItem, OTHER_CRS } from './fields.ts'

/** The maximum number of items in one body. */
export const MAX_ITEMS = 10_000

/** The items of a body. `single` is true for one object and false for a list of one. */
interface Items {
  readonly items: readonly BodyItem[]
  readonly single: boolean
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * The maximum number of JSON values in one body, at any depth. MAX_ITEMS features, as clients read them, have half as
 * many. A parsed value takes up to 70 bytes, and all requests of a Worker share 128 MB.
 */
const MAX_VALUES = 500_000

/** Parses a body of JSON. Throws a 400 for anything else. Throws a 413 before parsing if it has too many values. */
export const parseBody = (bytes: ArrayBuffer): unknown => {
  if (hasMoreValues(new Uint8Array(bytes), MAX_VALUES))
    throw tooLarge(`The body has more than ${MAX_VALUES} values. Send fewer items, and the rest in another request.`)
  try {
    return parseJson(decoder.decode(bytes))
  } catch {
    throw badRequest('The body is not JSON in UTF-8. Send one JSON object, or an array of objects.')
  }
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Array.from('"\\,[{', (sign) => sign.charCodeAt(0))

/**
 * Tests if JSON has more values than this. Outside texts, each value except the first comes after a comma or an opening
 * bracket.
 */
const hasMoreValues = (bytes: Uint8Array, most: number): boolean => {
  let values = 1
  for (let index = 0; index < bytes.length && values <= most; index++) {
    const byte = bytes[index]
    if (byte === COMMA || byte === BRACKET || byte === BRACE) values += 1
    else if (byte === QUOTE) index = endOfText(bytes, index)
  }
  return values > most
}

/** Returns the index of the quote that ends a text. */
const endOfText = (bytes: Uint8Array, quote: number): number => {
  let index = quote + 1
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1
  return index
}

/**
 * Returns the items of a body. The body is one object, an array, a FeatureCollection, or a page of a list with
 * `results`.
 */
export const itemsOf = (body: unknown): Items => {
  const [name, list] = listIn(body)
  if (!Array.isArray(list)) {
    if (name === 'features')
      throw badRequest(
        'The FeatureCollection has no array "features". Send one, such as {"type": "FeatureCollection", "features": [...]}.',
      )
    return { items: [{ value: body, at: '' }], single: true }
  }
  if (list.length === 0) throw badRequest('The body has no items. Send at least one.')
  if (list.length > MAX_ITEMS)
    throw tooLarge(`The body has ${list.length} items. Send at most ${MAX_ITEMS}, and the rest in another request.`)
  return { items: list.map((value, i) => ({ value, at: `${name}[${i}].` })), single: false }
}

/** Returns the member of a body that has its items, with their value. The name is empty if the body itself has them. */
const listIn = (body: unknown): readonly [name: '' | 'features' | 'results', list: unknown] => {
  if (!isObject(body)) return ['', body]
  if (body.type === 'FeatureCollection') {
    if (!isInDegrees(body.crs)) throw badRequest(OTHER_CRS)
    return ['features', body.features]
  }
  return Array.isArray(body.results) ? ['results', body.results] : ['', null]
}
