/** The kind of a value. A number is a double, and a duration is a length of time. */
export type ValueKind = 'integer' | 'number' | 'text' | 'instant' | 'duration' | 'json'

/** The fields of each list that a question can name, with the kinds of their values. */
export const FIELDS = {
  events: {
    id: 'integer',
    category: 'text',
    value: 'text',
    value_number: 'number',
    start: 'instant',
    end: 'instant',
    duration: 'duration',
    series: 'integer',
    series_uuid: 'text',
    series_name: 'text',
    series_color: 'text',
    series_access_modifier: 'integer',
    series_observation_type: 'integer',
    series_observation_type_code: 'text',
    x: 'number',
    y: 'number',
    z: 'number',
    external_id: 'text',
    object_type: 'text',
    object_id: 'integer',
    last_modified: 'instant',
    attributes: 'json',
  },
  series: {
    id: 'integer',
    uuid: 'text',
    name: 'text',
    description: 'text',
    observation_type: 'integer',
    observation_type_code: 'text',
    observation_type_name: 'text',
    unit: 'text',
    statistic: 'text',
    color: 'text',
    start: 'instant',
    end: 'instant',
    event_count: 'integer',
    west: 'number',
    south: 'number',
    east: 'number',
    north: 'number',
    access_modifier: 'integer',
    created: 'instant',
    last_modified: 'instant',
    metadata: 'json',
  },
  types: { id: 'integer', code: 'text', name: 'text', unit: 'text' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ValueKind>>>>

export type ListName = keyof typeof FIELDS

export type FieldName = { [L in ListName]: keyof (typeof FIELDS)[L] }[ListName]

/** A property that filters of CQL2 can name. */
export interface Property {
  readonly field: FieldName | 'place' | { readonly attribute: string; readonly isBoolean?: boolean }
  /** Converts a text to the stored form, such as the form of a uuid. */
  readonly canonical?: (text: string) => string
}

export type Properties = Readonly<Record<string, Property>>

const KINDS: ReadonlyMap<string, ValueKind> = new Map(Object.values(FIELDS).flatMap((fields) => Object.entries(fields)))

/** Returns the kind of the values of a field. A name has one kind in all lists. */
export const kindOf = (name: FieldName): ValueKind => {
  const kind = KINDS.get(name)
  if (kind === undefined) throw new RangeError(`There is no field ${name}.`)
  return kind
}
