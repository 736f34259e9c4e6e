import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { foundation } from '../engine/world.ts'
import { watchedDatabase } from '../isolates.ts'
import { load, send, withKey } from '../service.ts'
import { EVENTS, feature, rows, SERIES, write } from './writer.ts'

beforeAll(() => load(foundation))

const log = vi.spyOn(console, 'error')
beforeEach(() => {
  log.mockReset()
})

/** Returns the database with a statement of another writer, which runs before one of the batches of a request. */
const interrupted = (before: number, statement: string) => {
  const { seen, DB } = watchedDatabase(async (real) => {
    if (seen.trips === before) await env.DB.prepare(statement).run()
    return real()
  })
  return { DB, came: () => seen.trips >= before }
}

/** Sends a request with a key that writes, over a database. */
const sendOver = async (DB: D1Database, method: string, path: string, body: unknown): Promise<Response> => {
  const { headers, vars } = await withKey('writer')
  return send(path, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
    headers: { ...headers, 'Content-Type': 'application/json' },
    vars: { ...vars, DB },
  })
}

/** Returns the answers to a request if the statement runs before its first batch, before its second, and so on. */
const answersWith = async (statement: string, undo: string, method: string, path: string, body?: unknown) => {
  const answers: { status: number; body: unknown }[] = []
  for (let before = 1; ; before++) {
    const { DB, came } = interrupted(before, statement)
    const response = await sendOver(DB, method, path, body)
    const text = await response.text()
    if (!came()) return answers
    answers.push({ status: response.status, body: text === '' ? null : JSON.parse(text) })
    await env.DB.prepare(undo).run()
  }
}

describe('a series that becomes hidden during a write looks missing', () => {
  const uuid = '10000000-0000-4000-8000-000000000000'
  const absent = { status: 404, body: { detail: 'Not found.' } }
  const noSeries = {
    status: 400,
    body: { 'properties.event_series': ['There is no event series 1. The series are listed at /api/v4/eventseries/.'] },
  }
  const level = (number: unknown) => `UPDATE event_series SET access_modifier = ${number} WHERE id = 1`

  it.each<[string, string, string, unknown, object, number?]>([
    ['to a post of an event', 'POST', EVENTS, feature(), noSeries],
    ['to a change of an event', 'PATCH', 'event', { properties: { value: 'new' } }, absent],
    ['to an event that moves to it', 'PATCH', 'event', { properties: { event_series: 1 } }, noSeries, 2],
    ['to a DELETE of an event', 'DELETE', 'event', undefined, absent],
    ['to a change of the series', 'PATCH', `${SERIES}${uuid}/`, { name: 'new' }, absent],
    ['to a change of its access level', 'PATCH', `${SERIES}${uuid}/`, { access_modifier: 'Private' }, absent],
    ['to its DELETE', 'DELETE', `${SERIES}${uuid}/?events=delete`, undefined, absent],
  ])('%s', async (_, method, address, body, expected, event_series = 1) => {
    const event = (await write('POST', EVENTS, feature({ event_series }))).body.properties.url
    const [{ now } = {}] = await rows('SELECT access_modifier AS now FROM event_series WHERE id = 1')
    const path = address === 'event' ? event : address
    const answers = await answersWith(level(300), level(now), method, path, body)
    expect(answers.length).toBeGreaterThan(1)
    expect(answers).toEqual(answers.map(() => expected))
  })
})

/** Returns the database, overloaded from one of the batches of a request on. */
const overloadedFrom = (first: number) => {
  const { seen, DB } = watchedDatabase((real) =>
    seen.trips < first
      ? real()
      : Promise.reject(new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')),
  )
  return { DB, batches: () => seen.trips }
}

describe('an overloaded database ends a write at once', () => {
  it.each<[string, string, unknown]>([
    ['POST', EVENTS, feature({ external_id: 'overload', event_series: 3 })],
    ['PATCH', `${SERIES}20000000-0000-4000-8000-000000000000/`, { description: 'new' }],
    ['DELETE', `${SERIES}20000000-0000-4000-8000-000000000000/?events=delete`, undefined],
  ])('%s %s', async (method, path, body) => {
    for (let first = 1; ; first++) {
      const { DB, batches } = overloadedFrom(first)
      const response = await sendOver(DB, method, path, body)
      if (batches() < first) {
        expect(first).toBeGreaterThan(2)
        break
      }
      expect([response.status, batches()]).toEqual([503, first])
    }
  })
})

it('two merge patches at the same time keep the members of both', async () => {
  const { body } = await write('POST', EVENTS, feature({ event_series: 3, attributes: { a: 1 } }))
  const other = (b: number) => `UPDATE event SET attributes = '{"a":1,"b":${b}}' WHERE id = ${body.id}`
  const undo = `UPDATE event SET attributes = '{"a":1}' WHERE id = ${body.id}`
  const patch = { properties: { attributes: { c: 3 } } }
  const answers = await answersWith(other(2), undo, 'PATCH', `/ogc/collections/events/items/${body.id}`, patch)
  const merged = { properties: { attributes: { a: 1, b: 2, c: 3 } } }
  expect(answers.length).toBeGreaterThan(2)
  expect(answers.slice(0, 2)).toMatchObject([
    { status: 200, body: merged },
    { status: 200, body: merged },
  ])
})
