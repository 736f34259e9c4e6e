import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { wholeOf } from '../../seed/load/drafts.ts'
import { createNumbers } from '../../seed/load/names.ts'
import { crsOf } from '../../seed/read/crs.ts'
import type { DraftRecord } from '../../seed/read/event.ts'
import type { FieldNames } from '../../seed/read/fields.ts'
import { itemsOf, placeOf, recognise } from '../../seed/read/items.ts'
import { ColumnStatistics } from '../../seed/read/statistics.ts'
import type { TimeOptions } from '../../seed/read/time.ts'
import { EVENT as EVENT_FIELDS } from '../../src/model/event.ts'
import { defaultsOf } from '../../src/model/members.ts'
import { random } from '../bench/events.ts'
import { makeFolder } from './program.ts'

const at = makeFolder('read')

const EVENT = {
  ...defaultsOf(EVENT_FIELDS),
  ...{ kind: 'event', id: 0, series: 9, value: 'a', start: 1517875200000, end: 1517875200000, coordinates: [5, 52, 0] },
}
const point = (coordinates: string) => `"geometry":{"type":"Point","coordinates":${coordinates}}`
const POINT = point('[5,52]')
/** The event of 1970-01-01. */
const EARLY = { ...EVENT, start: 0, end: 0 }
const feature = (properties: string, rest = POINT) => `{"type":"Feature",${rest},"properties":{${properties}}}`
const PLAIN = feature('"timestamp_start":1517875200000,"value":"a"')
const RECORD =
  '{"kind":"event","id":7,"series":9,"category":"","value":"a","start":1517875200000,"end":1517875200000,"coordinates":[5,52],"object":null}'
const SERIES = 9
const collection = (features: string) => `{"type":"FeatureCollection","features":[${features}]}`

type Said = {
  names?: FieldNames
  newIds?: boolean
  series?: number | null
  format?: string
  times?: TimeOptions
  srid?: number
  decimal?: string
  encoding?: string
}

let files = 0
async function read(
  name: string,
  content: string | Buffer,
  { names, newIds = false, series = SERIES, format, times, srid, decimal, encoding }: Said = {},
) {
  files += 1
  const file = at(`${files}-${name}`)
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(content) : content)
  const recognised = await recognise(file, { format, encoding, names })
  const converted = { ...(times && { times }), ...(srid && { crs: await crsOf(srid, '--crs') }), decimal }
  const source = {
    ...recognised,
    file,
    options: { names: { ...names }, series, newIds, ...converted },
    statistics: new ColumnStatistics(),
  }
  const found: unknown[] = []
  for await (const item of itemsOf(source))
    found.push(
      'record' in item ? whole(item.record) : `${placeOf(source, item.number)}: ${item.fault}`.replace(/^.*?, /, ''),
    )
  return { format: recognised.format, found }
}

const whole = (record: DraftRecord) => (record.kind === 'event' ? wholeOf(record) : record)

