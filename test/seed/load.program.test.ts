import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadFiles } from '../../seed/load/files.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { query, tableOf } from './dump.ts'
import { makeFolder } from './program.ts'

const HEAD = [
  '{"kind":"observation_type","id":1,"code":"wind_speed","name":"Wind speed","unit":null}',
  '{"kind":"event_series","id":2,"uuid":"1F3FD2E4-e4f6-564f-b861-9051626e9eb4","name":"Stürme","description":"","observation_type":1,"statistic":"raw","color":"#6e9eb4","access_modifier":"Private","created":"2018-02-07T01:49:14.000001Z","last_modified":null}',
]
const SECOND_SERIES = HEAD[1]?.replace('"id":2', '"id":3').replace('1F3F', '2F3F') ?? ''
const NEAR =
  '{"kind":"event","id":7,"series":2,"category":"élan","value":"5","start":-10,"end":20,"coordinates":[5.1,52.3],"object":{"model":"storm","id":4}}'
const FAR =
  '{"kind":"event","id":9007199254740991,"series":2,"category":"","value":"6","start":-5,"end":253402300799999,"coordinates":[-179.12345678901235,-89.9,3.5],"object":null}'
const NOWHERE =
  '{"kind":"event","id":8,"series":2,"category":"élan","value":"","start":-30,"end":-30,"coordinates":null,"object":{"model":"storm","id":4}}'

const at = makeFolder('load')
let empty: string

beforeAll(async () => {
  empty = at('empty')
  const { close } = await openDatabase(empty)
  await close()
})

