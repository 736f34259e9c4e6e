import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BY_ID, type Question } from '../../src/question/question.ts'
import { FILTERS } from '../engine/filters.ts'
import { foundation, LEVELS, type Level, makeEvents } from '../engine/world.ts'
import { CONDITIONS } from '../question/conditions.ts'
import { print, printCondition } from '../question/print.ts'
import { conditions, levels } from '../question/random.ts'
import { splitRows } from '../tags.ts'
import { type Row, testMany, testRows } from './oracle.ts'

// Conditions of every kind, alone and in random combinations, on events that crowd in time and place.

const MOST = 10_000
const names = Object.keys(LEVELS) as Level[] // the keys of the constant

const events = makeEvents(1500, 20_261_128, 1400).map((event) =>
  event.id % 4 === 0 ? { ...event, external_id: `n${event.id}` } : event,
)
const levelOf = (i: number) => names[i % names.length] ?? 'Public'
const list = `/api/v3/events/?page_size=${MOST}&fields=id`

const rows = CONDITIONS.map(
  ([query, where], i): Row => ({ asks: `${list}&${query}`, question: printCondition(where), level: levelOf(i) }),
)
const engines = testRows([...foundation, ...events], { 'the condition of a request': rows })

const queries = FILTERS.map(({ query }) => decodeURIComponent(query).replaceAll('+', ' '))
const latest = queries.map((query) => `${query}&latest=event_series`)
const some = [...queries, ...latest].map((query, i): Row => ({ asks: `${list}&${query}`, level: levelOf(i) }))
testMany('each filter, and the latest events beside it', 14, engines, some)

for (const [options, [numRuns = 0]] of splitRows(2, [150, Math.max(1500, env.TEST_FUZZ.count)]))
  it('random conditions select the same events', { ...options, timeout: 1_200_000 }, async () => {
    const compared = fc.asyncProperty(conditions, levels, async (where, level) => {
      const question: Question = { where, latest: null, order: BY_ID, slice: { from: { offset: 0 }, limit: MOST } }
      let wanted: unknown
      for (const [name, engine] of engines) {
        const { rows, count } = await engine.open({ level }).page('events', question, { fields: ['id'] })
        const found = [count, rows.map(({ id }) => Number(id))]
        wanted ??= found // the arrays are the first
        expect(found, `${name}: ${print(question)}`).toEqual(wanted)
      }
    })
    await fc.assert(compared, { numRuns, seed: 20_261_128 })
  })
