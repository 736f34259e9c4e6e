import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadFiles } from '../../seed/load/files.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { readSeedEvents, runService } from '../running.ts'
import { apiKeysOf } from '../seed/program.ts'

/** QGIS is built on GDAL, so GDAL reads the answers as QGIS does. */
const isThere = spawnSync('ogrinfo', ['--version']).status === 0
if (!isThere) console.log('Skipped: there is no ogr2ogr here. On Debian: apt-get install gdal-bin')

const KEY = 'the-key-of-a-client-of-gdal'
const API_KEYS = apiKeysOf({ [KEY]: { read: 'Hidden', write: true } })
const service = runService({ ANONYMOUS_LEVEL: 'Hidden', API_KEYS })
const { folder } = service
const events = new Map(readSeedEvents().map((event) => [event.id, event]))

/** Runs a program of GDAL and returns its output. */
const run = (program: string, ...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 28, cwd: folder })
  expect([status, stderr]).toEqual([0, ''])
  return stdout
}

/** Saves an answer to a file. Returns its X-Total-Count. */
const save = async (path: string, name: string): Promise<number> => {
  // GDAL blocks this process, so it may miss that the service closes an idle connection.
  const response = await fetch(`${service.address}${path}`, { headers: { Connection: 'close' } })
  expect(response.status).toBe(200)
  writeFileSync(join(folder, name), Buffer.from(await response.arrayBuffer()))
  return Number(response.headers.get('X-Total-Count'))
}

type Row = Record<string, unknown>

/** Returns the rows of a query on the layer of a file, each as an object. */
const select = (file: string, sql: string, ...options: string[]): Row[] => {
  const out = run(
    'ogr2ogr',
    '-f',
    'GeoJSONSeq',
    '/vsistdout/',
    file,
    ...options,
    '-a_srs',
    'EPSG:4326',
    '-dialect',
    'SQLite',
    '-mapFieldType',
    'DateTime=String',
    '-sql',
    sql,
  )
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).properties)
}

/** The types of the columns in GDAL. Times are recognised as times. */
const FIELDS = [
  ...['category: String', 'value: String', 'timestamp_start: DateTime', 'timestamp_end: DateTime'],
  ...['event_series: String', 'event_series_name: String', 'object_type: String', 'object_id: Integer'],
  ...['last_modified: DateTime', 'url: String'],
]
const TIMES = 'timestamp_start, timestamp_end'

const expectTimes = (rows: readonly Row[]): void => {
  const read = rows.map(({ id, timestamp_start, timestamp_end }) => [
    id,
    Date.parse(String(timestamp_start).replaceAll('/', '-').replace(/\+00$/, 'Z')),
    Date.parse(String(timestamp_end).replaceAll('/', '-').replace(/\+00$/, 'Z')),
  ])
  expect(read).toEqual(rows.map(({ id }) => [id, events.get(Number(id))?.start, events.get(Number(id))?.end]))
}

