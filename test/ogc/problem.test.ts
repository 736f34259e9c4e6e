import { beforeAll, expect, it } from 'vitest'
import { problemOf } from '../../src/ogc/problem.ts'
import { load, send } from '../service.ts'

beforeAll(() => load())

it.each([
  [404, { detail: 'Not found.' }, { title: 'Not Found', detail: 'Not found.' }],
  [
    400,
    { limit: ['Enter 1.'], bbox: ['Enter a.', 'Enter b.'] },
    {
      title: 'Bad Request',
      detail: 'limit: Enter 1. bbox: Enter a. Enter b.',
      errors: { limit: ['Enter 1.'], bbox: ['Enter a.', 'Enter b.'] },
    },
  ],
  [
    400,
    { a: ['Enter 1.'], detail: ['There is 1 more mistake like these.'] },
    {
      title: 'Bad Request',
      detail: 'a: Enter 1. detail: There is 1 more mistake like these.',
      errors: { a: ['Enter 1.'], detail: ['There is 1 more mistake like these.'] },
    },
  ],
])('%d %j becomes problem details', (status, body, expected) => {
  expect(problemOf(status, body)).toEqual({ type: 'about:blank', status, ...expected })
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
