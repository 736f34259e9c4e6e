import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSequence } from '../recorded/store.ts'
import { runService } from '../running.ts'
import { apiKeysOf, makeFolder, runCommand } from './program.ts'

const KEYS = { secret: { read: 'Hidden' } }
const at = makeFolder('compare')
const service = runService({ ROWS_PER_MINUTE: '0', API_KEYS: apiKeysOf(KEYS) }, true)

const [EVENTS, SERIES] = ['/api/v3/events/', '/api/v4/eventseries/']

/** Writes a line of the format combined. People and programs of the log have names that no report may show. */
const lineOf = (path: string, method = 'GET') =>
  `192.0.2.77 - alice [21/Nov/2026:08:00:00 +0100] "${method} ${path.replaceAll('"', '\\x22')} HTTP/1.1" 200 512 "https://referrer.example/" "Agent/1.0"\n`

const writeLog = (name: string, paths: readonly string[]): string => {
  writeFileSync(at(name), paths.map((path) => lineOf(path)).join(''))
  return at(name)
}

/** Compares, and returns the report. */
const compare = async (old: string, now: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = await runCommand('compare', [
    ...args,
    ...['--old', old, '--new', now, '--rate', '1000', '--json'],
  ])
  expect(stderr).toBe('')
  return { status, ...JSON.parse(stdout) }
}

/** A kind of request each, as docs/api.md tells them. Feeds are not here, because they name their host. */
const DOCUMENTED = [
  ...['/', '/api/v3/', '/api/v4/', EVENTS, SERIES, '/api/v3/eventseries/', '/api/v3/observationtypes/'],
  ...[
    '1/',
    '999999/',
    '?page=2',
    '?page=last',
    '?page=0',
    '?page_size=10001',
    '?categroy=x',
    '?ordering=-duration',
  ].map((rest) => EVENTS + rest),
  ...['csv', 'geojson', 'ndjson', 'spreadsheet', 'xlsx'].map((format) => `${EVENTS}?format=${format}&id__lt=50`),
  `${EVENTS}?geom_within={"type":"Polygon","coordinates":[[[3,50],[8,50],[8,54],[3,50]]]}`,
  `${EVENTS}summary/?facets=category&bins=year`,
  `${EVENTS}?format=csv&page_size=all&category=hurricane`,
  `${EVENTS.slice(0, -1)}?category=hurricane`,
  '/ogc/collections/events/items?limit=3&filter=category%20=%20%27hurricane%27',
  '/ogc/collections/events/tiles/WebMercatorQuad/3/3/2',
  '/api/v4/changes/',
  '/openapi.json',
]

/** A part of the requests of test/recorded. Pages of HTML have tags in them. */
const RECORDED = ['lists', 'reads', 'ogc', 'areas', 'documents'].flatMap((name) =>
  readSequence(name)
    .exchanges.map(({ request }) => request)
    .filter(
      ({ method, path, headers }) =>
        method === 'GET' && Object.keys(headers).length === 0 && /^\/(?!\S*html)\S+$/.test(path),
    )
    .filter((_, i) => i % 16 === 0)
    .map(({ path }) => path),
)

describe('a service and itself', () => {
  it('differ in no answer', { timeout: 120_000 }, async () => {
    const paths = [...DOCUMENTED, ...RECORDED]
    const log = writeLog('whole.log', paths)
    // The same service has another address there.
    const other = service.address.replace(/localhost|127\.0\.0\.1/, (host) =>
      host === 'localhost' ? '127.0.0.1' : 'localhost',
    )
    expect(other).not.toBe(service.address)
    // Each mark has a seal of its own.
    const report = await compare(service.address, other, log, '--ignore', 'mark: value')
    expect(report).toMatchObject({ status: 0, kinds: [], differing: { requests: 0, inLog: 0 } })
    expect(report.compared).toEqual({ requests: new Set(paths).size, inLog: paths.length })
    expect(report.milliseconds.old.p95).toBeGreaterThanOrEqual(report.milliseconds.old.median)
  })
})

