import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import type { Statement } from '../../src/engine/d1/database.ts'
import { storeAll } from '../../src/store/batch.ts'
import { addEvents, changeEvent, removeEvents } from '../../src/store/events.ts'
import type { EventRecord } from '../../src/store/records.ts'
import { addTypes, changeMetadata, changeSeries } from '../../src/store/series.ts'
import { foundation, makeEvents } from '../engine/world.ts'
import { load } from '../service.ts'

const WRITER = { level: 300, now: 1000 * Date.now() }
const ABSENT = { external_id: null, last_modified: null, attributes: null }
const eventsFrom = (first: number, count: number): EventRecord[] =>
  makeEvents(count, 9, first).map((event) => ({ ...event, ...ABSENT, series: 1 }))
const [first, series] = [
  9000,
  { ...foundation[2], id: 70, uuid: '70000000-0000-4000-8000-000000000000', metadata: null },
]
const [event, keyed] = [eventsFrom(first, 1)[0], eventsFrom(9500, 1)[0]].map((each) => ({ ...(each as EventRecord) }))
if (event === undefined || keyed === undefined) throw new RangeError('There are no events.')
const named = { ...keyed, external_id: 'k' }

/** Returns the rows that a batch reads and writes. D1 bills both. */
const costOf = async (statements: readonly Statement[]): Promise<string> => {
  const answers = await env.DB.batch(statements.map(({ sql, parameters }) => env.DB.prepare(sql).bind(...parameters)))
  const [read, written] = (['rows_read', 'rows_written'] as const).map((rows) =>
    answers.reduce((sum, { meta }) => sum + meta[rows], 0),
  )
  return `${read} read, ${written} written`
}

beforeAll(async () => {
  await load(foundation)
  await load(makeEvents(3000, 7).map((each) => ({ ...each, ...ABSENT })))
  // The first event of a kind makes nodes of counts.
  await costOf(addEvents(eventsFrom(8999, 1), WRITER))
})

it.each<[string, string, () => readonly Statement[]]>([
  ['a new event', '136 read, 36 written', () => addEvents([event], WRITER)],
  ['100 new events', '6829 read, 1701 written', () => addEvents(eventsFrom(9100, 100), WRITER)],
  ['a new event with a new column', '231 read, 39 written', () => addEvents([named], WRITER)],
  ['an event that replaces one', '244 read, 61 written', () => addEvents([], WRITER, [{ ...named, value: 'other' }])],
  ['a change of a value', '55 read, 5 written', () => changeEvent(event, { value: 'x' }, WRITER)],
  ['a move', '258 read, 58 written', () => changeEvent(event, { series: 2 }, WRITER)],
  ['a deletion', '121 read, 28 written', () => removeEvents(2, [first], WRITER)],
  [
    '100 deletions',
    '7937 read, 726 written',
    () =>
      removeEvents(
        1,
        eventsFrom(9100, 100).map(({ id }) => id),
        WRITER,
      ),
  ],
  ['a new series', '11 read, 8 written', () => storeAll([series as never], WRITER.now)],
  ['a change of a series', '16 read, 5 written', () => changeSeries({ id: 70 }, { description: 'x' }, WRITER)],
  ['a change of a description', '16 read, 5 written', () => changeMetadata(70, { source: 'x' }, WRITER)],
  [
    'a new type',
    '11 read, 4 written',
    () => addTypes([{ kind: 'observation_type', id: 70, code: 'z', name: 'z', unit: null }], WRITER),
  ],
])('%s bills a steady number of rows', async (_, cost, statements) => {
  expect(await costOf(statements())).toBe(cost)
})
