import { badRequest, type Mistakes, mistake, orElse, orUndefined, tooLarge } from '../base/errors.ts'
import { parseJson } from '../base/json.ts'
import { isInDegrees } from '../geometry/srid.ts'
import type { BodyField } from '../model/body.ts'
import { isObject } from '../model/kinds.ts'

/** The members that were read from an item, by their names in a record. */
export type Draft = Readonly<Record<string, unknown>>

/** The members of an item by their paths, such as `name` and `properties.value`. */
export interface BodyShape {
  readonly fields: Readonly<Record<string, BodyField>>
  /**
   * Members that items have but clients cannot write. They are ignored, so a client can send back an item that it read.
   */
  readonly readOnly: readonly string[]
  /** Read-only members that repeat the value of a field, by the path of that field. Another value is a mistake. */
  readonly copies?: Readonly<Record<string, string>>
  /** Members with a fixed value in every draft. No body gives them. */
  readonly fixed?: Draft
  /** True if a GeoJSON Feature is accepted. Its properties are then the members of the item. */
  readonly inFeatures?: true
  /** Returns an item with the members that are no fields in one of its fields. Absent: they are mistakes. */
  readonly gather?: (item: Draft) => Draft
}

/** An item of a body. `at` is its path for messages, such as `features[3].`. */
export interface BodyItem {
  readonly value: unknown
  readonly at: string
}

/** An item that was read. `missing` has the paths of the required members that it omits. */
export interface ItemRead {
  readonly item: BodyItem
  readonly draft: Draft
  readonly missing: readonly string[]
}

/** Reads an item and notes every mistake. With `replaces`, members that the item omits are cleared, as PUT does. */
export const readItem = (shape: BodyShape, sent: BodyItem, mistakes: Mistakes, replaces = false): ItemRead => {
  const own = itemIn(shape, sent, mistakes)
  const item = isObject(own.value) && shape.gather ? { ...own, value: shape.gather(own.value) } : own
  const { value, at } = item
  const draft: Record<string, unknown> = { ...shape.fixed }
  const missing: string[] = []
  if (!isObject(value)) {
    mistake(mistakes, nameOf(at), 'Enter a JSON object.')
    return { item, draft, missing }
  }
  for (const [own, field] of Object.entries(shape.fields)) {
    const [path, given] = givenOf(value, own, field, at, mistakes)
    if (given === undefined && field.required) missing.push(own)
    const clears = replaces && !field.required && !field.once && !field.stays
    if (given === undefined && !clears) continue
    noteFault(mistakes, at + path, () => {
      const read = field.read(given ?? null)
      if (read !== undefined) draft[field.to] = read
    })
  }
  noteUnknown(shape, value, at, mistakes)
  noteOtherCopies(shape, value, at, mistakes)
  return { item, draft, missing }
}

/** Notes a copy with another value than its field. Nobody could know which of them the client means. */
const noteOtherCopies = ({ fields, copies = {} }: BodyShape, value: Draft, at: string, mistakes: Mistakes): void => {
  for (const [path, copy] of Object.entries(copies)) {
    const [given, repeated] = [memberOf(value, path), memberOf(value, copy)]
    const read = (each: unknown) => orUndefined(() => fields[path]?.read(each)) ?? null
    const copied = read(repeated)
    if (given !== undefined && copied !== null && JSON.stringify(copied) !== JSON.stringify(read(given)))
      mistake(mistakes, at + copy, `It differs from ${path}. Enter the place in ${path}, and leave this copy out.`)
  }
}

export const noteMissing = ({ item, missing }: ItemRead, mistakes: Mistakes): void => {
  for (const path of missing) mistake(mistakes, item.at + path, 'This field is required.')
}

/** Returns the value of a field, and the path that the item uses for it. */
const givenOf = (
  value: Draft,
  path: string,
  { alias }: BodyField,
  at: string,
  mistakes: Mistakes,
): [string, unknown] => {
  const given = memberOf(value, path)
  const other = alias === undefined ? undefined : memberOf(value, alias)
  if (alias === undefined || other === undefined) return [path, given]
  if (given !== undefined) mistake(mistakes, at + alias, `Give ${path} or ${alias}, not both.`)
  return [alias, other]
}

