import { writeXlsx } from 'hucre/xlsx'
import { describe, expect, it } from 'vitest'
import { type Case, loading } from './loading.ts'
import { workbookOf, zipOf } from './zip.ts'

const { load } = loading('forms')

const A = '2020-01-01 @ 5 52 "a"'
const B = '2020-01-02 @ 5 52 "b"'
const HEADER = 'date,lon,lat,value'
const [OBJECT_A, OBJECT_B] = [
  '{"date":"2020-01-01","lon":5,"lat":52,"value":"a"}',
  '{"date":"2020-01-02","lon":5,"lat":52,"value":"b"}',
]
const FEATURE =
  '{"type":"Feature","geometry":{"type":"Point","coordinates":[5,52]},"properties":{"date":"2020-01-01","value":"a"}}'
const geometry = (type: string, coordinates: string, member = 'coordinates') =>
  `{"type":"Feature","geometry":{"type":"${type}","${member}":${coordinates}},"properties":{"date":"2020-01-01","value":"a"}}\n`
const pretty = (json: string) => JSON.stringify(JSON.parse(json), null, 2)
const NOWHERE = '2020-01-01 "a"'

describe('a list of objects is read, wherever it stands', () => {
  it.each<Case>([
    ['lines.json', `[${OBJECT_A},\n${OBJECT_B}]`, '', [A, B]],
    ['one-line.json', `[${OBJECT_A},${OBJECT_B}]`, '', [A, B]],
    ['pretty.json', pretty(`[${OBJECT_A},${OBJECT_B}]`), '', [A, B]],
    ['features.json', `[${FEATURE}]`, '', [A]],
    ['array.ndjson', `[${OBJECT_A}]`, '', [A]],
    ['array', ` [ ${OBJECT_A} ]`, '', [A]],
    ['rows.json', `{"rows":[${OBJECT_A},${OBJECT_B}]}`, '', [A, B]],
    ['rows-pretty.json', pretty(`{"count":1,"rows":[${OBJECT_A}]}`), '', [A]],
    [
      'ckan.json',
      `{"help":"[x]","success":true,"result":{"fields":[{"type":"int","id":"_id"}],"records":[${OBJECT_A}],"total":1}}`,
      '',
      [A],
    ],
    ['opendatasoft.json', `{"total_count":1,"results":[${OBJECT_A}]}`, '', [A]],
    ['odata.json', `{"odata.metadata":"x","value":[${OBJECT_A}]}`, '', [A]],
    ['own-name.json', `{"metingen (nl)":[${OBJECT_A}]}`, '', [A]],
    ['nested.ndjson', `${OBJECT_A.replace('}', ',"tags":[{"k":1}]}')}\n`, '', [A]],
    ['page.json', pretty(`{"count":1,"next":null,"results":[${FEATURE}]}`), '', [A]],
    ['tags.json', pretty(FEATURE.replace('"value"', '"tags":[{"k":1}],"value"')), '', [A]],
  ])('%s', async (name, content, args, events) => {
    expect((await load(name, content, args)).events).toEqual(events)
  })
})

describe('a place is read in each form of one point', () => {
  it.each<Case>([
    ['multipoint.geojsonl', geometry('MultiPoint', '[[5,52]]'), '', [A]],
    [
      'collection.geojsonl',
      geometry('GeometryCollection', '[{"type":"Point","coordinates":[5,52]}]', 'geometries'),
      '',
      [A],
    ],
    [
      'empty.geojsonl',
      geometry('Point', '[]') + geometry('MultiPoint', '[]') + geometry('GeometryCollection', '[]', 'geometries'),
      '',
      [NOWHERE, NOWHERE, NOWHERE],
    ],
    [
      'wkb.csv',
      [
        'geom,date,value',
        '010100000000000000000014400000000000004A40,2020-01-01,a',
        '0101000020E610000000000000000014400000000000004A40,2020-01-01,a',
        '01010000A0E610000000000000000014400000000000004A40000000000000F83F,2020-01-01,z',
        '00000003E940140000000000004' + '04A0000000000003FF8000000000000,2020-01-01,z',
        '0104000000010000000101000000000000000000144000000000000' + '04A40,2020-01-01,a',
        '0101000000000000000000F87F000000000000F87F,2020-01-01,a',
        'MULTIPOINT ((5 52)),2020-01-01,a',
        'GEOMETRYCOLLECTION EMPTY,2020-01-01,a',
      ].join('\n'),
      '',
      [A, A, ...Array(2).fill('2020-01-01 @ 5 52 1.5 "z"'), A, NOWHERE, A, NOWHERE],
    ],
  ])('%s', async (name, content, args, events) => {
    expect((await load(name, content, args)).events).toEqual(events)
  })

  it.each([
    ['two.geojsonl', geometry('MultiPoint', '[[5,52],[6,52]]'), '"geometry" is a MultiPoint: enter a Point, or null'],
    ['short.csv', 'geom,date\n01010000000000000000001440,2020-01-01\n', 'expected a position of 16 bytes, there are 8'],
    ['rd.csv', 'geom,date\n010100002040710000000000000000144000000000' + '00004A40,2020-01-01\n', 'use --crs 28992'],
  ])('%s is refused', async (name, content, message) => {
    await expect(load(name, content)).rejects.toThrow(message)
  })
})

