import { env } from 'cloudflare:workers'
import { parse } from 'csv-parse/browser/esm/sync'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { defused, pointText, restored, spreadsheetIn } from '../../src/formats/csv.ts'
import { shownIn } from '../../src/formats/shown.ts'
import { events as allEvents } from '../../src/lists/event.ts'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { eventOf } from '../filters/records.ts'
import { durationOf, expectPace } from '../pace.ts'
import type { EventRecord } from '../records.ts'
import { answer, get, load, ORIGIN, post, seedEvents, seedRecords, seedSeries, send, withKey } from '../service.ts'

/** Texts that a CSV writer, a CSV reader or a spreadsheet may get wrong. Each has its cell beside it. */
const CELLS: [text: string, cell: string][] = [
  ['plain', 'plain'],
  ['', '""'],
  [' ', '" "'],
  [' led', '" led"'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['"', '""""'],
  ['two\nlines', '"two\nlines"'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['é 漢字 🌋', 'é 漢字 🌋'],
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("http://a.b","x")', '"\'=HYPERLINK(""http://a.b"",""x"")"'],
  ['+31 6 1234', "'+31 6 1234"],
  ['-81km', "'-81km"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', '"\'\t\'=1"'],
  ['\r=1', '"\'\r\'=1"'],
  ['\tplain', '"\'\tplain"'],
  ['a;=HYPERLINK("x")', '"a;\'=HYPERLINK(""x"")"'],
  ['a;b;=1;+2;@c', "a;b;'=1;+2;'@c"],
  ["a;'=1", "a;''=1"],
  ['a;-1.5', 'a;-1.5'],
  ['-1;2', '-1;2'],
  [';=1', ";'=1"],
  ['a\t=1', '"a\t\'=1"'],
  ['a\n=1', '"a\n\'=1"'],
  ['a;＝1', "a;'＝1"],
  ['a; =1', 'a; =1'],
  ['a=1;b', 'a=1;b'],
  ['＝1+1', "'＝1+1"],
  ["'=1", "''=1"],
  ["'s-Hertogenbosch", "'s-Hertogenbosch"],
  ['-1.5', '-1.5'],
  ['+2', '+2'],
  ['-.5e-7', '-.5e-7'],
  ['-', "'-"],
  ['a;-', "a;'-"],
  ['-1\t*cmd|x!A0', '"\'-1\t*cmd|x!A0"'],
  ['-1\n-2\n-3', '"\'-1\n-2\n-3"'],
  ['+1|-2;-3', '+1|-2;-3'],
  ["'-", "''-"],
  ['x;"=HYPERLINK(1);y', '"x;""\'=HYPERLINK(1);y"'],
  ['"=1', '"""\'=1"'],
  [`a;'""'"=1`, `"a;'""""'""'=1"`],
  ['a|=1', "a|'=1"],
  ['a|+"b"|-5', '"a|\'+""b""|-5"'],
  ['["-1;-2.5"]', '"[""-1;-2.5""]"'],
  ['-1-1', "'-1-1"],
  ['--1', "'--1"],
  ['1e400', '1e400'],
  ['007', '007'],
  ['null', 'null'],
]

const HOSTILE = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', ',', '\r', '\n', '\t', '=', '+', '-', '@', "'", ' ', ';', '0', '1', '.', 'e', '＝'),
    fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' }),
  ),
  maxLength: 12,
})
const texts = [...CELLS.map(([text]) => text), ...fc.sample(HOSTILE, { seed: 11, numRuns: 400 })].map((text) =>
  text.replaceAll('\0', ''),
)

const FIRST = 100_001
const nasty = texts.map(
  (text, i): EventRecord => ({
    kind: 'event',
    id: FIRST + i,
    series: 5,
    category: texts[(i * 7) % texts.length] ?? '',
    value: text,
    start: -i,
    end: i,
    coordinates: i % 3 === 0 ? null : [-i / 7, i / 11, -0.5],
    object: i % 2 === 0 ? null : { model: 'a,"b"', id: i },
    ...(text !== '' && { external_id: `${text}${i}` }),
  }),
)
const EXTERNAL = new Map([...seedEvents, ...nasty].map(({ id, external_id }) => [id, external_id]))
/** The time of the last write of each event, in microseconds since 1970. */
const stamps = new Map<number, number>()

