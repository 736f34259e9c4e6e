import type { Caller } from '../caller.ts'
import { at } from '../collections.ts'
import type { Env } from '../env.ts'
import {
  notAuthenticated,
  notDecoded,
  permissionDenied,
  tooLarge,
  unsupportedMediaType,
  ValueError,
} from '../errors.ts'
import { mistake } from '../mistakes.ts'
import type { Resource } from '../resource.ts'
import type { State } from '../state.ts'
import { change, remove } from './change.ts'
import { create, type WriteContext } from './create.ts'
import { removeMatching } from './deleteMany.ts'
import { FORM } from './options.ts'
import { conditionsOf, narrowed } from './page.ts'
import { type Known, knownOf, read, refuseFaults, type Values } from './parameters.ts'
import { statesIn } from './validators.ts'

/** The parts of a request that say what to write. */
export interface WriteRequest {
  readonly method: string
  readonly header: (name: string) => string | null
  readonly body: () => ArrayBuffer
  /** The key at the end of an item's address. Null at a list. */
  readonly key: string | null
  readonly values: Values
}

/** The answer to a write. Without a body it is a 204. */
export interface Written {
  readonly status: 200 | 201
  readonly location: string | null
  readonly body: object | null
}

/** Returns true for a request that writes. A posted form is a query. */
export const writes = (method: string, contentType: string | null): boolean =>
  method === 'PUT' || method === 'PATCH' || method === 'DELETE' || (method === 'POST' && !isOfType(contentType, [FORM]))

const isOfType = (contentType: string | null, types: readonly string[]): boolean =>
  types.includes(
    at((contentType ?? '').split(';'), 0)
      .trim()
      .toLowerCase(),
  )

/** The most bytes of a body, for a write and for a query. */
const WRITE_LIMIT = 10_000_000
const BODY_LIMIT = 5_000_000

/** Returns the longest body of a request, in bytes, and a function that throws a 413. */
export const bodyLimitOf = (env: Env, method: string, contentType: string | null) => {
  const [most, advice] = writes(method, contentType)
    ? [Number(env.WRITE_LIMIT) || WRITE_LIMIT, 'Send fewer items, and the rest in another request.']
    : [Number(env.BODY_LIMIT) || BODY_LIMIT, 'Send a shorter query, such as a simpler geometry.']
  const refuse = (): never => {
    throw tooLarge(`The body has more than ${most} bytes. ${advice}`)
  }
  return { most, refuse }
}

/** Throws a 401 or 403 if the caller may not write, and a 415 for a body of another type. */
export const admitWriting = (resource: Resource, caller: Caller, method: string, contentType: string | null): void => {
  admitWriter(caller)
  if (method !== 'DELETE')
    refuseOtherTypes(contentType, [...resource.writable.types, ...(method === 'POST' ? [FORM] : [])])
}

/** Throws a 401 or 403 if the caller may not write. */
export const admitWriter = ({ key }: Caller): void => {
  if (key === null) throw notAuthenticated('Writing needs a key. Send the header Authorization: Bearer <key>.')
  if (!key.write) throw permissionDenied('This key may only read. Use a key that may write.')
}

/** Throws a 415 for a body with a content encoding, such as gzip (RFC 9110, 8.4). */
export const refuseEncoded = (method: string, encoding: string | null): void => {
  const plain = encoding === null || /^\s*(identity)?\s*$/i.test(encoding)
  if (plain || !['POST', 'PUT', 'PATCH'].includes(method)) return
  throw notDecoded(encoding)
}

/** Throws a 415 unless the media type of a body is one of these. */
export const refuseOtherTypes = (contentType: string | null, taken: readonly string[]): void => {
  if (!isOfType(contentType, taken)) throw unsupportedMediaType(`Set Content-Type to ${taken.join(' or ')}.`)
}

/** Returns the parameters that say how to delete an item. */
export const parametersOfDelete = ({ writable }: Resource, method: string): string[] =>
  method === 'DELETE' ? Object.keys(writable.removing ?? {}) : []

/** The parameter that allows to delete without a filter. */
const ALL = 'all'

/** Returns the parameters that empty a list: its filters, and `all`. Parameters for pages are unknown here. */
export const parametersOfDeleteMany = ({ filters }: Resource): Known => knownOf(['format', ALL], filters)

/** Runs a write, and returns the answer. */
export const serveWriting = async (
  { method, header, body, key, values }: WriteRequest,
  context: Omit<WriteContext, 'asked' | 'now'>,
): Promise<Written> => {
  const asked = Object.entries(context.resource.writable.removing ?? {}).filter(([name, value]) =>
    read(values, name, onlyValue(value), false),
  )
  refuseFaults(values)
  const writing: WriteContext = { ...context, asked: new Set(asked.map(([name]) => name)), now: Date.now() * 1000 }
  if (method === 'POST') return create(writing, header('Idempotency-Key'), body())
  const states = statesIn(header('If-Match'))
  if (key === null) return empty(writing, values, states)
  const target = { key, states }
  if (method === 'PATCH' || method === 'PUT')
    return { status: 200, location: null, body: await change(writing, target, body(), method === 'PUT') }
  await remove(writing, target)
  return { status: 200, location: null, body: null }
}

/** Deletes the items of a list that match its filters. Without a filter the client must send `all=true`. */
const empty = async (writing: WriteContext, values: Values, states: readonly State[] | null): Promise<Written> => {
  const { resource } = writing
  const conditions = conditionsOf(resource, values)
  const all = read(values, ALL, onlyValue('true'), false)
  if (conditions.length === 0 && !all && !values.mistakes.count)
    mistake(values.mistakes, ALL, 'Add a filter for the items to delete, or enter true to delete all items.')
  refuseFaults(values)
  const deleted = await removeMatching(writing, narrowed(resource, { conditions }).conditions, states)
  return { status: 200, location: null, body: { deleted } }
}

/** Returns a reader that accepts only one value. */
const onlyValue = (value: string) => (text: string) => {
  if (text !== value) throw new ValueError(`Enter ${value}, or leave it out.`)
  return true
}
