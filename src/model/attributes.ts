import { orUndefined, ValueError } from '../base/errors.ts'
import { LongNumber, parseJson, storedJson } from '../base/json.ts'
import { attributes as attributesFilter } from '../filters/text.ts'
import { type Fields, named } from './field.ts'
import { isObject, type Kind, nullable, parse, text } from './kinds.ts'
import type { Attributes } from './types.ts'

/** The most bytes of the attributes of an event, as compact JSON in UTF-8. */
const MAX_BYTES = 4096
/** The most objects and arrays inside each other. SQLite reads at most 1,000. */
const MAX_LEVELS = 20

const { read: readText } = text('')

/**
 * Returns a value as the database holds it: decimals become doubles. Undefined: JSON or the database cannot hold it.
 * `levels` may be inside each other. Throws ValueError for a number that would change.
 */
const storable = (value: unknown, levels: number): unknown => {
  if (value instanceof LongNumber) return value.nearest ?? refuse(value)
  if (typeof value === 'string') return readText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return undefined
  const members = Object.entries(value).map(([name, member]) => [readText(name), storable(member, levels - 1)] as const)
  if (members.some((member) => member.includes(undefined))) return undefined
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

const MAX_SHOWN = 40

const refuse = ({ digits }: LongNumber): never => {
  const shown = digits.length > MAX_SHOWN ? `${digits.slice(0, MAX_SHOWN)}...` : digits
  throw new ValueError(`The number ${shown} does not fit in a double. Enter it as a text, such as "${shown}".`)
}

const readAttributes = (value: unknown): Attributes | undefined => {
  const stored = isObject(value) ? storable(value, MAX_LEVELS) : undefined
  if (!isObject(stored)) return undefined
  return new TextEncoder().encode(JSON.stringify(stored)).length <= MAX_BYTES ? stored : undefined
}

/** A file may have the object as a text, because CSV has only texts. */
const attributes: Kind<Attributes> = {
  schema: { type: 'object', additionalProperties: true },
  expected: `a JSON object of at most ${MAX_BYTES} bytes in ${MAX_LEVELS} levels, such as {"mag": 4.5}, with Unicode without NUL or lone surrogates, and numbers of at most 1.8e308`,
  read: (value) => readAttributes(typeof value === 'string' ? orUndefined(() => parseJson(value)) : value),
  sent: { read: readAttributes },
}

/** Merges a patch into a value (RFC 7396). A null in the patch removes a member. */
const merged = (stored: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch
  const before = isObject(stored) ? stored : {}
  const kept = Object.entries(before).filter(([name]) => !Object.hasOwn(patch, name))
  const changed = Object.entries(patch)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => [name, merged(Object.hasOwn(before, name) ? before[name] : null, value)])
  return Object.fromEntries([...kept, ...changed])
}

/** The last member on each surface. CQL2 has no property for it. */
const LAST = [{ name: 'attributes', rank: 3, property: null }]

/** The field for members of an event that the service does not know. */
export const ATTRIBUTES = {
  attributes: {
    told: { title: ['Attributes', 'Kenmerken'], group: 'more', column: 2 },
    get: ({ attributes }: { readonly attributes: string | null }): Attributes | null =>
      attributes === null ? null : (storedJson(attributes) as Attributes | null), // an engine reads objects alone
    put: (value: Attributes | null) => ({ attributes: value && JSON.stringify(value) }),
    kind: nullable(attributes),
    otherwise: null,
    omittable: true,
    // Version 3 has only the members of its contract. Its flat forms may have more.
    on: { v4: LAST, flat: LAST, ogc: LAST, file: LAST },
    filters: [
      named('attributes', attributesFilter, {
        about: 'The attribute',
        example: 'Skagway',
        rank: 8,
        unindexed: 'the names are not known before, and an index would bill a row for each event written',
      }),
    ],
    body: { patch: (stored, patch) => parse(nullable(attributes), merged(stored, patch)) },
  },
} satisfies Fields
