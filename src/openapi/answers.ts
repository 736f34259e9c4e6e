import type { Schema } from '../filters/lookups.ts'
import { ref, STRING } from '../model/schema.ts'
import { ANSWER_HEADERS } from '../request/headers.ts'
import { ERRORS } from '../request/statuses.ts'

/** The headers of an answer to a read, and to a write. */
export const READ: readonly string[] = [
  'Allow',
  'Cache-Control',
  'ETag',
  'Last-Modified',
  'Preference-Applied',
  'X-D1-Bookmark',
]
export const WRITTEN: readonly string[] = ['Allow', 'Cache-Control', 'X-D1-Bookmark']

export interface Answer {
  readonly description: string
  readonly headers: Schema
  readonly content?: Schema
}

/** Describes a success: its text, its headers and its body by media type. */
export const success = (description: string, headers: readonly string[], content?: Schema): Answer => ({
  description,
  headers: Object.fromEntries([...headers, 'X-Request-Id'].map((name) => [name, ref(name, 'headers')])),
  ...(content && { content }),
})

/** Returns references to the errors with these statuses. */
export const failures = (...statuses: readonly number[]): Schema =>
  Object.fromEntries(statuses.map((status) => [status, ref(String(status), 'responses')]))

/** Describes a body with one media type, JSON by default. */
export const json = (schema: Schema, type = 'application/json'): Schema => ({ [type]: { schema } })

/** Describes the body of a document, in JSON and HTML. */
export const document = (schema: Schema, type?: string): Schema => ({
  ...json(schema, type),
  'text/html': { schema: STRING },
})

/** Returns the components that the answers of all addresses refer to. `contentOf` describes the body of an error. */
export const answerComponents = (contentOf: (status: string) => Schema): Record<'responses' | 'headers', Schema> => ({
  responses: {
    304: success('The cached answer is still valid.', READ),
    ...Object.fromEntries(
      Object.entries(ERRORS).flatMap(([status, { says, headers = [] }]) =>
        says === null ? [] : [[status, success(says, headers, contentOf(status))]],
      ),
    ),
  },
  headers: Object.fromEntries(
    Object.entries(ANSWER_HEADERS)
      .filter(([, { undeclared }]) => !undeclared)
      .map(([name, { says, atTimes }]) => [name, { description: says, required: !atTimes, schema: STRING }]),
  ),
})
