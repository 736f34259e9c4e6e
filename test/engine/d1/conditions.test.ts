import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { d1Engine } from '../../../src/engine/d1/engine.ts'
import type { Condition } from '../../../src/question/condition.ts'
import { BY_ID, type Question } from '../../../src/question/question.ts'
import { arraysOf } from '../../question/arrays.ts'
import { print } from '../../question/print.ts'
import { conditions, levels } from '../../question/random.ts'
import { load } from '../../service.ts'
import { splitRows } from '../../tags.ts'
import { foundation, makeEvents } from '../world.ts'

const events = makeEvents(1500, 20_261_128, 1400)
const plain = arraysOf([...foundation, ...events])
beforeAll(() => load([...foundation, ...events]))

const MOST = 10_000

/** Returns the ids of the matching events, by D1 and by the engine of arrays. */
const both = async (where: Condition, level: number) => {
  const question: Question = { where, latest: null, order: BY_ID, slice: { from: { offset: 0 }, limit: MOST } }
  const { rows, count } = await d1Engine(env.DB)
    .open({ level })
    .page('events', question, { fields: ['id'] })
  const expected = await plain.open({ level }).page('events', question, { fields: [] })
  return {
    question: print(question),
    found: [count, rows.map(({ id }) => id)],
    expected: [expected.count, expected.rows.map(({ id }) => id)],
  }
}

for (const [options, [numRuns = 0]] of splitRows(2, [300, 3000]))
  it('random questions select the same events on D1 as on plain arrays', { ...options, timeout: 240_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(conditions, levels, async (where, level) => {
        const { question, found, expected } = await both(where, level)
        expect(found, question).toEqual(expected)
      }),
      { numRuns, seed: 20_261_127 },
    )
  })
