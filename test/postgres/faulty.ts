import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect } from 'vitest'
import { serve } from '../../src/app.ts'
import { keptFor } from '../../src/base/collections.ts'
import { DEADLINES, type Deadlines } from '../../src/engine/postgres/connection.ts'
import { postgresEngine } from '../../src/engine/postgres/engine.ts'
import { socketsTo } from '../../src/engine/postgres/sockets.ts'
import type { Env } from '../../src/http/env.ts'
import { ORIGIN } from '../service.ts'
import { splitRows } from '../tags.ts'
import { ask, hasPostgres, type PostgresDatabase, sqlIn } from './database.ts'
import type { Passing } from './proxy.ts'
import type { Settings } from './server.ts'

/** The address of a database, as the Worker gets it. */
export type Binding = Pick<PostgresDatabase, 'connectionString'>

/** A test waits for these deadlines. */
export const SHORT: Deadlines = { connect: 1_500, request: 2_000, stream: 3_000, grace: 500 }
/** With these, only a silent connection ends early. */
export const SLOW: Deadlines = { ...SHORT, request: 30_000, stream: 30_000 }
/** With these, the server tells that a statement is too slow, even if the machine is busy. */
export const PATIENT: Deadlines = { ...SHORT, grace: 20_000 }

const workerOf = (deadlines: Deadlines) => {
  const engines = keptFor(({ connectionString }: Binding) => postgresEngine(socketsTo(connectionString, deadlines)))
  return serve(({ HYPERDRIVE }: Env & { readonly HYPERDRIVE: Binding }) => engines(HYPERDRIVE))
}
const WORKERS = new Map([DEADLINES, SHORT, SLOW, PATIENT].map((deadlines) => [deadlines, workerOf(deadlines)]))

/** Where the service runs: in a Worker, which opens a socket for each transaction, or under Node, with a pool. */
export const RUNTIMES = ['workerd', 'node'] as const

/** Makes a test of a connection in each runtime. `npm test` has the Worker alone, because most of these tests wait. */
export const inEachRuntime = (title: string, tests: (runtime: (typeof RUNTIMES)[number]) => void): void => {
  for (const [options, runtimes] of splitRows(2, RUNTIMES))
    describe.runIf(hasPostgres).each(runtimes)(title, options, tests)
}

export interface Options extends RequestInit {
  readonly runtime?: (typeof RUNTIMES)[number]
  readonly deadlines?: Deadlines
  readonly vars?: Partial<Env>
}

/** The address of the service under Node for each binding, deadline and variable. */
const underNode = keptFor((_: Binding) => new Map<string, Promise<string>>())

/** Sends a request to the service of a database. Each binding has its own memory about the views. */
export const send = async (HYPERDRIVE: Binding, path: string, options: Options = {}) => {
  const { runtime = 'workerd', deadlines = SHORT, vars, ...init } = options
  if (runtime === 'node') {
    const body = {
      database: HYPERDRIVE.connectionString,
      deadlines,
      variables: { BASE_URL: ORIGIN, STATE_SECONDS: '0', ...vars },
    }
    const [known, key] = [underNode(HYPERDRIVE), JSON.stringify(body)]
    known.set(key, known.get(key) ?? ask<string>('/node', body))
    return fetch(`${await known.get(key)}${path}`, { redirect: 'manual', ...init })
  }
  const bindings = { DB: env.DB, STATE_SECONDS: '0', HYPERDRIVE, ...vars }
  const worker = WORKERS.get(deadlines) ?? workerOf(deadlines)
  return worker.fetch(new Request(`${ORIGIN}${path}`, init), bindings, createExecutionContext())
}

