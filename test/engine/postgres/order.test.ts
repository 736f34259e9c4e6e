import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/engine.ts'
import { ALWAYS, type Condition, inRange } from '../../../src/question/condition.ts'
import type { Order, Question, Slice } from '../../../src/question/question.ts'
import { TICKS } from '../../../src/question/range.ts'
import { engineOn, hasPostgres } from '../../postgres/database.ts'
import { loadedPostgres } from '../../postgres/loaded.ts'
import { arraysOf } from '../../question/arrays.ts'
import { foundation, LEVELS, makeEvents } from '../world.ts'

const LONG = 'x'.repeat(130)
const VALUES = ['text', 'Text', 5, 5.5, true, false, -3, LONG, `${LONG}1`, `${LONG}0`]
/** Some have long values with equal starts, attributes of several types, and ends in the year 9999. */
const events = makeEvents(130, 20_261_128, 2000).map((event, i) => ({
  ...event,
  ...(i % 4 === 0 && { value: `${LONG}${(i * 7) % 60}` }),
  ...(i % 10 === 1 && { end: Date.UTC(10_000) - 1 - i }),
  attributes: i % 3 === 0 ? null : { mixed: VALUES[(i * 7) % VALUES.length] },
}))
const records = [...foundation, ...events]
const plain = arraysOf(records)

/** Adds less than a millisecond to the times, in another order than that of the ids. */
const FINER = `ALTER TABLE event ALTER timestamp_start TYPE timestamptz, ALTER timestamp_end TYPE timestamptz;
  UPDATE event SET timestamp_start = timestamp_start + (id * 5 % 7) * interval '137 microseconds',
    timestamp_end = timestamp_end + (6 - id * 5 % 7) * interval '137 microseconds'`

/** Returns the ids of all pages of an order, by following hints. */
const walk = async (engine: Engine, order: Order, limit: number): Promise<number[]> => {
  const ids: number[] = []
  for (let from: Slice['from'] | null = { offset: 0 }; from !== null; ) {
    const question: Question = { where: ALWAYS, latest: null, order, slice: { from, limit } }
    const page = await engine.open({ level: LEVELS.Private }).page('events', question, { fields: ['id'] })
    ids.push(...page.rows.map(({ id }) => Number(id)))
    from = page.next === null ? null : { offset: ids.length, hint: { text: page.next, isOwn: true } }
  }
  return ids
}

const idsOf = async (where: Condition, order: Order): Promise<number[]> => {
  const slice = { from: { offset: 0 }, limit: 1000 }
  const question: Question = { where, latest: null, order, slice }
  const { rows } = await plain.open({ level: LEVELS.Private }).page('events', question, { fields: ['id'] })
  return rows.map(({ id }) => Number(id))
}

const FIELDS: readonly Order['by'][] = [
  'start',
  'end',
  'duration',
  'id',
  'category',
  'value',
  'value_number',
  'object_id',
]
const ORDERS = [...FIELDS, { attribute: 'mixed' }].flatMap((by) =>
  [false, true].map((descending): Order => ({ by, descending, nulls: 'last' })),
)

describe.runIf(hasPostgres).each<[string, readonly string[]]>([
  ['milliseconds', []],
  ['microseconds', [FINER]],
])('pages of events with times in %s', (_, more) => {
  let engine: Engine
  beforeAll(async () => {
    engine = engineOn(await loadedPostgres(records, ...more))
  })

  it.each(ORDERS)('have the order of milliseconds: $by, descending $descending', async (order) => {
    const expected = await idsOf(ALWAYS, order)
    expect(expected.length).toBeGreaterThan(90)
    expect(await walk(engine, order, 9)).toEqual(expected)
    expect(await walk(engine, order, 50)).toEqual(expected)
  })

  it.each(ORDERS)('answer any position that a client sends: $by, descending $descending', async (order) => {
    for (const value of ['', 'abc\0', LONG, 1.5, -1e300, 9e15, 0, null])
      for (const id of [0, Number.MAX_SAFE_INTEGER]) {
        const slice: Slice = { from: { after: { value, id } }, limit: 3 }
        const question: Question = { where: ALWAYS, latest: null, order, slice }
        const { count } = await engine.open({ level: LEVELS.Private }).page('events', question, { fields: ['id'] })
        expect(count).toBeGreaterThan(90)
      }
  })

  it('are found by a time as answers show it', async () => {
    for (const { start } of events.slice(0, 5)) {
      const ticks = BigInt(start) * 1000n * TICKS
      const where = inRange('start', [ticks, ticks])
      const order: Order = { by: 'id', descending: false, nulls: 'last' }
      const question: Question = { where, latest: null, order, slice: { from: { offset: 0 }, limit: 100 } }
      const { rows } = await engine.open({ level: LEVELS.Private }).page('events', question, { fields: ['id'] })
      expect(rows.map(({ id }) => Number(id))).toEqual(await idsOf(where, order))
    }
  })
})
