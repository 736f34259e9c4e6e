import { beforeAll, describe, expect, it } from 'vitest'
import { eventOf, observationType, refusal, seriesOf } from '../filters/records.ts'
import { get, load, type Options, post, send, walk, withKey } from '../service.ts'
import { splitRows } from '../tags.ts'

const LEVELS = [0, 100, 200, 300]
const OWNERS = LEVELS.map((access_modifier, i) => seriesOf(i + 1, { access_modifier }))
const FIRST = OWNERS[0]?.uuid
const EVENTS = '/api/v3/events/'
const OF_SERIES = `/api/v4/eventseries/${FIRST}/events/`

beforeAll(() =>
  load([
    observationType,
    ...OWNERS,
    ...OWNERS.flatMap(({ id: series }) =>
      Array.from({ length: 6 }, (_, i) =>
        eventOf(series * 10 + i, {
          ...{ series, start: i, end: i + 1, category: i % 2 ? 'flood' : 'storm', value: `value ${i}` },
          ...{ object: i % 3 ? null : { model: 'station', id: i }, coordinates: i % 3 ? [i, series, 0] : null },
        }),
      ),
    ),
  ]),
)

/** Each list and item with choices, which all of its formats show. */
const CASES: readonly (readonly [string, readonly string[]])[] = [
  [EVENTS, ['id', 'category', 'timestamp_start', 'url', 'value']],
  [`${EVENTS}11/`, ['id', 'category', 'timestamp_end']],
  [OF_SERIES, ['id', 'start', 'external_id', 'url']],
  [`${OF_SERIES}11/`, ['value', 'end']],
  ['/api/v3/eventseries/', ['url', 'name', 'color']],
  [`/api/v3/eventseries/${FIRST}/`, ['name']],
  ['/api/v4/eventseries/', ['name', 'start', 'access_modifier', 'uuid']],
  ['/api/v3/observationtypes/', ['id', 'code', 'unit']],
  ['/api/v4/observationtypes/1/', ['name']],
]
const CALLERS = [
  ['anonymous', async (): Promise<Options> => ({})],
  ['common', () => withKey('common')],
  ['private', () => withKey('private')],
  ['hidden', () => withKey('hidden')],
] as const

/** Chooses the members of an item in the slowest obvious way. */
// biome-ignore lint/suspicious/noExplicitAny: items of all lists
const choose = (item: any, fields: readonly string[]): any => {
  const of = (members: object) => Object.fromEntries(Object.entries(members).filter(([name]) => fields.includes(name)))
  if (item.type !== 'Feature') return of(item)
  const { id, bbox, geometry, properties } = item
  return {
    ...of({ id, ...(bbox && { bbox }) }),
    type: 'Feature',
    geometry: fields.includes('geometry') ? geometry : null,
    properties: of(properties),
  }
}

const END = '\r\n'