interface Sent {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Changes an answer of the proxy. The proxy sends nothing for null. */
type Change = (sent: Sent, tries: number) => Partial<Sent> | null

/** Changes a page. */
const json =
  // biome-ignore lint/suspicious/noExplicitAny: the changes know the shape of the lists.
    (change: (page: any, first: any) => unknown): Change =>
    ({ text }) => {
      const page = JSON.parse(text)
      change(page, page.results[0])
      return { text: JSON.stringify(page) }
    }
const { assign } = Object

/** Changes a header. */
const header =
  (name: string, change: (value: string) => string | undefined): Change =>
  ({ headers }) => ({ headers: { ...headers, [name]: change(String(headers[name])) } })

const PROPERTIES = 'results[].properties'
const busy = { status: 429, headers: { 'retry-after': '0' } }
const CSV = '&format=csv'

/** Changes that a report must tell, by the kinds of the difference. Without a kind, the answers mean the same. */
const PLANTED: readonly (readonly [change: Change, kind: string | null, query?: string])[] = [
  [() => ({ status: 404, text: '{"detail": "Not found."}' }), 'status 200 and 404'],
  [() => ({ status: 301, headers: { location: '/elsewhere/' } }), 'status 200 and 301'],
  [() => ({ status: 503 }), 'new fails'],
  [() => null, 'new fails'],
  [() => busy, 'new fails'],
  [json((page) => assign(page, { count: page.count + 1 })), 'count: value'],
  [json((page) => page.results.splice(1, 1)), 'results: items'],
  [json((page, first) => page.results.push({ ...first, id: 0 })), 'results: items'],
  [json((page) => page.results.push(page.results[2])), 'results: items'],
  [json((page) => page.results.reverse()), 'results: order'],
  [json((page) => delete page.results[1].properties.category), `${PROPERTIES}.category: only old`],
  [json((_, first) => assign(first, { start: 5 })), 'results[].start: only new'],
  [json((_, { properties }) => assign(properties, { value: `${properties.value} ` })), `${PROPERTIES}.value: value`],
  [json((_, { properties }) => assign(properties, { url: null })), `${PROPERTIES}.url: value`],
  [json((_, { properties }) => assign(properties, { event_series: '5' })), `${PROPERTIES}.event_series: value`],
  [json((_, { geometry }) => assign(geometry.coordinates, [0.1])), 'results[].geometry.coordinates[]: value'],
  [json((page) => assign(page, { next: page.next.replace('//', '//internal.') })), 'next: value'],
  [header('content-type', (type) => `${type}; charset=utf-8`), 'header Content-Type'],
  [header('allow', () => 'GET, HEAD'), 'header Allow'],
  [header('vary', () => undefined), 'header Vary'],
  [header('link', () => undefined), 'header Link'],
  [header('content-disposition', () => 'inline'), 'header Content-Disposition', CSV],
  [({ text }) => ({ text: text.slice(0, -9) }), 'body'],
  [({ text }) => ({ text: text.replace(/\d,/, 'x') }), 'body', CSV],
  [() => ({ text: '{"page_size": ["Too large."]}' }), 'body of 400', '&page_size=10001'],

  [({ text }) => ({ text: text.replace(/"count":(\d+)/, '"count": $1.0e0') }), null],
  [({ text }) => ({ text: JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse())) }), null],
  [header('allow', (names) => names.toLowerCase().split(', ').reverse().join()), null],
  [header('etag', () => '"x"'), null],
  [json((page) => assign(page, { next: page.next.replace(/\?hint=[^&]*&(.*)&(.*)$/, '?$2&$1&hint=x') })), null],
  [(_, tries) => (tries === 1 ? busy : {}), null],
]

const pathOf = (i: number) =>
  `${EVENTS}?page_size=3&id__gt=${i}${PLANTED[i]?.[2] ?? ''}`.replace(/page_size=3&(.*page_size)/, '$1')

