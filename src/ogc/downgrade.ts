import type { Schema } from '../filters/lookups.ts'
import type { OpenApi } from '../openapi/operations.ts'

/** Converts a document from OpenAPI 3.1 to 3.0. */
export const downgrade = (document: OpenApi): Schema => {
  const { info, paths, components } = document
  return {
    ...document,
    openapi: '3.0.3',
    info: { ...info, license: { name: info.license.name } },
    paths: schemasIn(paths),
    components: { ...mapped(components, schemasIn), schemas: mapped(components.schemas, convert) },
  }
}

/** Converts the schemas in a part of a document. */
const schemasIn = (part: unknown): unknown => {
  if (Array.isArray(part)) return part.map(schemasIn)
  if (typeof part !== 'object' || part === null) return part
  return mapped(part, (value, name) => {
    if (name === 'example') return value
    return name === 'schema' ? convert(value) : schemasIn(value)
  })
}

/** Converts a schema from JSON Schema 2020-12 to OpenAPI 3.0. The result says as much as OpenAPI 3.0 can express. */
export const downgradeSchema = (schema: Schema): Schema => {
  const { const: only, examples, type, required, exclusiveMinimum: above, patternProperties, ...others } = schema
  const types = Array.isArray(type) ? type.filter((each) => each !== 'null') : [type]
  const nullable = Array.isArray(type) && types.length < type.length
  return {
    ...(only !== undefined && { type: typeof only, enum: [only] }),
    ...(types[0] !== undefined && { type: types[0] }),
    ...(nullable && { nullable }),
    ...(above !== undefined && { minimum: above, exclusiveMinimum: true }),
    ...(Array.isArray(examples) && { example: examples[0] }),
    // OpenAPI 3.0 allows no empty list here.
    ...(Array.isArray(required) && required.length > 0 && { required }),
    ...mapped(others, inner),
    ...(patternProperties !== undefined && { additionalProperties: true }),
  }
}

const inner = (value: unknown, name: string): unknown => {
  if (name === 'items' || name === 'not') return convert(value)
  if (name === 'anyOf' || name === 'oneOf' || name === 'allOf') return (value as Schema[]).map(downgradeSchema) // list
  return name === 'properties' ? mapped(value as Schema, convert) : value // JSON Schema
}

const convert = (value: unknown): Schema => downgradeSchema(value as Schema) // callers pass schemas only

/** Changes each value of an object. */
export const mapped = (object: object, change: (value: unknown, name: string) => unknown): Schema =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