beforeAll(async () => {
  await load([...seedRecords, ...nasty])
  const { results } = await env.DB.prepare('SELECT id, last_modified AS at FROM event').all<Record<string, number>>()
  for (const { id = 0, at = 0 } of results) stamps.set(id, at)
})

/** Returns the text of a cell. An empty cell without quotes is null. */
const textOf = (cell: string, { quoting }: { quoting: boolean }) => {
  if (cell === '' && !quoting) return null
  return restored(cell)
}

type Cells = Record<string, string | null>
const strict = { relax_quotes: false, relax_column_count: false, record_delimiter: '\r\n' }
/** Returns the rows of CSV from another program, in its strictest mode. */
const rowsOf = (csv: string): Cells[] => parse(csv, { ...strict, columns: true, cast: textOf }) as unknown as Cells[]

const csvOf = async (path: string) => (await send(path)).text()
const lineOf = async (id: number) =>
  (await csvOf(`/api/v3/events/${id}/?format=csv`)).split('\r\n').slice(1).join('\r\n')

describe('the cell of a text', () => {
  it.each(CELLS.map(([text, cell], i) => [text, cell, FIRST + i] as const))(
    '%j is written as %j',
    async (text, cell, id) => {
      const { properties } = await get(`/api/v3/events/${id}/`)
      expect(properties.value).toBe(text)
      expect(await lineOf(id)).toContain(`,${cell},${isoOf(properties.timestamp_start)},`)
    },
  )
})

describe('the cell of 150,000 digits and a letter is written in the time of 400 small requests', () => {
  const value = `-${'1'.repeat(150_000)}x`
  beforeAll(() => load([eventOf(FIRST - 1, { series: 1, value, category: 'digits' })]))

  it.each(['csv', 'spreadsheet', 'spreadsheet&locale=nl'])('format=%s', async (format) => {
    const written = async () => {
      expect(await csvOf(`/api/v3/events/?category=digits&format=${format}`)).toContain(`'${value}`)
    }
    // A pattern that tries every split of the digits takes as long as 2,000 of them.
    await expectPace(400, () => durationOf(written))
  })
})

describe('the cell of a random text', () => {
  const parts = fc.array(
    fc.constantFrom(';', '|', '\t', '\r', '\n', '=', '+', '-', '@', '＝', "'", '"', ' ', 'a', '1', '.', 'e'),
    {
      maxLength: 14,
    },
  )
  const text = fc.oneof(
    parts.map((each) => each.join('')),
    HOSTILE,
  )

  it('gives the text back when it is read', () => {
    fc.assert(
      fc.property(text, (text) => {
        expect(restored(defused(text))).toBe(text)
      }),
      { numRuns: 5000, seed: 7 },
    )
  })

  it('never starts a formula in a spreadsheet', () => {
    fc.assert(
      fc.property(text, (text) => {
        // Programs may split quoted cells, and drop all quotes.
        for (const cell of defused(text)
          .replaceAll('"', '')
          .split(/[;|\t\r\n]/))
          if (/^[=+\-@＝＋－＠]/.test(cell)) expect(cell).toMatch(/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/)
      }),
      { numRuns: 5000, seed: 7 },
    )
  })
})

interface Feature {
  id: number
  geometry: { coordinates: number[] } | null
  properties: Record<string, string | number | null> & { object: { type: string; id: number } | null }
}

/** Formats milliseconds as an instant in ISO 8601, with a fraction if there is one. */
const isoOf = (time: unknown): string =>
  new Date(Number(time))
    .toISOString()
    .replace('.000Z', 'Z')
    .replace(/(\.\d{3})Z/, '$1000Z')

const stampOf = (id: number): string =>
  isoOf(Math.floor((stamps.get(id) ?? 0) / 1000)).replace(/(\.\d{3})\d{3}Z|Z$/, (_, milliseconds = '.000') => {
    const micros = String((stamps.get(id) ?? 0) % 1000).padStart(3, '0')
    return milliseconds === '.000' && micros === '000' ? 'Z' : `${milliseconds}${micros}Z`
  })