describe('comments and units are left out, and told', () => {
  const ROWS = '2020-01-01,5,52,a\n2020-01-02,5,52,b\n'
  it.each<Case>([
    ['comments.csv', `${HEADER}\n# "De Bilt", 6" pipe\n${ROWS}#\n`, '', [A, B], 'begin with # and are left out: 2'],
    ['as-wide.csv', `${HEADER}\n# a, b, c, d\n${ROWS}`, '', [A, B], 'begin with # and are left out: 1'],
    [
      'named.csv',
      'value,date,lon,lat\n// x,y,z,a\na,2020-01-01,5,52\n',
      '--comment //',
      [A],
      'begin with // and are left out: 1',
    ],
    ['text-first.csv', 'value,date,lon,lat\n#1,2020-01-01,5,52\n', '', ['2020-01-01 @ 5 52 "#1"']],
    ['erddap.csv', `${HEADER}\nUTC,degrees_east,degrees_north,\n${ROWS}`, '', [A, B], 'Line 2 has the units'],
    [
      'rdb.txt',
      `# USGS\n${HEADER.replaceAll(',', '\t')}\n20d\t14n\t14n\t5s\n${ROWS.replaceAll(',', '\t')}`,
      '',
      [A, B],
      'Line 3 has the units',
    ],
    [
      'preamble.csv',
      `Station\n${HEADER}\nUTC,degrees_east,degrees_north,text\n${ROWS}`,
      '',
      [A, B],
      'Line 3 has the units',
    ],
    ['semicolons.csv', `date;lon;lat;value\n;°;°;m3/s\n2020-01-01;5,0;52,0;a\n`, '', [A], 'Line 2 has the units'],
  ])('%s', async (name, content, args, events, report = '') => {
    const found = await load(name, content, args)
    expect(found.events).toEqual(events)
    expect(found.report).toContain(report)
  })

  it.each([
    ['text.csv', 'value,date,lon,lat\n# x,y,z,a\na,2020-01-01,5,52\n', 'line 2: "date" is "y": enter ISO 8601'],
    ['advice.csv', 'value,date,lon,lat\n# x,y,z,a\n', "; if this line is a comment, use --comment '#'"],
    ['marks.csv', `${HEADER}\nonbekend,NA,NA,a\n${ROWS}`, 'line 2: "date" is "onbekend"'],
    ['date.csv', `${HEADER}\nJan 1 2000,x,y,a\n${ROWS}`, 'line 2: "date" is "Jan 1 2000"'],
    ['one.csv', `${HEADER}\nUTC,degrees_east,degrees_north,\n`, 'line 2: "date" is "UTC"'],
    ['numbers.csv', `${HEADER}\n# 1,2020-01-01,5,52,a\nbad,5,52,b\n${ROWS}`, 'line 3: "date" is "bad"'],
  ])('%s has a fault', async (name, content, message) => {
    await expect(load(name, content)).rejects.toThrow(message)
  })
})

const cell = (place: string, value: string | number, style = 0) =>
  typeof value === 'number'
    ? `<c r="${place}" s="${style}"><v>${value}</v></c>`
    : `<c r="${place}" t="str"><v>${value}</v></c>`
