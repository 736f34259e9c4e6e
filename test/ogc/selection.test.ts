import { describe, expect, it } from 'vitest'
import { COLLECTIONS } from '../../src/ogc/collection.ts'
import { answer, beginWithSeed, get, send, withKey } from '../service.ts'

beginWithSeed()

const ITEMS = '/ogc/collections/events/items'
const OF_SERIES = '/ogc/collections/events-99fe5d03-893d-5b20-8244-b9189db33e37/items'
const SORTABLES = 'http://www.opengis.net/def/rel/ogc/1.0/sortables'

interface Feature {
  readonly id: number
  readonly geometry: unknown
  readonly properties: Readonly<Record<string, unknown>>
}

describe.each([ITEMS, OF_SERIES, '/ogc/collections/eventseries/items'])('%s', (items) => {
  it.each(['public', 'hidden'])('each choice of properties shows exactly these, with a %s caller', async (level) => {
    const options = level === 'public' ? {} : await withKey('hidden')
    const whole: Feature[] = (await get(`${items}?limit=5`, options)).features
    const names = Object.keys(whole[0]?.properties ?? {})
    for (const chosen of [[names[0]], names.slice(1, 4).reverse(), names]) {
      const others = names.filter((name) => !chosen.includes(name))
      const queries = [`properties=${chosen}`, ...(others.length > 0 ? [`exclude-properties=${others}`] : [])]
      for (const query of queries) {
        const { features, numberMatched } = await get(`${items}?limit=5&${query}`, options)
        const only = ({ properties, ...feature }: Feature) => ({
          ...feature,
          properties: Object.fromEntries(Object.entries(properties).filter(([name]) => chosen.includes(name))),
        })
        expect([numberMatched >= features.length, features]).toEqual([true, whole.map(only)])
      }
    }
  })
})

describe('one feature', () => {
  it.each(['properties=value,category', 'exclude-properties=timestamp_end'])(
    'with %s equals the feature of a page',
    async (query) => {
      const { features } = await get(`${ITEMS}?limit=3&${query}`)
      for (const feature of features) {
        const { links, ...one } = await get(`${ITEMS}/${feature.id}?${query}`)
        expect(one).toEqual(feature)
      }
    },
  )

  it.each([
    ['properties=category', 'id,longitude,latitude,z,category'],
    [
      'exclude-properties=value,attributes',
      'id,category,timestamp_start,timestamp_end,event_series,event_series_name,longitude,latitude,z,object_type,object_id,external_id,last_modified,url',
    ],
  ])('as CSV with %s has the columns', async (query, columns) => {
    const response = await send(`${ITEMS}/1708?f=csv&${query}`)
    expect((await response.text()).replace('\ufeff', '').split('\r\n')[0]).toBe(columns)
  })

  it('reports an unknown property', async () => {
    const { status, body } = await answer(`${ITEMS}/1708?properties=categry`)
    const errors = { properties: [expect.stringContaining('Did you mean category?')] }
    expect([status, body]).toEqual([400, expect.objectContaining({ errors })])
  })
})

it('next keeps the properties, and goes on with the features', async () => {
  const { links, features } = await get(`${ITEMS}?limit=3&properties=category&sortby=-timestamp_start`)
  const next = links.find(({ rel }: { rel: string }) => rel === 'next').href
  expect(next).toContain('properties=category')
  const page = await get(next)
  const all = await get(`${ITEMS}?limit=6&properties=category&sortby=-timestamp_start`)
  expect([...features, ...page.features]).toEqual(all.features)
})

it('a parameter of properties may be repeated', async () => {
  const { features } = await get(`${ITEMS}?limit=1&properties=category&properties=value`)
  expect(Object.keys(features[0].properties)).toEqual(['category', 'value'])
})

it.each([
  ['csv', 'properties=category', 'id,category,longitude,latitude,z'],
  ['csv', 'properties=event_series_name,url', 'id,event_series_name,longitude,latitude,z,url'],
])('%s with %s has the columns %s', async (format, query, header) => {
  const response = await send(`${ITEMS}?limit=1&f=${format}&${query}`)
  const [first = ''] = (await response.text()).split('\r\n')
  expect(first.replace('\ufeff', '').split(',').sort()).toEqual(header.split(',').sort())
})