describe('npm run load', () => {
  it('adds files to the data, and computes the columns of the series', async () => {
    const state = database('add')
    const first = load(file('first.ndjson', [...HEAD, SECOND_SERIES, '', NEAR]), '--persist-to', state)
    expect(first).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^Period: .*\nBounds: .*\nCategories: .*\nLoaded 1 event and 2 event series in [\d.]+ s\.\nSee \/api\/v3\/events\/\n$/,
      ),
    })
    expect(seriesOf(state)).toMatchObject([
      { id: 2, event_count: 1, start: -10, end: 20, west: 5.1, east: 5.1, south: 52.3, north: 52.3 },
      { id: 3, event_count: 0, start: null, end: null, west: null, east: null, south: null, north: null },
    ])

    const rest = [file('far.ndjson.gz', [FAR]), file('nowhere.ndjson', [NOWHERE.replace('"series":2', '"series":3')])]
    expect(load(...rest, `--persist-to=${state}`).status).toBe(0)
    expect(seriesOf(state)).toEqual([
      {
        id: 2,
        uuid: '1f3fd2e4-e4f6-564f-b861-9051626e9eb4',
        name: 'Stürme',
        name_folded: 'STÜRME',
        name_case_folded: 'stürme',
        description: '',
        observation_type_id: 1,
        statistic: 'raw',
        color: '#6e9eb4',
        access_modifier: 200,
        metadata: expect.stringContaining('"category"'),
        created: 1517968154000001,
        last_modified: null,
        event_count: 2,
        start: -10,
        end: 253402300799999,
        west: -179.12345678901235,
        east: 5.1,
        south: -89.9,
        north: 52.3,
      },
      expect.objectContaining({ id: 3, event_count: 1, start: -30, end: -30, west: null, north: null }),
    ])
    expect(query(state, 'SELECT event.*, text, folded FROM event JOIN category ON category.id = category_id')).toEqual([
      expect.objectContaining({ id: 7, x: 5.1, z: 0, object_id: 4, object_model_id: 1, text: 'élan', folded: 'ÉLAN' }),
      expect.objectContaining({ id: 8, x: null, y: null, z: null, cell: -1, object_model_id: 1, text: 'élan' }),
      expect.objectContaining({ id: 9007199254740991, z: 3.5, object_id: null, object_model_id: null, text: '' }),
    ])
    expect(query(state, 'SELECT revision FROM revision')).toEqual([{ revision: 2 }])
  })

  it('leaves out an event with the external id of an earlier line of its series', () => {
    const state = database('external')
    const named = (id: number, series: number, name: string | null) =>
      JSON.stringify({ ...JSON.parse(NEAR), id, series, external_id: name })
    const events = [named(1, 2, 'a'), named(2, 2, 'b'), named(3, 3, 'a'), named(4, 2, null), named(5, 2, null)]
    const path = file('external.ndjson', [...HEAD, SECOND_SERIES, ...events, named(6, 2, 'a'), named(7, 3, 'a')])
    const refused = load(path, '--persist-to', state)
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain(
      `${path}, line 9: "external_id" is "a", as on an earlier line of its series: enter another one, or leave the line out`,
    )
    expect(refused.stderr).toContain(`${path}, line 10: "external_id" is "a"`)
    expect(query(state, 'SELECT id FROM event')).toEqual([])
    const loaded = load(path, '--skip-invalid', '--persist-to', state)
    expect(loaded.status).toBe(2)
    expect(loaded.stdout).toMatch(
      /Loaded 5 events and 2 event series in [\d.]+ s\. 2 faulty records were left out\.\nSee \/api\/v3\/events\/\n$/,
    )
    expect(query(state, 'SELECT id FROM event ORDER BY id').map(({ id }) => id)).toEqual([1, 2, 3, 4, 5])
  })

  it('loads nothing twice, and refuses a stored id with other content', async () => {
    const state = database('twice')
    const path = file('twice.ndjson', [...HEAD, NEAR])
    expect(load(path, '--persist-to', state).status).toBe(0)
    expect(load(path, '--persist-to', state)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^Period: .*\nBounds: .*\nCategories: .*\nLoaded 0 events and 0 event series in [\d.]+ s\. 1 event and 1 event series were stored already\.\nSee \/api\/v3\/events\/\n$/,
      ),
      stderr: '',
    })
    const { db, close } = await openDatabase(state)
    for (const [line, other] of [
      [
        HEAD[0]?.replace('null', '"kn"'),
        'observation type id 1 exists already in the database, with another "unit": enter',
      ],
      [
        HEAD[1]?.replace('#6e9eb4', '#6e9eb5'),
        'event series id 2 exists already in the database, with another "color": ',
      ],
      [
        HEAD[1]?.replace('"id":2', '"id":9'),
        'event series uuid 1f3fd2e4-e4f6-564f-b861-9051626e9eb4 exists already in the database, with another "id"',
      ],
      [NEAR.replace('"5"', '"6"'), 'event id 7 exists already in the database, with another "value"'],
      [NEAR.replace('5.1,52.3', '5.1,52.3,1'), 'with another "coordinates"'],
      [NEAR.replace('"id":4', '"id":5'), 'with another "object"'],
    ] as const)
      await expect(loadFiles(db, [file('other.ndjson', [line ?? ''])]), line).rejects.toThrow(
        `line 1: ${other}`.replace('line 1: with', 'with'),
      )
    await close()
    expect(query(state, 'SELECT (SELECT count(*) FROM event) AS events, revision FROM revision')).toEqual([
      { events: 1, revision: 1 },
    ])
  })

  it('refuses a faulty file with its line and reason, and loads none of it', async () => {
    const state = database('faulty')
    const faults: [lines: string[], reason: string][] = [
      [[...HEAD, NEAR, NEAR.replace('"5"', '5')], 'line 4: "value" is 5: enter a text'],
      [[...HEAD, '', NEAR, NEAR], 'line 5: event id 7 exists already on an earlier line'],
      [[...HEAD, HEAD[1] ?? ''], 'line 3: event series id 2 exists already at '],
      [
        [...HEAD, HEAD[1]?.replace('"id":2', '"id":3') ?? ''],
        'line 3: event series uuid 1f3fd2e4-e4f6-564f-b861-9051626e9eb4',
      ],
      [[...HEAD, NEAR.replace('"series":2', '"series":5')], 'line 3: there is no event series 5'],
      [[HEAD[1] ?? ''], 'line 1: there is no observation type 1'],
      [[...HEAD, '{"kind":"event"'], 'line 3: the line is not JSON'],
      [['', ' '], 'nothing to load'],
    ]
    const { db, close } = await openDatabase(state)
    for (const [i, [lines, reason]] of faults.entries()) {
      const path = file(`faulty-${i}.ndjson`, lines)
      await expect(loadFiles(db, [path])).rejects.toThrow(reason)
      await expect(loadFiles(db, [path])).rejects.toThrow(path)
    }
    await close()
    expect(load(file('faulty.ndjson', [...HEAD, 'x']), '--persist-to', state)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^load: .*faulty.ndjson, line 3: the line is not JSON: .*\n$/),
    })
    expect(query(state, 'SELECT id FROM observation_type UNION ALL SELECT id FROM revision')).toEqual([])
  })

  it('converts coordinates, drops duplicates and reports what it read', async () => {
    const { db, close } = await openDatabase(database('converted'))
    const point = (x: number, day: number) =>
      `{"type":"Feature","geometry":{"type":"Point","coordinates":[${x},463000]},"properties":{"time":"2018-02-0${day}","station":"a"}}`
    const crs = '"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::28992"}}'
    const collection = (before: string, after: string) =>
      `{"type":"FeatureCollection",${before}"features":[${[point(155000, 1), point(155000, 1), point(156000, 2)]}]${after}}`
    const [ahead, behind] = [
      file('ahead.json', [collection(`${crs},`, '')]),
      file('behind.json', [collection('', `,${crs}`)]),
    ]
    const options = { series: 'Meldingen', dropDuplicates: true, dryRun: true }
    const outcome = await loadFiles(db, [ahead], options)
    expect(outcome).toMatchObject({
      totals: { event: 2, event_series: 1 },
      survey: [
        'Period: 2018-02-01T00:00:00.000Z to 2018-02-02T00:00:00.000Z',
        expect.stringMatching(/^Bounds: longitude 5\.387\d+ to 5\.401\d+, latitude 52\.155\d+ to 52\.155\d+$/),
        'Categories: 1 ("" 3)',
        'Equal to an earlier event: 1 of 3 events',
        'Times without a zone were read as UTC. For Dutch clocks add --timezone Europe/Amsterdam.',
        'Not loaded, because an event has no such field: station. To load it, add --attributes station',
        'New series Meldingen: Public, so everybody can read it. --access names another level',
      ],
    })
    expect((await loadFiles(db, [ahead], { ...options, dropDuplicates: false })).totals.event).toBe(3)
    await expect(loadFiles(db, [behind], { ...options, skipInvalid: true })).rejects.toThrow(
      'its "crs" is EPSG:28992: add --crs 28992',
    )
    expect((await loadFiles(db, [behind], { ...options, crs: 'EPSG:28992' })).survey).toEqual(outcome.survey)
    await expect(loadFiles(db, [ahead], { ...options, crs: '31370' })).rejects.toThrow(
      '--crs is EPSG:31370: SRID 31370 is not known; enter coordinates in one of 4326',
    )
    const lambert = file('lambert.json', [collection('"crs":{"properties":{"name":"EPSG:2154"}},', '')])
    await expect(loadFiles(db, [lambert], options)).rejects.toThrow(
      `${lambert}: its "crs" is EPSG:2154: SRID 2154 is not known; enter coordinates in one of 4326`,
    )
    await expect(loadFiles(db, [ahead], { ...options, crs: 'RD' })).rejects.toThrow('--crs is "RD": enter an EPSG code')
    expect(await loadFiles(db, [ahead], { ...options, dryRun: false })).toMatchObject({ totals: { event: 2 } })
    expect(await loadFiles(db, [ahead], { ...options, dryRun: false })).toMatchObject({ totals: { event: 0 } })
    expect(await db.prepare('SELECT count(*) AS n FROM event').first('n')).toBe(2)
    await close()
  })

  it.each([
    ['urn:ogc:def:crs:OGC::CRS84h', 5.25, 52.25],
    ['http://www.opengis.net/def/crs/EPSG/0/4326', 5.25, 52.25],
    ['urn:ogc:def:crs:EPSG::4979', 5.25, 52.25],
    ['EPSG:7415', 155_000, 463_000],
  ])('reads a crs %s, before the features and in --crs', async (name, x, y) => {
    const { db, close } = await openDatabase(empty)
    const crs = `"crs":{"type":"name","properties":{"name":"${name}"}}`
    const list = `"features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[${x},${y},7]},"properties":{"time":"2018-02-01"}}]`
    const [plain, ahead] = ['', `${crs},`].map((before, i) =>
      file(`crs-${i}.json`, [`{"type":"FeatureCollection",${before}${list}}`]),
    ) as [string, string]
    const options = { series: 'Meldingen', dryRun: true }
    const { survey } = await loadFiles(db, [plain], { ...options, crs: name })
    expect(survey[1]).toMatch(/^Bounds: longitude 5\.[23]\d+ to 5\.[23]\d+, latitude 52\.[12]\d+ to/)
    expect((await loadFiles(db, [ahead], options)).survey).toEqual(survey)
    await close()
  })

  it('refuses a file that is not UTF-8 text', async () => {
    const { db, close } = await openDatabase(database('files'))
    const latin = at('latin.ndjson')
    writeFileSync(latin, Buffer.concat([Buffer.from(`${HEAD.join('\n')}\n`), Buffer.from(NEAR, 'latin1')]))
    const cut = at('cut.ndjson.gz')
    writeFileSync(cut, gzipSync(HEAD.join('\n')).subarray(0, 99))
    const workbook = at('book.xlsx')
    writeFileSync(workbook, 'PK\x03\x04\x14\x00[Content_Types].xml')
    const endless = file('endless.ndjson', ['a'.repeat(7_000_000)])
    for (const [path, reason] of [
      [latin, `${latin}, line 3: not UTF-8`],
      [cut, `cannot read ${cut}: unexpected end of file`],
      [workbook, `${workbook} is no Excel workbook: unpack it, or save it as .xlsx or CSV`],
      [endless, `${endless}, line 1: more than 2000000 characters`],
      [at('none'), 'the file does not exist'],
      [at(), 'not a regular file'],
    ] as const) {
      await expect(loadFiles(db, [path])).rejects.toThrow(reason)
    }
    await close()
  })

  it.each([
    [[], 'FILE is missing'],
    [['a.ndjson', '--persist'], "Unknown option '--persist'"],
    [['a.ndjson', '--persist-to'], "Option '--persist-to <value>' argument missing"],
  ])('refuses %j with one line', (args, reason) => {
    const { stdout, stderr, status } = load(...args)
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 })
    expect(stderr).toMatch(/^load: [^\n]*: see npm run load -- --help\n$/)
    expect(stderr).toContain(reason)
  })

  it('--help prints the usage', () => {
    const { stdout, stderr, status } = load('--help')
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    expect(stdout).toMatch(/^Usage: npm run load -- FILE... \[OPTION...\]/)
  })
})

const load = (...args: string[]) =>
  spawnSync(process.execPath, ['seed/commands/load.ts', ...args], { encoding: 'utf8' })

function file(name: string, lines: string[]): string {
  const path = at(name)
  const text = lines.join('\n')
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : `${text}\n`)
  return path
}

/** Makes a folder with an empty, migrated database. */
function database(name: string): string {
  const path = at(name)
  mkdirSync(path)
  cpSync(empty, path, { recursive: true })
  return path
}

const seriesOf = (state: string) => tableOf(state, 'event_series')
