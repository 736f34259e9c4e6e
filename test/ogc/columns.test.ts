import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { beforeAll, describe, expect, it } from 'vitest'
import { WEB_MERCATOR } from '../../src/ogc/tileMatrix.ts'
import { random } from '../bench/events.ts'
import { as, eventOf, LEVELS, type Level, NAMES, seriesOf, typeOf, uuidOf } from '../http/writes.ts'
import { get, load, send } from '../service.ts'
import { outcome, write } from '../store/writer.ts'
import { tileAt } from './places.ts'

const ROOT = '/ogc/collections'
const at = (series: number) => `${ROOT}/events-${uuidOf(series)}`
const itemsOf = (series: number) => `${at(series)}/items`

const next = random(23)
const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T

const TEXTS = ['Houten', 'Zeist', 'de Bilt', '', 'a_b', '100%']
const NUMBERS = [5, 2.5, -3, 0.1, 1000, 5000000000]
const attributesAt = (): Record<string, unknown> => {
  const whole = {
    ...{ N: pick(NUMBERS), K: pick([1, 2, 3, 5]), T: pick(TEXTS), B: pick([true, false]) },
    ...{ M: pick([5, 'Houten', true, [1], { a: 1 }, null]) },
  }
  return Object.fromEntries(Object.entries(whole).filter(() => next() < 0.8))
}
/** The events of the first series, whose attribute M has values of several types. */
const events = Array.from({ length: 300 }, (_, i) => ({
  ...eventOf(i + 1, 1),
  value: `${i} m`,
  attributes: attributesAt(),
}))
const named = {
  ...{ limit: 3, category: 'own', 'a b': 1, near: 'x', id: 7, start: 'y' },
  Nested: { a: [1] },
  Plain: 'p',
}

const METADATA = {
  ...{ source: 'Waterschap', source_url: 'https://example.org/data', license: 'CC-BY-4.0' },
  fields: [
    { name: 'attributes__T', title: 'Gemeente', type: 'string' },
    { name: 'value', title: 'Volume', type: 'string', unit: 'm³' },
    { name: 'attributes__N', title: 'Duur', type: 'number', unit: 'min' },
    ...[
      { name: 'attributes__K', type: 'integer' },
      { name: 'attributes__B', type: 'boolean' },
    ],
    { name: 'attributes__M', type: 'string' },
  ],
}

beforeAll(async () => {
  await load([
    typeOf(1),
    ...[1, 2, 3].map((id) => seriesOf(id, 'Public')),
    ...NAMES.map((level, i) => seriesOf(11 + i, level)),
    ...events,
    { ...eventOf(1001, 2), attributes: named },
    ...NAMES.map((_, i) => ({ ...eventOf(1011 + i, 11 + i), attributes: { [`only${i}`]: 1 } })),
  ])
  expect((await outcome('PUT', `/api/v4/eventseries/${uuidOf(1)}/metadata/`, METADATA)).status).toBe(200)
})

describe('a filter in CQL2', () => {
  it.each([
    ['CASEI(N) = 5', /text and number cannot be compared/],
    ["CASEI(T) < 'b'", /CASEI of this property/],
    ['Gemeente = 1', /there is no property "Gemeente"/],
  ])('%s is a 400 that says what to enter', async (filter, message) => {
    const { status, body } = await outcome('GET', `${itemsOf(1)}?filter=${encodeURIComponent(filter)}`)
    expect([status, body.detail]).toEqual([400, expect.stringMatching(message)])
  })
})

const FEATURE = { type: 'Feature', geometry: { type: 'Point', coordinates: [5, 52, 0] } }
const PROPERTIES = { category: 'flood', value: '1', timestamp_start: '2024-05-01T00:00:00Z' }

