import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { events as resource } from '../../../src/api/events.ts'
import { conditionsFor } from '../../../src/engine/d1/write.ts'
import { fetchPage } from '../../../src/engine/read.ts'
import { openDatabase } from '../../../src/engine/run/database.ts'
import type { Condition } from '../../../src/question/condition.ts'
import { print } from '../../../src/question/print.ts'
import { BY_ID, type Question } from '../../../src/question/question.ts'
import { arraysOf } from '../../question/arrays.ts'
import { CONDITIONS } from '../../question/conditions.ts'
import type { ObservationTypeRecord, SeriesRecord } from '../../records.ts'
import { load } from '../../service.ts'
import { foundation, LEVELS, makeEvents } from '../world.ts'

const events = makeEvents(3000, 20_261_128, 1400)
const plain = arraysOf({
  events,
  series: foundation.filter((record): record is SeriesRecord => record.kind === 'event_series'),
  types: foundation.filter((record): record is ObservationTypeRecord => record.kind === 'observation_type'),
})
beforeAll(() => load([...foundation, ...events]))

const MOST = 10_000

/** Returns the ids of the matching events, by D1 and by the engine of arrays. */
const both = async (where: Condition, level: number) => {
  const order = { column: null, descending: false }
  const conditions = conditionsFor('events', where)
  const request = { conditions, order, page: 1, pageSize: MOST, cursor: null }
  const { rows, count } = await fetchPage(openDatabase(env.DB, level), resource, request)
  const question: Question = { where, latest: null, order: BY_ID, slice: { from: { offset: 0 }, limit: MOST } }
  const session = { level, bookmark: null, cheap: false, explain: false, charge: () => {} }
  const expected = await plain.open(session).page('events', question, { fields: [], include: null, about: null })
  return {
    question: print(question),
    found: [count, rows.map(({ id }) => id)],
    expected: [expected.count, expected.rows.map(({ id }) => id)],
  }
}

const levels = fc.constantFrom(...Object.values(LEVELS))
const single = fc.constantFrom(
  ...CONDITIONS.flatMap(([, condition]) => (condition.kind === 'words' ? [] : [condition])),
)
/** Conditions that have a complement. */
const decided = single.filter(
  ({ kind }) => kind === 'range' || kind === 'text' || kind === 'equals' || kind === 'missing',
)
const unless = decided.map((of): Condition => ({ kind: 'unless', of }))
const any = fc.array(decided, { maxLength: 3 }).map((of): Condition => ({ kind: 'any', of }))
const all = fc.array(fc.oneof(single, unless, any), { maxLength: 4 }).map((of): Condition => ({ kind: 'all', of }))

it('random questions select the same events on D1 as on plain arrays', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(all, levels, async (where, level) => {
      const { question, found, expected } = await both(where, level)
      expect(found, question).toEqual(expected)
    }),
    { numRuns: 150, seed: 20_261_127 },
  )
})
