import { spawnSync } from 'node:child_process'
import { createServer, request, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import type { EventRecord } from '../records.ts'
import { readSeedEvents, runService } from '../running.ts'

/** GDAL opens the address as QGIS does, because QGIS uses GDAL. The test records the requests of GDAL. */
const isThere = spawnSync('ogrinfo', ['--version']).status === 0
if (!isThere) console.log('Skipped: there is no ogrinfo here. On Debian: apt-get install gdal-bin')

const service = runService({ ANONYMOUS_LEVEL: 'Hidden' })
const { folder } = service
const events = readSeedEvents()
let proxy: Server | undefined
let address = ''
const asked: string[] = []

/** Forwards requests to the service, and records their addresses. */
const listen = (to: string): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((incoming, outgoing) => {
      asked.push(decodeURIComponent(incoming.url ?? ''))
      const forwarded = request(
        `${to}${incoming.url}`,
        { method: incoming.method, headers: incoming.headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(outgoing)
        },
      )
      incoming.pipe(forwarded)
    }).listen(0, '127.0.0.1', () => resolve(server))
  })

beforeAll(async () => {
  proxy = await listen(service.address)
  const at = proxy.address()
  address = `http://127.0.0.1:${typeof at === 'object' && at !== null ? at.port : 0}/ogc`
})

afterAll(() => {
  proxy?.close()
})

/** Runs a program of GDAL in another process, and returns its output. */
const run = async (program: string, ...args: string[]): Promise<string> => {
  const { spawn } = await import('node:child_process')
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder })
    let [out, error] = ['', '']
    child.stdout.on('data', (part) => {
      out += part
    })
    child.stderr.on('data', (part) => {
      error += part
    })
    child.on('close', (status) =>
      status === 0 && !/ERROR/.test(error) ? resolve(out) : reject(new Error(`${status} ${error}`)),
    )
  })
}

const info = (...args: string[]) =>
  run('ogrinfo', '-ro', '-so', `OAPIF:${address}`, 'events', '-oo', `PAGE_SIZE=${MAX_PAGE_SIZE}`, ...args)
const countOf = (text: string): number => Number(/Feature Count: (\d+)/.exec(text)?.[1])

describe.skipIf(!isThere)('GDAL', () => {
  it('lists the collections', async () => {
    const text = await run('ogrinfo', '-ro', `OAPIF:${address}`)
    for (const name of ['events', 'eventseries']) expect(text).toContain(name)
  })

  it('knows the fields, their types and the count', async () => {
    const text = await info()
    expect(countOf(text)).toBe(events.length)
    const fields = [
      'category: String',
      'value: String',
      'timestamp_start: DateTime',
      'timestamp_end: DateTime',
      'event_series: String',
      'object_id: Integer',
    ]
    for (const field of fields) expect(text).toContain(`\n${field}`)
  })

  it('reads every feature', async () => {
    await run('ogr2ogr', '-f', 'GPKG', 'all.gpkg', `OAPIF:${address}`, 'events', '-oo', `PAGE_SIZE=${MAX_PAGE_SIZE}`)
    expect(countOf(await run('ogrinfo', '-ro', '-so', 'all.gpkg', 'events'))).toBe(events.length)
  })

  const start = Date.UTC(2015, 0, 1)
  it.each<[where: string, pushed: RegExp, matches: (event: EventRecord) => boolean]>([
    ["category = 'hurricane'", /category ?=|category=hurricane/, ({ category }) => category === 'hurricane'],
    ["category LIKE 'tropical%'", /filter=/, ({ category }) => /^tropical/i.test(category)],
    [
      "category IN ('hurricane', 'tropical storm')",
      /limit=10000/, // GDAL tests comma lists itself.
      ({ category }) => ['hurricane', 'tropical storm'].includes(category),
    ],
    ['object_id = 371', /object_id/, ({ object }) => object?.id === 371],
    ["timestamp_start >= '2015/01/01 00:00:00'", /filter=.*timestamp_start/, (event) => event.start >= start],
    [
      "category = 'hurricane' AND timestamp_start >= '2015/01/01 00:00:00'",
      /filter=.*timestamp_start/,
      (event) => event.category === 'hurricane' && event.start >= start,
    ],
    [
      "category = 'hurricane' OR object_id < 10",
      /filter=/,
      ({ category, object }) => category === 'hurricane' || (object !== null && object.id < 10),
    ],
  ])('-where %s', async (where, pushed, matches) => {
    asked.length = 0
    expect(countOf(await info('-where', where))).toBe(events.filter(matches).length)
    expect(asked.filter((path) => path.includes('/items')).at(-1)).toMatch(pushed)
  })

  it.each([
    [-80, 20, -60, 35],
    [3, 50, 8, 54],
  ])('-spat %d %d %d %d', async (west, south, east, north) => {
    asked.length = 0
    const expected = events.filter(
      ({ coordinates }) =>
        coordinates !== null &&
        (coordinates[0] ?? 0) >= west &&
        (coordinates[0] ?? 0) <= east &&
        (coordinates[1] ?? 0) >= south &&
        (coordinates[1] ?? 0) <= north,
    )
    expect(countOf(await info('-spat', ...[west, south, east, north].map(String)))).toBe(expected.length)
    expect(asked.some((path) => path.includes('bbox='))).toBe(true)
  })

  it('finds a feature by its id', async () => {
    expect(await run('ogrinfo', '-ro', `OAPIF:${address}`, 'events', '-fid', '371')).toContain('OGRFeature(events):371')
  })

  it('knows the types of the columns of a series, and sends conditions on them', async () => {
    const id = 'events-4df9f063-2b9c-5912-b69d-125657e72586'
    asked.length = 0
    const text = await run(
      'ogrinfo',
      '-ro',
      '-so',
      `OAPIF:${address}/collections/${id}`,
      id,
      '-where',
      'value_number >= 155',
    )
    expect(text).toContain('\nvalue_number: Real')
    expect(countOf(text)).toBe(5)
    expect(asked.some((path) => path.includes(`${id}/items`) && path.includes('filter=value_number >= 155'))).toBe(true)
  })

  it('opens the events of one series', async () => {
    const text = await run(
      'ogrinfo',
      '-ro',
      '-so',
      '-al',
      `OAPIF_COLLECTION:${address}/collections/events-99fe5d03-893d-5b20-8244-b9189db33e37`,
    )
    expect(countOf(text)).toBe(events.filter(({ series }) => series === 5).length)
  })
})
