import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  type Document,
  KEY,
  type Operation,
  type Parameter,
  type Path,
  resolve,
  type Served,
  serve,
  WRITER,
} from './served.ts'

let served: Served
let document: Document

beforeAll(async () => {
  served = await serve({ BODY_LIMIT: '200000', SHOW_COST: 'true' })
  document = served.document
  ajv.addSchema(document, 'openapi.json')
})

afterAll(() => served?.close())

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
const FORM = 'application/x-www-form-urlencoded'
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)

const send = (path: string, options: RequestInit = {}) =>
  fetch(`${served.address}${path.replace('{uuid}/events', '99fe5d0/events').replace('{extension}', 'ndjson')}`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(10_000),
    ...options,
  })

const operations = (): { path: string; method: string; operation: Operation }[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ path, method, operation }]
    }),
  )

const parametersOf = ({ parameters = [] }: Operation): Parameter[] =>
  parameters.map((parameter) => resolve<Parameter>(document, parameter))

/** Returns the paths of lists. */
const lists = () => Object.keys(document.paths).filter((path) => document.paths[path]?.post !== undefined)

/** Returns the JSON pointer to a part of the document, for the validator (RFC 6901). */
const pointer = (...steps: readonly string[]) =>
  `openapi.json#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`

/** Validates a value with the schema at a pointer. Returns its faults. */
const faultsOf = (value: unknown, $ref: string): unknown[] => {
  const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref })
  return validate(value) ? [] : (validate.errors ?? ['no reason'])
}

/** Returns every value with a name, at any depth. */
const allOf = (name: string, value: unknown): unknown[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [...(key === name ? [child] : []), ...allOf(name, child)])
}

describe('the description of the API', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  it('uses every component, and declares every component it uses', () => {
    const refs = new Set(allOf('$ref', document) as string[])
    for (const $ref of refs) expect(() => resolve(document, { $ref })).not.toThrow()
    const declared = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, components]) => Object.keys(components).map((name) => `#/components/${kind}/${name}`))
    expect([...refs].sort()).toEqual(declared.sort())
  })

  it('has no schema twice', () => {
    const schemas = Object.values(document.components.schemas ?? {}).map((schema) => JSON.stringify(schema))
    expect(schemas.filter((schema, i) => schemas.indexOf(schema) !== i)).toEqual([])
  })

  it('has full sentences as descriptions, and a name for every operation', () => {
    for (const text of allOf('description', { ...document, components: { ...document.components, schemas: {} } }))
      if (typeof text === 'string') expect(text).toMatch(/^[A-Z].*\.$/s)
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(ids.filter((id, i) => ids.indexOf(id) !== i || !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([])
    const tags = document.tags.map(({ name }) => name)
    expect(new Set(operations().flatMap(({ operation }) => operation.tags))).toEqual(new Set(tags))
  })

  it('uses no keyword that client generators ignore', () => {
    expect(allOf('allOf', document)).toEqual([])
    for (const values of allOf('enum', document) as unknown[][])
      expect(new Set(values.filter((value) => value !== null).map((value) => typeof value)).size).toBe(1)
    const pages = Object.entries(document.components.schemas ?? {}).filter(([name]) => name.endsWith('Page'))
    expect(pages.length).toBeGreaterThan(3)
    for (const [, page] of pages) expect(page).toMatchObject({ properties: { count: {}, next: {}, results: {} } })
  })

  it('has fewer than 720,000 characters', () => {
    expect(JSON.stringify(document).length).toBeLessThan(720_000)
  })

  it('is the same with every key', async () => {
    const withKey = await send('/openapi.json', { headers: { Authorization: `Bearer ${KEY}` } })
    expect(await withKey.text()).toBe(JSON.stringify(document))
  })
})

const TURNING = ['after', 'consistent', 'hint', 'ordering', 'page', 'page_size']

describe('the description matches the service', () => {
  it('in the filters and parameters of every list, in the address and in a form', async () => {
    expect(lists()).toHaveLength(15)
    for (const path of lists()) {
      const { filters, parameters } = (await (await send(path, { method: 'OPTIONS' })).json()) as {
        filters: object
        parameters: string[]
      }
      // A summary accepts the parameters for pages of a list, but ignores them.
      const means = path.endsWith('/summary/') ? parameters.filter((name) => !TURNING.includes(name)) : parameters
      const names = [...means, ...Object.keys(filters)]
      const { get, head, post } = document.paths[path] as Path & Record<'get' | 'head' | 'post', Operation>
      const inQuery = (operation: Operation) =>
        parametersOf(operation)
          .filter((parameter) => parameter.in === 'query')
          .map(({ name }) => name)
      expect(inQuery(get)).toEqual(names)
      expect(inQuery(head)).toEqual(names)
      const form = post.requestBody?.content[FORM]?.schema.properties
      if (path.endsWith('/')) expect(Object.keys(form ?? {})).toEqual(names)
    }
  })

  it('in the bodies that a POST requires: without one it is a 415, and an empty form is a query', async () => {
    for (const path of lists()) {
      const { post } = document.paths[path] as Path & Record<'post', Operation>
      const statuses = [
        (await send(path, { method: 'POST', headers: { Authorization: `Bearer ${WRITER}` } })).status,
        (await send(path, { method: 'POST', body: new URLSearchParams() })).status,
      ]
      expect([path, post.requestBody?.required, statuses]).toEqual([path, true, [415, 200]])
    }
  })

  it('in the methods of every address', async () => {
    for (const path of Object.keys(document.paths)) {
      if (document.paths[path]?.options === undefined) continue
      const { headers } = await send(example(path))
      const methods = Object.keys(document.paths[path] ?? {}).filter((name) => name !== 'parameters')
      expect([path, methods.sort()]).toEqual([path, headers.get('Allow')?.toLowerCase().split(', ').sort()])
    }
  })
})

