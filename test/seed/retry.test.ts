import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { insertRecords } from '../../seed/load/insert.ts'
import { mayPass, patientDatabase, patientWrite } from '../../seed/load/retry.ts'
import { readAllEvents } from '../../seed/load/stored.ts'
import type { Statement } from '../../src/engine/d1/database.ts'
import { random, records } from '../bench/events.ts'
import { createPlatform, OVERLOAD, TRANSIENT } from '../platform/d1.ts'
import { wholeRecords } from '../records.ts'
import { splitRows } from '../tags.ts'

const EVENTS = 2000
const BATCH = 50

it.each([
  ...[...TRANSIENT, ...OVERLOAD].map((reason): [string, boolean] => [`D1_ERROR: ${reason}`, true]),
  ['Your worker restarted mid-request. Please try sending the request again.', true],
  ['fetch failed', true],
  ['D1_ERROR: UNIQUE constraint failed: event.id: SQLITE_CONSTRAINT', false],
  ['D1_ERROR: no such table: event: SQLITE_ERROR', false],
  ['D1_ERROR: out of memory: SQLITE_NOMEM', false],
  ['D1_ERROR: Exceeded maximum DB size.', false],
  ['D1_ERROR: database or disk is full: SQLITE_FULL', false],
  ['A request to the API failed: Authentication error [code: 10000]', false],
  ['Your account has exceeded D1’s maximum account storage limit, exceeded the limit', false],
])('%s is temporary: %s', (reason, passes) => {
  expect(mayPass(new Error(reason))).toBe(passes)
})

describe('over a connection that breaks before or after a batch is stored', () => {
  for (const [options, seeds] of splitRows(3, [1, 2, 3]))
    it.each(seeds)('every record is stored once, with the seed %i', options, async (seed) => {
      await env.DB.batch(
        ['load_progress', 'event', 'event_series', 'observation_type', 'category', 'object_model', 'event_count'].map(
          (table) => env.DB.prepare(`DELETE FROM ${table}`),
        ),
      )
      const platform = createPlatform(env.DB, [], seed)
      const next = random(seed)
      let waits = 0
      const wait = async () => {
        waits += 1
      }
      // Each call is an invocation of the proxy.
      let breaks = 0.4
      const send = (statements: readonly Statement[]) => {
        Object.assign(platform.weather, { fails: next() * breaks, loses: next() * breaks })
        const db = platform.binding()
        return db.batch(statements.map(({ sql, parameters }) => db.prepare(sql).bind(...parameters)))
      }
      const invoked = {
        prepare: (sql: string) => platform.binding().prepare(sql),
        batch: (all: D1PreparedStatement[]) => platform.binding().batch(all),
      } as unknown as D1Database
      const db = patientDatabase(invoked, wait)
      const { write, end } = patientWrite(send, db, wait)
      const totals = await insertRecords(db, wholeRecords(records(EVENTS)), { batchRecords: BATCH, write })
      expect([totals.event, waits > 3]).toEqual([EVENTS, true])
      breaks = 0
      await end()
      const count = (table: string) => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`).first('n')
      expect([await count('event'), await count('event_series'), await count('load_progress')]).toEqual([EVENTS, 50, 0])
      expect(await env.DB.prepare('SELECT sum(event_count) AS n FROM event_series').first('n')).toBe(EVENTS)
      let stored = 0
      for await (const { events } of readAllEvents(db)) stored += events.length
      expect(stored).toBe(EVENTS)
    })

  it('an error contains its cause and the number of stored records', async () => {
    const wait = () => Promise.reject(new Error('waited'))
    const { write } = patientWrite(
      (all) => env.DB.batch(all.map(({ sql, parameters }) => env.DB.prepare(sql).bind(...parameters))),
      env.DB,
      wait,
    )
    await expect(insertRecords(env.DB, wholeRecords(records(3)), { write })).rejects.toThrow(
      /^the database refused 54 records: another record may have the same id or uuid, or a series may be missing \(.*UNIQUE constraint failed.*\)\. Nothing was stored\.$/,
    )
    const broken = () => Promise.reject(new Error('Network connection lost.'))
    await expect(insertRecords(env.DB, wholeRecords(records(3)), { write: broken })).rejects.toThrow(
      'the database refused 54 records: Network connection lost. Nothing was stored. Run the same command again to continue.',
    )
  })
})
