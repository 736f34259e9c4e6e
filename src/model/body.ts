import { orNull, type Schema } from '../base/schema.ts'
import type { BodyMember, Fields } from './field.ts'
import { parse, type ValueReader } from './kinds.ts'
import { membersOf } from './members.ts'

/** A member of an item that clients can write. `to` is the field that it sets. */
export interface BodyField extends Omit<BodyMember, 'path' | 'empty'> {
  readonly schema: Schema
  /** Throws ValueError with what to enter. Returns undefined for a value that counts as omitted. */
  readonly read: (value: unknown) => unknown
  readonly to: string
  /** The path of this member in items of another version. A body may use either path. */
  readonly alias?: string
}

type Given = Omit<BodyField, 'to' | 'alias'>
/** Changes to the members of one list. An undefined member is removed. */
export type BodyChanges = { readonly [N in keyof Given]?: Given[N] | undefined }

/** Returns a reader of values in bodies. Null and the empty text mean `empty`: both clear a field. */
export const emptyAs = (empty: unknown, kind: ValueReader<unknown>) => (value: unknown) =>
  value === null || value === '' ? empty : parse(kind, value)

/** Returns the members of a body by their paths. `prefix` is the path of an item's properties, such as `properties.`. */
export const bodyFields = (
  fields: Fields,
  surface: 'v3' | 'v4' | 'ogc',
  prefix: string,
  overrides: Readonly<Record<string, BodyChanges>> = {},
): Readonly<Record<string, BodyField>> => {
  const written = Object.entries(fields).flatMap(([to, field]) => {
    if (field.body === undefined || field.kind === undefined) return []
    const { path: own, empty = field.otherwise, ...rest } = field.body
    const pathOf = (version: 'v3' | 'v4' | 'ogc'): string => {
      const [only, ...others] = membersOf({ [to]: field }, version)
      return own ?? prefix + (only === undefined || others.length > 0 ? to : only.name)
    }
    const path = pathOf(surface)
    const alias = [pathOf('v3'), pathOf('v4')].find((other) => other !== path)
    const kind = { ...field.kind, ...field.kind.sent }
    const [schema, read] = rest.required
      ? [kind.nullable ? orNull(kind.schema) : kind.schema, (value: unknown) => parse(kind, value)]
      : [orNull(kind.schema), emptyAs(empty, kind)]
    const stays = membersOf({ [to]: field }, surface).length === 0
    const changed = Object.entries({ schema, stays, read, ...rest, ...overrides[to] })
    const given = Object.fromEntries(changed.filter(([, value]) => value !== undefined)) as unknown as Given // only optional members can be undefined
    return [[path, { ...given, to, ...(alias !== undefined && { alias }) }] as const]
  })
  // The geometry and other members outside the properties are listed before the properties.
  return Object.fromEntries(written.sort(([a], [b]) => Number(a.startsWith(prefix)) - Number(b.startsWith(prefix))))
}

/** Returns the paths of the members that items show, and clients cannot write. */
export const readOnlyIn = (
  fields: Fields,
  prefix: string,
  written: Readonly<Record<string, { readonly alias?: string }>>,
): string[] => {
  const known = new Set(Object.entries(written).flatMap(([path, { alias }]) => [path, alias]))
  const shown = (['v3', 'flat', 'ogc', 'v4'] as const)
    .flatMap((surface) => membersOf(fields, surface))
    .filter(({ inFeature }) => !inFeature)
  return [...new Set(shown.map(({ name }) => prefix + name))].filter((path) => !known.has(path))
}