describe('a file is recognised and read', () => {
  const ALL_COLUMNS =
    'id,longitude,latitude,z,timestamp_start,timestamp_end,value,category,object_type,object_id\n3,5,52,1.5,1517875200000,1517875200001,"a\n""b","\'=x",storm,4\n'
  const ALL_FIELDS = {
    ...{ ...EVENT, id: 3, end: 1517875200001, value: 'a\n"b', category: '=x', coordinates: [5, 52, 1.5] },
    object: { model: 'storm', id: 4 },
  }
  it.each([
    ['a.ndjson', RECORD, 'ndjson', [{ ...EVENT, id: 7 }]],
    ['a.json', `\n${RECORD}\n`, 'ndjson', [{ ...EVENT, id: 7 }]],
    ['a', `\ufeff${RECORD}`, 'ndjson', [{ ...EVENT, id: 7 }]],
    ['a.geojson', collection(`${PLAIN},\n ${PLAIN}`), 'geojson', [EVENT, EVENT]],
    ['a.ndjson', `{"type":"FeatureCollection","features":[]}`, 'geojson', []],
    ['a.json', `{"count":1,"next":null,"results":[${PLAIN}]}`, 'geojson', [EVENT]],
    [
      'a.geojson.gz',
      `{\n"features": [ ${PLAIN} ],\n"bbox":[1,[2]],"name":"\\"]}","type":"FeatureCollection"}`,
      'geojson',
      [EVENT],
    ],
    ['a.geojson', JSON.stringify(JSON.parse(PLAIN), null, 1), 'geojson', [EVENT]],
    ['a.geojson', `${PLAIN}\n${PLAIN}\n`, 'geojsonl', [EVENT, EVENT]],
    ['a.geojsonl', PLAIN, 'geojsonl', [EVENT]],
    ['a.json', `\x1e${PLAIN}\n\x1e${JSON.stringify(JSON.parse(PLAIN), null, 1)}\n`, 'geojsonseq', [EVENT, EVENT]],
    ['a.csv', 'x,y,start,value\n5,52,2018-02-06,a\n', 'csv', [EVENT]],
    ['a.txt', 'LON;Lat;Timestamp_Start;Value\r\n5;52;2018-02-06T01:00:00+01:00;a\r\n', 'csv', [EVENT]],
    ['a.tsv', '\ufeffx\ty\ttime\tvalue\n5\t52\t1517875200000\t"a"', 'csv', [EVENT]],
    ['a.csv.gz', ALL_COLUMNS, 'csv', [ALL_FIELDS]],
    ['a.csv', 'x,y,start\n,,2018-02-06\n', 'csv', [{ ...EVENT, value: '', coordinates: null }]],
  ])('%s with %j', async (name, content, format, found) => {
    expect(await read(name, content)).toEqual({ format, found })
  })
})

describe('a feature is read', () => {
  it.each([
    ['"time":"2018-02-06","value":"a"', {}, EVENT],
    ['"start":"1970-01-01","value":3.5,"category":true', {}, { ...EARLY, value: '3.5', category: 'true' }],
    [
      '"start":"1970-01-01","mag":2,"event_series":4',
      { names: { value: 'mag' }, series: null },
      { ...EARLY, value: '2', series: 4 },
    ],
    [
      '"start":"1970-01-01","end":null,"value":"a","object":{"type":"storm","id":4}',
      {},
      { ...EARLY, object: { model: 'storm', id: 4 } },
    ],
    ['"when":"1970-01-01","value":"a"', { names: { start: 'when' } }, EARLY],
    ['"start":"1970-01-01","value":"a","fid":12', { names: { id: 'fid' } }, { ...EARLY, id: 12 }],
  ] as const)('%s with %j', async (properties, said, event) => {
    expect((await read('a.geojsonl', feature(properties), said)).found).toEqual([event])
  })

  it('keeps its id, or gets a new one with --new-ids', async () => {
    const line = feature('"start":1517875200000,"value":"a"', `"id":5,${POINT}`)
    expect((await read('a.geojsonl', line)).found).toEqual([{ ...EVENT, id: 5 }])
    expect((await read('a.geojsonl', line, { newIds: true })).found).toEqual([EVENT])
  })
})

describe('plain objects, one per line, are read', () => {
  it.each<[string, string, Said, unknown[]]>([
    ['a.ndjson', '{"time":"2018-02-06","lat":52,"lon":5,"value":"a"}', {}, [EVENT]],
    ['a.jsonl', '\n{"time":"2018-02-06","value":0.4,"mag":2}\n', {}, [{ ...EVENT, value: '0.4', coordinates: null }]],
    [
      'a.json',
      '{"when":1517875200,"x":155000,"y":463000}',
      { names: { start: 'when' }, times: { unit: 's' }, srid: 28992 },
      [{ ...EVENT, value: '', coordinates: [expect.closeTo(5.387, 3), expect.closeTo(52.155, 3), 0] }],
    ],
    [
      'a.ndjson',
      '{"kind":"storm","id":4,"time":"2018-02-06","z":1,"lat":52,"lon":5,"value":"a"}',
      {},
      [{ ...EVENT, id: 4, coordinates: [5, 52, 1] }],
    ],
    [
      'a.ndjson',
      '{"time":"2018-02-06"}\n[]\n{"time":',
      {},
      [
        { ...EVENT, value: '', coordinates: null },
        expect.stringMatching(/^line 2: not a JSON object/),
        expect.stringMatching(/^line 3: not JSON/),
      ],
    ],
  ])('%s %s %j', async (name, content, said, found) => {
    expect(await read(name, content, said)).toEqual({ format: 'objects', found })
  })
})

