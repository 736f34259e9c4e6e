import { storedJson } from '../base/json.ts'
import { inZone, type NamedZone } from '../base/zone.ts'
import type { Row } from '../engine/engine.ts'
import { leadingNumber } from '../filters/numbers.ts'
import type { ItemMember, View } from '../model/members.ts'
import { NUMBER, orNull } from '../model/schema.ts'
import type { Metadata } from '../model/types.ts'

const PREFIX = 'attributes__'

/** Returns the attribute that a name of a column means, such as `Volume` for `attributes__Volume`. Null: none. */
export const attributeNamed = (name: string): string | null =>
  name.startsWith(PREFIX) && name.length > PREFIX.length ? name.slice(PREFIX.length) : null

type Attributes = Readonly<Record<string, unknown>>

/** Returns a function that reads the attributes of a row. It parses those of a row once for all columns. */
const attributesReader = () => {
  let [last, attributes]: [Row | null, Attributes] = [null, {}]
  return (row: Row): Attributes => {
    if (row === last) return attributes
    const stored = typeof row.attributes === 'string' ? (storedJson(row.attributes) as Attributes | null) : null
    ;[last, attributes] = [row, stored ?? {}]
    return attributes
  }
}

/** Returns members that each show one attribute. It is null in an item without the attribute. */
export const attributeMembers = (names: readonly string[]): ItemMember[] => {
  const read = attributesReader()
  return names.map((name) => ({
    name: PREFIX + name,
    schema: {},
    write: (row: Row) => (Object.hasOwn(read(row), name) ? read(row)[name] : null),
  }))
}

/** Returns the member `attributes` with some attributes of each item: those for which `shows` returns true. */
export const attributesWhere = (attributes: ItemMember, shows: (name: string) => boolean): ItemMember => {
  const read = attributesReader()
  const write = (row: Row) => {
    const shown = Object.entries(read(row)).filter(([name]) => shows(name))
    return shown.length === 0 ? null : Object.fromEntries(shown)
  }
  return { ...attributes, write }
}

/** The number at the beginning of the value of an event. */
export const VALUE_NUMBER: ItemMember = {
  name: 'value_number',
  schema: orNull(NUMBER),
  write: ({ value }: Row) => leadingNumber(String(value)),
}

/**
 * Returns the view of a file with the events of one series, with a column for each described attribute. `isTable`: the
 * columns replace the cell `attributes`. It stays for further attributes only.
 */
export const withColumns = (view: View, { fields, more }: Metadata, isTable: boolean): View => {
  const names = fields.flatMap(({ name }) => attributeNamed(name) ?? [])
  const columns = attributeMembers(names)
  const besides = (attributes: ItemMember): ItemMember[] => {
    if (!isTable) return [attributes, ...columns]
    return more ? [...columns, attributesWhere(attributes, (name) => !names.includes(name))] : columns
  }
  const members = view.members.flatMap((member) => {
    if (member.name === 'value' && isTable) return [member, VALUE_NUMBER]
    return member.name === 'attributes' ? besides(member) : [member]
  })
  return { ...view, members }
}

/** Returns a view whose columns have the titles of a description, with their units. Attributes have at least their names. */
export const withTitles = (view: View, { fields }: Metadata): View => {
  const titles = new Map(
    fields.map(({ name, title, unit }) => [
      name,
      unit === undefined ? title : `${title ?? attributeNamed(name) ?? name} (${unit})`,
    ]),
  )
  // Members of version 4 have the names start and end.
  const titled = (member: ItemMember): ItemMember => {
    const title = titles.get(member.name) ?? titles.get(`timestamp_${member.name}`) ?? attributeNamed(member.name)
    return title === null ? member : { ...member, title }
  }
  return { ...view, members: view.members.map(titled) }
}

/** Returns a view whose times are on the clock of a zone, with their offsets. */
export const withZone = (view: View, zone: NamedZone): View => {
  const zoned = ({ write, ...member }: ItemMember): ItemMember => ({
    ...member,
    zone: zone.name,
    write: (row, links) => {
      const instant = write(row, links)
      return instant === null ? null : inZone(zone, String(instant))
    },
  })
  const members = view.members.map((member) => (member.schema.format === 'date-time' ? zoned(member) : member))
  return { ...view, members }
}

/**
 * Returns the heads of columns: their titles, or their names. Equal titles have the name beside them, and local times
 * have their zone.
 */
export const headsOf = (members: readonly ItemMember[]): string[] => {
  const heads = members.map(({ name, title = name }) => title)
  return members.map(({ name, title, zone }, i) => {
    const isShared = heads.some((head, other) => other !== i && head === heads[i])
    const head = title !== undefined && isShared ? `${title} (${name})` : (title ?? name)
    return zone === undefined ? head : `${head} (${zone})`
  })
}
