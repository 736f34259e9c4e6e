import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { get, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { databaseFile } from '../../seed/local/database.ts'
import { isInstalled, type PostgresServer, startPostgres } from '../postgres/server.ts'
import { apiKeysOf, makeFolder, runCommand } from '../seed/program.ts'
import { giveDatabase, HOST, hasNginx, type OwnService, startNginx, startOwn } from './own.ts'

const at = makeFolder('own')
const KEYS = { API_KEYS: apiKeysOf({ writer: { read: 'Hidden', write: true } }) }
const WRITER = { Authorization: 'Bearer writer', 'Content-Type': 'application/json' }
const GZIP = { 'Accept-Encoding': 'gzip' }
const EVENTS = '/api/v3/events/'
const SERIES = '/api/v4/eventseries/'

let postgres: PostgresServer | null = null
let database = ''
beforeAll(async () => {
  chmodSync(at(), 0o755)
  if (!isInstalled()) return
  postgres = await startPostgres()
  const made = await postgres?.createDatabase()
  database = made?.connectionString ?? ''
  await runCommand('copy', ['seed/seed.ndjson.gz', made?.owner ?? '', '--quiet'])
}, 120_000)
afterAll(() => postgres?.stop())

/** Copies the default data, and starts the service on them. */
const startLocal = (name: string): Promise<OwnService> => {
  giveDatabase(inject('seeded'), at(name))
  return startOwn(at(name), [], KEYS)
}

const bodyOf = async (response: AsyncIterable<Buffer>): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return Buffer.concat(parts)
}

