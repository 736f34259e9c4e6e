import { beforeAll, describe, expect, it, vi } from 'vitest'
import { MAX_BINS, MAX_CROSSED_BINS } from '../../src/engine/summaries.ts'
import { freshPostgres, hasPostgres, type PostgresDatabase, sqlIn } from './database.ts'
import { proxied, told, untilGone } from './faulty.ts'
import { GRADE_B, GRADE_C } from './grades.ts'
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

describe.runIf(hasPostgres)('the bins of entries', () => {
  // Each event has a pair of a category and a day of its own. An answer may have fewer pairs than the second number.
  const pairs = `UPDATE event SET category = 'c' || id % 200, timestamp_end = '2021-01-01Z',
    timestamp_start = '2020-01-01Z'::timestamptz + id % 251 * interval '24 hours'`

  it.each([20, MAX_CROSSED_BINS + 1])('are those of the listed ones among %i pairs', async (events) => {
    const database = await freshPostgres(TABLES, rowsOf(events), pairs)
    const query = 'bins=day&level=0&by=category&by_size=2&facets=event_series'
    const { status, body } = await told(database, `/api/v3/events/summary/?${query}`)
    const { entries, rest } = body.by.category
    const rowsIn = (bins: readonly [number, number][]) => bins.reduce((sum, [, rows]) => sum + rows, 0)
    expect([status, body.count, rowsIn(body.time.bins), entries.length]).toEqual([200, events, events, 2])
    for (const { bins, count } of entries)
      expect(bins.map(([, rows]: [number, number]) => rows)).toEqual(Array(count).fill(1))
    expect(entries[0].count + entries[1].count + rest.count).toBe(events)
    expect(rowsIn(rest.bins)).toBe(rest.count)
  })
})

describe.runIf(hasPostgres)('the bounds of all events', () => {
  const put = (id: number, x: number, y: number) =>
    `UPDATE event SET geometry = ST_SetSRID(ST_MakePoint(${x}, ${y}, 0), 4326) WHERE id = ${id}`
  const hide =
    'UPDATE event_series SET access_modifier = 300 WHERE id = 1; UPDATE event SET event_series_id = 2 WHERE id = 1'

  it.each([
    ['on one side of 180 degrees', [put(3, 1.1, -7.5), put(4, 1.1 + 1e-13, 60)]],
    [
      'on both sides',
      ['UPDATE event SET geometry = ST_Translate(geometry, 160, 0)', put(3, -179.5, 7), put(4, -158.25, 7)],
    ],
    ['beside hidden ones', [put(2, -120, 3), put(4, 100, -80), hide]],
    ['without a place', ['UPDATE event SET geometry = NULL']],
    ['far beyond the world', [put(1, -2_000_000, 3_000_000)]],
    ['of no event', ['DELETE FROM event']],
  ])('%s are those of the index and of stored cells', async (_, changes) => {
    const plain = await freshPostgres(TABLES, rowsOf(20), ...changes)
    const stored = await freshPostgres(TABLES, rowsOf(20), GRADE_B, GRADE_C, ...changes)
    for (const query of ['level=4', 'level=1&bins=month', 'level=0&bins=1&by=event_series']) {
      const expected = await told(plain, `/api/v3/events/summary/?${query}`)
      expect(expected.status).toBe(200)
      expect(await told(stored, `/api/v3/events/summary/?${query}`), query).toEqual(expected)
    }
  })
})
