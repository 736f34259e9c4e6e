import { beforeAll, describe, expect, it, vi } from 'vitest'
import { load, send } from '../service.ts'

beforeAll(() => load())

/** A database whose every query fails as D1 words it. */
const statement = { bind: () => statement }
const broken = {
  withSession: () => ({
    prepare: () => statement,
    batch: async () => {
      throw new Error('D1_ERROR: no such column: secret in SELECT secret FROM event: SQLITE_ERROR')
    },
    getBookmark: () => null,
  }),
} as unknown as D1Database

describe('a fault of the database', () => {
  it.each([
    '/api/v3/events/',
    '/api/v3/events/1/',
    '/api/v3/events/?category__regex=a',
    '/api/v3/events/?geom_within=POLYGON((0+0,1+0,1+1,0+0))',
    '/api/v4/eventseries/?page=last',
    '/api/v3/observationtypes/',
  ])('%s is a 503 that says when to try again, and nothing of the query', async (path) => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const response = await send(path, { vars: { DB: broken } })
    expect([response.status, await response.json()]).toEqual([
      503,
      { detail: 'The database does not answer at the moment. Try again in a few seconds.' },
    ])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'retry-after': '5',
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      vary: 'Accept',
    })
    expect(log).toHaveBeenCalledTimes(2)
    log.mockRestore()
  })

  it('leaves the roots alone', async () => {
    expect((await send('/api/v3/', { vars: { DB: broken } })).status).toBe(200)
  })
})
