import { ValueError } from '../errors.ts'
import { showing } from '../formats/fields.ts'
import { type Format, fieldsIn, isItems } from '../formats/formats.ts'
import { membersFrom } from '../request/page.ts'
import { read, type Values } from '../request/parameters.ts'
import type { Collection } from './collection.ts'

/** The parameters that choose the properties of features (Part 6). */
export const PROPERTIES = 'properties'
export const EXCLUDED = 'exclude-properties'

/** Members that are no properties of a feature. They stay in every format. */
const KEPT = ['type', 'id', 'geometry', 'longitude', 'latitude', 'z']

/** Reads the properties that the client chooses, by their names in the format. Null: all. */
export const readSelection = (collection: Collection, values: Values, format: Format): ReadonlySet<string> | null => {
  const names = isItems(format) ? fieldsIn(format, collection.resource) : Object.keys(collection.schema)
  const known = names.filter((name) => !KEPT.includes(name))
  const chosen = read(
    values,
    PROPERTIES,
    membersFrom(() => known),
    null,
  )
  const excluded = read(values, EXCLUDED, excludedFrom(known, chosen !== null), null)
  return excluded === null ? chosen : new Set(known.filter((name) => !excluded.has(name)))
}

const excludedFrom =
  (known: readonly string[], isChosen: boolean) =>
  (text: string): ReadonlySet<string> => {
    if (isChosen)
      throw new ValueError(`Enter ${PROPERTIES} or ${EXCLUDED}, but not both: ${PROPERTIES}=${known.slice(0, 2)}.`)
    return membersFrom(() => known)(text)
  }

/** Returns a collection whose features show only these properties. */
export const selecting = (collection: Collection, chosen: ReadonlySet<string> | null): Collection => {
  if (chosen === null) return collection
  return {
    ...collection,
    resource: showing(collection.resource, new Set([...KEPT, ...chosen])),
    featureOf: (row) => {
      const feature = collection.featureOf(row)
      const properties = Object.entries(feature.properties).filter(([name]) => chosen.has(name))
      return { ...feature, properties: Object.fromEntries(properties) }
    },
  }
}
