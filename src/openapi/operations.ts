import type { Schema } from '../filters/lookups.ts'
import type { Writable } from '../store/writable.ts'
import { type Answer, failures, success, WRITTEN } from './answers.ts'
import { parameter, removingOf } from './parameters.ts'

/** An operation without its bodies. */
export interface OperationOutline {
  readonly tags: readonly string[]
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly Schema[]
}

/** The errors of a read at any address, and of a read of data with its 304. */
export const AT_READING = [400, 401, 403, 406, 414, 429, 500]
const OF_DATA = [304, ...AT_READING, 404, 412, 503]
/** The errors of a write at any address, and of a body. */
const AT_WRITING = [...AT_READING, 404, 503]
export const OF_BODY = [408, 413, 415]

/** The caller needs a key. */
const KEYS = [{ bearer: [] }, { basic: [] }]

/** Describes GET, by default of an address that reads data. */
export const get = (about: OperationOutline, answer: Answer, errors: readonly number[] = OF_DATA) => ({
  ...about,
  responses: { 200: answer, ...failures(...errors) },
})

/** Describes GET, and HEAD as GET without a body. `headId` is the id of HEAD. */
export const getAndHead = (
  about: OperationOutline,
  headId: string,
  answer: Answer,
  errors?: readonly number[],
): Schema => {
  const { description: _, ...head } = about
  const { content: _body, ...bare } = answer
  return {
    get: get(about, answer, errors),
    head: {
      ...head,
      operationId: headId,
      summary: `${about.summary.replace(/\.$/, '')} without the body`,
      responses: { 200: bare, default: { description: 'The status and the headers of GET.' } },
    },
  }
}

/** Describes a write. `errors` has the statuses that not every write can have. */
export const write = (
  about: OperationOutline,
  answers: Schema,
  errors: readonly number[],
  content?: Schema,
): Schema => ({
  ...about,
  security: KEYS,
  ...(content && { requestBody: { required: true, content } }),
  responses: { ...answers, ...failures(...AT_WRITING, ...errors) },
})

/** How clients change and delete the item at an address. */
export interface Changes {
  readonly tags: readonly string[]
  readonly ids: Readonly<Record<'put' | 'patch' | 'delete', string>>
  readonly itemName: string
  readonly parameters: readonly Schema[]
  /** More parameters of operations with a body. */
  readonly ofBody?: readonly Schema[]
  /** The content of the bodies, and of the answer to them. */
  readonly put: Schema
  readonly patch: Schema
  readonly changed: Schema
  /** The parameters of DELETE. Absent: it has none, and never answers with a 409. */
  readonly removing: Writable['removing']
}

/** Describes PUT, PATCH and DELETE of an item. */
export const changesOf = (changes: Changes): Schema => {
  const { tags, ids, itemName, parameters, ofBody = [], put, patch, changed, removing } = changes
  const match = parameter('If-Match')
  const change = (operationId: string, summary: string, description: string, content: Schema) =>
    write(
      { tags, operationId, summary, description, parameters: [...parameters, ...ofBody, match] },
      { 200: success('The item after the change.', WRITTEN, changed) },
      [...OF_BODY, 412],
      content,
    )
  return {
    put: change(
      ids.put,
      `Replace ${itemName}`,
      'Clears the fields that the body leaves out, if the items of this list show them. Ignores read-only fields.',
      put,
    ),
    patch: change(
      ids.patch,
      `Change ${itemName}`,
      'Changes only the fields of the body. Ignores read-only fields.',
      patch,
    ),
    delete: write(
      {
        tags,
        operationId: ids.delete,
        summary: `Delete ${itemName}`,
        parameters: [...parameters, match, ...removingOf(removing ?? {})],
      },
      { 204: success('The item is deleted.', WRITTEN) },
      removing === undefined ? [412] : [409, 412],
    ),
  }
}