describe('a service that answers otherwise', () => {
  const tries = new Map<string, number>()
  const proxy = createServer(async ({ url = '', headers }, response) => {
    const asked = send(service.address + url, { headers: { ...headers, 'accept-encoding': 'identity' } }).end()
    const [answer] = await once(asked, 'response')
    const text = String(await buffer(answer))
    tries.set(url, (tries.get(url) ?? 0) + 1)
    const change = PLANTED.find((_, i) => pathOf(i) === url)?.[0] ?? (() => ({}))
    const sent = { status: answer.statusCode, headers: answer.headers, text }
    const changed = change(sent, tries.get(url) ?? 0)
    if (changed !== null) reply(response, { ...sent, ...changed })
  })
  const reply = (response: ServerResponse, { status, headers, text }: Sent) => {
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined && !/^(content-length|transfer-encoding|connection)$/.test(name))
        response.setHeader(name, value)
    response.writeHead(status).end(text)
  }
  const address = () => `http://localhost:${(proxy.address() as AddressInfo).port}`
  beforeAll(async () => once(proxy.listen(0), 'listening'))
  afterAll(() => {
    proxy.closeAllConnections()
    proxy.close()
  })

  it('differs in each planted kind, and in no other', async () => {
    const log = writeLog(
      'planted.log',
      PLANTED.map((_, i) => pathOf(i)),
    )
    const { status, kinds, compared, differing } = await compare(service.address, address(), log, '--timeout', '2')
    const planted = PLANTED.flatMap(([, kind]) => kind ?? [])
    const counts = Object.fromEntries(planted.map((kind) => [kind, planted.filter((each) => each === kind).length]))
    const found = kinds.map(({ kind, requests }: { kind: string; requests: number }) => [kind, requests])
    expect(Object.fromEntries(found)).toEqual(counts)
    expect([status, compared.requests]).toEqual([1, PLANTED.length])
    expect(differing.requests).toBe(planted.length)
  })

  it('gets a report with an example, without people and secrets', async () => {
    const count = pathOf(5)
    writeFileSync(
      at('mixed.log.gz'),
      gzipSync(
        [
          lineOf(count),
          lineOf(`https://old.example${count}`).replace(/ "https:\/\/referrer.*/, ''),
          `old.example:443 ${lineOf(`${EVENTS}?category=%C3%A9&access_token=hunter2`)}`,
          lineOf(EVENTS, 'POST'),
          lineOf('/x/1/', 'PATCH'),
          '192.0.2.77 no request\n',
          '192.0.2.77 - - [21/Nov/2026:08:00:00 +0100] "\\x16\\x03\\x01" 400 0 "-" "-"\n',
        ].join(''),
      ),
    )
    const args = [at('mixed.log.gz'), '--old', service.address, '--new', address(), '--rate', '1000']
    const { status, stdout, stderr } = await runCommand('compare', args)
    expect([status, stderr]).toEqual([1, ''])
    expect(stdout.replaceAll(at(), '').replace(/(median|percentile) \d+/g, '$1 N')).toMatchInlineSnapshot(`
      "Compared 2 requests (3 in the log). The answers to 1 request (2 in the log) differ.
      Left out: 1 POST, 1 PATCH.
      Left out: 2 lines in another format. The first is /mixed.log.gz, line 6.
      Milliseconds of old: median N, 95th percentile N.
      Milliseconds of new: median N, 95th percentile N.

      count: value: 1 request (2 in the log)
        /api/v3/events/?page_size=3&id__gt=5
        old: 15170
        new: 15171
      "
    `)
    expect(stdout).not.toMatch(/192\.0\.2|alice|referrer|Agent|hunter2/)
    expect(await runCommand('compare', [...args, '--ignore', 'count: value'])).toMatchObject({ status: 0 })
  })
})

describe('compare', () => {
  it('reads the standard input, and sends the keys of variables', () => {
    const env = { ...process.env, EVENTS_KEY_OLD: 'secret', EVENTS_KEY_NEW: 'Bearer wrong' }
    const args = ['seed/commands/compare.ts', '-', '--old', service.address, '--new', service.address, '--json']
    const ran = spawnSync(process.execPath, args, { env, input: lineOf(SERIES), encoding: 'utf8' })
    const { kinds } = JSON.parse(ran.stdout)
    expect([ran.status, kinds]).toMatchObject([1, [{ kind: 'status 200 and 401', path: SERIES }]])
    expect(ran.stdout).not.toMatch(/secret|wrong/)
  })

  const closed = 'http://localhost:1'
  it.concurrent.each([
    [['--old', closed], '--new is missing'],
    [['--old', 'x', '--new', closed], '--old is "x": enter an address'],
    [['--old', 'http://me:pw@localhost:1', '--new', closed], 'enter its key in the variable EVENTS_KEY_OLD'],
    [['--old', closed, '--new', closed], 'http://localhost:1 cannot be reached: '],
    [['--old', closed, '--new', closed, '--rate', '0'], '--rate is "0": enter a number'],
    [['--old', closed, '--new', closed, '--path', '/x/'], 'has no GET of /x/'],
    [['none.log', '--old', closed, '--new', closed], 'cannot read none.log'],
  ])('%j is refused', async (args, fault) => {
    const { status, stderr } = await runCommand('compare', [writeLog('one.log', [EVENTS]), ...args])
    expect([status, stderr]).toEqual([1, expect.stringContaining(fault)])
    expect(stderr).not.toContain('pw@')
  })
})
