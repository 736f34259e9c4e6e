import { beforeAll, describe, expect, it } from 'vitest'
import { takesGzip } from '../src/encoding.ts'
import { load, send } from './service.ts'
import { EVENTS } from './store/writer.ts'

beforeAll(() => load())

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
])('Accept-Encoding %j takes gzip: %s', (header, takes) => {
  expect(takesGzip(header)).toBe(takes)
})

describe('compressed are', () => {
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

  it('not to who does not take it', async () => {
    expect(await asked(CSV, 'GET', { 'Accept-Encoding': 'br' })).toEqual([200, null, true])
  })
})