/** Returns the expected cells of an event's line. */
const expectedOf = ({ id, geometry, properties }: Feature): Cells => {
  const { category, value, timestamp_start, timestamp_end, object, url } = properties
  const series = seedSeries.find((each) => each.id === properties.event_series)
  const [longitude, latitude, z] = geometry?.coordinates ?? []
  const cells = {
    ...{ id, category, value, timestamp_start: isoOf(timestamp_start), timestamp_end: isoOf(timestamp_end) },
    ...{ event_series: series?.uuid, event_series_name: series?.name, longitude, latitude, z },
    ...{ object_type: object?.type, object_id: object?.id, external_id: EXTERNAL.get(id) },
    ...{ last_modified: stampOf(id), url },
  }
  return Object.fromEntries(
    Object.entries(cells).map(([name, cell]) => [name, cell === undefined || cell === null ? null : String(cell)]),
  )
}

describe('csv-parse reads the same rows as the JSON has', () => {
  it.each([
    `event_series=99fe5d0&page_size=${MAX_PAGE_SIZE}`,
    'page_size=2000',
    'ordering=-timestamp_end&page_size=700&page=2',
    'category=hurricane&page_size=1000',
    'category=none',
    'object_type__model__isnull=false&page_size=2000',
  ])('events: %s', async (query) => {
    const { results } = await get(`/api/v3/events/?${query}`)
    expect(rowsOf(await csvOf(`/api/v3/events/?${query}&format=csv`))).toMatchObject(results.map(expectedOf))
  })

  it.each(['/api/v3/eventseries/', '/api/v4/eventseries/', '/api/v3/observationtypes/', '/api/v4/observationtypes/'])(
    '%s',
    async (path) => {
      const options = { vars: { ANONYMOUS_LEVEL: 'Hidden' } }
      const { results } = await get(`${path}?page_size=1000`, options)
      const flat = (item: Record<string, unknown>): Cells =>
        Object.fromEntries(
          Object.entries({ ...item, ...(item.spatial_bounds as object | undefined) })
            .filter(([name]) => name !== 'spatial_bounds')
            .map(([name, value]) => [
              name,
              value === null ? null : name.endsWith('_timestamp') ? isoOf(value) : String(value),
            ]),
        )
      const response = await send(`${path}?page_size=1000`, { ...options, headers: { Accept: 'text/csv' } })
      const rows = rowsOf(await response.text())
      expect(rows.length).toBe(results.length)
      expect(rows.length).toBeGreaterThan(3)
      // A series without events has no bounds to flatten.
      for (const [i, row] of rows.entries()) expect(row).toMatchObject(flat(results[i]))
    },
  )
})

