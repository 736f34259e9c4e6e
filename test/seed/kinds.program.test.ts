import { readFileSync, writeFileSync } from 'node:fs'
import { writeXlsx } from 'hucre/xlsx'
import { describe, expect, it } from 'vitest'
import { loadOptionsOf } from '../../seed/commands/loadOptions.ts'
import { checkMapping, writeMapping } from '../../seed/commands/mapping.ts'
import { loadFiles } from '../../seed/load/files.ts'
import { type Case, loading, readOptions } from './loading.ts'

const { at, load, db } = loading('kinds')

const A = '2020-01-01 @ 5 52 "a"'
const B = '2020-01-02 @ 5 52 "b"'
const HEADER = 'date,lon,lat,value'
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

describe('a table is read, whatever its lines and cells are like', () => {
  it.each<Case>([
    ['header-lf-rows-crlf.csv', `${HEADER}\n2020-01-01,5,52,a\r\n2020-01-02,5,52,b\r\n`, '', [A, B]],
    ['header-crlf-rows-lf.csv', `${HEADER}\r\n2020-01-01,5,52,a\n2020-01-02,5,52,b`, '', [A, B]],
    ['mixed.csv', `${HEADER}\r2020-01-01,5,52,a\r\n2020-01-02,5,52,b\n\r`, '', [A, B]],
    ['lone-cr.csv', `${HEADER}\r2020-01-01,5,52,a\r2020-01-02,5,52,b\r`, '', [A, B]],
    ['lone-cr-no-end.csv', `${HEADER}\r2020-01-01,5,52,a\r2020-01-02,5,52,b`, '', [A, B]],
    ['crlf-last-lf.csv', `${HEADER}\r\n2020-01-01,5,52,a\r\n\n`, '', [A]],
    ['quoted-ends.csv', `${HEADER}\r2020-01-01,5,52,"a\r\nb"\r`, '', ['2020-01-01 @ 5 52 "a\\r\\nb"']],
    ['excel-sep.csv', 'sep=;\r\ndate;lon;lat;value\r\n2020-01-01;5;52;a\r\n', '', [A]],
    ['sep-odd.csv', 'sep=^\ndate^lon^lat^value\n2020-01-01^5^52^a\n', '', [A]],
    ['ghost-rows.csv', `${HEADER}\n2020-01-01,5,52,a\n,,,\n , ,,\n`, '', [A]],
    ['more-cells.csv', `${HEADER}\n2020-01-01,5,52,a,,\n`, '', [A]],
    ['utf16le.csv', utf16('date;lon;lat;value\r\n2020-01-01;5;52;a\r\n'), '', [A]],
    ['utf16be.csv', utf16(`${HEADER}\n2020-01-01,5,52,a\n`).swap16(), '', [A]],
    ['utf16-wrong.csv', utf16(`${HEADER}\n2020-01-01,5,52,a\n`), '--encoding windows-1252', [A]],
    [
      'quoted-commas.csv',
      'date;lon;lat;"value (min, max, gem, n)"\n2020-01-01;5;52;a\n',
      '--value value (min, max, gem, n)',
      [A],
    ],
    [
      'commas-in-names.csv',
      'tijd;Volume (min, max)\n2020-01-01;1,5\n',
      '--start tijd --value Volume (min, max) --place none --decimal ,',
      ['2020-01-01 "1.5"'],
    ],
    [
      'dutch.csv',
      'Datum;Tijd;Lengtegraad;Breedtegraad;Categorie;Waarde\n2020-01-01;7:30;5,5;52,1;a;1,5\n',
      '',
      ['2020-01-01T07:30 @ 5.5 52.1 a= "1.5"'],
      'Times without a zone were read as UTC. For Dutch clocks add --timezone Europe/Amsterdam.',
    ],
    ['einde.csv', 'begin,einde\n2020-01-01T00:00Z,2020-01-02\n', '--place none', ['2020-01-01 to 2020-01-02']],
    ['decimal-commas.csv', 'time;lon;lat;value\n2020-01-01;5,5;52,1;1,5\n', '', ['2020-01-01 @ 5.5 52.1 "1.5"']],
    ['named.csv', 'date:lon:lat:value\n2020-01-01:5:52:a\n', '--delimiter :', [A]],
    ['tab.txt', 'date\tlon\tlat\tvalue\n2020-01-01\t5\t52\ta\n', '--delimiter tab', [A]],
    [
      'quotes.tsv',
      'date\tlon\tlat\tvalue\n2020-01-01\t5\t52\ta 6" pipe\n2020-01-02\t5\t52\t"starts\n',
      '',
      ['2020-01-01 @ 5 52 "a 6\\" pipe"', '2020-01-02 @ 5 52 "\\"starts"'],
      'Quotes are ordinary characters',
    ],
    ['quoted.tsv', 'date\tlon\tlat\tvalue\n2020-01-01\t5\t52\t"a"\n', '', [A], '--quote none keeps them'],
    ['kept.tsv', 'date\tlon\tlat\tvalue\n2020-01-01\t5\t52\t"a"\n', '--quote none', ['2020-01-01 @ 5 52 "\\"a\\""']],
    [
      'preamble.csv',
      'Station: De Bilt, KNMI\n\n# date,lon,lat,value\n\n2020-01-01,5,52,a\n',
      '',
      [A],
      'Line 3 is the header. Lines before it are left out',
    ],
    ['skipped.csv', `a,b,c,d\n1,2,3,4\n${HEADER}\n2020-01-01,5,52,a\n`, '--skip-lines 2', [A]],
    [
      'twice.csv',
      'date,lon,lat,value,value\n2020-01-01,5,52,a,b\n',
      '--attributes *',
      [A],
      'an earlier column has the name: value',
    ],
    [
      'padded.csv',
      'date,lon,lat,T,RH\n2020-01-01,  5, 52,   12,     \n2020-01-02,    ,   ,    ,    3\n',
      '--attributes *',
      ['2020-01-01 @ 5 52 {"T":12}', '2020-01-02 {"RH":3}'],
    ],
  ])('%s', async (name, content, args, events, report = '') => {
    const found = await load(name, content, args)
    expect(found.events).toEqual(events)
    expect(found.report).toContain(report)
  })

  it.each<[string, string, string, string]>([
    [
      'blank-lines.csv',
      `${HEADER}\n2020-01-01,5,52,a\n\n\nbad,5,52,b\n`,
      '',
      'blank-lines.csv, line 5: "date" is "bad"',
    ],
    ['cr-lines.csv', `${HEADER}\r\r2020-01-01,5,52,"a\r\rb"\rbad,5,52,b\r`, '', 'line 6: "date" is "bad"'],
    ['preamble.csv', `A\n\nB\n${HEADER}\nbad,5,52,b\n`, '', 'line 5: "date" is "bad"'],
    ['stray.csv', `${HEADER}\n2020-01-01,5,52,6" pipe\n`, '', 'line 2: a cell contains a quote'],
    ['above.csv', `The "best" data\n${HEADER}\n2020-01-01,5,52,a\n`, '', 'line 1: a cell contains a quote'],
    ['open.csv', `${HEADER}\n2020-01-01,5,52,"a\n`, '', 'line 2: a quote is not closed'],
    ['delimiter.csv', HEADER, '--delimiter ;;', '--delimiter is ";;": enter one character, such as ";", or tab'],
    ['skip.csv', HEADER, '--skip-lines x', '--skip-lines is "x": enter the number of lines before the header'],
    ['skipped.csv', HEADER, '--skip-lines 9', 'has no line after the first 9'],
    ['quote.csv', HEADER, "--quote '", '--quote is "\'": enter none'],
    [
      'utf16-no-mark.csv',
      Buffer.from(HEADER, 'utf16le').toString('latin1'),
      '',
      'not a text, or UTF-16: name the encoding, such as --encoding utf-16le',
    ],
    [
      'copy.gpkg',
      'SQLite format 3\0',
      '',
      'a GeoPackage or another SQLite database: convert it, such as by ogr2ogr -t_srs EPSG:4326',
    ],
    ['copy.shp', '\0\0\x27\x0a', '', 'a Shapefile: convert it, such as by ogr2ogr'],
    [
      'names.csv',
      'da\x1bte,lon,lat,\x9b\n1,2,3,4\n',
      '--start when',
      String.raw`the columns of line 1 are da\u001bte, lon, lat, \u009b`,
    ],
  ])('%s is refused', async (name, content, args, message) => {
    await expect(load(name, content, args)).rejects.toThrow(message)
  })

  it('a file without ids and with other line ends adds nothing', async () => {
    const rows = ['date,lon,lat', ...Array(20_000).fill('2020-01-01,5,52'), '']
    const args = '--series Lines'
    await load('lines.csv', rows.join('\r\n'), args)
    const options = readOptions(args)
    for (const end of ['\n', '\r']) {
      writeFileSync(at('lines.csv'), rows.join(end))
      const { totals, stored } = await loadFiles(db(), [at('lines.csv')], loadOptionsOf(options))
      expect([totals.event, stored.event]).toEqual([0, 20_000])
    }
  })

  it('the rejects of a short file lack its preamble, so the same command loads them', async () => {
    const lines = ['BRON: KNMI', '', 'STN = station', 'T = temperatuur', '']
    const rows = Array.from({ length: 12 }, (_, i) => `260,202401${10 + i}, 1, ${i === 3 ? '' : 5}`)
    const text = [...lines, '# STN,YYYYMMDD, HH, T', ...rows, '260,20240130, 99, 5', ''].join('\n')
    const options = '--start YYYYMMDD+HH --x 5.18 --y 52.1 --value T --rejects'
    expect((await load('uurgeg.txt', text, `${options} ${at('uur.txt')}`)).events).toHaveLength(12)
    const corrected = readFileSync(at('uur.txt'), 'utf8').replace('99', '7')
    const { events } = await load('uur.txt', corrected, `${options} ${at('uur-again.txt')}`)
    expect(events).toEqual(['2024-01-30T07:00 @ 5.18 52.1 "5"'])
  })

  it('a feed with other line ends changes nothing', async () => {
    const rows = ['date,lon,lat,value,id', '2020-01-01,5,52,a,k1', '2020-01-02,5,52,b,k2', '']
    const feed = (end: string) => load('feed.csv', rows.join(end), '--series Feed --key-column id')
    await feed('\n')
    for (const end of ['\r\n', '\r']) expect((await feed(end)).events).toEqual([])
    await load('keyless.csv', 'date,lon,lat\n2020-01-01,5,52\n', '--series Feed')
    expect((await load('feed.csv', rows.join('\n'), '--series Feed --key-column id')).report).toContain(
      '1 stored event has no external id, so no row changes them. --sync deletes all events that the files lack',
    )
    const options = readOptions('--series Feed --key-column id')
    writeFileSync(at('again.csv'), rows.join('\r\n'))
    expect(await loadFiles(db(), [at('again.csv')], loadOptionsOf(options))).toMatchObject({
      totals: { event: 0 },
      changed: 0,
      stored: { event: 2 },
    })
  })
})

