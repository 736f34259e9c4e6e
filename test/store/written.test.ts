import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Statement } from '../../src/engine/d1/database.ts'
import { storeAll } from '../../src/store/batch.ts'
import { changeEvent } from '../../src/store/events.ts'
import type { EventRecord } from '../../src/store/records.ts'
import { foundation, makeEvents } from '../engine/world.ts'
import { load } from '../service.ts'
import { expectKept } from './writer.ts'

const NOW = 2e15
const writer = { level: 300, now: NOW, guards: [] }

const ABSENT = { external_id: null, last_modified: null, attributes: null }
const made = makeEvents(3000, 7).map((event) => ({ ...event, ...ABSENT }))
const [one] = made
if (one === undefined) throw new RangeError('There are no events.')

/** Returns the billed rows of a batch. `table` selects some of its statements. */
const written = async (statements: readonly Statement[], table = /./): Promise<number> => {
  const answers = await env.DB.batch(statements.map(({ sql, parameters }) => env.DB.prepare(sql).bind(...parameters)))
  return answers.reduce((sum, { meta }, i) => sum + (table.test(statements[i]?.sql ?? '') ? meta.rows_written : 0), 0)
}

beforeAll(async () => {
  await load(foundation)
  await load(made)
})

describe('the rows that a write bills', () => {
  // The row itself, and one row for each index.
  it('an event has 11, an object adds 2, a number in the value adds 1, and attributes add none', async () => {
    const records = makeEvents(1000, 8, 5000).map(
      (event, i): EventRecord => ({
        ...event,
        object: i % 2 === 0 ? { model: 'pump', id: i } : null,
        value: i % 4 < 2 ? `${i} m` : 'none',
        ...ABSENT,
        attributes: i % 8 === 0 ? { mag: i } : null,
      }),
    )
    const rows = await written(storeAll(records, NOW), /^\s*INSERT INTO "event" /)
    expect(rows).toBe(1000 * 11 + 500 * 2 + 500)
  })

  it.each<[string, number, EventRecord['coordinates']]>([
    ['with a place', 9000, [5, 52, 0]],
    ['without a place', 9001, null],
  ])('a new event %s adds 20 nodes, and a row for its series, category and model', async (_, id, coordinates) => {
    const [event] = makeEvents(1, 9, id)
    const record = { ...event, ...ABSENT, coordinates, object: { model: 'pump', id: 1 } } as EventRecord
    expect(await written(storeAll([record], NOW), /"event_count"|UPDATE "(category|object_model)"/)).toBe(23)
    await expectKept()
  })

  it.each<[string, Partial<EventRecord>, number]>([
    ['the value', { value: 'x' }, 5],
    ['the category', { category: 'new' }, 16],
    ['the end', { end: one.end + 5 }, 24],
    ['the place', { coordinates: [1, 2, 3] }, 24],
    ['the place to none', { coordinates: null }, 24],
  ])('a change of %s bills the rows of the counts that depend on it: %j', async (_, changes, most) => {
    expect(await written(changeEvent(one, changes, writer))).toBe(most)
    await expectKept()
  })
})