describe('a complete CSV answer', () => {
  const HEADER =
    'id,category,value,timestamp_start,timestamp_end,event_series,event_series_name,longitude,latitude,z,object_type,object_id,external_id,last_modified,url,attributes\r\n'
  const ALASKA = '1f3fd2e4-e4f6-564f-b861-9051626e9eb4,Earthquakes Alaska'

  it('for a list', async () => {
    const response = await send('/api/v3/events/?format=csv&page_size=2')
    const [first, second] = [
      '"{""mag"":2.3,""magType"":""ml"",""depth"":0,""place"":""81km WNW of Skagway, Alaska"",""net"":""ak"",""status"":""automatic""}"',
      '"{""mag"":1.1,""magType"":""ml"",""depth"":5.1,""place"":""120km W of Cantwell, Alaska"",""net"":""ak"",""status"":""reviewed""}"',
    ]
    expect([response.status, await response.text()]).toEqual([
      200,
      `${HEADER}1,earthquake,"M 2.3 - 81km WNW of Skagway, Alaska",2018-01-31T02:18:21.235000Z,2018-01-31T02:18:21.235000Z,${ALASKA},-136.5559,59.8411,0,,,ak18247005,${stampOf(1)},${ORIGIN}/api/v3/events/1/,${first}\r\n` +
        `2,earthquake,"M 1.1 - 120km W of Cantwell, Alaska",2018-01-31T02:51:13.646000Z,2018-01-31T02:51:13.646000Z,${ALASKA},-151.3539,63.3829,5.1,,,ak18247830,${stampOf(2)},${ORIGIN}/api/v3/events/2/,${second}\r\n`,
    ])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="events.csv"',
      'x-total-count': String((await get('/api/v3/events/')).count),
      link: expect.stringMatching(
        /^<http:\/\/localhost:8787\/api\/v3\/events\/\?format=csv&hint=[\w-]+&page=2&page_size=2>; rel="next"$/,
      ),
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^W\//),
    })
  })

  it('without matches has only the header', async () => {
    const response = await send('/api/v3/events/?format=csv&category=none')
    const [header] = (await csvOf('/api/v3/events/?format=csv&page_size=1')).split('\r\n')
    expect([response.headers.get('X-Total-Count'), await response.text()]).toEqual(['0', `${header}\r\n`])
  })

  it('for one item has the header and one line', async () => {
    const response = await send('/api/v4/eventseries/99fe5d0/?format=csv')
    expect(await response.text()).toBe(
      'url,uuid,name,description,observation_type,statistic,color,start,end,access_modifier,last_modified,created\r\n' +
        (await csvOf('/api/v4/eventseries/?format=csv&uuid=99fe5d03-893d-5b20-8244-b9189db33e37')).split('\r\n')[1] +
        '\r\n',
    )
    expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="eventseries_99fe5d0.csv"')
    expect(response.headers.get('X-Total-Count')).toBe(null)
  })

  it('an error is JSON instead of CSV', async () => {
    for (const path of [
      '/api/v3/events/?format=csv&nope=1',
      '/api/v3/events/0/?format=csv',
      '/api/v3/events/?page=0&format=csv',
    ])
      expect((await send(path)).headers.get('Content-Type')).toBe('application/json')
  })

  it('shows a caller without a key no more than the JSON', async () => {
    const path = '/api/v4/eventseries/?page_size=100&format=csv'
    const { results } = await get('/api/v4/eventseries/?page_size=100')
    expect(rowsOf(await csvOf(path)).map(({ uuid }) => uuid)).toEqual(results.map(({ uuid }: { uuid: string }) => uuid))
    const more = rowsOf(await (await send(path, await withKey('hidden'))).text())
    expect(more.length).toBeGreaterThan(results.length)
  })
})