/** Returns a path with examples in place of its parameters. */
const example = (path: string): string =>
  (document.paths[path]?.parameters ?? []).reduce(
    (filled, { name, schema }) => filled.replace(`{${name}}`, String(schema.examples?.[0])),
    path,
  )

/** Writes a parameter with its example, as in an address or a form. */
const written = ({ name, schema, explode }: Parameter): string => {
  const [value] = schema.examples ?? []
  if (Array.isArray(value) && explode !== false) throw new Error(`${name} is written how?`)
  return `${name}=${[value]
    .flat()
    .map((one) => encodeURIComponent(String(one)))
    .join(',')}`
}

const exampled = (path: string): Parameter[] =>
  parametersOf(document.paths[path]?.get as Operation).filter(({ schema }) => schema.examples !== undefined)

/** The parameters that are not accepted without another one, by that other one. */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  near: ['radius'],
  radius: ['near'],
  bins: ['timezone'],
  facets: ['facet_ordering'],
  by: ['by_ordering'],
}

/** Adds the companions of parameters. */
const completed = (path: string, chosen: readonly Parameter[]): Parameter[] =>
  exampled(path).filter(
    (one) => chosen.includes(one) || chosen.some(({ name }) => COMPANIONS[one.name]?.includes(name)),
  )

describe('the key of an item', () => {
  const described = { method: 'OPTIONS' }

  it('is a 404 for GET and OPTIONS if no item has it', async () => {
    for (const path of [
      '/api/v3/events/x/',
      '/api/v3/events/null,null/',
      '/api/v3/eventseries/x/',
      '/api/v4/eventseries/x/',
      '/api/v4/eventseries/x/events/',
      '/api/v4/eventseries/99fe5d0/events/x/',
      '/api/v4/eventseries/x/events/1708/',
      '/api/v3/observationtypes/x/',
    ])
      for (const options of [{}, described]) expect([path, (await send(path, options)).status]).toEqual([path, 404])
  })

  it('gives a description of the item with OPTIONS', async () => {
    for (const path of Object.keys(document.paths).filter((each) => /\{(?!extension)/.test(each))) {
      expect([path, (await send(example(path), described)).status]).toEqual([path, 200])
      expect(document.paths[path]?.options?.responses).toHaveProperty('404')
    }
  })

  it('is a whole uuid for writes of a series, and may be a prefix for reads', () => {
    for (const path of ['/api/v3/eventseries/{uuid}/', '/api/v4/eventseries/{uuid}/']) {
      expect(document.paths[path]?.parameters?.[0]?.schema.examples).toEqual(['99fe5d0'])
      for (const method of ['put', 'patch', 'delete']) {
        const [key] = parametersOf(document.paths[path]?.[method] as Operation)
        expect(key).toMatchObject({ name: 'uuid', in: 'path', schema: { type: 'string', format: 'uuid' } })
      }
    }
  })
})

it('the format in the address takes precedence over the format in a form', async () => {
  const answer = await send(`${EVENTS}?format=csv`, form('format=json&page_size=1'))
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, expect.stringContaining('text/csv')])
})

