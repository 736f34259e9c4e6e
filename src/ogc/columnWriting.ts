import { LongNumber } from '../base/json.ts'
import { attributeNamed } from '../formats/shown.ts'
import { isObject } from '../model/kinds.ts'
import type { BodyShape, Draft } from '../store/fields.ts'
import type { Writable } from '../store/writable.ts'
import type { Column } from './collection.ts'

/** The names of members of features that are never columns. */
export const RESERVED = ['type', 'id', 'bbox', 'geometry', 'geom', 'links', 'properties', 'attributes', 'distance']

/**
 * Returns the value of an attribute that a column of a type shows. Programs such as QGIS lose whole columns if one value has
 * another type. Null: it has no such value.
 */
export const shownAs = (type: Column['type'], value: unknown): string | number | boolean | LongNumber | null => {
  if (value instanceof LongNumber && type !== 'boolean') return type === 'text' ? value.digits : value
  if (typeof value === 'object' || value === undefined) return null
  if (type === 'text') return String(value)
  return typeof value === type ? (value as number | boolean) : null // the type is checked
}

const PREFIX = 'properties.'
const ATTRIBUTES = `${PREFIX}attributes`

/**
 * Returns how clients write features whose other members are attributes. Null removes one. A column with the value that its
 * feature shows stays as it is stored. PUT also removes columns that the body lacks, but no attributes that features do not
 * show.
 */
export const withAttributes = (writable: Writable, columns: readonly Column[], method = 'POST'): Writable => {
  const byAttribute = new Map(columns.map((column) => [column.attribute, column]))
  const isShown = (name: string, stored: unknown, sent: unknown) => {
    const type = byAttribute.get(name)?.type
    return type !== undefined && shownAs(type, stored) === sent
  }
  const merged = (stored: unknown, sent: unknown): Draft | null => {
    const [before, given] = [isObject(stored) ? stored : {}, isObject(sent) ? sent : {}]
    const kept = Object.entries(before).flatMap(([name, value]) => {
      if (!Object.hasOwn(given, name)) return method === 'PUT' && byAttribute.has(name) ? [] : [[name, value]]
      if (isShown(name, value, given[name])) return [[name, value]]
      return given[name] === null ? [] : [[name, given[name]]]
    })
    const added = Object.entries(given).filter(([name, value]) => !Object.hasOwn(before, name) && value !== null)
    return kept.length + added.length === 0 ? null : Object.fromEntries([...kept, ...added])
  }
  const withMerged = (draft: Draft, stored: unknown): Draft =>
    'attributes' in draft ? { ...draft, attributes: merged(stored, draft.attributes) } : draft
  const shaped = { ...writable, gather: gatherer(writable, columns) }
  if (method !== 'PATCH')
    return {
      ...shaped,
      complete: (draft, writer) => writable.complete(withMerged(draft, null), writer),
      merge: (stored, draft) => writable.merge(stored, withMerged(draft, stored.attributes)),
    }
  const { [ATTRIBUTES]: field, ...others } = writable.fields
  if (field?.patch === undefined) return shaped
  const { patch } = field
  const patched = (stored: unknown, sent: unknown) => {
    if (!isObject(sent)) return patch(stored, sent)
    const before = isObject(stored) ? stored : {}
    const changes = Object.entries(sent).filter(([name, value]) =>
      value === null ? Object.hasOwn(before, name) : !isShown(name, before[name], value),
    )
    return changes.length === 0 ? stored : patch(stored, Object.fromEntries(changes))
  }
  return { ...shaped, fields: { ...others, [ATTRIBUTES]: { ...field, patch: patched } } }
}

/** Returns a function that puts the members of an item that are no fields into `attributes`. */
const gatherer = (
  { fields, readOnly }: Pick<BodyShape, 'fields' | 'readOnly'>,
  columns: readonly Column[],
): NonNullable<BodyShape['gather']> => {
  const paths = [...Object.entries(fields).flatMap(([path, { alias }]) => [path, alias ?? path]), ...readOnly]
  const known = new Set([...paths, ...RESERVED.map((name) => PREFIX + name)])
  const attributes = new Map(columns.map(({ member, attribute }) => [member.name, attribute]))
  /** Returns the attribute that a member means. Null: it is a field, or a mistake. */
  const attributeOf = (name: string) =>
    attributes.get(name) ?? (known.has(PREFIX + name) ? null : (attributeNamed(name) ?? name))
  return (item) => {
    if (!isObject(item.properties)) return item
    const { attributes: given, ...members } = item.properties
    const own: [string, unknown][] = []
    const others: [string, unknown][] = []
    for (const [name, value] of Object.entries(members)) {
      const attribute = attributeOf(name)
      if (attribute === null) others.push([name, value])
      else own.push([attribute, value])
    }
    const all = own.length === 0 ? given : { ...(isObject(given) && given), ...Object.fromEntries(own) }
    return { ...item, properties: { ...Object.fromEntries(others), ...(all !== undefined && { attributes: all }) } }
  }
}
