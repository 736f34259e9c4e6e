import type { Schema } from '../base/schema.ts'
import type { FilterSet } from '../filters/filter.ts'
import type { Fields, ModelField, Told, ToldFilter } from './field.ts'
import { membersOf } from './members.ts'

/** A field of a list for people. The page makes its filters, columns and facts of it. */
export interface Control {
  readonly name: string
  readonly label: Told['title']
  /** The kind of its filter. Without a filter, the kind of its value. */
  readonly kind: string
  readonly group: NonNullable<Told['group']>
  /** The lookups of its filter. The empty lookup is the parameter `name`. Without a filter there are none. */
  readonly lookups: readonly string[]
  /** All values that its filter takes. Absent if they cannot be listed. */
  readonly choices?: readonly string[]
  /** The value of `ordering` for its order. */
  readonly order?: string
  /** 1: a main column. 2: a column beside them. 3: a column if the reader asks for it. */
  readonly column?: 1 | 2 | 3
}

type Version = 'v3' | 'v4'

/** The filters and orders of a list. `told` has what people see of each filter. */
interface Listed {
  readonly told: Readonly<Record<string, ToldFilter>>
  readonly filters: FilterSet
  readonly orderings: Readonly<Record<string, unknown>>
}

/**
 * Returns the fields of a list: first its filters in their order, then those without a filter. `versions` are the
 * versions whose names its filters have.
 */
export const controlsOf = (
  fields: Fields,
  versions: readonly Version[],
  { told, filters, orderings }: Listed,
): readonly Control[] => {
  const controls = new Map<string, Control & { lookups: string[] }>()
  const add = (name: string, kind: string, { title, group = 'more', order = name, column }: Told) => {
    const choices = filters.get(name)?.choices
    const control = {
      name,
      label: title,
      kind,
      group,
      lookups: [],
      ...(choices && { choices }),
      ...(Object.hasOwn(orderings, order) && { order }),
      ...(column && { column }),
    }
    controls.set(name, control)
    return control
  }
  let last = { name: '', lookups: [] as string[] }
  for (const [name, { kind, members }] of filters) {
    if (told[name] !== undefined) last = add(name, kind, told[name].told)
    last.lookups.push(name.slice(last.name.length).replace(/^__/, ''))
    const any = `${name}__any`
    for (const each of members?.(any)?.keys() ?? []) if (each !== any) last.lookups.push(each.slice(any.length + 2))
  }
  for (const [key, field] of Object.entries(fields)) {
    const shown = shownOf(key, field, versions)
    if (field.told.group !== undefined && shown !== null && !controls.has(shown.name))
      add(shown.name, shown.kind, field.told)
  }
  return [...controls.values()]
}

/** Returns the name and the kind of a field as a list shows it. Null if the list does not show it. */
const shownOf = (key: string, field: ModelField, versions: readonly Version[]) => {
  const [version = 'v3'] = versions
  const members = [version, 'flat' as const].map((surface) => membersOf({ [key]: field }, surface, version))
  const last = members.flat().at(-1)
  if (last === undefined) return null
  const filter = field.filters?.find(({ told }) => told === undefined)
  const [named] = versions.flatMap((each) => filter?.[each] ?? [])
  const [single] = members.flatMap((of) => (of.length === 1 ? of : []))
  return { name: named ?? single?.name ?? key, kind: field.told.display ?? kindOf(last.schema) }
}

const FORMATS: Readonly<Record<string, string>> = { 'date-time': 'instant', uri: 'link', uuid: 'uuid' }

/** Returns the kind of a value that has no filter. */
const kindOf = ({ type, format }: Schema): string => {
  const [only] = [type].flat()
  if (typeof format === 'string') return FORMATS[format] ?? 'text'
  return only === 'string' ? 'text' : only === 'integer' || only === 'number' ? only : 'json'
}