describe('coordinates of another reference system are converted', () => {
  const inRd = (geometry: string) => feature('"time":"2018-02-06","value":"a"', geometry)
  const amersfoort = [expect.closeTo(5.3872, 3), expect.closeTo(52.1552, 3)]

  it.each<[string, string, unknown]>([
    ['a.csv', 'x,y,z,time,value\n155000,463000,7,2018-02-06,a\n', { ...EVENT, coordinates: [...amersfoort, 7] }],
    ['a.csv', 'x,y,time,value\n,,2018-02-06,a\n', { ...EVENT, coordinates: null }],
    ['a.geojsonl', inRd(point('[155000,463000]')), { ...EVENT, coordinates: [...amersfoort, 0] }],
    ['a.geojsonl', inRd('"geometry":null'), { ...EVENT, coordinates: null }],
  ])('%s %s', async (name, content, event) => {
    expect((await read(name, content, { srid: 28992 })).found).toEqual([event])
  })
})

describe('decimal commas are read', () => {
  const at = (coordinates: unknown) => ({ ...EVENT, coordinates })
  const hint = (mark: string) => `or null; for decimal ${mark}`
  it.each([
    ['x;y;start;value\n5,5;52,25;2018-02-06;a\n', {}, at([5.5, 52.25, 0])],
    ['x\ty\tz\tstart\tvalue\n5\t-,5\t1,5\t2018-02-06\ta\n', {}, at([5, -0.5, 1.5])],
    ['x,y,start,value\n"5,5","52,25",2018-02-06,a\n', { decimal: ',' }, at([5.5, 52.25, 0])],
    ['x;y;start;value\n5,5;52,25;2018-02-06;52,1\n', {}, { ...at([5.5, 52.25, 0]), value: '52.1' }],
    ['x;y;start;value\n5,5;52,25;2018-02-06;1.234\n', {}, { ...at([5.5, 52.25, 0]), value: '1.234' }],
    ['x,y,start,value\n5.5,52.25,2018-02-06,"52,1"\n', {}, { ...at([5.5, 52.25, 0]), value: '52,1' }],
    ['x;y;start;value\n5,5;52,25;2018-02-06;030,12\n', {}, { ...at([5.5, 52.25, 0]), value: '030,12' }],
    [
      'x;y;start;value\n5,5;52,25;43137,5;a\n',
      { times: { unit: 'days-1900' } },
      { ...at([5.5, 52.25, 0]), start: 1517918400000, end: 1517918400000 },
    ],
    ['x;y;start;value\n5.5;52,25;2018-02-06;a\n', {}, expect.stringContaining(hint('commas use --decimal ,'))],
    [
      'x;y;start;value\n5.5;52.25;2018-02-06;a\n',
      { decimal: ',' },
      expect.stringContaining(hint('points use --decimal .')),
    ],
    ['x,y,start,value\n"5,5","52,25",2018-02-06,a\n', {}, expect.stringContaining(hint('commas use --decimal ,'))],
  ])('%j %j', async (content, said, event) => {
    expect((await read('a.csv', content, said)).found).toEqual([event])
  })
})

