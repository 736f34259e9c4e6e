// These are types, not interfaces, so that a record is a draft and a row of any list.

/** Longitude and latitude in degrees, and z. */
export type Coordinates = readonly [x: number, y: number, z: number]

/** The object that an event happened to. */
export type ObjectReference = { readonly model: string; readonly id: number }

/** The attributes of one event. They are any object of JSON. */
export type Attributes = Readonly<Record<string, unknown>>

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

/** The types of fields, in the words of the Table Schema of Frictionless. */
export const FIELD_TYPES = ['string', 'number', 'integer', 'boolean', 'datetime', 'date', 'object', 'array'] as const

/** A column of the events of a series, in the words of the people who keep it. */
export type DescribedField = {
  /** Its name in filters, such as `value` or `attributes__Volume`. */
  readonly name: string
  readonly title?: string
  readonly type: (typeof FIELD_TYPES)[number]
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
