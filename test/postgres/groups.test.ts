import { beforeAll, describe, expect, it, vi } from 'vitest'
import { MAX_BINS } from '../../src/engine/summaries.ts'
import { freshPostgres, hasPostgres, type PostgresDatabase, sqlIn } from './database.ts'
import { proxied, told, untilGone } from './faulty.ts'
import { rowsOf, TABLES } from './rows.ts'

const DAYS = 3000
const SUMMARY = '/api/v3/events/summary/?bins=day'

const dailyFrom = (first: number): string => `
  UPDATE event SET timestamp_start = '1990-01-01Z'::timestamptz + id * interval '24 hours',
    timestamp_end = '2090-01-01Z' WHERE id >= ${first}`

describe.runIf(hasPostgres)('the groups of a summary', () => {
  let database: PostgresDatabase
  vi.spyOn(console, 'error')
  beforeAll(async () => {
    database = await freshPostgres(TABLES, rowsOf(DAYS), dailyFrom(1))
  })

  it('are read row by row', async () => {
    const { status, body } = await told(database, SUMMARY)
    expect([status, body.count, body.time.bins.length]).toEqual([200, DAYS, DAYS])
    await untilGone(database)
  })

  // The clock repeats its changes in each 400 years, so it is not asked for 10,000 years.
  it.each(['2026-07-01 12:00Z', '9999-07-01 12:00Z', '20000-07-01 12:00Z', '9999-12-01 13:00Z'])(
    'know the clock of a zone at %s',
    async (start) => {
      await sqlIn(database, `UPDATE event SET timestamp_start = '${start}', timestamp_end = '${start}' WHERE id = 1`)
      const zone = 'timezone=Europe/Amsterdam&bins=day&facets=timestamp_start__hour,timestamp_start__year&id__lte=2'
      const { body } = await told(database, `/api/v3/events/summary/?${zone}`)
      expect(body.facets?.timestamp_start__hour?.entries).toContainEqual({ value: 14, count: 1 })
      await sqlIn(database, dailyFrom(1))
    },
  )

  it('are a 503 if the connection breaks between them', async () => {
    const proxy = await proxied(database)
    expect((await told(proxy, SUMMARY)).status).toBe(200)
    for (const bytes of [3_000, 30_000, 100_000]) {
      await proxy.pass({ bytes, end: 'cut' })
      expect((await told({ ...proxy }, SUMMARY)).status).toBe(503)
      await expect.poll(() => proxy.clients()).toBe(0)
    }
    await proxy.pass(null)
    expect((await told(proxy, SUMMARY)).status).toBe(200)
  })

  it('are a 400 if there are too many, and the connection ends', async () => {
    await sqlIn(
      database,
      `INSERT INTO event (id, event_series_id, category, value, timestamp_start, timestamp_end)
        SELECT i, 1, '', '', now(), now() FROM generate_series(${DAYS + 1}, ${MAX_BINS + 1}) AS i`,
    )
    await sqlIn(database, dailyFrom(DAYS + 1))
    const { status, body } = await told(database, SUMMARY)
    expect([status, body]).toEqual([400, { bins: [expect.stringContaining(`More than ${MAX_BINS} bins`)] }])
    await untilGone(database)
  })
})
