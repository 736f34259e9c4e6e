import { describe, expect, test } from 'vitest'
import { conditionOf } from '../../src/cql2/condition.ts'
import { readText } from '../../src/cql2/text.ts'
import { refusalsOf } from '../../src/engine/d1/engine.ts'
import { COLLECTIONS } from '../../src/ogc/collection.ts'
import { beginWithSeed, get, send } from '../service.ts'

beginWithSeed()

describe.each(COLLECTIONS.map((collection) => [collection.id, collection] as const))('%s', (id, collection) => {
  test('queryables: each name works in a filter, and the geometry is marked for QGIS', async () => {
    const { properties, additionalProperties, $schema } = await get(`/ogc/collections/${id}/queryables`)
    expect([$schema, additionalProperties]).toEqual(['https://json-schema.org/draft/2020-12/schema', false])
    for (const [name, schema] of Object.entries<{ type?: string }>(properties)) {
      const queryables = { properties: collection.properties, clock: null, places: new Map() }
      const condition = conditionOf(readText(`"${name}" IS NULL`), queryables)
      expect(refusalsOf(collection.list, condition)).toEqual([])
      if (name !== 'geom') expect(schema.type).toMatch(/^(string|integer)$/)
    }
    if (id === 'events')
      expect(properties.geom).toEqual({
        title: 'Place',
        $ref: 'https://geojson.org/schema/Point.json',
        format: 'geometry-point',
        'x-ogc-role': 'primary-geometry',
      })
  })

  test('schemas: they list exactly the fields of a feature', async () => {
    const [feature] = (await get(`/ogc/collections/${id}/items?limit=1`)).features
    const near = id === 'events' ? ['distance'] : []
    const flat = await get(`/ogc/collections/${id}/schema`)
    const nested = await get(`/ogc/collections/${id}/schema/feature`)
    expect(Object.keys(flat.properties).sort()).toEqual(
      ['id', 'geometry', ...near, ...Object.keys(feature.properties)].sort(),
    )
    expect(Object.keys(nested.properties.properties.properties).sort()).toEqual(Object.keys(feature.properties).sort())
  })

  test.each([
    ['application/schema+json', 'application/schema+json'],
    ['*/*', 'application/schema+json'],
    ['application/json', 'application/json'],
    ['text/html', 'text/html; charset=utf-8'],
  ])('queryables for Accept: %s', async (accept, type) => {
    const response = await send(`/ogc/collections/${id}/queryables`, { headers: { Accept: accept } })
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, type])
  })
})

test.each([
  '',
  '/queryables',
  '/items?limit=5',
  '/items?limit=5&bbox=-80,20,-60,35',
  '/items/1708',
  '/tiles/WebMercatorQuad/3/3/4',
  '/tiles/WebMercatorQuad',
])('the collection path %s costs one round trip', async (path) => {
  const { status, headers } = await send(`/ogc/collections/events${path}`, { vars: { SHOW_COST: 'true' } })
  expect([status, headers.get('Server-Timing')]).toEqual([200, expect.stringContaining('round_trips;desc="1"')])
})
