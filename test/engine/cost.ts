import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import { rememberedOf } from '../../src/engine/d1/estimates.ts'
import type { Workload } from '../bench/workloads.ts'
import { countingDatabase } from '../isolates.ts'
import { post, send } from '../service.ts'

/** Counts the rows read. All requests share this database, because the Worker has a cache per database. */
const { cost, DB } = countingDatabase()

/** Sends a request to a database that counts the rows read. */
export const ask = async (
  { query }: Pick<Workload, 'query'>,
  path: string,
  init = post(`${new URLSearchParams(query)}`),
  known = false,
) => {
  const headers = { ...init.headers, ...(known ? {} : { 'Cache-Control': 'no-cache' }) }
  Object.assign(cost, { rows: 0, trips: 0 })
  const response = await send(path, { ...init, headers, vars: { DB, SHOW_COST: 'true' } })
  expect(response.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
  const body: any = await response.json()
  return { body, ...cost, timing: response.headers.get('Server-Timing') }
}

/** Says what an answer cost, for a snapshot. After a change of a plan, `vitest -u` records the costs again. */
export const costOf = ({ body, rows, trips }: Awaited<ReturnType<typeof ask>>): string =>
  `${rows} rows in ${trips} trips for ${body.count ?? 1} matches`

/**
 * Stops the clock for a test file that counts rows, and forgets the statistics of other files. Otherwise the Worker
 * would use statistics of other data, or read them again after 30 seconds. Call it before other hooks.
 */
export const freezeClock = (): void => {
  let clock: { mockRestore: () => void } | undefined
  beforeAll(() => {
    for (const each of [DB, env.DB]) rememberedOf(each).clear()
    clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
  })
  afterAll(() => clock?.mockRestore())
}
