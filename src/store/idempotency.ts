import { sql } from 'drizzle-orm'
import { listed, nameOf } from '../../schema/sql.ts'
import { idempotencyKeys as table } from '../../schema/tables.ts'
import { badRequest, detail } from '../base/errors.ts'
import { sha256Hex } from '../base/hex.ts'
import type { Schema } from '../base/schema.ts'
import type { Database, Statement } from '../engine/d1/database.ts'
import { statement } from './statement.ts'

/** A POST with an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). */
export interface Post {
  /** SHA-256 of the caller and the key. */
  readonly id: string
  /** SHA-256 of the body and the address. */
  readonly request: string
}

export interface Answered {
  /** 200 if no item was created. */
  readonly status: 200 | 201
  readonly location: string | null
  readonly body: object
}

/** A stored answer. `key` is that of a single item, which is read again. Null: `body` is the answer about several. */
interface Remembered extends Answered {
  readonly key: string | null
}

const DAY = 86_400_000 // milliseconds
/** The maximum number of expired keys that are deleted when a key is stored. */
const FORGOTTEN = 100

const PATTERN = '"([!-~]{1,255})"|([!#-~]{1,255})'
const KEY = new RegExp(`^\\s*(?:${PATTERN})\\s*$`)
/** The schema of the header Idempotency-Key. */
export const KEY_SCHEMA: Schema = { type: 'string', pattern: `^(${PATTERN})$` }

/** Returns the POST of a caller. Throws a 400 for an invalid key. */
export const postOf = async (caller: string, key: string, address: string, bytes: ArrayBuffer): Promise<Post> => {
  const [, quoted, bare] = KEY.exec(key) ?? []
  const name = quoted ?? bare
  if (name === undefined)
    throw badRequest('Idempotency-Key takes 1 to 255 visible characters. Enter a new uuid, for example.')
  const body = await sha256Hex(bytes)
  return { id: await sha256Hex(`${caller} ${name}`), request: await sha256Hex(`${body} ${address}`) }
}

/**
 * Returns the answer to an earlier POST with this key, or null if there was none. Throws a 422 if the key belongs to
 * another request.
 */
export const answeredTo = async (db: Database, { id, request }: Post): Promise<Remembered | null> => {
  const [[earlier]] = await db.read(
    sql<{ request: string; status: 200 | 201; location: string | null; body: string }>`
      SELECT ${table.request}, ${table.status}, ${table.location}, ${table.body} FROM ${table}
      WHERE ${table.id} = ${id} AND ${table.created} > ${Date.now() - DAY}`,
  )
  if (earlier === undefined) return null
  if (earlier.request !== request)
    throw detail(422, 'This Idempotency-Key was used for another request. Send a new key with a new request.')
  const { status, location } = earlier
  const { key = null, ...body } = JSON.parse(earlier.body)
  return { status, location, key, body }
}

/**
 * Returns the statements that store the answer to a POST for a day. `key` is the key of a single item. The batch fails
 * if the POST has an answer already.
 */
export const remember = (
  { id, request }: Post,
  { status, location, body }: Answered,
  key: string | null,
): Statement[] => {
  const stored = key === null ? body : { key }
  const columns = [table.id, table.request, table.location, table.body, table.created, table.status]
  const [now, old] = [String(Date.now()), String(Date.now() - DAY)]
  return [
    statement(
      sql`DELETE FROM ${table} WHERE ${table.id} IN (
        SELECT ${table.id} FROM ${table} WHERE ${table.created} <= CAST(?1 AS INTEGER)
        ORDER BY ${table.created} LIMIT ${FORGOTTEN})
      OR (${table.id} = ?2 AND ${table.created} <= CAST(?1 AS INTEGER))`,
      old,
      id,
    ),
    statement(
      sql`INSERT INTO ${table} (${listed(columns.map(nameOf))})
      VALUES (?1, ?2, nullif(?3, ''), ?4, CAST(?5 AS INTEGER), CAST(?6 AS INTEGER))`,
      id,
      request,
      location ?? '',
      JSON.stringify(stored),
      now,
      String(status),
    ),
  ]
}