describe('every example in the description', () => {
  it('is valid for its schema', () => {
    let examples = 0
    for (const [name, parameter] of Object.entries(document.components.parameters ?? {}))
      for (const value of (parameter.schema as Parameter['schema']).examples ?? []) {
        examples++
        expect([name, faultsOf(value, pointer('components', 'parameters', name, 'schema'))]).toEqual([name, []])
      }
    expect(examples).toBeGreaterThan(100)
  })

  it('is accepted alone', { timeout: 180_000 }, async () => {
    const known = new Set<string>()
    for (const path of lists()) {
      const parameters = exampled(path)
      const left = parametersOf(document.paths[path]?.get as Operation).filter((one) => !parameters.includes(one))
      expect(left.filter((one) => one.in === 'query').map(({ name }) => name)).toEqual(
        path.endsWith('/summary/')
          ? ['by_size', 'locale', 'facet_size', 'facet_offset', 'attributes']
          : [
              ...(/events[/.]/.test(path) ? ['after'] : []),
              'consistent',
              'hint',
              ...(path.endsWith('/') ? ['explain', 'locale'] : []),
              ...(/events[/.]/.test(path) ? ['attributes'] : []),
            ],
      )
      for (const query of path.endsWith('/events/') ? ['after=4711', 'consistent=true'] : [])
        expect([path, query, (await send(`${path}?${query}`)).status]).toEqual([path, query, 200])
      // Lists share parameters, so a few of those that another list had are enough.
      for (const [i, parameter] of parameters.entries()) {
        if (known.has(JSON.stringify(parameter)) && i % 10 > 0) continue
        known.add(JSON.stringify(parameter))
        const query = completed(path, [parameter]).map(written).join('&')
        expect([path, query, (await send(`${path}?${query}`)).status]).toEqual([path, query, 200])
      }
    }
  })

  it('is accepted with others, in the address and in a form', { timeout: 180_000 }, async () => {
    for (const path of lists()) {
      const combinations = fc.sample(fc.subarray(exampled(path), { minLength: 2, maxLength: 12 }), {
        numRuns: path.endsWith('/') ? 25 : 3,
        seed: 7,
      })
      for (const parameters of [...combinations, exampled(path)].map(withFewExpressions)) {
        // The page in the example may not exist, and the answer would be a 404.
        const query = completed(path, parameters).map(written).join('&').replace('page=last', 'page=1')
        expect([query, (await send(`${path}?${query}`)).status]).toEqual([query, 200])
        const form = { method: 'POST', headers: { 'Content-Type': FORM }, body: query }
        expect([query, (await send(path, form)).status]).toEqual([query, 200])
      }
    }
  })

  it('is an address that exists if it belongs to a path', async () => {
    for (const path of Object.keys(document.paths))
      expect([path, (await send(example(path))).status]).toEqual([path, 200])
  })
})

/** Leaves out all but four regular expressions, because a request takes no more. */
const withFewExpressions = <P extends { readonly name: string }>(parameters: readonly P[]): P[] => {
  const expressions = parameters.filter(({ name }) => name.endsWith('regex'))
  return parameters.filter((each) => !expressions.slice(4).includes(each))
}

const EVENTS = '/api/v3/events/'
const PRIVATE = { headers: { Authorization: `Bearer ${KEY}` } }
const HTML = { headers: { Accept: 'text/html' } }
const form = (body: string): RequestInit => ({ method: 'POST', headers: { 'Content-Type': FORM }, body })

const WRITE = { Authorization: `Bearer ${WRITER}`, 'Content-Type': 'application/json' }
const ALL = 'page_size=all'
const ALL_V4 = '/api/v4/events/'
const CHANGES = '/api/v4/changes/'
const OF_STORMS = '/api/v4/eventseries/99fe5d0/events/'

/** The addresses of lists without their end. */
const FILED = [
  EVENTS,
  ALL_V4,
  OF_STORMS,
  ...['v3', 'v4'].flatMap((version) => [`/api/${version}/eventseries/`, `/api/${version}/observationtypes/`]),
].map((path) => path.slice(0, -1))

