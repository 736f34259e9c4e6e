import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import { insertRecords } from '../../seed/load/insert.ts'
import { wholeRecords } from '../records.ts'
import { load, seedEvents, seedRecords } from '../service.ts'

beforeAll(async () => {
  await load()
})

it('insertRecords computes the same columns of the series as SQL', async () => {
  const derived = await env.DB.prepare(
    'SELECT id, event_count, start, "end", west, east, south, north FROM event_series ORDER BY id',
  ).raw()
  const computed = await env.DB.prepare(
    'SELECT event_series_id, count(*), min(start), max("end"), min(x), max(x), min(y), max(y) FROM event GROUP BY 1 ORDER BY 1',
  ).raw()
  expect(derived).toEqual(computed)
})

it('insertRecords stores every position unchanged', async () => {
  const stored = await env.DB.prepare('SELECT x, y, z FROM event ORDER BY id').raw()
  expect(stored).toEqual(seedEvents.map(({ coordinates }) => coordinates))
})

it('insertRecords explains a refusal of the database in its own words, and stores nothing', async () => {
  const event = { ...seedEvents[0], id: 999_999, series: 999 } as (typeof seedEvents)[number]
  for (const records of [seedRecords, [event]]) {
    await expect(insertRecords(env.DB, wholeRecords(records))).rejects.toThrow(
      /^the database refused .* Nothing was stored\.$/,
    )
  }
  expect(await env.DB.prepare('SELECT revision FROM revision').first('revision')).toBe(1)
})
