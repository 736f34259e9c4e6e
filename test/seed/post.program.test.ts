import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openDatabase } from '../../seed/local/database.ts'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { type RunningWorker, startWorker } from '../worker.ts'
import { apiKeysOf, makeFolder, runCommand } from './program.ts'

const KEY = 'writes'
const READER = 'reads'
const API_KEYS = apiKeysOf({ [KEY]: { read: 'Hidden', write: true, name: 'load' }, [READER]: { read: 'Hidden' } })

const TYPES = '/api/v4/observationtypes/'

const at = makeFolder('post')
let service: RunningWorker

beforeAll(async () => {
  // A database without rows.
  await (await openDatabase(at('service'))).close()
  service = await startWorker(inject('worker'), at('service'), { API_KEYS }, true)
}, 120_000)

afterAll(async () => {
  await service.close()
})

describe('a load into an empty service', () => {
  it('stores the seed data, and a second load adds nothing', { timeout: 120_000 }, async () => {
    const first = await load('seed/seed.ndjson.gz')
    expect(first).toMatchObject({ status: 0, stderr: '' })
    expect(first.stdout).toMatch(/^Loaded 16231 events and 14 event series in /m)
    const before = await get(`/api/v3/events/?page_size=${MAX_PAGE_SIZE}`)
    expect(before.count).toBe(16231)
    expect((await load('seed/seed.ndjson.gz')).status).toBe(0)
    expect(await get(`/api/v3/events/?page_size=${MAX_PAGE_SIZE}`)).toEqual(before)
    expect((await get('/api/v4/eventseries/')).count).toBe(14)
    expect((await get(TYPES)).count).toBe(4)
  })

  it('creates the series of a CSV file', async () => {
    const file = at('a.csv')
    writeFileSync(file, 'x,y,start,value\n5,52,2018-02-06,a\n6,52,2018-02-07,b\n')
    const args = [file, '--series', 'Of a table', '--access', 'Private', '--observation-type', '1']
    for (let i = 0; i < 2; i++) expect(await load(...args)).toMatchObject({ status: 0, stderr: '' })
    const { stdout } = await load(...args)
    const [address = ''] = /http:.*$/m.exec(stdout) ?? []
    expect(stdout).toContain('Times without a zone were read as UTC.')
    expect(stdout).not.toContain('New series')
    const { results } = await get('/api/v4/eventseries/?name=Of%20a%20table')
    expect(results).toMatchObject([
      { access_modifier: 'Private', start: '2018-02-06T00:00:00Z', end: '2018-02-07T00:00:00Z' },
    ])
    expect(address).toBe(`${service.address}/api/v3/events/?event_series=${results[0].uuid}`)
    expect((await get(address.replace(service.address, ''))).count).toBe(2)
  })

  it('says what a file needs, and repeats no key', async () => {
    const file = at('needs.csv')
    writeFileSync(file, "x,y,it's $(when)\n5,52,2018-02-06\n")
    const args = [file, '--to', service.address, '--key', KEY]
    expect((await runCommand('load', args)).stderr.split('\n').slice(-2)).toEqual([
      `npm run load -- ${file} --to '${service.address}' --key KEY --series needs --start 'it'\\''s $(when)' --dry-run`,
      '',
    ])
  })

  it('describes the columns of a CSV file by its headers', async () => {
    const file = at('titled.csv')
    writeFileSync(file, 'x,y,start,Height (m),Place\n5,52,2018-02-06,1.5,Delft\n')
    const args = [file, '--series', 'Titled', '--observation-type', '1', '--attributes', '*', '--license', 'CC0-1.0']
    for (let i = 0; i < 2; i++) expect(await load(...args)).toMatchObject({ status: 0, stderr: '' })
    const { results } = await get('/api/v4/eventseries/?name=Titled')
    expect(await get(`/api/v4/eventseries/${results[0].uuid}/metadata/`)).toMatchObject({
      license: 'CC0-1.0',
      fields: [
        { name: 'timestamp_start', type: 'datetime' },
        { name: 'attributes__Height_m', title: 'Height', type: 'number', unit: 'm' },
        { name: 'attributes__Place', type: 'string' },
      ],
    })
  })

  it('reads a column whose header is a title of the series as that column, and says so', async () => {
    const [first, next] = [at('first.csv'), at('next.csv')]
    writeFileSync(first, 'x,y,start,value,d,Duur (min),Duur\n5,52,2018-02-06,1.5,2,3,4\n')
    writeFileSync(next, 'x,y,start,Volume (m³),Dikte,Duur (min),Duur\n5,52,2018-02-07,2.5,6,7,8\n')
    const args = ['--series', 'Of titles', '--observation-type', '1', '--attributes', '*']
    const words = ['--title', 'value=Volume,d=Dikte', '--unit', 'value=m³']
    expect(await load(first, ...args, ...words)).toMatchObject({ status: 0, stderr: '' })
    const { status, stdout } = await load(next, '--series', 'Of titles', '--attributes', '*')
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('Volume (m³) is the title of value, so its cells are read as value'),
    ])
    expect(stdout).toContain('Dikte is the title of d, so its cells are read as d')
    expect(stdout).not.toContain('Duur is the title')
    const wrong = await load(next, '--series', 'Of titles', '--category', 'Volumes')
    expect(wrong.stderr).toContain(
      'no column "Volumes": the columns of line 1 are x, y, start, Volume (m³), Dikte, Duur',
    )
    const { results } = await get('/api/v4/eventseries/?name=Of%20titles')
    const events = await get(`/api/v4/eventseries/${results[0].uuid}/events/`)
    expect(events.results.map(({ properties }: { properties: object }) => properties)).toMatchObject([
      { value: '1.5', attributes: { d: 2, Duur_min: 3, Duur: 4 } },
      { value: '2.5', attributes: { d: 6, Duur_min: 7, Duur: 8 } },
    ])
    const { fields } = await get(`/api/v4/eventseries/${results[0].uuid}/metadata/`)
    expect(fields.map(({ name, title }: { name: string; title?: string }) => [name, title])).toEqual(
      expect.arrayContaining([
        ['value', 'Volume'],
        ['attributes__d', 'Dikte'],
        ['attributes__Duur_min', 'Duur (min)'],
      ]),
    )
  })

  it('creates an observation type for a new code', async () => {
    const file = at('typed.csv')
    writeFileSync(file, 'x,y,start\n5,52,2018-02-06\n')
    const args = [file, '--series', 'Typed', '--observation-type', 'water_level']
    expect(await load(...args, '--dry-run')).toMatchObject({ status: 0, stderr: '' })
    expect((await get(TYPES)).count).toBe(4)
    for (let i = 0; i < 2; i++) expect(await load(...args)).toMatchObject({ status: 0, stderr: '' })
    const { count, results } = await get(`${TYPES}?ordering=-id`)
    expect([count, results[0]]).toMatchObject([5, { code: 'water_level', name: 'Water level', unit: null }])
    expect((await get('/api/v4/eventseries/?name=Typed')).results).toMatchObject([{ observation_type: results[0].url }])
    expect((await get('/api/v3/events/?event_series__name=Typed')).count).toBe(1)
  })

  it('reports the refusals of the service', async () => {
    const file = at('b.geojsonl')
    writeFileSync(file, '{"type":"Feature","geometry":null,"properties":{"start":"1970-01-01","event_series":99}}')
    expect(await load(file)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        `${file}, line 1: "properties.event_series": There is no event series 99. The series are listed at /api/v4/eventseries/.`,
      ),
    })
  })
})