/** Requests of all kinds, as status, address and options. */
const REQUESTS: readonly [number, string, RequestInit?][] = [
  [200, EVENTS],
  [200, `${EVENTS}?page_size=5000`, PRIVATE],
  [200, `${EVENTS}?page=3&page_size=7&ordering=-timestamp_end`],
  [200, `${EVENTS}?page=last`],
  [200, `${EVENTS}?category=none`],
  [200, `${EVENTS}?object_type__model__isnull=true&geom_within=POLYGON((3 50, 8 50, 8 54, 3 54, 3 50))`],
  [200, EVENTS, HTML],
  [200, EVENTS, form('category=hurricane&page_size=1000')],
  [200, EVENTS, { ...form('page=2'), headers: { 'Content-Type': FORM, ...HTML.headers } }],
  [200, `${EVENTS}?format=geojson&${ALL}`, PRIVATE],
  [200, `${EVENTS}?format=csv&${ALL}`, PRIVATE],
  [200, `${EVENTS}?format=ndjson&${ALL}&category=hurricane`],
  [200, `${EVENTS}?format=geojson&page=2&page_size=3`],
  [200, `${EVENTS}?category=none`, { headers: { Accept: 'application/geo+json' } }],
  [200, `${EVENTS}?category=none`, { headers: { Accept: 'application/x-ndjson' } }],
  [200, EVENTS, form('format=csv&category=none')],
  [200, EVENTS, form(`format=geojson&${ALL}&category=hurricane`)],
  [200, `${EVENTS}1/?format=geojson`],
  [200, `${EVENTS}1737/?format=csv`],
  [200, `${EVENTS}1/?format=ndjson`],
  [200, `/api/v3/eventseries/?format=geojson&${ALL}`, PRIVATE],
  [200, `/api/v3/eventseries/?format=csv&${ALL}`, PRIVATE],
  [200, '/api/v3/eventseries/99fe5d0/?format=geojson'],
  [200, `/api/v4/eventseries/?format=geojson&${ALL}`, PRIVATE],
  [200, `/api/v4/eventseries/?format=ndjson&${ALL}`, PRIVATE],
  [200, '/api/v4/eventseries/99fe5d0/?format=csv'],
  [200, '/api/v3/observationtypes/?format=geojson'],
  [200, '/api/v3/observationtypes/?format=csv'],
  [200, '/api/v4/observationtypes/2/?format=geojson'],
  [200, '/api/v4/observationtypes/2/?format=ndjson'],
  ...FILED.flatMap((path): [number, string, RequestInit?][] => {
    const fields = path.endsWith('types') ? 'name' : path.endsWith('series') ? 'name,geometry' : 'value,geometry'
    return [
      [200, `${path}/?fields=${fields.split(',')[0]}&page_size=2`],
      [200, `${path}.geojson?fields=${fields}&page_size=2`],
      [200, `${path}.csv?fields=name`.replace('name', path.endsWith('events') ? 'value,category' : 'name')],
      [200, `${path}/?explain=true&page_size=2`, PRIVATE],
    ]
  }),
  [200, `${EVENTS}1/?fields=value`],
  [200, `${OF_STORMS}1708/?fields=value&format=geojson`],
  [200, '/api/v4/eventseries/99fe5d0/?fields=name'],
  [400, `${EVENTS}?${ALL}`],
  [400, `${EVENTS}summary/?format=ndjson`],
  [400, `${EVENTS}summary.csv?facets=category,event_series`],
  [200, `${EVENTS}summary.csv?facets=category&statistics=value&distinct=event_series`],
  [200, `${EVENTS}summary/?format=csv&by=category&bins=year`],
  [200, `${EVENTS}summary/`, form('format=spreadsheet&locale=nl&bins=month')],
  [406, '/', { headers: { Accept: 'text/csv' } }],
  [304, EVENTS, { headers: { 'If-None-Match': '*' } }],
  [200, `${EVENTS}1/`],
  [200, `${EVENTS}1737/`],
  [200, `${EVENTS}summary/`],
  [200, `${EVENTS}summary/?category=hurricane&bins=3&level=2`, PRIVATE],
  [200, `${EVENTS}summary/?category=none`],
  [200, `${EVENTS}summary/`, form('geom_within=POLYGON((3 50, 8 50, 8 54, 3 54, 3 50))')],
  [200, '/api/v3/eventseries/?page_size=1000', PRIVATE],
  [200, '/api/v3/eventseries/99fe5d0/'],
  [200, '/api/v3/eventseries/', form('')],
  [200, '/api/v4/eventseries/?page_size=1000&format=api', PRIVATE],
  [200, '/api/v4/eventseries/?ordering=-last_modified'],
  [200, '/api/v4/eventseries/99fe5d0/'],
  [200, '/api/v4/eventseries/', form('')],
  [200, OF_STORMS],
  [200, `${OF_STORMS}?category=hurricane&start__gte=2015-01-01`, form('page_size=2')],
  [200, `${OF_STORMS}?format=geojson&page_size=3`],
  [200, `${OF_STORMS}?format=csv&${ALL}`],
  [200, `${OF_STORMS}1708/`],
  [200, ALL_V4],
  [200, `${ALL_V4}1708/`],
  [200, `${ALL_V4}?format=geojson&page_size=3&event_series=99fe5d0`],
  [200, ALL_V4, form('page_size=2')],
  ...FILED.flatMap((path): [number, string, RequestInit?][] => [
    [200, `${path}.geojson?page_size=2`],
    [200, `${path}.csv`, form('page_size=2')],
  ]),
  [404, `${OF_STORMS}1/`],
  [404, '/api/v4/eventseries/00000000/events/'],
  [200, '/api/v3/observationtypes/'],
  [200, '/api/v3/observationtypes/', form('')],
  [200, '/api/v3/observationtypes/1/'],
  [200, CHANGES],
  [200, `${CHANGES}?format=ndjson&event_series=99fe5d03-893d-5b20-8244-b9189db33e37`],
  [200, CHANGES, HTML],
  [400, `${CHANGES}?after=now&limit=0`],
  [410, `${CHANGES}?after=c1.1-a-0.${'00'.repeat(40)}`],
  [200, '/api/v4/observationtypes/'],
  [200, '/api/v4/observationtypes/', form('')],
  [200, '/api/v4/observationtypes/2/'],
  [200, '/'],
  [200, '/api/v3/'],
  [200, '/api/v4/', HTML],
  [200, '/healthz'],
  [200, '/readyz'],
  [200, '/readyz', { headers: WRITE }],
  [400, `${EVENTS}?nope=1&detail=2&page_size=0&timestamp_start=then&category=a&category=b`],
  [400, `${EVENTS}?detail=1`],
  [400, EVENTS, form('geom_within=POINT')],
  [400, `${EVENTS}1/?format=nope`],
  [400, '/?nope=1'],
  [400, '/api/v4/eventseries/?access_modifier=Secret'],
  [401, EVENTS, { headers: { Authorization: 'Bearer wrong' } }],
  [401, EVENTS, { method: 'POST', body: '{}' }],
  [401, '/api/v4/', { headers: { Authorization: 'Basic wrong' } }],
  [403, EVENTS, { method: 'POST', body: '{}', ...PRIVATE }],
  [400, `${EVENTS}summary/?bins=0&level=13`],
  [404, `${EVENTS}?page=100000`],
  [404, `${EVENTS}0/`],
  [404, EVENTS, form('page=0')],
  [404, '/api/v3/eventseries/c/'],
  [404, '/api/v4/observationtypes/99/'],
  [406, EVENTS, { headers: { Accept: 'image/png' } }],
  [406, '/api/v3/', { headers: { Accept: 'image/png' } }],
  [413, EVENTS, form('x'.repeat(200_001))],
  [415, '/api/v3/observationtypes/', { method: 'POST', headers: { ...WRITE, 'Content-Type': 'text/plain' }, body: '' }],
  [415, '/api/v4/observationtypes/', { method: 'POST', headers: { ...WRITE, 'Content-Type': 'text/plain' }, body: '' }],
  [415, `${EVENTS}summary/`, { method: 'POST', headers: WRITE, body: '{}' }],
  [414, `${EVENTS}?category=${'x'.repeat(17_000)}`],
]