const read = async (url: string, headers: Record<string, string> = {}) => {
  const [response] = (await once(get(url, { headers }), 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, text: (await bodyOf(response)).toString() }
}

const AREA = 'POLYGON((3 50, 8 50, 8 54, 3 54, 3 50))'
/** Documented requests with their status and a part of the answer. */
const REQUESTS: readonly (readonly [string, number, RegExp, object?])[] = [
  [`${EVENTS}?page_size=2`, 200, /"next":"https:\/\/events\.example\.org\/api\/v3\/events\//],
  [`${EVENTS}1/`, 200, /"url":"https:\/\/events\.example\.org\/api\/v3\/events\/1\/"/],
  [`${EVENTS}0/`, 404, /"detail"/],
  [`${EVENTS}?id=x`, 400, /"id"/],
  [`${EVENTS}?geom_within=${encodeURIComponent(AREA)}`, 200, /"count"/],
  [
    EVENTS,
    200,
    /"count"/,
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `geom_within=${encodeURIComponent(AREA)}`,
    },
  ],
  [EVENTS, 200, /"description"/, { method: 'OPTIONS' }],
  [EVENTS, 200, /^$/, { method: 'HEAD' }],
  [SERIES, 200, /"count":11/],
  ['/api/v4/observationtypes/', 200, /"results"/],
  [`${EVENTS}summary/`, 200, /"count"/],
  ['/api/v4/events.csv?page_size=all', 200, /\r\n.*\r\n/],
  ['/api/v4/events.ndjson?page_size=3', 200, /\n/],
  ['/ogc/collections', 200, /"href":"https:\/\/events\.example\.org\/ogc/],
  ['/ogc/collections/events/tiles/WebMercatorQuad/0/0/0', 200, /./],
  ['/openapi.json', 200, /"openapi"/],
  ['/', 200, /<!doctype html>/i, { headers: { Accept: 'text/html' } }],
  ['/assets/favicon.svg', 200, /<svg/],
  ['/readyz', 200, /./],
  ['/metrics', 404, /./],
  [`${EVENTS}?id__in=${'99999999,'.repeat(990)}1`, 200, /"count":1,/],
]

interface Kind {
  readonly name: string
  readonly processes: number
  readonly start: (name: string) => Promise<OwnService>
  readonly isThere: () => boolean
}

const KINDS: readonly Kind[] = [
  { name: 'a local database', processes: 1, start: startLocal, isThere: () => true },
  { name: 'PostgreSQL', processes: 2, start: () => startOwn(database, [], KEYS), isThere: isInstalled },
]

describe.each(KINDS)('npm run serve by the unit, $processes times behind nginx, over $name', (kind) => {
  const { processes, start, isThere } = kind
  const runs = it.runIf(hasNginx() && isThere())
  const services: OwnService[] = []
  let nginx: Awaited<ReturnType<typeof startNginx>>
  beforeAll(async () => {
    if (!hasNginx() || !isThere()) return
    while (services.length < processes) services.push(await start('behind'))
    nginx = await startNginx(
      at(`nginx-${processes}`),
      services.map(({ port }) => port),
    )
  }, 60_000)
  afterAll(async () => {
    await nginx?.stop()
    for (const { child, ended } of services) {
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
    }
  })

  for (const [path, status, part, sent = {}] of REQUESTS)
    runs(`answers ${'method' in sent ? sent.method : 'GET'} ${path.slice(0, 60)} with ${status}`, async () => {
      const answer = await nginx.ask(path, sent)
      expect([answer.status, answer.body.toString()]).toEqual([status, expect.stringMatching(part)])
      const more = 'headers' in sent ? (sent.headers as object) : {}
      const small = await nginx.ask(path, { ...sent, headers: { ...more, ...GZIP } })
      if (small.headers['content-encoding'] === undefined || small.body.length === 0) return
      expect(small.headers.vary).toContain('Accept-Encoding')
      expect(gunzipSync(small.body).toString()).toMatch(part)
    })

  runs('redirects plain http, and refuses a key that came so to a proxy', async () => {
    const { status, headers } = await read(`http://127.0.0.1:${nginx.plain}${EVENTS}`, { Host: HOST })
    expect([status, headers.location]).toEqual([308, `https://${HOST}${EVENTS}`])
    const [{ port = 0 } = {}] = services
    const plain = { 'X-Forwarded-For': '203.0.113.5', 'X-Forwarded-Proto': 'http', ...WRITER }
    expect(await read(`http://127.0.0.1:${port}${EVENTS}`, plain)).toMatchObject({ status: 403 })
  })

  runs('writes one line of JSON with its time for each request, and counts them', async () => {
    await nginx.ask(`${EVENTS}?page_size=1`)
    const logs = () => services.flatMap(({ lines }) => lines.slice(1).filter((line) => !line.startsWith('Ready')))
    await expect.poll(() => logs().length).toBeGreaterThan(0)
    for (const line of logs())
      expect(JSON.parse(line)).toMatchObject({ time: expect.stringMatching(/Z$/), status: expect.any(Number) })
    const [{ port = 0 } = {}] = services
    const { text } = await read(`http://127.0.0.1:${port}/metrics`)
    expect(text).toMatch(/events_requests_total\{method="GET",route="\/api\/v3\/events\/",status="200"\} \d+/)
    expect(text).toMatch(/events_(disk_free_bytes|database_connections) [1-9]/)
  })
})

/** Waits until a service takes no new request. */
const isRefused = (port: number) =>
  expect
    .poll(() => read(`http://127.0.0.1:${port}/healthz`).catch(() => 'refused'), { timeout: 20_000 })
    .toBe('refused')

const DOWNLOAD = '/api/v4/events.csv?page_size=all'

describe.each(KINDS)('a signal to end npm run serve over $name', ({ start, isThere }) => {
  it.runIf(isThere())('lets a download go on', async () => {
    const { port, child, ended } = await start('downloads')
    const address = `http://127.0.0.1:${port}${DOWNLOAD}`
    const whole = await read(address)
    const [response] = (await once(get(address), 'response')) as [IncomingMessage]
    await once(response, 'readable')
    child.kill('SIGTERM')
    await isRefused(port)
    expect((await bodyOf(response)).toString()).toBe(whole.text)
    expect(await ended).toEqual([0, null])
  })
})

it('a signal to end npm run serve lets a write go on', async () => {
  const { port, child, ended } = await startLocal('writes')
  const properties = { event_series: 1, category: 'c', value: '1', timestamp_start: 0, external_id: 'last' }
  const body = JSON.stringify({ type: 'Feature', geometry: null, properties })
  const headers = { ...WRITER, 'Content-Length': body.length, Expect: '100-continue' }
  const asked = request({ host: '127.0.0.1', port, path: EVENTS, method: 'POST', headers })
  const answered = once(asked, 'response')
  asked.flushHeaders()
  await once(asked, 'continue')
  asked.write(body.slice(0, 50))
  child.kill('SIGTERM')
  await isRefused(port)
  asked.end(body.slice(50))
  const [response] = await answered
  expect(response.statusCode, (await bodyOf(response)).toString()).toBe(201)
  expect(await ended).toEqual([0, null])
  const stored = new DatabaseSync(databaseFile(at('writes')))
  expect(stored.prepare("SELECT count(*) AS n FROM event WHERE external_id = 'last'").get()).toEqual({ n: 1 })
  stored.close()
})

/** Sends bytes, and returns what is answered, until it has a form or the connection ends. */
const sendRaw = async (port: number, head: string, body: string, form: RegExp): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${head.replaceAll('\n', '\r\n')}\r\n\r\n${body}`)
  let text = ''
  for await (const part of socket) {
    text += part
    if (form.test(text)) break
  }
  return text
}

describe.each(KINDS)('npm run serve over $name, for odd requests', ({ start, isThere }) => {
  let port = 0
  let child: OwnService['child'] | undefined
  beforeAll(async () => {
    if (isThere()) ({ port, child } = await start('odd'))
  }, 60_000)
  afterAll(() => {
    child?.kill('SIGTERM')
  })

  const LARGE = 'x'.repeat(9_000_000)
  const posted = (path: string, key: string) =>
    `POST ${path} HTTP/1.1\nHost: x\nContent-Type: application/json\nAuthorization: Bearer ${key}\nContent-Length: ${LARGE.length}`
  it.runIf(isThere()).each<[string, string, RegExp, string?]>([
    ['a large body with a wrong key', posted(EVENTS, 'wrong'), /^HTTP\/1\.1 401 /, LARGE],
    ['a large body for nothing', posted('/nope', 'writer'), /^HTTP\/1\.1 404 /, LARGE],
    ['HTTP/1.0', `GET ${EVENTS}?page_size=1 HTTP/1.0`, /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n\{"count"/],
    ['a bad host', `GET ${EVENTS} HTTP/1.1\nHost: a/b?`, /^HTTP\/1\.1 400 /],
    ['two hosts', `GET ${EVENTS} HTTP/1.1\nHost: a\nHost: b`, /^HTTP\/1\.1 400 /],
    ['no path', 'OPTIONS * HTTP/1.1\nHost: a', /^HTTP\/1\.1 400 /],
    ['a whole address', `GET http://x${EVENTS}?page_size=1 HTTP/1.1\nHost: x`, /"next":"http:\/\/x\/api/],
    [
      'a scheme without --proxy from a proxy',
      `GET ${EVENTS}?page_size=1 HTTP/1.1\nHost: x\nX-Forwarded-Proto: https`,
      /"next":"http:/,
    ],
    [
      'headers of the runtime',
      `GET ${EVENTS}?page_size=1 HTTP/1.1\nHost: x\nMF-Original-URL: https://evil/`,
      /"next":"http:\/\/x\//,
    ],
    ['tools of the runtime', 'GET /cdn-cgi/local/platform-proxy HTTP/1.1\nHost: x', /^HTTP\/1\.1 404 /],
  ])('answers %s', async (_, head, answer, body) => {
    expect((await sendRaw(port, head, body ?? '', answer)).slice(0, 3000)).toMatch(answer)
  })
})

