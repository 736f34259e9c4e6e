// These are types, not interfaces, so that a record is a draft and a row of any list.

/** Longitude and latitude in degrees, and z. */
export type Coordinates = readonly [x: number, y: number, z: number]

/** The object that an event happened to. */
type ObjectReference = { readonly model: string; readonly id: number }

/** The attributes of one event. They are any object of JSON. */
type Attributes = Readonly<Record<string, unknown>>

/**
 * An event. `start` and `end` are in milliseconds since 1970. `last_modified` is in microseconds since 1970. It is null
 * until the event is stored.
 */
export type EventRecord = {
  readonly kind: 'event'
  readonly id: number
  readonly category: string
  readonly value: string
  readonly start: number
  readonly end: number
  readonly series: number
  readonly coordinates: Coordinates | null
  readonly external_id: string | null
  readonly object: ObjectReference | null
  readonly last_modified: number | null
  readonly attributes: Attributes | null
}

/** The fields of a row that the code names. A row has those that were read. */
export type EventRow = {
  readonly id: number
  readonly series: number
  readonly x: number | null
  readonly y: number | null
  readonly z: number | null
  readonly object_type: string | null
  readonly object_id: number | null
}

/** A column of the events of a series, in the words of the people who keep it. */
export type DescribedField = {
  /** Its name in filters, such as `value` or `attributes__Volume`. */
  readonly name: string
  readonly title?: string
  /** The types are those of the Table Schema of Frictionless. */
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'datetime' | 'date' | 'object' | 'array'
  readonly unit?: string
}

/** The description of a series names its source and its columns. */
export type Metadata = {
  readonly source: string | null
  readonly source_url: string | null
  readonly license: string | null
  readonly contact: string | null
  /** They have the order of the columns. */
  readonly fields: readonly DescribedField[]
  /** True if the events have further fields. */
  readonly more: boolean
}

/** A series. `created` and `last_modified` are in microseconds since 1970. `access_modifier` is a number. */
export type SeriesRecord = {
  readonly kind: 'event_series'
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly description: string
  readonly observation_type: number
  readonly statistic: string
  readonly color: string
  readonly access_modifier: number
  readonly created: number
  readonly last_modified: number | null
  /** Null before the first event. Absent: nobody read it. */
  readonly metadata?: Metadata | null
}

/** The fields of a row that the code names. A row has those that were read. */
export type SeriesRow = {
  readonly id: number
  readonly uuid: string
  readonly name: string
  readonly description: string
  readonly west: number | null
  readonly east: number | null
  readonly north: number | null
  readonly south: number | null
}

export type ObservationTypeRecord = {
  readonly kind: 'observation_type'
  readonly id: number
  readonly code: string
  readonly name: string
  readonly unit: string | null
}
