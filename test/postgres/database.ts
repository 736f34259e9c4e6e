import { env } from 'cloudflare:workers'
import { at } from '../../src/base/collections.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { DEADLINES, type Door, type Visit } from '../../src/engine/postgres/connection.ts'
import { postgresEngine } from '../../src/engine/postgres/engine.ts'
import { socketsTo } from '../../src/engine/postgres/sockets.ts'
import type { PostgresDatabase, SqlRow } from './server.ts'

export type { PostgresDatabase }

/** Asks the process that runs the tests. Throws Error with the message of PostgreSQL. */
export const ask = async <T>(path: string, body?: object): Promise<T> => {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await env.TEST_POSTGRES.fetch(`http://postgres${path}`, init)
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

/** True if this machine has PostgreSQL with PostGIS. Without it, tests are skipped, and the CI fails. */
export const hasPostgres = await ask<boolean>('/')

/** True if this machine has PgBouncer. */
export const hasPooler = await ask<boolean>('/pooler')

/**
 * Makes a database with PostGIS, and runs each text of SQL as its owner. The role `events_reader` may read the tables
 * in the schema `public`. The first database of a run starts the server.
 */
export const freshPostgres = (...sql: readonly string[]): Promise<PostgresDatabase> => ask('/databases', { sql })

/**
 * Runs SQL as the owner. Returns the rows of its last statement. A bigint is a number, json is its value, and a time
 * is the text of PostgreSQL.
 */
export const sqlIn = <R extends SqlRow = SqlRow>({ owner }: PostgresDatabase, sql: string): Promise<R[]> =>
  ask('/sql', { connectionString: owner, sql })

/** Engines keep these idle connections. Each has the address of its database, and the oldest is the first. */
const idle: { readonly database: string; readonly visit: Visit }[] = []
const MAX_IDLE = 4

/** Returns an engine that uses its connections again, as under Node: a new one takes longer than most questions. */
export const engineOn = ({ connectionString: database }: Pick<PostgresDatabase, 'connectionString'>): Engine => {
  const sockets = socketsTo(database, DEADLINES)
  const enter: Door['enter'] = async (most) => {
    const known = idle.findIndex((each) => each.database === database)
    const visit = known < 0 ? await sockets.enter(most) : at(idle.splice(known, 1), 0).visit
    const leave: Visit['leave'] = (isClean) => {
      if (!isClean) return visit.leave(false)
      idle.push({ database, visit })
      if (idle.length > MAX_IDLE) idle.shift()?.visit.leave(true)
    }
    return { client: visit.client, leave }
  }
  return postgresEngine({ deadlines: DEADLINES, enter })
}