it('a full database ends a load after one post, with a sentence', async () => {
  const file = at('full.csv')
  writeFileSync(file, 'x,y,start\n5,52,2018-02-06\n')
  let posts = 0
  // A proxy before the service, which answers as with a full database.
  const full = createServer(async (request, response) => {
    const body = await text(request)
    const isFull = request.method === 'POST' && request.url === '/api/v3/events/' && body.includes('Feature')
    if (isFull) posts += 1
    if (isFull) return void response.writeHead(507).end('{"detail":"The database is full."}')
    const { method, headers } = request
    const init = { method: method ?? '', headers: headers as Record<string, string>, ...(body && { body }) }
    const answer = await fetch(service.address + request.url, init)
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((resolve) => full.listen(0, '127.0.0.1', resolve))
  try {
    const to = `http://127.0.0.1:${(full.address() as AddressInfo).port}`
    expect(await runCommand('load', [file, '--series', 'Full', '--to', to, '--key', KEY])).toMatchObject({
      status: 1,
      stderr: `load: the database of ${to} is full: its operator must make room first\n0 earlier events were added. Run the same command again within a day to continue. It adds nothing twice.\n`,
    })
    expect(posts).toBe(1)
  } finally {
    full.close()
  }
})

describe('data that is read from the service and loaded back', () => {
  const readBack = async (format: string): Promise<string> => {
    const file = at(`back.${format}`)
    const path = `/api/v3/events/?event_series__name=Zomertijd Nederland&format=${format}&page_size=all`
    const response = await fetch(service.address + path, { headers: { Authorization: `Bearer ${KEY}` } })
    writeFileSync(file, Buffer.from(await response.arrayBuffer()))
    return file
  }

  it.each(['csv', 'geojson'])('is already there as %s', { timeout: 120_000 }, async (format) => {
    const before = await get('/api/v3/events/?page_size=1')
    const { count } = await get('/api/v3/events/?event_series__name=Zomertijd Nederland')
    const { stdout } = await load(await readBack(format))
    expect(
      stdout
        .trim()
        .split('\n')
        .at(-2)
        ?.replace(/[\d.]+ s\./, 'n s.'),
    ).toBe(`Loaded 0 events and 0 event series in n s. ${count} events and 0 event series were stored already.`)
    expect(await get('/api/v3/events/?page_size=1')).toEqual(before)
  })

  it('is a fault with advice if an id has other content, and --new-ids adds it', {
    timeout: 120_000,
  }, async () => {
    const [header, first = ''] = readFileSync(await readBack('csv'), 'utf8').split('\n')
    const file = at('other.csv')
    const id = first.split(',')[0]
    writeFileSync(file, `${header}\n${first.replace(/^(\d+),[^,]*,/, '$1,other,')}\n`)
    expect(await load(file)).toMatchObject({
      status: 1,
      stderr: `load: ${file}, line 2: event id ${id} exists already in the service, with another "category": send PATCH ${service.address}/api/v3/events/${id}/, or use --new-ids to add it as a new event\n`,
    })
    const count = async () => (await get('/api/v3/events/?category=other')).count
    expect(await count()).toBe(0)
    expect(await load(file, '--new-ids')).toMatchObject({ status: 0, stderr: '' })
    expect(await count()).toBe(1)
  })
})

it('two simultaneous loads create one type and one series, with each event once', { timeout: 120_000 }, async () => {
  const file = at('twin.csv')
  writeFileSync(file, 'x,y,start\n5,52,2018-02-06\n6,52,2018-02-07\n')
  const args = [file, '--series', 'Twin', '--observation-type', 'twin']
  const loads = await Promise.all([load(...args), load(...args), load(...args)])
  expect(loads.map(({ status, stderr }) => [status, stderr])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ])
  const { results } = await get(TYPES)
  expect(results.filter(({ code }: { code: string }) => code === 'twin')).toHaveLength(1)
  expect((await get('/api/v4/eventseries/?name=Twin')).count).toBe(1)
  expect((await get('/api/v3/events/?event_series__name=Twin')).count).toBe(2)
})

it('a series that was deleted and created again gets its events again', { timeout: 120_000 }, async () => {
  const file = at('again.csv')
  writeFileSync(file, 'x,y,start\n5,52,2018-02-06\n')
  const args = [file, '--series', 'Again', '--observation-type', '1']
  for (let i = 0; i < 2; i++) {
    expect(await load(...args)).toMatchObject({ status: 0, stderr: '' })
    const { results } = await get('/api/v4/eventseries/?name=Again')
    expect((await get(`/api/v3/events/?event_series=${results[0].uuid}`)).count).toBe(1)
    const headers = { Authorization: `Bearer ${KEY}` }
    await fetch(`${service.address}/api/v4/eventseries/${results[0].uuid}/?events=delete`, {
      method: 'DELETE',
      headers,
    })
  }
})

it('the key may be in the variable EVENTS_KEY', { timeout: 120_000 }, async () => {
  const file = at('keyed.csv')
  writeFileSync(file, 'x,y,start\n5,52,2018-02-06\n')
  const args = [file, '--series', 'Keyed', '--to', service.address]
  expect(await runCommand('load', args, KEY)).toMatchObject({ status: 0, stderr: '' })
  expect(await runCommand('load', [...args, '--key', KEY], 'wrong')).toMatchObject({ status: 0, stderr: '' })
  expect((await runCommand('load', args, 'wrong')).stderr).toContain('answers 401: ')
})

describe('a load with the options', () => {
  it.each([
    [['--to', 'example'], '--to URL needs a key: add --key KEY, or set EVENTS_KEY'],
    [['--to', 'example', '--key', 'x'], '--to is "example": enter an address'],
    [['--to', 'http://a', '--key', 'x', '--remote'], 'each name a target: use one of them'],
    [['--series', 'New', '--to', 'SERVICE', '--key', 'wrong'], 'answers 401: '],
    [['--series', 'New', '--to', 'SERVICE', '--key', READER], 'answers 403: '],
  ])('%j is refused', async (args, reason) => {
    const file = at('one.csv')
    writeFileSync(file, 'x,y,start\n5,52,2018-02-06\n')
    const given = args.map((arg) => (arg === 'SERVICE' ? service.address : arg))
    expect(await runCommand('load', [file, ...given])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(reason),
    })
  })
})

const load = (...args: string[]) => runCommand('load', [...args, '--to', service.address, '--key', KEY])

// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
async function get(path: string): Promise<any> {
  const response = await fetch(service.address + path, { headers: { Authorization: `Bearer ${KEY}` } })
  return JSON.parse((await response.text()).replaceAll(/hint=[\w-]+&/g, ''))
}
