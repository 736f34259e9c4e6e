import type { BodyMember, Fields } from './field.ts'
import { membersOf } from './members.ts'
import { as, emptyAs } from './readers.ts'

/** A member of an item that clients can write. `to` is the field that it sets. */
export interface BodyField extends Omit<BodyMember, 'path' | 'kind' | 'empty'> {
  /** Throws ValueError with what to enter. Returns undefined for a value that counts as omitted. */
  readonly read: (value: unknown) => unknown
  readonly to: string
  /** The path of this member in items of another version. A body may use either path. */
  readonly alias?: string
}

type Given = Omit<BodyField, 'to' | 'alias'>
/** Changes to the members of one list. An undefined member is removed. */
export type BodyChanges = { readonly [N in keyof Given]?: Given[N] | undefined }

/** Returns the members of a body by their paths. `prefix` is the path of an item's properties, such as `properties.`. */
export const bodyOf = (
  fields: Fields,
  surface: 'v3' | 'v4' | 'ogc',
  prefix: string,
  overrides: Readonly<Record<string, BodyChanges>> = {},
): Readonly<Record<string, BodyField>> => {
  const written = Object.entries(fields).flatMap(([to, { body, on, kind, otherwise }]) => {
    if (body === undefined || kind === undefined) return []
    const pathOf = (version: 'v3' | 'v4' | 'ogc'): string => {
      const [only, ...others] = on[version] ?? []
      return body.path ?? prefix + (only === undefined || others.length > 0 ? to : only.name)
    }
    const path = pathOf(surface)
    const alias = [pathOf('v3'), pathOf('v4')].find((other) => other !== path)
    const { path: _, kind: own = kind, empty = otherwise, ...rest } = body
    const read = body.required ? as(own) : emptyAs(empty, as(own))
    const changed = { stays: on[surface] === null, read, ...rest, ...overrides[to] }
    const kept = Object.entries(changed).filter(([, value]) => value !== undefined)
    const given = Object.fromEntries(kept) as unknown as Given // only optional members can be undefined
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
    .filter(({ inGeometry }) => !inGeometry)
  return [...new Set(shown.map(({ name }) => prefix + name))].filter((path) => !known.has(path))
}