describe('the documents of a collection', () => {
  it('have types, titles and units, in the order of the description', async () => {
    const { properties } = await get(`${at(1)}/schema`)
    expect(Object.keys(properties).slice(0, 8)).toEqual(['id', 'T', 'value', 'value_number', 'N', 'K', 'B', 'M'])
    expect(properties).toMatchObject({
      T: { title: 'Gemeente', type: 'string', 'x-ogc-propertySeq': 1 },
      value: { title: 'Volume', type: 'string', 'x-ogc-unit': 'm³', 'x-ogc-propertySeq': 2 },
      value_number: { type: 'number', readOnly: true },
      N: { title: 'Duur', type: 'number', 'x-ogc-unit': 'min' },
      K: { title: 'K', type: 'integer' },
      B: { type: 'boolean' },
    })
    expect(properties.T.readOnly).toBeUndefined()
    const [feature] = (await get(`${itemsOf(1)}?limit=1`)).features
    expect(Object.keys(feature.properties)).toEqual(
      Object.keys(properties).filter((name) => !['id', 'geometry', 'distance'].includes(name)),
    )
  })

  it('list the columns among queryables and sortables', async () => {
    const [queryables, sortables] = await Promise.all(
      ['queryables', 'sortables'].map((name) => get(`${at(1)}/${name}`)),
    )
    expect(queryables.queryables).toEqual(Object.keys(queryables.properties).map((id) => ({ id })))
    expect(queryables.properties).toMatchObject({ T: { type: 'string' }, N: { type: 'number' }, value_number: {} })
    expect(sortables.properties).toMatchObject({
      T: { title: 'Gemeente' },
      N: {},
      value_number: { title: 'Volume (number)' },
    })
  })

  it('keep attributes__ where features or requests have the name', async () => {
    const [{ properties }] = (await get(itemsOf(2))).features
    expect(properties).toMatchObject({
      ...{ limit: 3, near: 'x', Plain: 'p', category: 'flood', attributes__category: 'own' },
      ...{ 'a b': 1, attributes__id: 7, attributes__start: 'y' },
    })
    expect(properties).not.toHaveProperty('Nested')
    expect(properties).not.toHaveProperty('attributes')
    const { properties: queryable } = await get(`${at(2)}/queryables`)
    expect(Object.keys(queryable)).toEqual(
      expect.arrayContaining(['Plain', 'a b', 'attributes__category', 'attributes__id']),
    )
    for (const name of ['limit', 'near']) expect(queryable).not.toHaveProperty(name)
    expect((await get(`${itemsOf(2)}?attributes__limit=3&filter=attributes__id=7`)).numberMatched).toBe(1)
  })

  it('link the licence and the source, also in the list', async () => {
    const { links, attribution } = await get(at(1))
    const hrefOf = (rel: string) => links.find((each: { rel: string }) => each.rel === rel)?.href
    expect([attribution, hrefOf('license'), hrefOf('attribution')]).toEqual([
      ...['Waterschap', 'https://spdx.org/licenses/CC-BY-4.0.html', 'https://example.org/data'],
    ])
    const { collections } = await get(ROOT)
    expect(collections).toContainEqual(await get(at(1)))
    expect(
      (await get(new URL(hrefOf('enclosure')).pathname + new URL(hrefOf('enclosure')).search)).features,
    ).toHaveLength(events.length)
  })
})

describe('items', () => {
  it('choose columns, and have them in CSV', async () => {
    const { features } = await get(`${itemsOf(1)}?limit=1&properties=T,N`)
    expect(Object.keys(features[0].properties)).toEqual(['T', 'N'])
    const [head = ''] = (await (await send(`${itemsOf(1)}?f=csv&limit=1`)).text()).split('\r\n')
    expect(head.split(',')).toEqual(expect.arrayContaining(['value_number', 'attributes__T', 'attributes__N']))
    expect((await send(`${itemsOf(1)}?properties=attributes`)).status).toBe(400)
    const chosen = await (await send(`${itemsOf(1)}?f=csv&limit=1&properties=N,attributes__T`)).text()
    expect(chosen.split('\r\n')[0]).toBe('id,longitude,latitude,z,attributes__N,attributes__T')
  })

  it('are points with their columns in tiles', async () => {
    const { row, column } = tileAt(WEB_MERCATOR, 9, 5.1, 52)
    const answer = await send(`${at(1)}/tiles/WebMercatorQuad/9/${row}/${column}`)
    const { layers } = new VectorTile(new PbfReader(new Uint8Array(await answer.arrayBuffer())))
    const points = Array.from({ length: layers.events?.length ?? 0 }, (_, i) => layers.events?.feature(i))
    expect(points).toHaveLength(events.length)
    for (const point of points) {
      const { attributes } = events.find(({ id }) => id === point?.id) as (typeof events)[number]
      const scalars = Object.entries(attributes).filter(([, value]) => value !== null && typeof value !== 'object')
      const shown = scalars.map(([name, value]) => [name, name === 'M' ? String(value) : value])
      expect(point?.properties).toMatchObject(Object.fromEntries(shown))
    }
    const { vector_layers } = await get(`${at(1)}/tiles/WebMercatorQuad/tilejson.json`)
    expect(vector_layers[0].fields).toMatchObject({ T: 'Gemeente', N: 'Duur', category: 'Category' })
  })
})

describe('the values of a column', () => {
  it('have the type of the column, so that programs keep all of them', async () => {
    const { features } = await get(`${itemsOf(1)}?limit=1000`)
    for (const { id, properties } of features) {
      const { M = null } = events.find((event) => event.id === id)?.attributes ?? {}
      expect(properties.M).toBe(typeof M === 'object' ? null : String(M))
    }
  })

  it('have a point in a column of decimals', async () => {
    const text = await (await send(`${itemsOf(1)}?limit=1000`)).text()
    expect(text).toContain('"N":5.0')
    expect(text).toContain('"value_number":7.0')
    expect(text).not.toMatch(/"N":-?\d+[,}]/)
    expect(text).toMatch(/"K":\d[,}]/)
    expect((await send(`${itemsOf(1)}/1?f=html`)).status).toBe(200)
    expect((await send(`${itemsOf(1)}?f=html`)).status).toBe(200)
  })
})