const UUID = '10000000-0000-4000-8000-0000000000'
const SERIES = ['/api/v3/eventseries/', '/api/v4/eventseries/'] as const
const METADATA = `${SERIES[1]}${UUID}03/metadata/`
const TYPES = '/api/v4/observationtypes/'
const feature = (properties: object = {}, others: object = {}) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [5.5, 52.25, 3] },
  properties: { timestamp_start: 1000, event_series: `${UUID}03`, ...properties },
  ...others,
})
const collection = { type: 'FeatureCollection', name: 'floods', features: [feature(), feature()] }
const KEYED = { 'Idempotency-Key': 'one' }
const NEVER = { 'If-Match': 'W/"1-0-0000000000000000"' }

/** Writes in their order. Each has a status, method, address, body and headers. All use a key that may write. */
const WRITES: readonly [number, string, string, unknown?, Readonly<Record<string, string>>?][] = [
  [201, 'POST', SERIES[0], { uuid: `${UUID}03`, name: 'Floods', observation_type: 1, access_modifier: 'Public' }],
  [201, 'POST', SERIES[1], { uuid: `${UUID}04`, name: 'Floods', observation_type: '/api/v4/observationtypes/1/' }],
  [201, 'POST', SERIES[1], [1, 2].map((type) => ({ name: 'One of two', observation_type: type }))],
  [201, 'POST', TYPES, { code: 'water_level', name: 'Water level', unit: 'm' }],
  [409, 'POST', TYPES, { code: 'water_level', name: 'Water level', unit: 'm' }],
  [201, 'POST', TYPES, ['a', 'b'].map((code) => ({ code, name: code }))],
  [201, 'POST', EVENTS, feature(), KEYED],
  [201, 'POST', EVENTS, feature(), KEYED],
  [422, 'POST', EVENTS, feature({ value: 'another' }), KEYED],
  [201, 'POST', `${EVENTS}?format=api`, feature({}, { geometry: null })],
  [201, 'POST', EVENTS, feature({ object: { type: 'pump', id: 7 } }), { Accept: 'text/csv' }],
  [201, 'POST', EVENTS, [feature(), feature()]],
  [201, 'POST', EVENTS, collection, { 'Content-Type': 'application/geo+json' }],
  [400, 'POST', EVENTS, [feature(), feature({ timestamp_start: null, nope: 1 }, { type: 'Point' })]],
  [400, 'POST', EVENTS, []],
  [400, 'POST', SERIES[0], { name: 5 }],
  [400, 'PATCH', `${EVENTS}2/`, { properties: { url: 'passed over', event_series: -1 }, type: 'Nope' }],
  [401, 'POST', EVENTS, feature(), { Authorization: '' }],
  [403, 'POST', SERIES[1], {}, PRIVATE.headers],
  [403, 'PATCH', `${EVENTS}2/`, {}, PRIVATE.headers],
  [401, 'DELETE', `${EVENTS}2/`, undefined, { Authorization: 'Bearer wrong' }],
  [404, 'PATCH', `${EVENTS}0/`, {}],
  [404, 'DELETE', `${SERIES[0]}${UUID}05/`],
  [406, 'PATCH', `${EVENTS}2/`, {}, { Accept: 'image/png' }],
  [412, 'PATCH', `${EVENTS}2/`, { properties: { value: '1' } }, NEVER],
  [412, 'DELETE', `${SERIES[1]}${UUID}04/`, undefined, NEVER],
  [415, 'POST', EVENTS, feature(), { 'Content-Type': 'text/plain' }],
  [415, 'PATCH', `${SERIES[0]}${UUID}03/`, {}, { 'Content-Type': 'text/plain' }],
  [413, 'POST', EVENTS, Array(10_001).fill({})],
  [200, 'PATCH', `${EVENTS}2/`, { properties: { value: '1', timestamp_end: '2030-01-01T00:00:00Z' } }],
  [200, 'PATCH', `${EVENTS}2/?format=api`, {}],
  [200, 'PATCH', `${SERIES[0]}${UUID}03/`, { access_modifier: 'Common' }],
  [200, 'PATCH', `${SERIES[1]}${UUID}04/`, { color: '#336699' }],
  [200, 'PUT', `${EVENTS}2/`, feature()],
  [400, 'PUT', `${EVENTS}2/`, {}],
  [409, 'POST', EVENTS, feature({}, { id: 2 })],
  [200, 'PUT', `${SERIES[0]}${UUID}03/`, { name: 'Floods', observation_type: 'wind_speed', access_modifier: null }],
  [200, 'PUT', `${SERIES[1]}${UUID}04/`, { name: 'Floods', observation_type: 1, color: null }],
  [201, 'POST', EVENTS, feature({ external_id: 'a' })],
  [200, 'POST', EVENTS, { properties: { external_id: 'a', event_series: `${UUID}03`, value: null } }],
  [201, 'POST', EVENTS, feature({ external_id: '', object_type: '', object_id: null })],
  [201, 'POST', EVENTS, feature({ attributes: { Volume: 5, parts: [1] } })],
  [200, 'GET', `${EVENTS}?format=geojson&event_series=${UUID}03`],
  [200, 'GET', `${EVENTS}?format=csv&event_series=${UUID}03`],
  [
    200,
    'GET',
    `${EVENTS}summary/?facets=attributes__Volume,timestamp_start__year&by=attributes__Volume&by_size=1&statistics=attributes__Volume&distinct=category,attributes__Volume`,
  ],
  [200, 'GET', METADATA],
  [200, 'PUT', METADATA, { license: 'MIT', fields: [{ name: 'value', type: 'number', unit: 'm' }] }],
  [200, 'PATCH', METADATA, { license: null }],
  [400, 'PATCH', METADATA, { license: 5 }],
  [204, 'DELETE', `${EVENTS}3/`],
  [201, 'POST', OF_STORMS, { ...feature(), properties: { start: '2018-02-07T01:49:14Z', category: 'x' } }],
  [200, 'PATCH', `${OF_STORMS}1709/`, { properties: { value: '1' } }],
  [200, 'PUT', `${OF_STORMS}1709/`, { ...feature(), properties: { start: '2018-02-07T01:49:14Z' } }],
  [204, 'DELETE', `${OF_STORMS}1709/`],
  [200, 'DELETE', `${OF_STORMS}?category=x`],
  [400, 'DELETE', OF_STORMS],
  [400, 'DELETE', `${SERIES[0]}${UUID}03/?events=keep`],
  [409, 'DELETE', `${SERIES[0]}${UUID}03/`],
  [204, 'DELETE', `${SERIES[0]}${UUID}03/?events=delete`],
  [204, 'DELETE', `${SERIES[1]}${UUID}04/`],
]

