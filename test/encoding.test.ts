import { describe, expect, it } from 'vitest'
import { beginWithSeed, send } from './service.ts'
import { EVENTS } from './store/writer.ts'

beginWithSeed()

describe('HEAD', () => {
  it.each<[string, HeadersInit]>([
    [`${EVENTS}?format=geojson&page_size=all`, {}],
    [`${EVENTS}?format=csv`, { 'Accept-Encoding': 'gzip' }],
    [`${EVENTS}1/`, { 'If-None-Match': '*' }],
  ])('%s: no Content-Length, because GET has none', async (path, headers) => {
    const head = await send(path, { method: 'HEAD', headers })
    expect(head.headers.get('Content-Length')).toBeNull()
  })
})

describe('an answer is compressed', () => {
  const asked = async (path: string, method = 'GET', headers: HeadersInit = { 'Accept-Encoding': 'gzip, br' }) => {
    const response = await send(path, { method, headers })
    await response.arrayBuffer()
    const { status, headers: said } = response
    return [status, said.get('Content-Encoding'), said.get('Vary')?.includes('Accept-Encoding')]
  }
  const CSV = `${EVENTS}?format=csv`

  it.each<[string, string, unknown[]]>([
    ['GET', CSV, [200, 'gzip', true]],
    ['HEAD', CSV, [200, 'gzip', true]],
    ['GET', `${CSV}&page_size=all`, [200, 'gzip', true]],
    ['HEAD', `${CSV}&page_size=all`, [200, 'gzip', true]],
    ['GET', `${EVENTS}1/?format=ndjson`, [200, 'gzip', true]],
    ['GET', EVENTS, [200, null, false]],
    ['GET', `${EVENTS}?format=geojson`, [200, null, false]],
    ['GET', `${CSV}&nope=1`, [400, null, false]],
  ])('%s %s: %j', async (method, path, expected) => {
    expect(await asked(path, method)).toEqual(expected)
  })

  it.each<[string | null, boolean]>([
    [null, false],
    ['', false],
    ['gzip', true],
    ['br, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000, br', false],
    ['*', true],
    ['*;q=0', false],
    ['gzip;q=0, *', false],
    ['identity, *;q=0.1', true],
    ['x-gzipped', false],
  ])('for a client that sends Accept-Encoding %j: %s', async (header, takes) => {
    const headers = header === null ? {} : { 'Accept-Encoding': header }
    expect(await asked(`${CSV}&page_size=1`, 'GET', headers)).toEqual([200, takes ? 'gzip' : null, true])
  })
})
