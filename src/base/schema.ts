/** A JSON Schema (2020-12). */
export type Schema = Readonly<Record<string, unknown>>

/** The description and the schema of a parameter, and an example of its value. An array is a comma list. */
export interface Described {
  readonly description: string
  readonly schema: Schema
  readonly example?: unknown
}

/** Returns the schema of an object that has exactly these properties, and perhaps some `optional` ones. */
export const record = (
  properties: Readonly<Record<string, Schema>>,
  about: Schema = {},
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  ...about,
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
})

export const orNull = (schema: Schema): Schema =>
  typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, NULL] }

/** Returns a reference to a component of the OpenAPI description by its name. */
export const ref = (name: string, kind: 'schemas' | 'parameters' | 'responses' | 'headers' = 'schemas'): Schema => ({
  $ref: `#/components/${kind}/${name}`,
})

/** Returns the schema of an array. It has from `least` to `most` items, or exactly `least`. Without both, any number. */
export const listOf = (items: Schema, least?: number, most = least): Schema =>
  least === undefined ? { type: 'array', items } : { type: 'array', items, minItems: least, maxItems: most }

export const STRING: Schema = { type: 'string' }
export const NULL: Schema = { type: 'null' }
export const INTEGER: Schema = { type: 'integer' }
export const ADDRESS: Schema = { type: 'string', format: 'uri' }
export const UUID: Schema = { type: 'string', format: 'uuid' }
/** The characters of a whole uuid. */
export const UUID_LENGTH = 36
export const NUMBER: Schema = { type: 'number' }
/** An instant in ISO 8601. */
export const INSTANT: Schema = { type: 'string', format: 'date-time' }
/** An instant in milliseconds since 1970. */
export const TIMESTAMP: Schema = { type: 'integer', description: 'Milliseconds since 1970-01-01T00:00:00Z.' }