describe('values, times and places are read in each of their forms', () => {
  const start = (text: string) => `start\n${text}\n`
  it.each<Case>([
    [
      'thousands.csv',
      'date;lon;lat;value\n2020-01-01;5;52;1.234,5\n2020-01-02;5;52;12.000\n',
      '--thousands .',
      ['2020-01-01 @ 5 52 "1234.5"', '2020-01-02 @ 5 52 "12000"'],
    ],
    [
      'thousands-in-rd.csv',
      'date;x;y\n2020-01-01;155.000,00;463.000,00\n',
      '--thousands . --crs 28992',
      ['2020-01-01 @ 5.387 52.155'],
    ],
    [
      'ungrouped.csv',
      'date;lon;lat;value\n2020-01-01;5;52;1.23\n',
      '--thousands . --attributes value',
      ['2020-01-01 @ 5 52 "1.23" {"value":"1.23"}'],
    ],
    [
      'thousands-hint.csv',
      'date;lon;lat;value\n2020-01-01;5;52;1.234,5\n',
      '',
      ['2020-01-01 @ 5 52 "1.234,5"'],
      '; for numbers such as 1.234,5 use --thousands .',
    ],
    ['us.csv', 'date,lon,lat,value\n2020-01-01,5,52,"1,234.5"\n', '--thousands ,', ['2020-01-01 @ 5 52 "1234.5"']],
    [
      'own.csv',
      'id,category,value,last_modified,url,start,lon,lat\n1,"  "," 5",,u,2020-01-01,5,52\n',
      '--new-ids',
      ['2020-01-01 @ 5 52   = " 5"'],
    ],
    [
      'big.csv',
      `${HEADER},big\n2020-01-01,5,52,a,9007199254740993\n`,
      '--attributes big',
      ['2020-01-01 @ 5 52 "a" {"big":"9007199254740993"}'],
      'Attribute big: 1 text ("9007199254740993")',
    ],
    [
      'flags.csv',
      `${HEADER},flag\n2020-01-01,5,52,TRUE,TRUE\n`,
      '--attributes flag',
      ['2020-01-01 @ 5 52 "TRUE" {"flag":true}'],
    ],
    [
      'ids.ndjson',
      '{"time":"2020-01-01","tweet":9007199254740993,"value":12345678901234567890}\n{"time":"2020-01-01","tweet":9007199254740992}\n',
      '--format objects --key-column tweet',
      ['2020-01-01 #9007199254740993 "12345678901234567890"', '2020-01-01 #9007199254740992'],
    ],
    [
      'osm.geojson',
      '{"type":"FeatureCollection","features":[{"type":"Feature","id":9007199254740993,"geometry":null,"properties":{"time":"2020-01-01","osm":9007199254740993,"long":0.12345678901234567891}}]}',
      '--key-column id --attributes osm,long',
      ['2020-01-01 #9007199254740993 {"osm":"9007199254740993","long":0.12345678901234568}'],
    ],
    [
      'knmi-quakes.csv',
      'YYMMDD,TIME,LAT,LON,MAG\n20200102,074751.00,53.1,6.5,2.8\n',
      '--value MAG',
      ['2020-01-02T07:47:51 @ 6.5 53.1 "2.8"'],
      'The start is YYMMDD+TIME. --start names other columns',
    ],
    [
      'knmi-hours.txt',
      'BRON: KNMI\n\nHH = tijd, DD = wind\n\n# STN,YYYYMMDD,   HH,    T\n\n  260,20200101,   23,   55\n  260,20200101,   24,     \n',
      '--x 5 --y 52 --value T',
      ['2020-01-01T23:00 @ 5 52 "55"', '2020-01-02 @ 5 52'],
      'Times at hour 24, which is 00:00 of the next day: 1',
    ],
    [
      'waterinfo.csv',
      'WAARNEMINGDATUM;WAARNEMINGTIJD (MET/CET);NUMERIEKEWAARDE;EPSG;X;Y\r01-02-2022;00:10:00;43;25831;612093,755309996;5750138,05579548\r',
      '--date-format DD-MM-YYYY --timezone +01:00 --crs 25831 --value NUMERIEKEWAARDE',
      ['2022-01-31T23:10 @ 4.629 51.891 "43"'],
    ],
    [
      'wiski.csv',
      'Station Number:\t8137_PBF\nLongitude:\t4.247\nDate\tTime\tValue[mNAP]\tState of value\n01-02-2007\t13:00:00\t-0.607\t40\n',
      '--date-format DD-MM-YYYY --x 4.247 --y 51.519 --value Value[mNAP]',
      ['2007-02-01T13:00 @ 4.247 51.519 "-0.607"'],
    ],
    [
      'wiski-iso.csv',
      '#station_name;Filter1\n#rows;1\n#Timestamp;Value;Quality Code\n2010-01-01T00:00:00.000+01:00;12.758;200\n',
      '--x 5 --y 52',
      ['2009-12-31T23:00 @ 5 52 "12.758"'],
    ],
    [
      'nyc.csv',
      'CRASH DATE,CRASH TIME,LATITUDE,LONGITUDE\n09/11/2021,2:39,40.7,-73.9\n',
      '--date-format MM/DD/YYYY',
      ['2021-09-11T02:39 @ -73.9 40.7'],
    ],
    [
      'socrata.csv',
      'crash_date,crash_time,latitude,longitude\n2021-09-11T00:00:00.000,2:39,40.7,-73.9\n',
      '',
      ['2021-09-11T02:39 @ -73.9 40.7'],
    ],
    [
      'stats19.csv',
      'Date,Day_of_Week,Time,Longitude,Latitude\n18/01/2019,3,17:50,-0.1,51.5\n',
      '--date-format DD/MM/YYYY HH:mm --start Date+Time',
      ['2019-01-18T17:50 @ -0.1 51.5'],
    ],
    [
      'parts.csv',
      'Year,Mo,Dy,lon,lat\n2004,12,26,5,52\n',
      '--start Year+Mo+Dy --date-format YYYY MM DD',
      ['2004-12-26 @ 5 52'],
    ],
    [
      'both.csv',
      'd1,t1,d2,t2\n2020-01-01,7:00,2020-01-01,9:30\n',
      '--start d1+t1 --end d2+t2 --x 5 --y 52',
      ['2020-01-01T07:00 to 2020-01-01T09:30 @ 5 52'],
    ],
    [
      'hours.geojsonl',
      '{"type":"Feature","geometry":null,"properties":{"datum":"2024-03-01","uur":7,"a":1}}',
      '--attributes *',
      ['2024-03-01T07:00 {"a":1}'],
      'The start is datum+uur',
    ],
    [
      'am-pm.csv',
      start('01/31/2019 12:30:00 AM'),
      '--date-format MM/DD/YYYY hh:mm:ss A --x 5 --y 52',
      ['2019-01-31T00:30 @ 5 52'],
    ],
    [
      'hour-24.csv',
      `${start('2020-01-01T24:00:00Z')}2020-01-01 12:00:00 UTC\n`,
      '--x 5 --y 52',
      ['2020-01-02 @ 5 52', '2020-01-01T12:00 @ 5 52'],
    ],
    [
      'gbif.csv',
      `${start('2018-05-19/2018-06-02')}2018-05-19/21\n1930-01\n2004\n2018-05-19T10:00Z/12:00Z\n`,
      '--x 5 --y 52',
      [
        '2018-05-19 to 2018-06-02T23:59:59.999Z @ 5 52',
        '2018-05-19 to 2018-05-21T23:59:59.999Z @ 5 52',
        '1930-01-01 to 1930-01-31T23:59:59.999Z @ 5 52',
        '2004-01-01 to 2004-12-31T23:59:59.999Z @ 5 52',
        '2018-05-19T10:00 to 2018-05-19T12:00 @ 5 52',
      ],
      'Times that are intervals: 3',
    ],
    ['months.csv', start('15-JAN-24'), '--date-format DD-MMM-YY --century 2000 --x 5 --y 52', ['2024-01-15 @ 5 52']],
    [
      'century.csv',
      `${start('7/1/62')}7/1/49\n`,
      '--date-format MM/DD/YY --century 1950 --x 5 --y 52',
      ['1962-07-01 @ 5 52', '2049-07-01 @ 5 52'],
    ],
    ['gdal.csv', start('2018/02/06 01:00:00+01'), '--x 5 --y 52', ['2018-02-06 @ 5 52']],
    [
      'twice.csv',
      `${start('2020-10-25T02:00')}2020-10-25T02:30\n2020-10-25T03:00\n`,
      '--timezone Europe/Amsterdam --x 5 --y 52',
      ['2020-10-25 @ 5 52', '2020-10-25T00:30 @ 5 52', '2020-10-25T02:00 @ 5 52'],
      'Times that the clock of Europe/Amsterdam shows twice, of which the first one counts: 2',
    ],
    [
      'wkt.csv',
      'WKT,date\nPOINT (5 52),2020-01-01\n"POINT Z (5 52 1.5)",2020-01-02\n"SRID=4326;POINT(5 52)",2020-01-03\nPOINT EMPTY,2020-01-04\n,2020-01-05\n',
      '',
      ['2020-01-01 @ 5 52', '2020-01-02 @ 5 52 1.5', '2020-01-03 @ 5 52', '2020-01-04', '2020-01-05'],
    ],
    [
      'point.csv',
      'date,where\n2020-01-01,"52.1, 5.2"\n2020-01-02,"(52.1, 5.2)"\n2020-01-03,"{""type"":""Point"",""coordinates"":[5,52]}"\n',
      '--place where',
      ['2020-01-01 @ 5.2 52.1', '2020-01-02 @ 5.2 52.1', '2020-01-03 @ 5 52'],
    ],
    [
      'rd.csv',
      'date,where\n2020-01-01,POINT (155000 463000)\n2020-01-02,SRID=28992;POINT (155000 463000)\n',
      '--place where --crs 28992',
      ['2020-01-01 @ 5.387 52.155', '2020-01-02 @ 5.387 52.155'],
    ],
    [
      'place.ndjson',
      '{"time":"2020-01-01","geo_point_2d":{"lon":5,"lat":52}}',
      '--format objects --place geo_point_2d',
      ['2020-01-01 @ 5 52'],
    ],
    [
      'station.csv',
      'date,value\n2020-01-01,a\n',
      '--x 155000 --y 463000 --z 1.5 --crs 28992',
      ['2020-01-01 @ 5.387 52.155 1.5 "a"'],
    ],
    ['station.ndjson', '{"time":"2020-01-01","value":"a"}', '--format objects --x 5 --y 52', [A]],
    [
      'none.csv',
      'date,x,value,id\n2020-01-01,1,a,k\n',
      '--place none --attributes * --key-column id',
      ['2020-01-01 #k "a" {"x":1}'],
    ],
  ])('%s', async (name, content, args, events, report = '') => {
    const found = await load(name, content, args)
    expect(found.events).toEqual(events)
    expect(found.report).toContain(report)
  })

  it.each<[string, string, string, string]>([
    [
      'id.geojson',
      '{"type":"FeatureCollection","features":[{"type":"Feature","id":12345678901234567890,"geometry":null,"properties":{"time":"2020-01-01"}}]}',
      '',
      '"id" is 12345678901234567890: enter a positive integer',
    ],
    ['clock.csv', 'time,lon,lat\n074751.00,5,52\n', '', '"time" is "074751.00": enter ISO 8601'],
    ['clock.csv', 'time,lon,lat\n07:47,5,52\n', '', 'join its column with that of the date, such as --start DATE+TIME'],
    [
      'minutes.csv',
      'date,BEGIN,lon,lat\n2020-01-01,30,5,52\n',
      '--start date+BEGIN',
      '"date+BEGIN" is "2020-01-01 30": enter a time of day in the second column',
    ],
    [
      'rain.txt',
      'VRIJ GEBRUIK\n\nRD = som, code\n\nSTN,YYYYMMDD,   RD,\n905,19190711,  105,\n',
      '',
      'no column for start, x, y among STN, YYYYMMDD, RD',
    ],
    ['missing.csv', 'date,lon,lat\n2020-01-01,5,52\n', '--start date+tijd', 'no column "tijd"'],
    [
      'dutch.csv',
      'date,lon,lat\n31-01-2020 10:00,5,52\n',
      '',
      "dates such as 31-01-2020 10:00 are not ISO 8601: use --date-format 'DD-MM-YYYY HH:mm', which reads 1 of them",
    ],
    [
      'proven.csv',
      `date,lon,lat\n${'02-01-2020,5,52\n'.repeat(1200)}13-01-2020,5,52\n2020,5,52\n`,
      '',
      'use --date-format DD-MM-YYYY, which reads 1201 of them. Times without a zone are UTC',
    ],
    ['compact.csv', 'datum,lon,lat\n20200113,5,52\n', '', 'use --date-format YYYYMMDD, which reads 1 of them'],
    ['few.csv', 'date,lon,lat\n13-01-2020,5,52\n2020-01-13,5,52\n', '', 'line 2: "date" is "13-01-2020"'],
    ['rd.csv', 'date;x;y\n2020-01-13;155000,5;463000,5\n', '', 'such as 155000,5 463000,5 are metres: use --crs 28992'],
    ['ids.csv', 'id,date,lon,lat\nW-7,2020-01-13,5,52\nW-8,2020-01-13,5,52\n', '', 'use --key-column id'],
    ['either.csv', 'date,lon,lat\n02-01-2020,5,52\n', '', '"DD-MM-YYYY" is 2020-01-02, "MM-DD-YYYY" is 2020-02-01'],
    ['short.csv', start('1-1-24'), '--date-format DD-MM-YY --x 5 --y 52', '--date-format has YY: add --century'],
    [
      'half.csv',
      start('x'),
      '--date-format DD-MM-YYYY hh:mm --x 5 --y 52',
      '--date-format is "DD-MM-YYYY hh:mm": enter YYYY',
    ],
    ['hour-25.csv', start('2020-01-01T24:01'), '--x 5 --y 52', '"start" is "2020-01-01T24:01": enter ISO 8601'],
    ['backward.csv', start('2018-05-19/2018-05-01'), '--x 5 --y 52', 'enter an interval that ends after its start'],
    [
      'nowhere.csv',
      'date,value\n2020-01-01,a\n',
      '',
      'For one place use --x 5.18 --y 52.1, and without places --place none',
    ],
    [
      'pair.csv',
      'date,geom\n2020-01-01,"52.1, 5.2"\n',
      '',
      '"geom" is "52.1, 5.2": use --place with the name of this column',
    ],
    ['area.csv', 'date,wkt\n2020-01-01,"POLYGON ((0 0, 1 1, 1 0, 0 0))"\n', '', 'enter WKT, such as POINT (5.1 52.1)'],
    [
      'srid.csv',
      'date,wkt\n2020-01-01,SRID=28992;POINT (155000 463000)\n',
      '',
      'use --crs 28992, because the place names that system',
    ],
    ['thousands.csv', 'date,lon,lat\n', '--thousands . --decimal .', '--thousands is ".": enter a point, a comma'],
  ])('%s with %j is refused', async (name, content, args, message) => {
    await expect(load(name, content, args)).rejects.toThrow(message)
  })
})

