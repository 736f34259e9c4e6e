import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { freshPostgres, hasPooler, hasPostgres, type PostgresDatabase } from './database.ts'
import { type Binding, pooled, RUNTIMES, send } from './faulty.ts'
import { rowsOf, TABLES } from './rows.ts'

describe.runIf(hasPostgres && hasPooler).each(RUNTIMES)('PgBouncer, before a service in %s', (runtime) => {
  let database: PostgresDatabase
  let pooler: Binding & { readonly connections: () => Promise<number>; readonly stop: () => Promise<void> }
  vi.spyOn(console, 'log').mockReturnValue()
  beforeAll(async () => {
    database = await freshPostgres(TABLES, rowsOf(20_000))
    pooler = await pooled(database)
  })
  afterAll(() => pooler.stop())

  const ask = async (path: string) => {
    const response = await send(pooler, path, { runtime })
    const text = await response.text()
    expect([response.status, text]).toEqual([200, expect.any(String)])
    return text
  }

  it('keeps its connections over 20 requests', async () => {
    const before = await pooler.connections()
    for (let id = 1; id <= 20; id++) await ask(`/api/v3/events/${id}/`)
    // The COMMIT of a request may be on its way when the next one begins.
    expect((await pooler.connections()) - before).toBeLessThanOrEqual(3)
  })

  it('keeps its connections over errors and a whole result', async () => {
    const before = await pooler.connections()
    expect((await send(pooler, '/api/v3/events/30000/', { runtime })).status).toBe(404)
    expect((await ask('/api/v4/events.csv?page_size=all')).split('\n')).toHaveLength(20_002)
    expect(JSON.parse(await ask('/api/v3/events/?page_size=1'))).toMatchObject({ count: 20_000 })
    expect((await pooler.connections()) - before).toBeLessThanOrEqual(3)
  })
})
