import type { Schema } from '../filters/lookups.ts'

/** Converts a schema from JSON Schema 2020-12 to OpenAPI 3.0. The result says as much as OpenAPI 3.0 can express. */
export const downgrade = (schema: Schema): Schema => {
  const { const: only, examples, type, required, ...others } = schema
  const types = Array.isArray(type) ? type.filter((each) => each !== 'null') : [type]
  const nullable = Array.isArray(type) && types.length < type.length
  return {
    ...(types[0] === undefined ? {} : { type: types[0] }),
    ...(nullable ? { nullable } : {}),
    ...(only === undefined ? {} : { enum: [only] }),
    ...(Array.isArray(examples) ? { example: examples[0] } : {}),
    // OpenAPI 3.0 allows no empty list here.
    ...(Array.isArray(required) && required.length > 0 && { required }),
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, inner(name, value)])),
  }
}

const inner = (name: string, value: unknown): unknown => {
  if (name === 'items' || name === 'not') return downgrade(value as Schema)
  if (name === 'anyOf' || name === 'oneOf' || name === 'allOf') return (value as Schema[]).map(downgrade)
  if (name === 'properties')
    return Object.fromEntries(
      Object.entries(value as Record<string, Schema>).map(([key, each]) => [key, downgrade(each)]),
    )
  return value
}