describe('ndjson has the features of the same address as GeoJSON, one a line', () => {
  const LAYER = '/ogc/collections/events-4df9f063-2b9c-5912-b69d-125657e72586/items'

  it.each([
    `${ITEMS}?limit=3`,
    `${ITEMS}?limit=2&offset=2&properties=category,object_id`,
    `${LAYER}?limit=3&sortby=-wind&crs=http://www.opengis.net/def/crs/EPSG/0/3857`,
    `${LAYER}?limit=3&filter=wind>150&exclude-properties=value`,
    `${ITEMS}?category=none`,
    `${ITEMS}?resultType=hits`,
    '/ogc/collections/eventseries/items?limit=2',
  ])('%s', async (address) => {
    const [lines, page] = await Promise.all(['ndjson', 'geojson'].map((f) => send(`${address}&f=${f}`)))
    const whole = (await page?.text()) ?? ''
    const { features, numberMatched } = JSON.parse(whole)
    const [last, ...written] = new TextDecoder()
      .decode(await lines?.arrayBuffer())
      .split('\n')
      .reverse()
    expect([last, written.length]).toEqual(['', features.length])
    for (const line of written) expect(whole).toContain(line)
    expect(Object.fromEntries(lines?.headers ?? [])).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-disposition': expect.stringMatching(/^attachment; filename="events.*\.ndjson"$/),
      'content-crs': page?.headers.get('Content-Crs'),
      'ogc-numbermatched': String(numberMatched),
    })
  })

  it('of one feature', async () => {
    const { links: _, ...feature } = await get(`${LAYER}/5090`)
    const text = new TextDecoder().decode(await (await send(`${LAYER}/5090?f=ndjson`)).arrayBuffer())
    expect(JSON.parse(text)).toMatchObject(feature)
  })
})

describe('a 400 names the parameter and shows an example', () => {
  it.each([
    ['properties=categry', 'properties', 'Items have no member "categry" in this format. Did you mean category?'],
    ['exclude-properties=x', 'exclude-properties', expect.stringContaining('Enter one or more of category, value,')],
    ['properties=category,', 'properties', expect.stringContaining('Enter one or more of category, value,')],
    ['properties=geometry', 'properties', expect.stringContaining('Enter one or more of category, value,')],
    [
      'properties=category&exclude-properties=value',
      'exclude-properties',
      'Enter properties or exclude-properties, but not both: properties=category,value.',
    ],
    ['f=csv&properties=object', 'properties', expect.stringContaining('Did you mean object_type?')],
    [
      'sortby=timestamp_start,-timestamp_end',
      'sortby',
      expect.stringMatching(/^Enter one property, such as -(\w+). Only id in the same direction may follow: -\1,-id.$/),
    ],
    ['sortby=timestamp_strat', 'sortby', expect.stringContaining('Enter one of id, timestamp_start')],
  ])('%s', async (query, name, message) => {
    const { status, body } = await answer(`${ITEMS}?${query}`)
    expect([status, body]).toEqual([400, expect.objectContaining({ errors: { [name]: [message] } })])
  })
})

describe.each(COLLECTIONS.map(({ id }) => id))('sortables of %s', (id) => {
  it('are linked, and each sorts in both directions', async () => {
    const { links } = await get(`/ogc/collections/${id}`)
    const { href, type } = links.find(({ rel }: { rel: string }) => rel === SORTABLES)
    expect([href.endsWith(`/ogc/collections/${id}/sortables`), type]).toEqual([true, 'application/schema+json'])
    const { $schema, properties, additionalProperties } = await get(href)
    expect([$schema, additionalProperties]).toEqual(['https://json-schema.org/draft/2020-12/schema', false])
    expect(Object.keys(properties).length).toBeGreaterThan(2)
    for (const name of Object.keys(properties))
      for (const sortby of [name, `%2B${name}`, `-${name}`, `${name},id`, `-${name},-id`]) {
        const near = name === 'distance' ? '&near=5,52&radius=1000000' : ''
        const { status } = await send(`/ogc/collections/${id}/items?limit=2&sortby=${sortby}${near}`)
        expect([sortby, status]).toEqual([sortby, 200])
      }
  })

  it('have types', async () => {
    const { properties } = await get(`/ogc/collections/${id}/sortables`)
    for (const [name, { type }] of Object.entries<{ type?: string }>(properties))
      expect([name, type]).toEqual([name, expect.stringMatching(/^(integer|number|string)$/)])
  })
})