describe('the client of a request', () => {
  const FROM_OUTSIDE = { 'CF-Connecting-IP': '203.0.113.7', 'X-Forwarded-For': '203.0.113.8, 203.0.113.9' }
  it.each([
    ['is the one that the proxy says', [], 400],
    ['is the sender without --proxy', ['--proxy'], 200],
  ])('%s', async (_, without, status) => {
    giveDatabase(inject('seeded'), at(`client-${status}`))
    const { port, child } = await startOwn(at(`client-${status}`), ['--var', 'ROWS_PER_MINUTE:1'], KEYS, without)
    expect((await read(`http://127.0.0.1:${port}${EVENTS}`, FROM_OUTSIDE)).status).toBe(status)
    child.kill('SIGTERM')
  })
})

it.each([
  [['--port', 'x'], '--port is "x"'],
  [['--host', '203.0.113.1'], '--host is "203.0.113.1": enter an address of this machine'],
  [['--var', 'TITLE'], '--var is "TITLE"'],
  [['--var', 'FOO:bar'], '--var is "FOO": enter a variable'],
  [['--var', 'ANONYMOUS_LEVEL:Alles'], 'enter an access level: Public, Common, Private or Hidden'],
  [['--var', 'API_KEYS:x'], 'API_KEYS is not JSON'],
  [['--follow', 'http://127.0.0.1:1'], 'is no copy of a service'],
  [
    ['--persist-to', at('refused'), '--postgres', 'postgres://localhost/x'],
    '--persist-to and --postgres each name a database',
  ],
])('npm run serve refuses %j', async (args, message) => {
  const { status, stderr } = await runCommand('serve', ['--persist-to', at('refused'), ...args])
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
})