describe.skipIf(!isThere)('ogr2ogr reads', () => {
  const places = (rows: Row[]) => new Map(rows.map(({ id, x, y, z }) => [id, [x, y, z]]))
  const expected = () =>
    new Map([...events.values()].map(({ id, coordinates }) => [id, coordinates ?? [null, null, null]]))

  it('all events as GeoJSON and converts them to a GeoPackage', async () => {
    expect(await save('/api/v3/events/?format=geojson&page_size=all', 'events.geojson')).toBe(events.size)
    const summary = run('ogrinfo', '-al', '-so', 'events.geojson')
    expect(summary).toContain(`Feature Count: ${events.size}\n`)
    expect(summary).toContain('Geometry: 3D Point\n')
    for (const field of FIELDS) expect(summary).toContain(`\n${field} (`)
    for (const absent of ['the_geom', 'object:']) expect(summary).not.toContain(`\n${absent}`)
    run('ogr2ogr', '-f', 'GPKG', 'events.gpkg', 'events.geojson', '-nln', 'events')
    expect(run('ogrinfo', '-al', '-so', 'events.gpkg')).toContain(`Feature Count: ${events.size}\n`)
    const sql = `SELECT url, ST_X(geom) AS x, ST_Y(geom) AS y, ST_Z(geom) AS z, value, ${TIMES} FROM events`
    const rows = select('events.gpkg', sql).map((row): Row => ({ ...row, id: Number(String(row.url).split('/')[6]) }))
    expectTimes(rows)
    expect(places(rows)).toEqual(expected())
    for (const { id, value } of rows) expect(value).toBe(events.get(Number(id))?.value)
  })

  it.each([
    ['wkt.csv', ['-f', 'CSV', '-lco', 'GEOMETRY=AS_WKT']],
    ['xyz.csv', ['-f', 'CSV', '-lco', 'GEOMETRY=AS_XYZ']],
  ])('events into %s, and the loader reads the copy', async (name, options) => {
    await save('/api/v3/events/?category=hurricane&page_size=3&format=geojson', 'some.geojson')
    run('ogr2ogr', ...options, name, 'some.geojson')
    const { db, close } = await openDatabase(join(folder, 'loaded'))
    const loaded = ['some.geojson', name].map((each) =>
      loadFiles(db, [join(folder, each)], { series: 'Copy', newIds: true, dryRun: true }),
    )
    const [own, copy] = await Promise.all(loaded)
    await close()
    expect([copy?.totals.event, copy?.survey]).toEqual([3, own?.survey])
  })

  it('all events as CSV with longitudes and latitudes', async () => {
    expect(await save('/api/v3/events/?format=csv&page_size=all', 'events.csv')).toBe(events.size)
    const options = ['X_POSSIBLE_NAMES=longitude', 'Y_POSSIBLE_NAMES=latitude', 'Z_POSSIBLE_NAMES=z'].flatMap(
      (name) => ['-oo', name],
    )
    const typed = [...options, '-oo', 'AUTODETECT_TYPE=YES', '-oo', 'KEEP_GEOM_COLUMNS=NO']
    const summary = run('ogrinfo', '-al', '-so', 'events.csv', ...typed)
    expect(summary).toContain(`Feature Count: ${events.size}\n`)
    for (const field of ['id: Integer', ...FIELDS]) expect(summary).toContain(`\n${field} (`)
    const sql = `SELECT id, ST_X(geometry) AS x, ST_Y(geometry) AS y, ST_Z(geometry) AS z, value, ${TIMES} FROM events`
    const rows = select('events.csv', sql, ...typed)
    expectTimes(rows)
    expect(places(rows)).toEqual(expected())
    for (const { id, value } of rows) expect(value).toBe(events.get(Number(id))?.value)
  })

  it('all series with the rectangles around their events', async () => {
    const count = await save('/api/v3/eventseries/?format=geojson&page_size=all', 'series.geojson')
    const summary = run('ogrinfo', '-al', '-so', 'series.geojson')
    expect(summary).toContain(`Feature Count: ${count}\n`)
    expect(summary).toMatch(/Geometry: Polygon\n/)
  })

  it.each([
    // GDAL requests the length first, and then a part that is longer than this file.
    ['/vsicurl/', 'hurricane'],
    ['/vsicurl_streaming/', 'tropical storm'],
    ['', 'hurricane'],
  ])('a list directly from its address: %s', (prefix, category) => {
    const query = new URLSearchParams({ format: 'geojson', category, page_size: 'all' })
    const address = `${prefix}${service.address}/api/v3/events/?${query}`
    const count = [...events.values()].filter((event) => event.category === category).length
    expect(run('ogrinfo', '-al', '-so', address)).toContain(`Feature Count: ${count}\n`)
  })

  // It adds events, so it is the last test.
  it('events as GeoJSON, and the loader and a post read the copy', async () => {
    await save('/api/v3/events/?category=hurricane&page_size=3&format=geojson', 'some.geojson')
    run('ogr2ogr', '-f', 'GeoJSON', 'copy.geojson', 'some.geojson')
    const body = JSON.parse(readFileSync(join(folder, 'copy.geojson'), 'utf8'))
    expect(body.crs.properties.name).toBe('urn:ogc:def:crs:EPSG::4979')
    const { db, close } = await openDatabase(join(folder, 'loaded'))
    const loaded = ['copy.geojson', 'some.geojson'].map((name) =>
      loadFiles(db, [join(folder, name)], { series: 'Copy', newIds: true, dryRun: true }),
    )
    const [copy, own] = await Promise.all(loaded)
    await close()
    expect([copy?.totals.event, copy?.survey]).toEqual([3, own?.survey])
    for (const feature of body.features) feature.id = feature.properties.external_id = undefined
    const post = { method: 'POST', headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/geo+json' } }
    const answer = await fetch(`${service.address}/api/v3/events/`, { ...post, body: JSON.stringify(body) })
    expect([answer.status, await answer.json()]).toEqual([201, expect.objectContaining({ created: 3 })])
  })
})
