import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { faultKindOf, isLoading, isRefusal } from '../../../src/engine/d1/database.ts'
import { OVERLOAD, TRANSIENT } from '../../platform/d1.ts'

const OURS = [
  'too many SQL variables at offset 12: SQLITE_ERROR',
  'Expression tree is too large (maximum depth 100): SQLITE_ERROR',
  'statement too long: SQLITE_TOOBIG',
  'no query solution: SQLITE_ERROR',
  'out of memory: SQLITE_NOMEM',
  'no such table: event: SQLITE_ERROR',
  'UNIQUE constraint failed: event.id: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)',
]
const FULL = [
  'Exceeded maximum DB size.',
  'Exceeded maximum account storage limit.',
  'Your account has exceeded D1’s maximum account storage limit',
  'database or disk is full: SQLITE_FULL',
]
const OTHERS = ['Something that nobody has seen.', 'database is locked: SQLITE_BUSY']

describe('the kind of a database error', () => {
  const all = (reasons: readonly string[], kind: ReturnType<typeof faultKindOf>) =>
    reasons.map((reason) => [reason, kind] as const)

  it.each([
    ...all(TRANSIENT, 'transient'),
    ...all(OVERLOAD, 'overload'),
    ...all(OURS, 'ours'),
    ...all(FULL, 'full'),
    ...all(OTHERS, 'overload'),
  ])('%s has the kind %s', (reason, kind) => {
    for (const message of [reason, `D1_ERROR: ${reason}`, `D1_ERROR: ${reason}: more behind`])
      expect(faultKindOf(new Error(message))).toBe(kind)
  })

  it('is ours for a value that D1 cannot bind', () => {
    let error: unknown
    try {
      env.DB.prepare('SELECT ?').bind({})
    } catch (thrown) {
      error = thrown
    }
    expect(faultKindOf(error)).toBe('ours')
  })
})

it.each([
  ['INSERT INTO revision (id, revision, changed) VALUES (1, 1, 1), (1, 1, 1)', true, false],
  ["SELECT json(CASE WHEN 1 = 0 THEN '1' ELSE '' END)", true, false],
  ['SELECT 1 FROM event INDEXED BY event_by_nothing', false, true],
  ['SELECT 1 FROM nothing', false, false],
])('%s: a refusal %s, a load %s', async (sql, refused, loading) => {
  const error = await env.DB.prepare(sql)
    .all()
    .catch((thrown: unknown) => thrown)
  expect([isRefusal(error), isLoading(error)]).toEqual([refused, loading])
})
