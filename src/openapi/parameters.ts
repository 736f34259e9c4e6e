import type { FilterParameter } from '../filters/filter.ts'
import type { Schema } from '../filters/lookups.ts'
import { type Described, ref, STRING } from '../model/schema.ts'
import { REQUEST_HEADERS } from '../request/headers.ts'
import { KEY_SCHEMA } from '../store/idempotency.ts'
import type { Writable } from '../store/writable.ts'

/** Returns a reference to a parameter. */
export const parameter = (key: string): Schema => ref(key, 'parameters')

/**
 * Describes a parameter of the query. Its example is inside the schema. Swagger UI would send an example beside the
 * schema with its first request.
 */
export const inQuery = (name: string, { description, schema, example }: Described): Schema => ({
  name,
  in: 'query',
  // An empty value counts as absent.
  allowEmptyValue: true,
  description: example === undefined ? description : `${description} For example \`${example}\`.`,
  ...(isList(schema) && COMMAS),
  schema: withExample(schema, example),
})

/** Describes a part of the path. */
export const inPath = ({ name, description, schema, example }: Described & { readonly name: string }): Schema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: withExample(schema, example),
})

const withExample = (schema: Schema, example: unknown): Schema =>
  example === undefined ? schema : { ...schema, examples: [example] }

export const inHeader = (name: string, description: string, schema: Schema = STRING): Schema => ({
  name,
  in: 'header',
  description,
  schema,
})

/** Describes the headers of requests with these names. */
export const headersOf = (names: readonly string[] = Object.keys(REQUEST_HEADERS)): Schema =>
  Object.fromEntries(
    Object.entries(REQUEST_HEADERS)
      .filter(([name]) => names.includes(name))
      .map(([name, says]) => [name, inHeader(name, says, name === 'Idempotency-Key' ? KEY_SCHEMA : STRING)]),
  )

/** Describes the parameter that names the format of an answer. */
export const formatOf = (names: readonly string[], example?: string): Described => ({
  description: 'The format of the answer. It replaces the header Accept.',
  schema: { type: 'string', enum: names },
  example,
})

/** Describes a filter. `schema` is the schema of one value. */
export const filterOf = ({ description, example, shape, schema }: FilterParameter, value = schema): Described => ({
  description,
  example,
  schema: shape(value),
})

/** Describes the parameters of DELETE for an item. */
export const removingOf = (removing: NonNullable<Writable['removing']>): Schema[] =>
  Object.entries(removing).map(([name, value]) => ({
    name,
    in: 'query',
    description: `Deletes its ${name} with it. Without this parameter the answer is a 409 if it has ${name}.`,
    schema: { const: value },
  }))

/** A comma list. */
export const COMMAS = { style: 'form', explode: false }

export const isList = ({ type }: Schema): boolean => type === 'array'