describe('features that are sent back', () => {
  const readAttributes = async (id: number) =>
    (await get(`/api/v4/eventseries/${uuidOf(3)}/events/${id}/`)).properties.attributes

  it('keep what features do not show, lose what is null, and get new members as attributes', async () => {
    const attributes = { Gemeente: 'Houten', Duur: 5, Punten: [1, 2], Bron: { a: 1 } }
    const made = await write('POST', itemsOf(3), { ...FEATURE, properties: { ...PROPERTIES, attributes, Leeg: null } })
    expect(made.status).toBe(201)
    const { id, properties } = made.body
    expect(properties).toMatchObject({ Gemeente: 'Houten', Duur: 5 })
    expect(await readAttributes(id)).toEqual(attributes)

    const address = `${itemsOf(3)}/${id}`
    const { links: _, ...feature } = await get(address)
    expect((await write('PUT', address, feature)).status).toBe(200)
    expect(await readAttributes(id)).toEqual(attributes)

    const changed = { ...feature, properties: { ...feature.properties, Gemeente: 'Zeist', Duur: null, Nieuw: true } }
    expect((await write('PUT', address, changed)).status).toBe(200)
    expect(await readAttributes(id)).toEqual({ Gemeente: 'Zeist', Nieuw: true, Punten: [1, 2], Bron: { a: 1 } })
    expect((await get(`${at(3)}/queryables`)).properties).toHaveProperty('Nieuw', {
      ...{ title: 'Nieuw', type: 'boolean' },
      'x-ogc-propertySeq': expect.any(Number),
    })

    expect((await write('PATCH', address, { properties: { Gemeente: null, Duur: 2.5, Bron: null } })).status).toBe(200)
    expect(await readAttributes(id)).toEqual({ Duur: 2.5, Nieuw: true, Punten: [1, 2] })
  })

  it('keep the numbers that a column of texts shows as texts', async () => {
    const kept = { Mixed: 5, Also: 'five' }
    const properties = { ...PROPERTIES, Mixed: 'n.b.', Also: 1 }
    await write('POST', itemsOf(3), { ...FEATURE, properties })
    const { body } = await write('POST', itemsOf(3), { ...FEATURE, properties: { ...PROPERTIES, attributes: kept } })
    const address = `${itemsOf(3)}/${body.id}`
    const { links: _, ...feature } = await get(address)
    expect(feature.properties).toMatchObject({ Mixed: '5', Also: 'five' })
    for (const method of ['PUT', 'PATCH'])
      expect(
        (await write(method, address, { properties: feature.properties, ...(method === 'PUT' && feature) })).status,
      ).toBe(200)
    expect(await readAttributes(body.id)).toEqual(kept)
  })

  it('are refused if a property has the name of another member', async () => {
    const { status, body } = await outcome('POST', itemsOf(3), { ...FEATURE, properties: { ...PROPERTIES, id: 5 } })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['properties.id']])
  })

  it('are equal after a post that finds them by their id at the source', async () => {
    const attributes = { Gemeente: 'Tiel', Punten: [3] }
    const properties = { ...PROPERTIES, external_id: 'again', attributes }
    const { body } = await write('POST', itemsOf(3), { ...FEATURE, properties })
    const { id: __, links: ___, ...feature } = await get(`${itemsOf(3)}/${body.id}`)
    expect((await write('POST', itemsOf(3), feature)).status).toBe(200)
    expect(await readAttributes(body.id)).toEqual(attributes)
    const part = { ...FEATURE, properties: { ...PROPERTIES, external_id: 'again', Duur: 3 } }
    expect((await write('POST', itemsOf(3), part)).status).toBe(200)
    expect(await readAttributes(body.id)).toEqual({ ...attributes, Duur: 3 })
  })

  it('are refused in the collection of all events if a member is unknown', async () => {
    const { status, body } = await outcome('POST', `${ROOT}/events/items`, {
      ...FEATURE,
      properties: { ...PROPERTIES, event_series: uuidOf(3), Gemeente: 'x' },
    })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['properties.Gemeente']])
  })
})

describe.each(NAMES)('at the level %s', (level: Level) => {
  const seen = NAMES.filter((name) => LEVELS[name] <= LEVELS[level])

  it('the list has the series that the caller sees, by their names, in pages', async () => {
    const ids: string[] = []
    for (let address: string | undefined = `${ROOT}?limit=2`; address !== undefined; ) {
      const { collections, links, numberMatched, numberReturned } = await get(address, as(level))
      expect([numberMatched, numberReturned]).toEqual([2 + 3 + seen.length, collections.length])
      ids.push(...collections.map(({ id }: { id: string }) => id))
      address = links.find(({ rel }: { rel: string }) => rel === 'next')?.href
    }
    const names = [1, 11, 12, 13, 14, 2, 3].slice(0, 1 + seen.length)
    const uuids = [...names, 2, 3].map((id) => `events-${uuidOf(id)}`)
    expect(ids).toEqual(['events', 'eventseries', ...uuids])
  })

  it('a hidden series is missing before its parameters are read', async () => {
    for (const [i, name] of NAMES.entries()) {
      const { status } = await send(`${itemsOf(11 + i)}?only${i}=1&unknown=1`, as(level))
      expect(status).toBe(seen.includes(name) ? 400 : 404)
    }
  })
})