/** Finds the operation of a request in the description. */
const operationOf = (path: string, method: string) => {
  const { pathname } = new URL(path, served.address)
  const own = Object.hasOwn(document.paths, pathname)
  const template = own
    ? pathname
    : Object.keys(document.paths).find((known) =>
        new RegExp(`^${known.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
      )
  const operation = document.paths[template ?? '']?.[method]
  if (template === undefined || operation === undefined) throw new Error(`${method} ${pathname} is not described`)
  return { template, operation }
}

/** Compares an answer with its description. Returns the schema of its body. */
const conform = async (path: string, options: RequestInit) => {
  const method = (options.method ?? 'GET').toLowerCase()
  const response = await send(path, options)
  const { template, operation } = operationOf(path, method)
  const status = String(response.status)
  const described = operation.responses[status] ?? operation.responses.default
  expect(described, `${method} ${template} ${status} is described`).toBeDefined()
  const { content, headers = {} } = resolve<Answer>(document, described as Answer)
  for (const [name, header] of Object.entries(headers))
    if (resolve<{ required?: boolean }>(document, header).required)
      expect([path, name, response.headers.has(name)]).toEqual([path, name, true])
  const text = await response.text()
  const type = response.headers.get('Content-Type')?.split(';')[0] ?? ''
  if (method === 'head' || content === undefined) {
    expect([path, text]).toEqual([path, ''])
    return { status, body: null, schema: null }
  }
  expect(Object.keys(content)).toContain(type)
  const $ref =
    described !== undefined && '$ref' in described
      ? `openapi.json${described.$ref}/content/${encodeURIComponent(type.replace('/', '~1'))}/schema`
      : pointer('paths', template, method, 'responses', status, 'content', type, 'schema')
  const isJson = /json$/.test(type) && !type.startsWith('application/x-')
  const body: unknown = isJson ? JSON.parse(text) : text
  expect([path, faultsOf(body, $ref).slice(0, 5)]).toEqual([path, []])
  return { status, body, schema: isJson ? $ref : null }
}

describe('an answer matches its schema', () => {
  it.each(REQUESTS)('%i %s', async (status, path, options = {}) => {
    const answer = await conform(path, options)
    expect(answer.status).toBe(String(status))
    if (options.method === undefined) await conform(path, { ...options, method: 'HEAD' })
  })

  it('for a repeated POST whose item is gone', async () => {
    const body = JSON.stringify({ ...feature({ event_series: 1 }), geometry: null })
    const post = { method: 'POST', headers: { ...WRITE, 'Idempotency-Key': 'gone' }, body }
    const { id } = (await conform(EVENTS, post)).body as { id: number }
    expect((await send(`${EVENTS}${id}/`, { method: 'DELETE', headers: WRITE })).status).toBe(204)
    expect(await conform(EVENTS, post)).toMatchObject({
      status: '201',
      body: { detail: expect.stringContaining('deleted') },
    })
  })

  it('for changes of each kind', async () => {
    const { mark } = (await conform(CHANGES, {})).body as { mark: string }
    const NEW_SERIES = { name: 'Followed', observation_type: 1, access_modifier: 'Public' }
    const json = (method: string, body: object) => ({ method, headers: WRITE, body: JSON.stringify(body) })
    const post = async (path: string, body: object): Promise<Record<string, unknown>> =>
      (await send(path, json('POST', body))).json()
    await post(TYPES, { code: 'followed', name: 'F', unit: null })
    const [one, other] = [await post(SERIES[1], NEW_SERIES), await post(SERIES[1], NEW_SERIES)]
    const [kept, gone] = [
      await post(EVENTS, feature({ event_series: one.uuid })),
      await post(EVENTS, feature({ event_series: one.uuid })),
    ]
    expect((await send(`${EVENTS}${gone.id}/`, { method: 'DELETE', headers: WRITE })).status).toBe(204)
    await send(`${SERIES[1]}${other.uuid}/`, json('PATCH', { access_modifier: 'Private' }))
    const { changes } = (await conform(`${CHANGES}?after=${mark}`, {})).body as {
      changes: { kind: string; visible?: boolean }[]
    }
    expect(changes.map(({ kind, visible = true }) => [kind, visible])).toEqual([
      ['type', true],
      ['series', true],
      ['series', false],
      ['event', true],
      ['gone', true],
    ])
    expect(kept.id).toEqual(expect.any(Number))
  })

  it('for OPTIONS of every path', async () => {
    for (const { path, method } of operations())
      if (method === 'options') expect((await conform(example(path), { method: 'OPTIONS' })).status).toBe('200')
  })

  it('for every operation of the description', () => {
    const asked = [
      ...REQUESTS.map(([, path, options]) => operationOf(path, (options?.method ?? 'GET').toLowerCase())),
      ...WRITES.map(([, method, path]) => operationOf(path, method.toLowerCase())),
    ]
    const ids = new Set(asked.map(({ operation }) => operation.operationId))
    const reads = operations().filter(({ method }) => method !== 'head' && method !== 'options')
    expect(reads.map(({ operation }) => operation.operationId).filter((id) => !ids.has(id))).toEqual([])
  })

  it('for an error of the service', async () => {
    const faulty = await serve({ ANONYMOUS_LEVEL: 'Everyone' }, false)
    try {
      for (const path of [EVENTS, '/']) {
        const response = await fetch(`${faulty.address}${path}`, { signal: AbortSignal.timeout(10_000) })
        expect(response.status).toBe(500)
        expect(faultsOf(await response.json(), pointer('components', 'schemas', 'Detail'))).toEqual([])
      }
    } finally {
      await faulty.close()
    }
  })
})

/** Yields copies of a value with one change each: a missing property, an extra property, or a value of another type. */
function* changes(value: unknown): Generator<[where: string, changed: unknown]> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries())
      for (const [where, changed] of changes(item)) yield [`${i}.${where}`, value.with(i, changed)]
  } else if (typeof value === 'object' && value !== null) {
    yield ['+', { ...value, added: 1 }]
    for (const [name, child] of Object.entries(value)) {
      const { [name]: _, ...others } = value as Record<string, unknown>
      yield [`-${name}`, others]
      for (const [where, changed] of changes(child)) yield [`${name}.${where}`, { ...value, [name]: changed }]
    }
  } else yield ['=', [value]] // some members may have any object
}

describe('an answer with one changed value does not match its schema', () => {
  it.each([
    `${EVENTS}?page_size=2&page=2&object=storm$371`,
    `${EVENTS}1737/`,
    `${OF_STORMS}?page_size=2&category=hurricane`,
    `${OF_STORMS}?page_size=2&format=geojson`,
    `${EVENTS}summary/?category=hurricane&bins=2&level=1`,
    '/api/v3/eventseries/99fe5d0/',
    '/api/v4/eventseries/?page_size=1&page=2',
    '/api/v4/observationtypes/2/',
    '/api/v3/',
    '/healthz',
    `${EVENTS}0/`,
    `${EVENTS}?format=geojson&page_size=2&page=2&object=storm$371`,
    '/api/v3/eventseries/?format=geojson&page_size=1&page=2',
    '/api/v4/eventseries/99fe5d0/?format=geojson',
    '/api/v4/observationtypes/2/?format=geojson',
  ])('%s', async (path) => {
    const { body, schema: described } = await conform(path, {})
    // Members are missing only if the client chooses others.
    const whole = `${described}/anyOf/0`
    const schema = /events|series|types/.test(path) && !/summary|\/0\//.test(path) ? whole : described
    let tried = 0
    // Attributes may be anything. The events of one series have a property for each, and one for the number of the value.
    const ofSeries = /\.properties\.(\+|-value_number)$|\battributes(\.|__)/
    const takesMore = /events.*format=geojson/.test(path) ? ofSeries : /\battributes\./
    for (const [where, changed] of changes(body)) {
      if (takesMore.test(where)) continue
      tried++
      expect([where, faultsOf(changed, schema ?? '').length > 0]).toEqual([where, true])
    }
    expect(tried).toBeGreaterThan(2)
  })
})

/** Returns the schema of a JSON body. */
const bodySchema = (path: string, method: string) => {
  const { template } = operationOf(path, method)
  return pointer('paths', template, method, 'requestBody', 'content', 'application/json', 'schema')
}

const write = (method: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  method,
  headers: { ...WRITE, ...headers },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
})

describe('a body that is written matches its schema', () => {
  it.each(WRITES)('%i %s %s %j %j', async (status, method, path, body, headers) => {
    expect((await conform(path, write(method, body, headers))).status).toBe(String(status))
    if (body !== undefined && status < 300) expect(faultsOf(body, bodySchema(path, method.toLowerCase()))).toEqual([])
  })

  it('and an event without its other members needs an external id', async () => {
    for (const external_id of ['', null]) {
      const body = { properties: { external_id, event_series: `${UUID}03` } }
      expect([external_id, (await conform(EVENTS, write('POST', body))).status]).toEqual([external_id, '400'])
      expect(faultsOf(body, bodySchema(EVENTS, 'post'))).not.toEqual([])
    }
  })

  it('and only writing operations require a key', () => {
    for (const { method, operation } of operations()) {
      const keyed = operation.security?.every((scheme) => Object.keys(scheme).length === 1) ?? false
      expect([operation.operationId, keyed]).toEqual([
        operation.operationId,
        ['put', 'patch', 'delete'].includes(method),
      ])
    }
  })

  it('and an Idempotency-Key stores one of two posts', async () => {
    const twice = [1, 2].map(() =>
      conform(EVENTS, write('POST', feature({ event_series: 1 }), { 'Idempotency-Key': '2' })),
    )
    const [first, second] = await Promise.all(twice)
    expect(first?.body).toEqual(second?.body)
  })

  it('in every example', async () => {
    const exampleOf = (path: string, method: string) => {
      const { example } = operationOf(path, method).operation.requestBody?.content['application/json'] ?? {}
      expect(faultsOf(example, bodySchema(path, method))).toEqual([])
      return example
    }
    for (const path of [EVENTS, ...SERIES]) {
      const posted = await send(path, write('POST', exampleOf(path, 'post')))
      const item = new URL(posted.headers.get('Location') ?? '').pathname
      for (const method of ['PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? exampleOf(item, 'patch') : undefined
        expect([item, (await conform(item, write(method, body))).status]).toEqual([item, body ? '200' : '204'])
      }
    }
  })

  it('if it is an item in the form of an answer', async () => {
    for (const [path, schema] of [
      [EVENTS, 'EventChanges'],
      [SERIES[0], 'EventSeriesChanges'],
      [SERIES[1], 'EventSeriesChanges'],
    ] as const) {
      const { results } = (await (await send(`${path}?page_size=1000`, PRIVATE)).json()) as { results: unknown[] }
      expect(results.length).toBeGreaterThan(5)
      for (const item of results) expect(faultsOf(item, pointer('components', 'schemas', schema))).toEqual([])
    }
  })

  const flood = { category: 'flood', value: '1', timestamp_end: '2030-01-01T00:00:00Z' }
  const series = { name: 'a', description: '', observation_type: 1 }
  it.each<[string, unknown]>([
    [EVENTS, feature({ ...flood, event_series: 1, object: { type: 'pump', id: 7 } })],
    [EVENTS, feature({ event_series: '99fe5d03-893d-5b20-8244-b9189db33e37' }, { geometry: null })],
    [EVENTS, [feature({ event_series: 1 })]],
    [EVENTS, { ...collection, features: [feature({ event_series: 1 })] }],
    [SERIES[1], { ...series, statistic: 'raw', color: '#000000', access_modifier: 'Public' }],
    [SERIES[0], [{ name: 'a', observation_type: '/api/v3/observationtypes/2/' }]],
  ])('%s accepts exactly the changed copies of %j that match the schema', async (path, body) => {
    const tried = [0, 0]
    for (const [where, changed] of [['', body] as const, ...changes(body)]) {
      const fits = faultsOf(changed, bodySchema(path, 'post')).length === 0
      const { status } = await conform(path, write('POST', changed))
      expect([where, status]).toEqual([where, fits ? '201' : '400'])
      tried[Number(fits)] = (tried[Number(fits)] ?? 0) + 1
    }
    expect(Math.min(...tried)).toBeGreaterThan(0)
  })
})