describe('other encodings are read', () => {
  const CSV = 'x,y,start,value\n5,52,2018-02-06,Zürich – €\n'
  const bytes = Buffer.from(CSV.replace('–', '\x96').replace('€', '\x80'), 'latin1')
  it.each([
    ['windows-1252', 'a.csv', bytes],
    ['windows-1252', 'a.csv.gz', bytes],
    ['utf-16le', 'a.csv', Buffer.from(`\ufeff${CSV}`, 'utf16le')],
    ['utf-16le', 'a.geojsonl', Buffer.from(`\ufeff${PLAIN.replace('"a"', '"Zürich – €"')}`, 'utf16le')],
  ])('%s %s', async (encoding, name, content) => {
    expect((await read(name, content, { encoding })).found).toEqual([{ ...EVENT, value: 'Zürich – €' }])
  })
})

it('a wrong character far into a file is reported with its line', async () => {
  const lines = Buffer.from(`x,y,start,value\n${`1,2,0,${'é'.repeat(200)}\n`.repeat(1_500)}`)
  const malformed = Buffer.from('1,2,0,\xe9\n', 'latin1')
  await expect(read('a.csv', Buffer.concat([lines, malformed, lines]))).rejects.toThrow(
    /line 1502: the bytes e9 are not UTF-8/,
  )
})

it('coordinates outside their reference system are refused', async () => {
  const { found } = await read('a.csv', 'x,y,time\n1e13,463000,2018-02-06\n', { srid: 3857 })
  expect(found).toEqual([
    'line 2: the position 10000000000000 463000 is outside SRID 3857; enter coordinates of that system',
  ])
})

describe('a row is refused with its line', () => {
  const metres = 'or null; for coordinates in metres use --crs, such as --crs 28992'
  const started = (properties: string, rest = POINT) => feature(`"start":"1970-01-01"${properties}`, rest)
  const POLYGON = '"geometry":{"type":"Polygon","coordinates":[]}'
  const LATE = '"start":"1970-01-01T00:00:05Z","end":"1970-01-01T00:00:04Z"'
  const EARLIER = '"end" is "1970-01-01T00:00:04Z", before "start", "1970-01-01T00:00:05Z": enter a later time'
  it.each([
    [
      'a.geojsonl',
      `${PLAIN}\n{"type":"Point"}`,
      'line 2: not a GeoJSON feature: enter an object with "type": "Feature"',
    ],
    ['a.geojsonl', `${PLAIN}\n{"type":`, 'line 2: not JSON: enter one whole object'],
    ['a.geojsonl', feature('"value":"a"'), 'line 1: "timestamp_start" is missing: enter ISO 8601'],
    ['a.geojsonl', feature('"start":"yesterday"'), 'line 1: "start" is "yesterday": enter'],
    ['a.geojsonl', feature(LATE), `line 1: ${EARLIER}`],
    ['a.geojsonl', started(',"value":{}'), 'line 1: "value" is {}: enter a text'],
    [
      'a.geojsonl',
      started(',"object":{"type":"A b","id":1}'),
      '"object" is {"model":"A b","id":1}: enter a model of a-z',
    ],
    ['a.geojsonl', started('', `"id":"x1",${POINT}`), 'line 1: "id" is "x1": enter a positive integer'],
    ['a.geojsonl', started('', POLYGON), 'line 1: "geometry" is a Polygon: enter a Point, or null'],
    ['a.geojsonl', started('', point('[500,1]')), 'line 1: "coordinates" is [500,1]: enter'],
    ['a.geojsonl', started('', point('[155000.5,463000]')), metres],
    ['a.geojson', collection(`${PLAIN},{"type":"x"}`), 'feature 2: not a GeoJSON feature'],
    ['a.json', `\x1e${PLAIN}\n\x1e{"a":1}\n`, 'feature 2: not a GeoJSON feature'],
    ['a.csv', 'x,y,start\n5,52,2018-02-06\n5,52\n', 'line 3: 2 cells, but the header has 3: write the same number'],
    ['a.csv', 'x,y,start\n"5",52,"2018-\n02-06"\n5,52,soon\n', 'line 2: "start" is "2018-\\n02-06": enter'],
    ['a.csv', 'lon,lat,start\n5,,2018-02-06\n', 'line 2: "lon, lat" is [5,null]: enter [longitude, latitude]'],
    ['a.csv', 'lon,lat,start\n52,105,2018-02-06\n', '[52,105]: enter [longitude, latitude] or'],
    ['a.csv', 'lon,lat,start\n52,105,2018-02-06\n', '; these look like latitude, longitude'],
    ['a.csv', 'x,y,start\n500000,5700000,2018-02-06\n', metres],
    ['a.csv', 'lon,lat,start\nx,1,2018-02-06\n', 'line 2: "lon, lat" is ["x",1]: enter [longitude, latitude]'],
  ])('%s with %j', async (name, content, fault) => {
    const faults = (await read(name, content)).found.filter((each) => typeof each === 'string')
    expect(faults[0]).toContain(fault)
  })
})