describe('a workbook is read by the types of its cells', () => {
  const ROWS = [
    ['Overstorten 2024'],
    [],
    ['Datum', 'Tijd', 'X', 'Y', 'Code', 'Waarde', 'Dicht'],
    [new Date('2024-01-13T00:00:00Z'), new Date('1899-12-31T07:30:00Z'), 5, 52, '0012', 1.5, true],
    [new Date('2024-01-14T00:00:00Z'), new Date('1899-12-31T08:30:00Z'), 5, 52, '12', 2],
    [],
  ]
  const NOTES = { name: 'Notes', rows: [['a'], [1]] }
  const EVENTS = [
    '2024-01-13T07:30 @ 5 52 "1.5" {"Code":"0012","Dicht":true}',
    '2024-01-14T08:30 @ 5 52 "2" {"Code":"12"}',
  ]
  const args = '--value Waarde --attributes *'
  it.each<[string, { name: string; rows: unknown[][] }[], string, string]>([
    ['the first sheet', [{ name: 'Data', rows: ROWS }, NOTES], args, 'The sheet "Data" is read, the first of 2'],
    ['a named sheet', [NOTES, { name: 'Data', rows: ROWS }], `${args} --sheet Data`, 'Line 3 is the header'],
  ])('%s', async (_, sheets, options, report) => {
    const found = await load('a.xlsx', await writeXlsx({ sheets } as never), options)
    expect(found.events).toEqual(EVENTS)
    expect(found.report).toContain(report)
  })

  it.each([
    ['an unknown sheet', '--sheet Dat', '--sheet is "Dat": enter "Data" or "Notes"'],
    ['a wrong cell', '--start Code', 'line 4: "Code" is "0012": enter ISO 8601'],
  ])('%s is refused', async (_, options, message) => {
    const workbook = await writeXlsx({ sheets: [{ name: 'Data', rows: ROWS }, NOTES] } as never)
    await expect(load('a.xlsx', workbook, options)).rejects.toThrow(message)
  })

  it('another zip file is refused', async () => {
    await expect(load('a.zip', Buffer.from('PK\x03\x04and more'))).rejects.toThrow('is no Excel workbook: unpack it')
  })

  it('the same command loads its rejects after a correction, with the same numbers', async () => {
    const rows = [
      ['Start', 'X', 'Y', 'Peil', 'Kosten'],
      ['2024-01-13', 5, 52, 1.125, '1.234,5'],
      ['2024-01-14', '?', 52.5, 2.125, '0,12'],
    ]
    const workbook = await writeXlsx({ sheets: [{ name: 'Data', rows }, NOTES] } as never)
    const options = '--sheet Data --value Peil --attributes Kosten --thousands . --rejects'
    const { events } = await load('a.xlsx', workbook, `${options} ${at('left.csv')}`)
    expect(events).toEqual(['2024-01-13 @ 5 52 "1.125" {"Kosten":1234.5}'])
    const corrected = readFileSync(at('left.csv'), 'utf8').replace('?', '5')
    const again = await load('left.csv', corrected, `${options} ${at('left-again.csv')}`)
    expect(again.events).toEqual(['2024-01-14 @ 5 52.5 "2.125" {"Kosten":0.12}'])
    expect(again.report).toContain('The file is no workbook, so --sheet has no effect')
  })
})