const textOf = async (path: string, query: string, options: Options) => {
  const response = await send(`${path}?${query}`, options)
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${response.status} ${text}`)
  return text
}
/** Every choice of up to all names, as an increasing prefix and as single names. */
const choicesOf = (names: readonly string[]) => [...names.map((name) => [name]), [...names].reverse()]

describe('the answer has the chosen members of the whole answer', () => {
  const all = CALLERS.flatMap(([caller, of]) => CASES.map(([path, names]) => [path, names, caller, of] as const))
  for (const [how, rows] of splitRows(4, all))
    it.each(rows)('%s of %j for %s', how, async (path, names, _, optionsOf) => {
      const options = await optionsOf()
      const filter = path === EVENTS ? '&category=flood&timestamp_start__gte=1970-01-01&ordering=-timestamp_start' : ''
      for (const fields of choicesOf(names)) {
        const both = async (format: string) => {
          const query = `page_size=100&format=${format}${filter}`
          return [await textOf(path, query, options), await textOf(path, `${query}&fields=${fields}`, options)] as const
        }
        const [json, ofJson] = (await both('json')).map((text) => JSON.parse(text))
        const { results, ...envelope } = json
        if (results === undefined) expect(ofJson).toEqual(choose(json, fields))
        // biome-ignore lint/suspicious/noExplicitAny: items of all lists
        else expect(ofJson).toEqual({ ...envelope, results: results.map((item: any) => choose(item, fields)) })

        const lines = (text: string) =>
          text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        const [ndjson, ofNdjson] = (await both('ndjson')).map(lines)
        expect(ofNdjson).toEqual(ndjson?.map((item) => choose(item, fields)))

        const [geojson, ofGeojson] = (await both('geojson')).map((text) => JSON.parse(text))
        // biome-ignore lint/suspicious/noExplicitAny: items of all lists
        const chosen = geojson.features?.map((item: any) => choose(item, fields))
        if (chosen === undefined) expect(ofGeojson).toEqual(choose(geojson, fields))
        else expect(ofGeojson.features).toEqual(chosen)

        for (const format of ['csv', 'spreadsheet']) {
          const cells = (text: string) =>
            text
              .replace('\ufeff', '')
              .slice(0, -END.length)
              .split(END)
              .map((line) => line.split(','))
          const [csv = [], ofCsv] = (await both(format)).map(cells)
          const columns = fields.map((name) => (csv[0] ?? []).indexOf(name)).filter((i) => i >= 0)
          expect(ofCsv).toEqual(csv.map((line) => columns.map((i) => line[i])))
        }
      }
    })
})

describe('a feature', () => {
  it.each([
    ['id', { id: 11, type: 'Feature', geometry: null, properties: {} }],
    ['geometry', { type: 'Feature', geometry: { type: 'Point', coordinates: [1, 1, 0] }, properties: {} }],
    [
      'the_geom',
      { type: 'Feature', geometry: null, properties: { the_geom: { type: 'Point', coordinates: [1, 1, 0] } } },
    ],
    [' object , id ', { id: 11, type: 'Feature', geometry: null, properties: { object: null } }],
    ['id,id', { id: 11, type: 'Feature', geometry: null, properties: {} }],
    ['id&fields=category', { id: 11, type: 'Feature', geometry: null, properties: { category: 'flood' } }],
  ])('of %j', async (fields, expected) => {
    expect(await get(`${EVENTS}11/?fields=${fields}`)).toEqual(expected)
    const [feature] = (await get(`${EVENTS}?id=11&fields=${fields}`)).results
    expect(feature).toEqual(expected)
  })

  it('an empty value chooses all', async () => {
    expect(await get(`${EVENTS}11/?fields=`)).toEqual(await get(`${EVENTS}11/`))
  })

  it('of a series in GeoJSON has its box only if that is chosen', async () => {
    const path = '/api/v3/eventseries/?format=geojson&page_size=1&fields='
    const [withBox] = (await get(`${path}bbox,geometry`)).features
    const [without] = (await get(`${path}name`)).features
    expect([withBox.bbox, withBox.geometry.type]).toEqual([[1, 1, 5, 1], 'Polygon'])
    expect(without).toEqual({ type: 'Feature', geometry: null, properties: { name: 'Series 1' } })
  })
})

describe('pages', () => {
  it.each([{}, post('category=flood&page_size=1&fields=id')])('next keeps the choice of %j', async (options) => {
    const query = options === undefined || !('body' in options) ? '?category=flood&page_size=1&fields=id' : ''
    const first = await get(EVENTS + query, options)
    const pages = 'body' in options ? [first, await get(first.next, options)] : await walk(EVENTS + query)
    expect(pages.length).toBeGreaterThan(1)
    for (const { count, results } of pages) {
      expect(count).toBe(3)
      for (const item of results) expect(item).toEqual({ id: item.id, type: 'Feature', geometry: null, properties: {} })
    }
  })

  it('a whole result, a summary and included series', async () => {
    const whole = await (await send(`${EVENTS}?format=ndjson&page_size=all&fields=id`)).text()
    expect(whole.trim().split('\n').length).toBe(6)
    expect((await get(`${EVENTS}summary/?fields=id`)).count).toBe(6)
    const { series } = await get(`${EVENTS}?include=series&fields=id`)
    expect(series[0]).toMatchObject({ id: 1, name: 'Series 1' })
  })

  it('the page of a browser has all members', async () => {
    const page = { headers: { Accept: 'text/html' } }
    expect(await (await send(`${EVENTS}?fields=id`, page)).text()).toContain('timestamp_start')
  })

  it('each choice has its own ETag', async () => {
    const tags = await Promise.all(
      ['', '?fields=id', '?fields=value'].map(async (query) => (await send(EVENTS + query)).headers.get('ETag')),
    )
    expect(new Set(tags).size).toBe(3)
  })
})

describe('an unknown name is a 400 with a suggestion', () => {
  it.each([
    [EVENTS, 'id,categroy', 'Items have no member "categroy" in this format. Did you mean category?'],
    [EVENTS, 'start', 'Items have no member "start" in this format. Did you mean timestamp_start?'],
    [
      EVENTS,
      'last_modified&format=json',
      /^Items have no member "last_modified" in this format\. Enter one or more of id, geometry, category/,
    ],
    [EVENTS, 'the_geom&format=csv', /^Items have no member "the_geom" in this format\. Enter one or more of id, /],
    [EVENTS, 'id,', /^Items have no member "" in this format\. Enter one or more of id, geometry/],
    [EVENTS, 'properties', /^Items have no member "properties"/],
    [`${EVENTS}11/`, 'x'.repeat(400), /^Items have no member "x{50}" in this format\. Enter one or more of/],
    ['/api/v4/eventseries/', 'Uuid', 'Items have no member "Uuid" in this format. Did you mean uuid?'],
    ['/api/v3/eventseries/', 'uuid', /^Items have no member "uuid"/],
  ])('%s?fields=%s', async (path, fields, message) => {
    const expected = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(await refusal(`fields=${fields}`, {}, path)).toEqual({ fields: [expected] })
  })

  it.each(['/api/v3/', '/ogc/collections/events/items'])('%s has no such parameter', async (path) => {
    expect((await send(`${path}?fields=id`)).status).toBe(400)
  })

  it('it comes with the other mistakes', async () => {
    expect(Object.keys((await refusal('fields=x&page_size=0&id=y')) as object).sort()).toEqual([
      'fields',
      'id',
      'page_size',
    ])
  })
})