/** Returns the status, the header Retry-After and the body of an answer, after a look for secrets in it. */
export const told = async (binding: Binding, path: string, options: Options = {}) => {
  const response = await send(binding, path, options)
  const text = await response.text()
  const shown = `${text} ${[...response.headers].flat().join(' ')}`.replaceAll(ORIGIN, '')
  const { port, pathname, username } = new URL(binding.connectionString)
  for (const secret of [`:${port}`, pathname.slice(1), username, '127.0.0.1', 'postgres:', 'SELECT id', '    at '])
    expect(shown).not.toContain(secret)
  return { status: response.status, retry: response.headers.get('Retry-After'), body: JSON.parse(text) }
}

/** The address of another port for the same database. */
const at = (database: PostgresDatabase, port: number): PostgresDatabase => ({
  connectionString: database.connectionString.replace(/:\d+\//, `:${port}/`),
  owner: database.owner.replace(/:\d+\//, `:${port}/`),
})

/** The address of a database at the server of another one. */
export const beside = (database: PostgresDatabase, other: PostgresDatabase): PostgresDatabase =>
  at(database, portOf(other))

export const portOf = ({ connectionString }: Binding): number => Number(new URL(connectionString).port)

/** Starts a server for one test file. Returns its port. */
export const startServer = (settings: Settings = {}): Promise<number> => ask('/servers', { settings })
export const databaseAt = (port: number, ...sql: readonly string[]): Promise<PostgresDatabase> =>
  ask('/databases', { sql, port })
export const signal = (port: number, name: 'INT' | 'TERM'): Promise<void> => ask('/signal', { port, name })
export const restart = (port: number): Promise<void> => ask('/restart', { port })
export const stopServer = (port: number): Promise<void> => ask('/stop', { port })

/** Starts a streaming replica of the server of a database. Returns the database there. */
export const replicaOf = async (database: PostgresDatabase): Promise<PostgresDatabase> =>
  at(database, await ask('/servers', { settings: {}, primary: portOf(database) }))

/** Starts a proxy in front of the server of a database. Returns the database behind it. */
export const proxied = async (database: PostgresDatabase) => {
  const proxy = at(database, await ask('/proxies', { port: portOf(database) }))
  const port = portOf(proxy)
  return {
    ...proxy,
    pass: (passing: Passing): Promise<void> => ask('/pass', { port, passing }),
    clients: (): Promise<number> => ask('/clients', { port }),
  }
}

/** Starts a PgBouncer in front of the server of a database. Returns the database behind it. */
export const pooled = async (database: PostgresDatabase) => {
  const name = new URL(database.connectionString).pathname.slice(1)
  const port = await ask<number>('/poolers', { port: portOf(database), database: name })
  return {
    ...at(database, port),
    connections: (): Promise<number> => ask('/pooler', { port, stops: false }),
    stop: (): Promise<void> => ask('/pooler', { port, stops: true }),
  }
}

/** Waits until a condition is true, for at most 20 seconds. */
export const until = (look: () => Promise<boolean>): Promise<void> =>
  expect.poll(look, { timeout: 20_000, interval: 20 }).toBe(true)

/** Returns what the connections of the role `events_reader` to a database do. */
export const backendsOf = (database: PostgresDatabase) =>
  sqlIn<{ readonly pid: number; readonly state: string; readonly query: string; readonly waits: string }>(
    database,
    `SELECT pid, state, query, wait_event_type AS waits FROM pg_stat_activity
      WHERE usename = 'events_reader' AND datname = current_database()`,
  )

/** Waits until a statement of the role `events_reader` sleeps. */
export const untilAsleep = (database: PostgresDatabase): Promise<void> =>
  until(async () => (await backendsOf(database)).some(({ state, waits }) => state === 'active' && waits === 'Timeout'))

/** Waits until the role `events_reader` has no connection, and under Node none that works or has a transaction. */
export const untilGone = (database: PostgresDatabase, runtime: Options['runtime'] = 'workerd'): Promise<void> =>
  until(async () => {
    const backends = await backendsOf(database)
    return backends.every(({ state }) => runtime === 'node' && state === 'idle')
  })