describe('a mapping', () => {
  const mapping = (content: string) => {
    writeFileSync(at('mapping.toml'), content)
    return `--mapping ${at('mapping.toml')}`
  }
  it('is written by a dry run, and loads the same events', async () => {
    const [file, source, content] = [
      at('new.toml'),
      at('s.csv'),
      'Lijst\n\ndatum;tijd;x;y;w;rest\n2020-01-01;7:00;5;52;1;a\n',
    ]
    writeFileSync(source, content)
    const options = readOptions('--series S --value w --dry-run')
    checkMapping(file, options)
    writeMapping(file, options, await loadFiles(db(), [source], loadOptionsOf(options)))
    expect(readFileSync(file, 'utf8')).toMatch(
      /start = "datum\+tijd"[\s\S]*delimiter = ";"\nskip-lines = "2"\n\n# Not loaded: "rest"/,
    )
    const { events } = await load('a.csv', content, `--mapping ${file}`)
    expect(events).toEqual(['2020-01-01T07:00 @ 5 52 "1"'])
    expect(() => checkMapping(file, options)).toThrow(`--write-mapping would overwrite ${file}: enter another name`)
  })

  it('has options, and the options of the command win over them', async () => {
    const given = mapping(
      'start = ["Begin", "Tijd"]\nx = 5\ny = 52.1\nattributes = ["a", "b"]\nvalue = "c"\ndate-format = "DD-MM-YYYY"\n',
    )
    const { events } = await load('a.csv', 'Begin,Tijd,a,b,c,d\n31-01-2020,7:00,1,2,3,4\n', `${given} --value d`)
    expect(events).toEqual(['2020-01-31T07:00 @ 5 52.1 "4" {"a":1,"b":2}'])
  })

  it.each([
    ['strat = "x"', 'there is no option strat for files: did you mean start?'],
    ['to = "http://x"', 'there is no option to for files'],
    ['crs = [28992]', 'crs has another value: enter a text, a number, or a list of texts'],
    ['new-ids = 1', 'new-ids has another value: enter true or false'],
    ['start = ', 'mapping.toml: Invalid TOML document'],
  ])('with %s is refused', async (content, message) => {
    await expect(load('a.csv', HEADER, mapping(content))).rejects.toThrow(message)
  })
})
