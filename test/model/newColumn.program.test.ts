import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../seed/local/wrangler.ts'
import { isInstalled, type PostgresServer, startPostgres } from '../postgres/server.ts'
import { putDatabase, storedOf, VERSIONS } from '../schema/stored.ts'
import { query } from '../seed/dump.ts'
import { apiKeysOf } from '../seed/program.ts'
import type { RunningWorker } from '../worker.ts'

/** The project without its tests. The copy gets a nullable integer column of events by the changes of addProbe. */
const COPIED = ['src', 'schema', 'seed', 'dist', 'package.json', 'package-lock.json', 'tsconfig.json', 'wrangler.toml']

/** Inserts a text before the first match in a file of the copy. */
function insert(file: string, before: RegExp, text: string): void {
  const old = readFileSync(at(file), 'utf8')
  const place = old.search(before)
  if (place < 0) throw new Error(`${file}: ${before}`)
  writeFileSync(at(file), `${old.slice(0, place)}${text}\n${old.slice(place)}`)
}

/** The migration of the next minor version. */
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const MIGRATION = `0001_${version.replace(/\.(\d+)\.\d+$/, (_: string, minor: string) => `.${Number(minor) + 1}.0`)}.sql`

/** The field that CONTRIBUTING.md adds, under a name that no table has. */
const GUIDE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').replaceAll('severity', 'probe')
const [, FIELD = ''] = /```ts\n(\s+probe: \{.*?)\s+```/s.exec(GUIDE) ?? []
/** The lines that it adds beside the external id, and their files. */
const LINES = GUIDE.matchAll(/^ *- `(.+)`: `(.*probe.*)`$/gm)

function addProbe(): void {
  for (const [, file = '', line = ''] of LINES) insert(file, /^ +external_?id:? /im, line)
  insert('src/model/event.ts', /^ {2}last_modified: /m, FIELD)
  expect(node('schema/migration.ts')).toBe(`Wrote ${MIGRATION}\n`)
}

const SERIES = '1f3fd2e4-e4f6-564f-b861-9051626e9eb4'
const ALL = '/api/v3/events/'
const V4 = `/api/v4/eventseries/${SERIES}/events/`

const KEY = 'writes-all'
const API_KEYS = apiKeysOf({ [KEY]: { read: 'Hidden', write: true } })
const RECORDS = [
  { kind: 'observation_type', id: 1, code: 'quake', name: 'Quake', unit: null },
  {
    ...{ kind: 'event_series', id: 1, uuid: SERIES, name: 'Quakes', description: '' },
    ...{ observation_type: 1, statistic: 'raw', color: '#102030', access_modifier: 'Public' },
    ...{ created: '2018-02-07T01:49:14.000001Z', last_modified: null },
  },
  ...[5, 7, null].map((probe, i) => ({
    ...{ kind: 'event', id: i + 1, series: 1, category: 'quake', value: '', start: 1000, end: 2000 },
    ...{ coordinates: [5.1 + i, 52.2, 0], object: null, external_id: null, last_modified: null, probe },
  })),
]

const folder = mkdtempSync(join(tmpdir(), 'probe-'))
const at = (path: string) => join(folder, path)
const services: Record<string, RunningWorker> = {}
let server: PostgresServer | null = null

