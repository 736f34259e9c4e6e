import type { Schema } from '../filters/lookups.ts'
import { INTEGER, listOf, STRING } from '../model/schema.ts'
import { ERRORS } from '../request/headers.ts'

export const PROBLEM = 'application/problem+json'

/**
 * Makes problem details of an error (RFC 9457). `detail` joins all messages in one text. `errors` has them by
 * parameter, or by member of a body.
 */
export const problemOf = (status: number, body: Readonly<Record<string, unknown>>): object => {
  const head = { type: 'about:blank', title: ERRORS[status]?.title ?? 'Error', status }
  const { detail } = body
  if (typeof detail === 'string') return { ...head, detail }
  const sentences = Object.entries(body).map(([name, messages]) => `${name}: ${[messages].flat().join(' ')}`)
  return { ...head, detail: sentences.join(' '), errors: body }
}

export const PROBLEM_SCHEMA: Schema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string', enum: ['about:blank'] },
    title: STRING,
    status: INTEGER,
    detail: { type: 'string', description: 'The fault, and the value to enter.' },
    errors: {
      type: 'object',
      description: 'The faults of each parameter, or of each member of a body by its path.',
      additionalProperties: listOf(STRING),
    },
  },
}
