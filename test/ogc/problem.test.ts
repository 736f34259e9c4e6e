import { expect, it } from 'vitest'
import { beginWithSeed, send } from '../service.ts'

beginWithSeed()

it('problem details name each fault', async () => {
  const response = await send('/ogc/collections/events/items?limit=0&resultType=all')
  const limit = 'Enter a whole number from 1 to 10000.'
  const resultType = 'Enter one of results, hits.'
  expect(await response.json()).toEqual({
    type: 'about:blank',
    title: 'Bad Request',
    status: 400,
    detail: `limit: ${limit} resultType: ${resultType}`,
    errors: { limit: [limit], resultType: [resultType] },
  })
})

it.each<[string, RequestInit, number]>([
  ['/ogc/none', {}, 404],
  ['/ogc/collections/events/items?limit=0', {}, 400],
  ['/ogc/collections/events/items', { headers: { Authorization: 'Bearer none' } }, 401],
  ['/ogc/collections', { method: 'POST' }, 405],
  ['/ogc/collections', { headers: { Accept: 'image/png' } }, 406],
])('%s %j is an error with problem details', async (path, options, status) => {
  const response = await send(path, options)
  const body = await response.json()
  expect([response.status, response.headers.get('Content-Type')]).toEqual([status, 'application/problem+json'])
  expect(body).toMatchObject({ type: 'about:blank', status, detail: expect.stringMatching(/\w+.*\.$/) })
})

it('an error of the lists has no problem details', async () => {
  const response = await send('/api/v3/events/none/')
  expect([response.headers.get('Content-Type'), await response.json()]).toEqual([
    'application/json',
    { detail: 'Not found.' },
  ])
})

it('an error under /ogc is a page if a browser opens it', async () => {
  const response = await send('/ogc/none', { headers: { 'Sec-Fetch-Dest': 'document' } })
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
})