const FORMATS = [
  'yyyy-mm-dd hh:mm',
  '[h]:mm',
  '[mm]:ss',
  '[ss]',
  '46',
  'h:mm',
  '[$-413]d mmmm yyyy',
  '20',
  '[$-409]h:mm AM/PM',
  'mmm-yy',
]
/** A sheet with a date, a place and one more column, whose cells have numbers and formats. */
const sheetOf = (cells: readonly (readonly [number, number, string?])[]) =>
  workbookOf(
    [
      `<row r="1">${cell('A1', 'date')}${cell('B1', 'lon')}${cell('C1', 'lat')}${cell('D1', 'Duur')}</row>`,
      ...cells.map(([number, style], i) => {
        const line = i + 2
        return `<row r="${line}">${cell(`A${line}`, 43831, 1)}${cell(`B${line}`, 5)}${cell(`C${line}`, 52)}${cell(`D${line}`, number, style)}</row>`
      }),
    ].join(''),
    FORMATS,
  )

describe('a workbook of the page is loaded as it is', () => {
  const ROWS = [[new Date('2024-07-01T12:00:00Z'), 1.5, 'a', new Date('2024-07-01T13:00:00Z'), 5.1, 52.1, 'https://a']]
  it.each<[name: string, headers: string[], events: string[], report: string]>([
    [
      'dutch.xlsx',
      [
        ...['Begin (Europe/Amsterdam)', 'Waarde', 'Categorie', 'Eind (Europe/Amsterdam)'],
        ...['Lengtegraad', 'Breedtegraad', 'Adres'],
      ],
      ['2024-07-01T10:00 to 2024-07-01T11:00 @ 5.1 52.1 a= "1.5"'],
      'Times are in the zone of their header, Europe/Amsterdam',
    ],
    [
      'english.xlsx',
      ['Start (UTC)', 'Value', 'Category', 'End (UTC)', 'Longitude', 'Latitude', 'Address'],
      ['2024-07-01T12:00 to 2024-07-01T13:00 @ 5.1 52.1 a= "1.5"'],
      'Times are in the zone of their header, UTC',
    ],
  ])('%s', async (name, headers, events, report) => {
    const content = await writeXlsx({ sheets: [{ name: 'Events', rows: [headers, ...ROWS] }] })
    const found = await load(name, content)
    expect(found.events).toEqual(events)
    expect(found.report).toContain(report)
    expect(found.report).not.toContain('as UTC')
    const chosen = await load(name, content, `--start ${headers[0]} --timezone America/New_York`)
    expect(chosen.events).toEqual(['2024-07-01T16:00 to 2024-07-01T17:00 @ 5.1 52.1 a= "1.5"'])
  })
})

describe('a length of time in a workbook stays one', () => {
  const cells: [number, number, string][] = [
    [0.5 / 24, 2, '00:30:00'],
    [1, 2, '24:00:00'],
    [30 / 24, 2, '30:00:00'],
    [250 / 24, 3, '250:00:00'],
    [10_000 / 24, 4, '10000:00:00'],
    [10 + 15 / 24 + 10.25 / 86_400, 5, '255:00:10.250'],
    [-0.5, 2, '-12:00:00'],
    [0.5, 6, '12:00:00'],
    [1.25, 6, '30:00:00'],
    [43_831.5, 6, '2020-01-01T12:00:00'],
    [2.5, 8, '60:00:00'],
    [2.5, 9, '60:00:00'],
    [3, 10, '1900-01-03'],
    [43_832, 7, '2020-01-02'],
  ]
  it('as an attribute and as a value', async () => {
    const content = sheetOf(cells)
    const { events } = await load('lengths.xlsx', content, '--attributes Duur')
    expect(events).toEqual(cells.map(([, , shown]) => `2020-01-01 @ 5 52 ${JSON.stringify({ Duur: shown })}`))
    expect((await load('value.xlsx', content, '--value Duur')).events[2]).toBe('2020-01-01 @ 5 52 "30:00:00"')
  })

  it('as a start it is a fault', async () => {
    const content = sheetOf([[30 / 24, 2]])
    await expect(load('start.xlsx', content, '--start Duur')).rejects.toThrow('"Duur" is "30:00:00": enter ISO 8601')
    await expect(load('start.xlsx', content, '--start Duur')).rejects.toThrow(
      'it is a length of time: name a column of dates',
    )
  })

  it('in a workbook with compressed parts, as programs write them', async () => {
    const rows = [
      ['date', 'lon', 'lat', 'Duur'],
      [new Date('2020-01-01'), 5, 52, 30 / 24],
    ]
    const columns = [{}, {}, {}, { numFmt: '[h]:mm:ss' }]
    const { events } = await load(
      'written.xlsx',
      await writeXlsx({ sheets: [{ name: 'A', rows, columns }] } as never),
      '--attributes *',
    )
    expect(events).toEqual(['2020-01-01 @ 5 52 {"Duur":"30:00:00"}'])
  })
})

