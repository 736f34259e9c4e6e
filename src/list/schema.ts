import type { Schema } from '../filters/lookups.ts'

/** The schema of an object that has all of these properties and no others. */
export const record = (properties: Readonly<Record<string, Schema>>, about: Schema = {}): Schema => ({
  type: 'object',
  ...about,
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** The schema of what may be null instead. */
export const orNull = (schema: Schema): Schema =>
  typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, { type: 'null' }] }

/** A reference to a schema by its name in the description of the interface. */
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

export const STRING: Schema = { type: 'string' }
export const INTEGER: Schema = { type: 'integer' }
export const ADDRESS: Schema = { type: 'string', format: 'uri' }
export const NUMBER: Schema = { type: 'number' }
/** An instant in ISO 8601. */
export const INSTANT: Schema = { type: 'string', format: 'date-time' }
/** An instant in milliseconds. */
export const TIMESTAMP: Schema = { type: 'integer', description: 'Milliseconds since 1970-01-01T00:00:00Z.' }