describe('a file is refused', () => {
  const NO_OBJECT = 'the next value is not an object'
  const IN_RD = '{"type":"FeatureCollection","crs":{"properties":{"name":"EPSG:28992"}},"features":[]}'
  const LATIN = '--encoding is "latin-17": enter the name of an encoding, such as windows-1252, iso-8859-15 or utf-16le'
  const XML = '--format is "xml": enter ndjson, objects, geojson, json, geojsonl, geojsonseq, csv'
  it.each<[name: string, content: string, reason: string, said?: Said]>([
    ['a.geojson', '{"type":"FeatureCollection","features":[{}', 'the file ends in the middle of the collection'],
    ['a.geojson', collection(`${PLAIN} ${PLAIN}`), `after feature 1: ${NO_OBJECT}`],
    ['a.geojson', collection(`${PLAIN},`), `after feature 1: ${NO_OBJECT}`],
    ['a.geojson', collection('5'), `after feature 0: ${NO_OBJECT}`],
    ['a.geojson', '{"type":"Topology"}', 'no list of features'],
    ['a.geojson', `${collection('')} x`, 'not JSON'],
    ['a.geojson', IN_RD, 'its "crs" is EPSG:28992: add --crs 28992'],
    ['a.csv', 'x,y\n1,2\n', 'no column for start among x, y: name it with --start COLUMN'],
    ['a.csv', 'x,y,start\n1,2,0\n', 'no column "strat": did you mean start?', { names: { value: 'strat' } }],
    ['a.csv', 'x,y,start\n', LATIN, { encoding: 'latin-17' }],
    ['a.csv', 'x;y;start\n1;2;0\n', '--decimal is "comma": enter a comma or a point', { decimal: 'comma' }],
    ['a.csv', 'x,y,start\n', XML, { format: 'xml' }],
  ])('%s %j: %s %j', async (name, content, reason, said) => {
    await expect(read(name, content, said)).rejects.toThrow(reason)
  })
})

it('a collection in chunks of any size is read the same', async () => {
  const long = feature(`"start":"1970-01-01","note":"${'é{[]},\\"'.repeat(12_000)}"`)
  const all = `{"type":"FeatureCollection","features":[${Array(40).fill(long).join(' ,\n')}]}`
  const { found } = await read('a.geojson', all)
  expect(found).toHaveLength(40)
  expect(new Set(found.map((each) => JSON.stringify(each))).size).toBe(1)
})

it('createNumbers works like a Set', () => {
  const next = random(4)
  const [numbers, set] = [createNumbers(), new Set<number>()]
  for (let i = 0; i < 20_000; i++) {
    const number = Math.floor(next() * 3_000) + (i % 3 === 0 ? 2 ** 52 : 0)
    if (i % 4 === 0) expect(numbers.delete(number)).toBe(set.delete(number))
    else expect(numbers.add(number)).toBe(!set.has(number))
    if (i % 4 !== 0) set.add(number)
    expect(numbers.has(number)).toBe(set.has(number))
  }
  expect(numbers.has(2 ** 51)).toBe(false)
})