describe('real dates need no form of dates', () => {
  const rows = [
    ['datum', 'lon', 'lat', 'value'],
    [new Date('2020-02-01T10:00:00Z'), 5, 52, 'a'],
    [new Date('2020-02-02T00:00:00Z'), 5, 52, 'b'],
    ['13-02-2020 10:00', 5, 52, 'c'],
  ]
  it.each(['DD-MM-YYYY HH:mm', 'DD-MM-YYYY hh:mm A', 'MM/DD/YYYY'])('also beside %s', async (format) => {
    const some = format === 'DD-MM-YYYY HH:mm' ? rows : rows.slice(0, 3)
    const content = await writeXlsx({ sheets: [{ name: 'A', rows: some }] } as never)
    const { events } = await load('dates.xlsx', content, `--start datum --date-format ${format}`)
    expect(events).toEqual(
      ['2020-02-01T10:00 @ 5 52 "a"', '2020-02-02 @ 5 52 "b"', '2020-02-13T10:00 @ 5 52 "c"'].slice(0, some.length - 1),
    )
  })
})

describe('a file of another kind, or with faults, gets advice that helps', () => {
  const ogr = (from: RegExp | string) =>
    new RegExp(`: convert it, such as by ogr2ogr -t_srs EPSG:4326 "\\S+geojson" ${from}$`)
  it.each<[string, string | Buffer, RegExp | string]>([
    ['a.gpx', '<?xml version="1.0"?><gpx><trk><trkseg><trkpt/></trkseg></trk></gpx>', ogr('"\\S+a.gpx" track_points')],
    ['b.gpx', '<gpx version="1.1"><wpt lat="1" lon="1"/></gpx>', ogr('"\\S+b.gpx" waypoints')],
    ['a.kml', '\ufeff<?xml version="1.0"?><kml/>', /is a file of KML.*ogr2ogr .*a\.kml"$/],
    ['a.gml', '<wfs:FeatureCollection/>', /is a file of XML.*ogr2ogr/],
    ['a.csv', '<!DOCTYPE html>\n<html></html>', 'is a web page: download the data itself'],
    ['a.fgb', 'fgb\x03fgb\x00', /is a FlatGeobuf file.*ogr2ogr/],
    ['shape.zip', zipOf({ 'a.shp': 'x', 'a.dbf': 'y' }), /is a zipped Shapefile.*"\/vsizip\/\S+shape\.zip"$/],
    ['a.kmz', zipOf({ 'doc.kml': 'x' }), /is a KMZ file.*a\.kmz"$/],
    ['text.zip', zipOf({ 'a.csv': 'x' }), 'is no Excel workbook: unpack it'],
    ['a.ods', zipOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }), 'save it as .xlsx or CSV'],
    [
      'secret.xlsx',
      Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
      'is a workbook with a password: save it without one',
    ],
    ['old.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'an old Excel workbook: save it as .xlsx'],
    ['empty.csv', '', 'the file is empty'],
    ['blank.csv', '\n \n', 'the file is empty'],
    ['empty.xlsx', workbookOf(''), 'the sheet "Blad" is empty: fill it. --sheet names another one'],
    ['scalars.json', '[1,2]', 'the next value is not an object: write objects with one comma between them'],
    ['cut.json', `[${OBJECT_A},`, 'the file ends in the middle'],
    ['far.xlsx', workbookOf(`<row r="1">${cell('ZZZZZZ2', 'a')}</row>`), /is no Excel workbook/],
    [
      'encoding.csv',
      Buffer.from('datum;Volume (m³);X\n', 'latin1'),
      'line 1: the bytes b3 are not UTF-8: name the encoding, such as --encoding windows-1252, which reads "datum;Volume (m³);X"',
    ],
    [
      'broken.csv',
      Buffer.concat([
        Buffer.from(`${HEADER}\n${'2020-01-01,5,52,één\n'.repeat(9)}`),
        Buffer.from('a\xe9b\n', 'latin1'),
      ]),
      'line 11: the bytes e9 are not UTF-8: the lines before it are, so correct these bytes',
    ],
  ])('%s', async (name, content, message) => {
    await expect(load(name, content)).rejects.toThrow(message)
  })

  it('a number that is no date of Excel is a text', async () => {
    const { events } = await load('odd.xlsx', sheetOf([[1e20, 1]]), '--attributes *')
    expect(events).toEqual(['2020-01-01 @ 5 52 {"Duur":"#####"}'])
  })
})