describe('format=spreadsheet&locale=...', () => {
  const path = '/api/v3/events/1/?format=spreadsheet'
  const ALASKA = '1f3fd2e4-e4f6-564f-b861-9051626e9eb4'

  it.each([
    ['', ','],
    ['&locale=', ','],
    ['&locale=en', ','],
    ['&locale=EN-us', ','],
    ['&locale=ja', ','],
    ['&locale=nl', ';'],
    ['&locale=nl-BE', ';'],
    ['&locale=+de+', ';'],
    ['&locale=fr-CA', ';'],
    ['&locale=de-CH', ','],
  ])('%j has cells between %s', async (locale, delimiter) => {
    const isComma = delimiter === ','
    const [head, line = ''] = (await csvOf(path + locale)).split('\r\n')
    expect(head?.split(delimiter).slice(0, 4)).toEqual(['id', 'category', 'value', 'timestamp_start'])
    const value = 'M 2.3 - 81km WNW of Skagway, Alaska'
    const cells = [
      1,
      'earthquake',
      isComma ? `"${value}"` : value,
      '2018-01-31 02:18:21.235',
      '2018-01-31 02:18:21.235',
    ]
    const place = ['-136.5559', '59.8411', '0'].map((text) => (isComma ? text : text.replace('.', ',')))
    const times = cells.map((cell, i) => (i > 2 && !isComma ? String(cell).replace('.', ',') : cell))
    expect(line.startsWith([...times, ALASKA, 'Earthquakes Alaska', ...place, ''].join(delimiter))).toBe(true)
  })

  it.each([
    ['4.5', '4,5'],
    ['-.5e-7', '-,5e-7'],
    ['4,5', "'4,5"],
    ["'4,5", "''4,5"],
    ['-4,5', "'-4,5"],
    ['1,5,2', '1,5,2'],
    ['€ 5,-', "€ 5,'-"],
    ['a,"=1', '"a,""\'=1"'],
    ['-1,5*A1', "'-1,5*A1"],
    [';-1,5*A1', '";\'-1,5*A1"'],
    ['[1,-2.5,[-3]]', '[1,-2.5,[-3]]'],
    ['a,-1.5,+b', "a,-1.5,'+b"],
    ['a;b', '"a;b"'],
    ['a,b', 'a,b'],
    ['=1', "'=1"],
    ['', '""'],
    ['1.2.3', '1.2.3'],
  ])('writes the text %j as %j with decimal commas', async (text, cell) => {
    await env.DB.prepare('UPDATE event SET value = ? WHERE id = 3').bind(text).run()
    expect((await csvOf('/api/v3/events/3/?format=spreadsheet&locale=nl')).split('\r\n')[1]).toContain(`;${cell};2018`)
  })

  it('gives every text back', () => {
    const { flat, place } = allEvents
    const sheet = spreadsheetIn('nl')
    const shown = shownIn(flat, place, null, new Set(['value']))
    const cellOf = (value: string) =>
      sheet.list(shown, { to: String }, { count: 1, self: '', next: null, previous: null }).each({ value })
    const parts = fc.array(fc.constantFrom(...'.,-+=\';|"e01a \n'.split('')), { maxLength: 8 })
    fc.assert(
      fc.property(
        fc.oneof(
          parts.map((each) => each.join('')),
          HOSTILE,
        ),
        (text) => {
          const [[cell = ''] = []] = parse(cellOf(text), { ...strict, delimiter: ';' })
          expect(pointText(cell)).toBe(text)
          for (const each of cell.replaceAll('"', '').split(/[,;|\t\r\n]/))
            if (/^[=+\-@＝＋－＠]/.test(each)) expect(each).toMatch(/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/)
        },
      ),
      { numRuns: 5000, seed: 7 },
    )
  })

  it.each([
    ['/api/v3/events/?format=spreadsheet&locale=', 'nl_NL'],
    ['/api/v3/events/?format=spreadsheet&locale=', 'xx'],
    ['/api/v3/events/1/?format=spreadsheet&locale=', 'Dutch language'],
    ['/ogc/collections/events/items?f=spreadsheet&locale=', 'nl-'],
  ])('%s%s is a 400 with an example', async (start, tag) => {
    expect(await faultsAt(start + tag)).toEqual({
      locale: ['Enter the tag of a language, such as locale=nl or locale=en-GB.'],
    })
  })

  it.each([
    ['/api/v3/events/?locale=nl', 'format'],
    ['/api/v3/events/?format=csv&locale=nl', 'format'],
    ['/api/v3/events/1/?format=json&locale=xx', 'format'],
    ['/api/v4/eventseries/?format=geojson&locale=nl', 'format'],
    ['/ogc/collections/events/items?f=csv&locale=nl', 'f'],
    ['/ogc/collections/events/items/1?locale=nl', 'f'],
  ])('%s is a 400', async (address, parameter) => {
    expect(await faultsAt(address)).toEqual({
      locale: [`Only ${parameter}=spreadsheet accepts a language. Enter that, or leave locale out.`],
    })
  })

  it.each(['/', '/api/v3/events.csv', '/api/v3/events.ndjson'])('%s?locale=nl is a 400', async (address) => {
    expect(Object.keys(await faultsAt(`${address}?locale=nl`))).toEqual(['locale'])
  })

  it('is in the next page, in /ogc, in a posted query and in the tag', async () => {
    const list = '/api/v3/events/?page_size=2&format=spreadsheet'
    const asked = [list, `${list}&locale=en`, `${list}&locale=nl`]
    const answers = await Promise.all(asked.map((each) => send(each)))
    expect(new Set(answers.map(({ headers }) => headers.get('ETag'))).size).toBe(3)
    const [plain, english, dutch] = await Promise.all(answers.map((each) => each.text()))
    expect(english).toBe(plain)
    const link = /<(.*?)>; rel="next"/.exec(answers[2]?.headers.get('Link') ?? '')?.[1] ?? ''
    expect(link).toContain('locale=nl')
    expect(await csvOf(link)).toMatch(/^id;category;/)
    expect(await csvOf('/ogc/collections/events/items?limit=2&f=spreadsheet&locale=nl')).toBe(dutch)
    const posted = post('page_size=2&format=spreadsheet&locale=nl')
    expect(await (await send('/api/v3/events/', posted)).text()).toBe(dutch)
    expect((await send('/api/v3/events/?format=json', posted)).status).toBe(200)
  })
})

const faultsAt = async (path: string) => {
  const { status, body } = await answer(path)
  expect(status).toBe(400)
  const { errors, ...faults } = body as { errors?: object }
  return errors ?? faults
}
