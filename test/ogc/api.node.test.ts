import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { intervalOf } from '../../src/filters/temporal.ts'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { COLLECTIONS } from '../../src/ogc/collection.ts'
import { sridOf } from '../../src/ogc/crs.ts'
import { downgrade, openapi } from '../../src/ogc/openapi.ts'
import { ITEMS, TILE_PARAMETERS } from '../../src/ogc/parameters.ts'

// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the test looks at.
const document: any = JSON.parse(JSON.stringify(openapi('http://localhost:8787/ogc')))

const parametersOf = (path: string) =>
  document.paths[path].get.parameters.map(
    ({ $ref }: { $ref: string }) => document.components.parameters[$ref.split('/').at(-1) ?? ''],
  )

it('the description of /ogc is valid OpenAPI 3.0', async () => {
  const result = await new Validator().validate(document)
  expect(result).toEqual({ valid: true })
  expect(document.openapi).toBe('3.0.3')
  expect(document.info.description).toContain('/openapi.json')
})

it('the description uses only keywords of OpenAPI 3.0', () => {
  const text = JSON.stringify(document.components)
  for (const word of ['"const"', '"examples"', '"$schema"', '"type":[', '"webhooks"', '"unevaluatedProperties"'])
    expect(text).not.toContain(word)
})

it.each(COLLECTIONS.map(({ id, filters }) => [id, [...Object.keys(ITEMS), ...filters.keys()]] as const))(
  'the items of %s have their own path with all parameters',
  (id, names) => {
    const listed = parametersOf(`/collections/${id}/items`).map(({ name }: { name: string }) => name)
    expect(listed.sort()).toEqual([...names].sort())
  },
)

it.each(['/collections/events/tiles', '/collections/{collectionId}/tiles'])(
  'the tiles at %s have their own path with all parameters',
  (path) => {
    const tile = `${path}/{tileMatrixSetId}/{tileMatrix}/{tileRow}/{tileCol}`
    expect(document.paths[tile].get.operationId).toMatch(/(^|\.)collection\.vector\.getTile$/)
    const names = parametersOf(tile).map(({ name }: { name: string }) => name)
    const filters = COLLECTIONS[0]?.filters.keys() ?? []
    const own = path.includes('{') ? ['collectionId'] : [...filters]
    const inPath = ['tileMatrixSetId', 'tileMatrix', 'tileRow', 'tileCol']
    expect(names.sort()).toEqual([...inPath, 'f', ...TILE_PARAMETERS, ...own].sort())
    expect(Object.keys(document.paths[tile].get.responses['200'].content)).toEqual([
      'application/vnd.mapbox-vector-tile',
    ])
  },
)

const matches = (parameter: string, value: string): boolean =>
  new RegExp(document.components.parameters[parameter].schema.pattern).test(value)

it('the declared reference systems are the accepted ones', () => {
  const base = 'http://www.opengis.net/def/crs'
  for (const name of ['crs', 'bbox-crs', 'filter-crs']) {
    expect(document.components.parameters[name].schema).toMatchObject({ type: 'string', format: 'uri' })
    for (const [system, isIn] of [
      [`${base}/OGC/1.3/CRS84`, true],
      [`${base}/EPSG/0/3857`, true],
      [`${base}/EPSG/0/28992`, true],
      [`${base}/EPSG/0/32660`, true],
      [`${base}/EPSG/0/4326`, false],
      [`${base}/EPSG/0/32661`, false],
      ['http://example.org', false],
      ['', false],
    ] as const) {
      expect([system, matches(name, system)]).toEqual([system, isIn])
      expect([system, matches('Content-Crs', `<${system}>`)]).toEqual([system, isIn])
      if (isIn) expect(sridOf(system)).toBeTypeOf('number')
      else expect(() => sridOf(system)).toThrow()
    }
  }
})

it('the declared names of collections are the ones in use', () => {
  for (const { id } of COLLECTIONS) expect(matches('collectionId', id)).toBe(true)
  expect(matches('collectionId', 'events-99fe5d03-893d-5b20-8244-b9189db33e37')).toBe(true)
  for (const id of ['0', 'event', 'events-', 'events-99fe5d0', 'eventseries-1'])
    expect([id, matches('collectionId', id)]).toEqual([id, false])
})

it.each(['"a b"', 'ä', '', 'x'.repeat(256), '"', ' a'])('the schema of the Idempotency-Key refuses %j', (key) => {
  expect(matches('Idempotency-Key', key)).toBe(false)
})

it.each(['5f2a', '"5f2a"', 'x'.repeat(255)])('the schema of the Idempotency-Key accepts %j', (key) => {
  expect(matches('Idempotency-Key', key)).toBe(true)
})

it.each([
  ['2018-02-05', true],
  ['2018-02-05T12:00:00Z/..', true],
  ['../2018-02-05T12:00:00.5+01:00', true],
  ['2018-02-05/', true],
  ['2018-02-05/2018-02-06/2018-02-07', false],
  ['2018', false],
  ['..', false],
  ['', false],
] as const)('the schema of datetime agrees with the service about %j', (interval, isIn) => {
  expect(matches('datetime', interval)).toBe(isIn)
  if (isIn) expect(intervalOf(interval, null)).toHaveLength(2)
  else expect(() => intervalOf(interval, null)).toThrow()
})

it('limit, bbox and datetime are declared as the OGC test suite expects', () => {
  const byName = Object.fromEntries(
    parametersOf('/collections/{collectionId}/items').map((each: { name: string }) => [each.name, each]),
  )
  expect(byName.limit).toMatchObject({
    in: 'query',
    required: false,
    style: 'form',
    explode: false,
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: 100 },
  })
  expect(byName.bbox).toMatchObject({
    in: 'query',
    style: 'form',
    explode: false,
    schema: { type: 'array', minItems: 4, maxItems: 6, items: { type: 'number' } },
  })
  expect(byName.datetime).toMatchObject({ in: 'query', style: 'form', explode: false, schema: { type: 'string' } })
  expect(document.components.parameters.limit.schema.maximum).toBe(MAX_PAGE_SIZE)
  expect(document.servers).toEqual([{ url: 'http://localhost:8787/ogc' }])
})

it.each([
  [
    { type: ['string', 'null'], examples: ['a', 'b'] },
    { type: 'string', nullable: true, example: 'a' },
  ],
  [
    { anyOf: [{ const: 'all' }, { type: 'integer', minimum: 1 }] },
    {
      anyOf: [
        { type: 'string', enum: ['all'] },
        { type: 'integer', minimum: 1 },
      ],
    },
  ],
  [
    { type: 'array', items: { type: ['number', 'null'] } },
    { type: 'array', items: { type: 'number', nullable: true } },
  ],
  [
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  ],
  [{ type: 'object', required: [] }, { type: 'object' }],
  [
    { type: 'object', properties: { const: { const: 1 } } },
    { type: 'object', properties: { const: { type: 'number', enum: [1] } } },
  ],
])('%j is converted to OpenAPI 3.0', (schema, expected) => {
  expect(downgrade(schema)).toEqual(expected)
})