const FEATURE_MEMBERS = ['type', 'id', 'bbox', 'geometry', 'links', 'properties']

/** Returns the item with the members of a shape. For a Feature these are its properties. */
const itemIn = ({ inFeatures }: BodyShape, item: BodyItem, mistakes: Mistakes): BodyItem => {
  const { value, at } = item
  if (!inFeatures || !isObject(value) || value.type !== 'Feature') return item
  for (const name of Object.keys(value))
    if (!FEATURE_MEMBERS.includes(name)) noteStray(mistakes, value, name, at, FEATURE_MEMBERS)
  return { value: value.properties, at: `${at}properties.` }
}

/** Runs a check, and notes its ValueError as a mistake. */
export const noteFault = (mistakes: Mistakes, path: string, check: () => void): void =>
  orElse(check, ({ message }) => mistake(mistakes, path, message))

/** Returns the name of a whole item in a 400. */
const nameOf = (at: string): string => (at === '' ? 'detail' : at.slice(0, -1))

/** Columns of attributes in GeoJSON repeat members of `attributes`. They are ignored, as other members that repeat. */
const isColumn = ({ fields }: BodyShape, path: string): boolean =>
  path.startsWith('properties.attributes__') && 'properties.attributes' in fields

const noteUnknown = (shape: BodyShape, value: Draft, at: string, mistakes: Mistakes): void => {
  const { fields, readOnly } = shape
  const aliases = Object.values(fields).flatMap(({ alias }) => alias ?? [])
  const known = new Set([...Object.keys(fields), ...aliases, ...readOnly])
  const parents = new Set([...known].filter((path) => path.includes('.')).map((path) => path.split('.')[0] ?? ''))
  const names = Object.keys(fields)
  for (const name of Object.keys(value)) {
    if (!parents.has(name)) {
      if (!known.has(name)) noteStray(mistakes, value, name, at, names)
    } else if (isObject(value[name])) {
      for (const path of Object.keys(value[name]).map((inner) => `${name}.${inner}`))
        if (!known.has(path) && !isColumn(shape, path)) mistake(mistakes, at + path, unknownField(names))
    } else mistake(mistakes, at + name, 'Enter a JSON object.')
  }
}

/** The mistake of a `crs` that is not in degrees. */
export const OTHER_CRS =
  'The member crs does not name WGS 84 or ETRS89. Send longitude and latitude in degrees, and leave it out or name EPSG:4326.'

/** Notes a member that no item has. Features of old GeoJSON may have a `crs`. */
const noteStray = (mistakes: Mistakes, value: Draft, name: string, at: string, names: readonly string[]): void => {
  const isCrs = name === 'crs' && value.type === 'Feature'
  if (!isCrs) mistake(mistakes, at + name, unknownField(names))
  else if (!isInDegrees(value.crs)) mistake(mistakes, at + name, OTHER_CRS)
}

const unknownField = (names: readonly string[]): string => `Unknown field. Enter one of ${names.join(', ')}.`

const memberOf = (value: Draft, path: string): unknown => {
  const [name = '', inner] = path.split('.')
  const member = Object.hasOwn(value, name) ? value[name] : undefined
  if (inner === undefined) return member
  return isObject(member) && Object.hasOwn(member, inner) ? member[inner] : undefined
}

/** The maximum number of items in one body. */
export const MAX_ITEMS = 10_000

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
  const body = orUndefined(() => parseJson(decoder.decode(bytes)))
  if (body !== undefined) return body
  throw badRequest('The body is not JSON in UTF-8. Send one JSON object, or an array of objects.')
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
 * `results`. `single` is true for one object and false for a list of one.
 */
export const itemsOf = (body: unknown): { items: readonly BodyItem[]; single: boolean } => {
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
