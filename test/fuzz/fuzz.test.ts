/** @module-tag exhaustive */
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { apiKeys, load } from '../service.ts'
import { refusalFaults, type Variables } from './answers.ts'
import { requests } from './requests.ts'
import { faultsAround } from './turns.ts'

/** The number of requests and the seed, from the environment variables FUZZ and FUZZ_SEED. */
const { count: numRuns, seed } = env.TEST_FUZZ
const MILLISECONDS = 100 // for a request and its follow-ups on a busy machine

let vars: Variables

beforeAll(async () => {
  await load()
  vars = { API_KEYS: await apiKeys(), BODY_LIMIT: '20000', WRITE_LIMIT: '25000' }
  vi.spyOn(console, 'log').mockImplementation(() => {}) // the log line of each request
})

afterAll(() => vi.restoreAllMocks())

it(
  `${numRuns} random requests, valid or not, get an answer that clients can read, from seed ${seed}`,
  async () => {
    const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
    const statuses = new Map<number, number>()
    const property = fc.asyncProperty(requests, async (asked) => {
      const { status, faults } = await faultsAround(asked, vars)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect(faults).toEqual([])
      expect(errors.mock.calls).toEqual([])
    })
    await fc.assert(property, { numRuns, seed })
    // Many requests must succeed, and others must fail in every way. Otherwise the checks above would prove little.
    expect([...statuses.keys()]).toEqual(
      expect.arrayContaining([200, 201, 204, 301, 304, 308, 400, 401, 403, 404, 405, 406, 413, 414, 415]),
    )
    expect(statuses.get(200)).toBeGreaterThan(numRuns / 4)
  },
  60_000 + numRuns * MILLISECONDS,
)

describe('the check of a refusal', () => {
  it.each([
    {},
    [],
    null,
    { detail: '' },
    { detail: 5 },
    { page: [] },
    { page: 'Enter a page.' },
    { page: ['Enter undefined or 1.'] },
    { page: ['Enter a page.', ''] },
    { detail: 'SQLITE_ERROR: no such column' },
    { detail: 'It failed at read (index.js:5)' },
    { detail: 'Enter [object Object].' },
  ])('rejects %j', (body) => {
    expect(refusalFaults(body)).not.toEqual([])
  })

  it.each([{ detail: 'Not found.' }, { detail: ['Unknown parameter.'] }, { page: ['Enter "NaN" otherwise.'] }])(
    'accepts %j',
    (body) => {
      expect(refusalFaults(body)).toEqual([])
    },
  )
})
