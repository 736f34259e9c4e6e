import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/engine/engine.ts'
import type { Condition } from '../../../src/question/condition.ts'
import { BY_ID, type Question } from '../../../src/question/question.ts'
import { engineOn, hasPostgres } from '../../postgres/database.ts'
import { loadedPostgres } from '../../postgres/loaded.ts'
import { arraysOf } from '../../question/arrays.ts'
import { CONDITIONS } from '../../question/conditions.ts'
import { print } from '../../question/print.ts'
import { conditions, levels } from '../../question/random.ts'
import { splitRows } from '../../tags.ts'
import { foundation, LEVELS, makeEvents } from '../world.ts'

const records = [...foundation, ...makeEvents(1500, 20_261_128, 1400)]
const plain = arraysOf(records)
let engine: Engine

const MOST = 10_000

/** Returns the ids of the matching events, by PostgreSQL and by the engine of arrays. */
const both = async (where: Condition, level: number) => {
  const question: Question = { where, latest: null, order: BY_ID, slice: { from: { offset: 0 }, limit: MOST } }
  const { rows, count } = await engine.open({ level }).page('events', question, { fields: ['id'] })
  const expected = await plain.open({ level }).page('events', question, { fields: [] })
  return {
    question: print(question),
    found: [count, rows.map(({ id }) => id)],
    expected: [expected.count, expected.rows.map(({ id }) => id)],
  }
}

describe.runIf(hasPostgres)('questions of PostgreSQL', () => {
  beforeAll(async () => {
    engine = engineOn(await loadedPostgres(records))
  })

  it.each(CONDITIONS)('%s', async (_, condition) => {
    for (const level of Object.values(LEVELS)) {
      const { question, found, expected } = await both(condition, level)
      expect(found, question).toEqual(expected)
    }
  })

  for (const [options, [numRuns = 0]] of splitRows(2, [500, Math.max(1_500, env.TEST_FUZZ.count)]))
    it('random ones select the same events as on plain arrays', { ...options, timeout: 1_200_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(conditions, levels, async (where, level) => {
          const { question, found, expected } = await both(where, level)
          expect(found, question).toEqual(expected)
        }),
        { numRuns, seed: 20_261_128 },
      )
    })
})