/** Runs a script of the copy. Returns what it prints. */
function node(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`)
  return stdout
}

const Authorization = `Bearer ${KEY}`
const request = (path: string, init: RequestInit = {}, engine = 'D1') =>
  fetch(new URL(path, services[engine]?.address), { ...init, headers: { Authorization, ...init.headers } })
// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
const json = async (path: string, engine?: string): Promise<any> => (await request(path, {}, engine)).json()
const text = async (path: string, engine?: string) => (await request(path, {}, engine)).text()
// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
const send = async (method: string, path: string, body: object): Promise<[number, any]> => {
  const headers = { 'Content-Type': 'application/json' }
  const response = await request(path, { method, headers, body: JSON.stringify(body) })
  return [response.status, await response.json()]
}

/** Serves the local database of the copy, and one of PostgreSQL, in this process. */
async function serve(): Promise<void> {
  const { listen } = await import(at('seed/serve/listen.ts'))
  const { makeMonitor } = await import(at('seed/serve/monitor.ts'))
  const { CONFIGURATION, PAGE_FILES: files } = await import(at('seed/local/configuration.ts'))
  const monitor = makeMonitor(() => {})
  const start = (service: object): Promise<RunningWorker> =>
    listen(service, monitor, { host: '127.0.0.1', port: 0, believesProxy: false, files })
  const variables = { ...CONFIGURATION.vars, API_KEYS }
  const { builtWorker } = await import(at('seed/serve/build.ts'))
  const { localService } = await import(at('seed/serve/local.ts'))
  services.D1 = await start(await localService(builtWorker(), at('.wrangler/state'), variables, monitor))
  if (!isInstalled()) return
  server = (await startPostgres()) as PostgresServer // it is installed
  const { owner, connectionString } = await server.createDatabase()
  node('seed/commands/copy.ts', 'records.ndjson', owner)
  const { postgresService } = await import(at('seed/serve/postgres.ts'))
  services.PostgreSQL = await start(await postgresService(connectionString, variables, monitor))
}

beforeAll(async () => {
  for (const name of COPIED) cpSync(join(ROOT, name), at(name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'))
  addProbe()
  writeFileSync(at('records.ndjson'), RECORDS.map((record) => JSON.stringify(record)).join('\n'))
  node('seed/commands/load.ts', 'records.ndjson')
  await serve()
}, 300_000)

afterAll(async () => {
  await Promise.all(Object.values(services).map((service) => service.close()))
  await server?.stop()
  rmSync(folder, { recursive: true })
})

it('a new column needs no other change for the compiler', { timeout: 300_000 }, () => {
  expect(node('node_modules/typescript7/bin/tsc', '--noEmit')).toBe('')
})

describe.each(isInstalled() ? ['D1', 'PostgreSQL'] : ['D1'])('a new column on %s', (engine) => {
  it.each([
    [ALL, 'count'],
    [V4, 'count'],
    ['/ogc/collections/events/items', 'numberMatched'],
  ])('is a filter of %s', async (path, count) => {
    const asked = path.startsWith('/ogc')
      ? ['probe=5', 'filter=probe>5', 'filter=probe>=5', 'filter=probe IN (5,6)', 'filter=probe IS NULL']
      : ['probe=5', 'probe__gt=5', 'probe__gte=5', 'probe__in=5,6', 'probe__lt=6']
    expect(await Promise.all(asked.map(async (query) => (await json(`${path}?${query}`, engine))[count]))).toEqual([
      1, 1, 2, 1, 1,
    ])
  })

  it.each([
    [`${ALL}?ordering=probe&page_size=1`, [1, 2, 3]],
    [`${ALL}?ordering=-probe&page_size=1`, [2, 1, 3]],
    ['/api/v4/events/?ordering=-probe&page_size=2', [2, 1, 3]],
    ['/ogc/collections/events/items?sortby=probe&limit=1', [1, 2, 3]],
    ['/ogc/collections/events/items?sortby=-probe&limit=1', [2, 1, 3]],
  ])('is the order of %s, and the event without a value is last', async (path, ids) => {
    const found: number[] = []
    for (let address: string | undefined = path; address; ) {
      const { results, features = results, next, links = [{ rel: 'next', href: next }] } = await json(address, engine)
      found.push(...features.map(({ id }: { id: number }) => id))
      address = links.find(({ rel }: { rel: string }) => rel === 'next')?.href
    }
    expect(found).toEqual(ids)
  })

  it.each([
    ['/api/v3/events/1/', 'properties.probe'],
    ['/api/v3/events/1/?format=geojson', 'properties.probe'],
    ['/api/v4/events/?id=1', 'results.0.properties.probe'],
    [`${V4}1/`, 'properties.probe'],
    ['/ogc/collections/events/items/1', 'properties.probe'],
  ])('is shown once in %s', async (path, member) => {
    const item = await json(path, engine)
    expect(member.split('.').reduce((value, part) => value[part], item)).toBe(5)
    expect(JSON.stringify(item).match(/"probe"/g)).toHaveLength(1)
  })

  it.each([
    ['csv', /,probe,.*,7,/s],
    ['ndjson', /"probe":7/],
    ['geojson', /"probe":7/],
    ['spreadsheet', /probe.*7/s],
  ])('is in a file of the format %s', async (format, pattern) => {
    expect(await text(`${ALL}?page_size=all&format=${format}`, engine)).toMatch(pattern)
  })
})

describe('a new column is shown', () => {
  it.each(['/api/v3/events/', '/api/v4/events/', V4])(
    'on the page of %s, with its filter and a column',
    async (path) => {
      const html = await (await request(path, { headers: { Accept: 'text/html' } })).text()
      const [, context = ''] = /id="context">(.*?)<\/script>/s.exec(html) ?? []
      expect(JSON.parse(context).about.fields).toContainEqual({
        name: 'probe',
        label: ['Severity', 'Ernst'],
        kind: 'integer',
        group: 'what',
        lookups: expect.arrayContaining(['', 'gte', 'in']),
        column: 2,
        order: 'probe',
      })
      expect(html).toMatch(/<th[^>]*>(probe|Severity)<\/th>/)
    },
  )

  it.each(['/openapi.json', '/ogc/api?f=json', '/ogc/collections/events/queryables', '/ogc/collections/events/schema'])(
    'in %s',
    async (path) => {
      expect(await text(path)).toContain('"probe"')
    },
  )
})

describe('a new column is written', () => {
  const times = { category: 'quake', start: '2018-02-07T01:49:14Z', end: '2018-02-07T01:49:15Z' }
  const feature = (properties: object) => ({ type: 'Feature', geometry: null, properties: { ...times, ...properties } })
  const shown = (probe: number | null) => ({ properties: { probe } })

  it('by POST, PATCH and PUT', async () => {
    const [status, made] = await send('POST', V4, feature({ probe: 9 }))
    expect([status, made]).toMatchObject([201, shown(9)])
    const item = `${V4}${made.properties.id ?? made.id}/`
    expect(await send('PATCH', item, { properties: { probe: 4 } })).toMatchObject([200, shown(4)])
    expect(await send('PUT', item, feature({ probe: 3 }))).toMatchObject([200, shown(3)])
    expect(await send('PUT', item, feature({}))).toMatchObject([200, shown(null)])
    expect((await send('PATCH', item, { properties: { probe: 'x' } }))[0]).toBe(400)
    expect((await request(item, { method: 'DELETE' })).status).toBe(204)
  })

  it('by a POST over an event with the same external id', async () => {
    const upsert = (probe: number) => send('POST', V4, feature({ external_id: 'q-1', probe }))
    expect(await upsert(1)).toMatchObject([201, shown(1)])
    expect(await upsert(2)).toMatchObject([200, shown(2)])
    expect(await json(`${V4}?external_id=q-1&probe=2`)).toMatchObject({ count: 1 })
  })
})

it('a new column is in a download as CSV, and in a load of it', { timeout: 120_000 }, async () => {
  writeFileSync(at('events.csv'), await text('/api/v3/events/?format=csv'))
  writeFileSync(
    at('series.ndjson'),
    RECORDS.slice(0, 2)
      .map((record) => JSON.stringify(record))
      .join('\n'),
  )
  node('seed/commands/load.ts', 'series.ndjson', '--persist-to', 'table')
  node('seed/commands/load.ts', 'events.csv', '--persist-to', 'table')
  node('seed/commands/export.ts', 'table.ndjson', '--persist-to', 'table')
  expect(readFileSync(at('table.ndjson'), 'utf8').match(/"probe":\d+/g)).toEqual(
    expect.arrayContaining(['"probe":5', '"probe":7']),
  )
})

it.each(VERSIONS)('a database of version %s gets the column, and keeps everything', async (version) => {
  const state = at(version)
  await putDatabase(version, state)
  const args = ['seed/commands/export.ts', 'kept.ndjson', '--persist-to', state]
  const { stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  expect(stderr).toContain(`Changed the database in ${state} by ${MIGRATION}. Earlier versions refuse it now.\n`)
  expect(readFileSync(at('kept.ndjson'), 'utf8')).toBe(`${storedOf(version, 'export.ndjson')}`)
  expect(query(state, 'SELECT DISTINCT probe FROM event')).toEqual([{ probe: null }])
})
