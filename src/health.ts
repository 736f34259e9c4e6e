import { is, sql, Table } from 'drizzle-orm'
import * as tables from '../schema/tables.ts'
import { openDatabase } from './engine/run/database.ts'
import { ApiError, beingLoaded, unavailable } from './errors.ts'
import { versionOf } from './request/read.ts'
import type { RequestContext, Route } from './request/route.ts'

const NOT_STORED = { 'Cache-Control': 'no-store' }

/** Fails if a table is missing. */
const isMigrated = sql`SELECT 1 FROM ${sql.join(
  Object.values(tables).flatMap((table) => (is(table, Table) ? [sql`${table}`] : [])),
  sql`, `,
)} LIMIT 0`

/** Returns a row while a first bulk load has dropped the indexes of the events. */
const isLoading = sql`SELECT 1 FROM ${tables.suspendedIndexes} LIMIT 1`

/** Answers if the database answers, is migrated and is not being loaded. */
const serveReady = async (c: RequestContext): Promise<Response> => {
  const planned = performance.now()
  const db = openDatabase(c.env.DB, { cheap: true, onRead: c.get('onRead') })
  try {
    const [, [load] = []] = await db.read(isMigrated, isLoading).catch((error: unknown) => {
      if (error instanceof ApiError) throw error
      // A table is missing: the database is not migrated yet.
      console.error(error)
      throw unavailable()
    })
    if (load !== undefined) throw beingLoaded()
    const revision = db.state()?.revision ?? 0
    return c.json({ status: 'ready', revision, version: versionOf(c.env) }, 200, NOT_STORED)
  } finally {
    c.set('timing', { cost: db.cost, cacheUse: 'none', planned, paged: performance.now(), open: false })
  }
}

const METHODS = ['GET', 'HEAD']

/** The routes for programs that watch the service. `/healthz` answers while the Worker runs. */
export const HEALTH_ROUTES: readonly Route[] = [
  { path: '/healthz', methods: METHODS, serve: (c) => c.json({ status: 'ok' }, 200, NOT_STORED) },
  { path: '/readyz', methods: METHODS, serve: serveReady },
]
