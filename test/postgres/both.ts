import { createExecutionContext, env } from 'cloudflare:test'
import { beforeAll } from 'vitest'
import { databaseSource } from '../../seed/load/export.ts'
import postgres from '../../src/postgres.ts'
import { parseRecord } from '../../src/store/records.ts'
import type { LoadRecord } from '../records.ts'
import { load, ORIGIN, send } from '../service.ts'
import { hasPostgres, type PostgresDatabase } from './database.ts'
import { loadedPostgres } from './loaded.ts'

/** Sends a request to the service over one engine. */
export type Send = (path: string) => Promise<Response>

/**
 * Loads records into D1 before the tests of a file, and copies all its data into PostgreSQL, where it runs `more`. Returns
 * the engines.
 */
export const bothWith = (
  records: readonly LoadRecord[],
  ...more: readonly string[]
): readonly (readonly [name: string, send: Send])[] => {
  let database: PostgresDatabase
  beforeAll(async () => {
    await load(records)
    if (!hasPostgres) return
    const stored: LoadRecord[] = []
    for await (const batch of databaseSource(env.DB)())
      stored.push(...batch.map((record) => parseRecord(JSON.stringify(record))))
    database = await loadedPostgres(stored, ...more)
  })
  const sendToPostgres: Send = async (path) => {
    const bindings = { HYPERDRIVE: database } as never // the database is its only binding
    return postgres.fetch(new Request(`${ORIGIN}${path}`), bindings, createExecutionContext())
  }
  return [
    ['D1', (path: string) => send(path)] as const,
    ...(hasPostgres ? [['PostgreSQL', sendToPostgres] as const] : []),
  ]
}
