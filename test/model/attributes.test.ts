import { beforeAll, describe, expect, it } from 'vitest'
import { foundation } from '../engine/world.ts'
import { get, load, send, withKey } from '../service.ts'
import { EVENTS, feature, outcome, rows, write } from '../store/writer.ts'

beforeAll(() => load(foundation))

const OGC = '/ogc/collections/events/items'
const V4 = '/api/v4/events/'

/** Returns the id of a new event with these attributes. */
const made = async (attributes: unknown): Promise<number> => {
  const { status, body } = await write('POST', EVENTS, feature({ attributes }))
  expect([status, body]).toEqual([201, expect.anything()])
  return body.id
}
const attributesOf = async (id: number) => (await get(`${V4}${id}/`, await withKey('writer'))).properties.attributes

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })
/** Returns attributes with this many bytes of JSON. */
const ofBytes = (bytes: number) => ({ text: 'é'.repeat(2000) + 'x'.repeat(bytes - 4011) })

const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' }

describe('the attributes of an event', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['no members', {}],
    ['numbers, texts, booleans, null, lists and objects', { a: 4.5, b: 'é "x"', c: true, d: null, e: [1, { f: 2 }] }],
    ['names that filters do not take', { '': 1, 'a b': 2, a__b: 3, '1': 4, "it's": 5, 'a"b': 6, 'mag$.x': 7 }],
    ['numbers at the ends of doubles', { a: 1.7976931348623157e308, b: 5e-324, c: 2 ** 53, d: -1e-7 }],
    ['characters that JSON or SQL may escape', { a: '\u0001\u2028\\/<>&%_', b: '🌋', c: "'; DROP TABLE event; --" }],
    ['20 levels', nested(20)],
    ['4096 bytes', ofBytes(4096)],
  ])('are stored and read with %s', async (_, attributes) => {
    expect(await attributesOf(await made(attributes))).toEqual(attributes)
  })

  it('keep a member __proto__, and the last of two members with one name', async () => {
    const body = JSON.stringify(feature({ attributes: 0 })).replace(
      '"attributes":0',
      '"attributes":{"__proto__":{"mag":1},"a":1,"a":2}',
    )
    const { id } = (await write('POST', EVENTS, body)).body
    expect(await rows(`SELECT attributes FROM event WHERE id = ${id}`)).toEqual([
      { attributes: '{"__proto__":{"mag":1},"a":2}' },
    ])
    expect(JSON.stringify(await attributesOf(id))).toBe('{"__proto__":{"mag":1},"a":2}')
  })

  it.each<[string, string]>([
    ['a text', '"x"'],
    ['a number', '4.5'],
    ['a list', '[{"mag":4.5}]'],
    ['JSON in a text', '"{\\"mag\\":4.5}"'],
    ['21 levels', JSON.stringify(nested(21))],
    ['very many levels', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['4097 bytes', JSON.stringify(ofBytes(4097))],
    ['a NUL', '{"a":"x\\u0000"}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
    ['a lone surrogate in a name', '{"\\udc00":1}'],
  ])('with %s are a 400 that shows an example', async (_, attributes) => {
    const body = JSON.stringify(feature({ attributes: 0 })).replace('"attributes":0', `"attributes":${attributes}`)
    expect(await outcome('POST', EVENTS, body)).toEqual({
      status: 400,
      body: { 'properties.attributes': [expect.stringMatching(/^Enter a JSON object .*such as \{"mag": 4\.5\}/)] },
    })
  })

  // Attributes take decimals as doubles, and refuse other numbers that would change. A value keeps the digits as a text.
  it.each<[sent: string, value: string, attribute: number | null]>([
    ['12345678901234567890', '12345678901234567890', null],
    ['9007199254740993', '9007199254740993', null],
    ['-9007199254740993', '-9007199254740993', null],
    [`1${'0'.repeat(5000)}1`, `1${'0'.repeat(5000)}1`, null],
    ['1e400', '1e400', null],
    ['-1E309', '-1E309', null],
    ['0.1e-400', '0.1e-400', null],
    ['3e-324', '3e-324', null],
    ['0.1234567890123456789', '0.1234567890123456789', 0.12345678901234568],
    ['0.10000000000000001', '0.10000000000000001', 0.1],
    ['1.2345678901234567890e30', '1.2345678901234567890e30', 1.2345678901234568e30],
    ['9007199254740992', '9007199254740992', 9007199254740992],
    ['12345678901234567000', '12345678901234567000', 12345678901234567000],
    ['1000000000000000000000', '1e+21', 1e21],
    ['0.00000000000000000000', '0', 0],
    ['0.50000000000000000000', '0.5', 0.5],
    ['0.0000000000000000005e19', '5', 5],
    ['5e-324', '5e-324', 5e-324],
    ['-0', '0', 0],
    ['1.0', '1', 1],
    ['1.10', '1.1', 1.1],
    ['1e5', '100000', 100000],
  ])('the number %s is never another one', async (sent, value, attribute) => {
    const bodyOf = (form: object) => JSON.stringify(form).replaceAll('"?"', sent)
    const fault = [expect.stringMatching(/^The number -?\d.* does not fit in a double\. Enter it as a text, such as "/)]
    const id = await made({ kept: true })
    for (const [method, path] of [
      ['POST', EVENTS],
      ['PUT', `${EVENTS}${id}/`],
      ['PATCH', `${OGC}/${id}`],
      ['POST', OGC],
    ] as const) {
      const ogc = path.startsWith(OGC)
      const own = ogc ? { event_series: '10000000-0000-4000-8000-000000000000' } : {}
      const written = await write(method, path, bodyOf(feature({ ...own, value: '?' })))
      expect([written.status, written.body?.properties?.value]).toEqual([method === 'POST' ? 201 : 200, value])
      const attributes = { x: [{ y: '?' }] }
      const { status, body } = await write(method, path, bodyOf(feature({ ...own, attributes })))
      if (attribute === null)
        expect([status, ogc ? body.errors : body]).toEqual([400, { 'properties.attributes': fault }])
      else expect(await attributesOf(body.id)).toMatchObject({ x: [{ y: attribute }] })
    }
  })

  it.each<[string, object, object?]>([
    ['properties.timestamp_start', { timestamp_start: '?1000.00000000000000001' }],
    ['properties.event_series', { event_series: '?1.00000000000000000001' }],
    ['properties.object', { object: { type: 'pump', id: '?9007199254740993' } }],
    ['properties.category', { category: '?9007199254740993' }],
    ['properties.external_id', { external_id: '?9007199254740993' }],
    ['geometry', {}, { geometry: { type: 'Point', coordinates: [5, 52, '?12345678901234567890'] } }],
    ['geometry', {}, { geometry: { type: 'Point', coordinates: ['?1e-400', 52] } }],
  ])('%s is a 400 for a number that would change: %j %j', async (path, properties, more) => {
    const body = JSON.stringify(feature(properties, more)).replace(/"\?([^"]*)"/, '$1')
    expect(await outcome('POST', EVENTS, body)).toEqual({
      status: 400,
      body: { [path]: [expect.stringMatching(/^Enter /)] },
    })
  })

  it.each([
    [undefined, [5.123456789012345, 52.1]],
    ['http://www.opengis.net/def/crs/EPSG/0/28992', [155000.123456789, 463000.5]],
  ])('coordinates in %s may have more digits than a double', async (crs, [x, y]) => {
    const item = feature(
      { event_series: '10000000-0000-4000-8000-000000000000' },
      { geometry: { type: 'Point', coordinates: [x, y] } },
    )
    const headers = crs === undefined ? {} : { 'Content-Crs': crs }
    const send = async (body: string) => (await write('POST', OGC, body, headers)).body.geometry
    const plain = JSON.stringify(item)
    expect(await send(plain.replace(String(x), `${x}00000000000000001`))).toEqual(await send(plain))
  })

  it.each<[string, string, object | undefined, object | null]>([
    ['PUT of version 3 without them keeps them', 'PUT', undefined, { mag: 4.5, place: 'x' }],
    ['PUT replaces them as a whole', 'PUT', { depth: 1 }, { depth: 1 }],
    ['PATCH without them keeps them', 'PATCH', undefined, { mag: 4.5, place: 'x' }],
    ['PATCH replaces them as a whole', 'PATCH', { depth: 1 }, { depth: 1 }],
  ])('%s', async (_, method, attributes, expected) => {
    const id = await made({ mag: 4.5, place: 'x' })
    expect((await write(method, `${EVENTS}${id}/`, feature({ attributes }))).status).toBe(200)
    expect(await attributesOf(id)).toEqual(expected)
  })

  it.each([null, ''])('%j clears them', async (attributes) => {
    const id = await made({ mag: 4.5 })
    expect((await write('PATCH', `${EVENTS}${id}/`, { properties: { attributes } })).status).toBe(200)
    expect(await attributesOf(id)).toBe(null)
  })

  it('are replaced by a POST with a stored external id, and kept by one without them', async () => {
    const id = (await write('POST', EVENTS, feature({ external_id: 'own', attributes: { mag: 4.5, a: 1 } }))).body.id
    const again = async (properties: object) =>
      (await write('POST', EVENTS, feature({ external_id: 'own', ...properties }))).body.id
    expect([await again({ value: '2' }), await attributesOf(id)]).toEqual([id, { mag: 4.5, a: 1 }])
    expect([await again({ attributes: { b: 2 } }), await attributesOf(id)]).toEqual([id, { b: 2 }])
  })

  it('are the last member in each form, and absent in the JSON of version 3', async () => {
    const attributes = { mag: 4.5, text: 'a "b";=1+1' }
    const id = await made(attributes)
    const key = await withKey('writer')
    const propertiesAt = async (path: string) => (await get(path, key)).properties
    for (const path of [`${EVENTS}${id}/?format=geojson`, `${V4}${id}/?format=geojson`, `${V4}${id}/`, `${OGC}/${id}`])
      expect(Object.entries(await propertiesAt(path)).at(-1)).toEqual(['attributes', attributes])
    expect(await propertiesAt(`${EVENTS}${id}/`)).not.toHaveProperty('attributes')
    const [header, line] = (await (await send(`${EVENTS}${id}/?format=csv`, key)).text()).split('\r\n')
    expect([header, line]).toEqual([
      expect.stringMatching(/,url,attributes$/),
      expect.stringMatching(/\/,"\{""mag"":4\.5,""text"":""a \\""b\\"";'=1\+1""\}"$/),
    ])
    expect((await get(`${EVENTS}${id}/?format=geojson&fields=attributes`, key)).properties).toEqual({ attributes })
    expect((await send(`${EVENTS}${id}/?fields=attributes`, key)).status).toBe(400)
  })

  it('are no property of CQL2, but of the schema of features', async () => {
    const propertiesIn = async (document: string) => (await get(`/ogc/collections/events/${document}`)).properties
    expect(await propertiesIn('queryables')).not.toHaveProperty('attributes')
    expect((await propertiesIn('schema')).attributes).toMatchObject({ title: 'Attributes', type: 'object' })
  })
})

describe('PATCH under /ogc merges (RFC 7396)', () => {
  /** Stored attributes, a patch and the result. Most are the examples of the appendix of the RFC. */
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [null, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 1 }, {}, { a: 1 }],
    [{ a: 1 }, null, null],
    [{ a: 1 }, '', null],
  ])('%j with %j is %j', async (stored, patch, expected) => {
    const id = await made(stored)
    const body = { properties: { attributes: patch } }
    const { status, body: feature } = await write('PATCH', `${OGC}/${id}`, body, MERGE_PATCH)
    expect([status, feature.properties.attributes]).toEqual([200, expected])
    expect(await attributesOf(id)).toEqual(expected)
  })

  it('a list merges only a merge patch', async () => {
    const id = await made({ a: 1, b: { c: 2 } })
    const patch = (attributes: object, headers = {}) =>
      write('PATCH', `/api/v3/events/${id}/`, { properties: { attributes } }, headers)
    expect((await patch({ b: { d: 3 }, a: null }, MERGE_PATCH)).status).toBe(200)
    expect(await attributesOf(id)).toEqual({ b: { c: 2, d: 3 } })
    expect((await patch({ e: 4 })).status).toBe(200)
    expect(await attributesOf(id)).toEqual({ e: 4 })
  })

  it('a member __proto__ is a member', async () => {
    const id = await made({ a: 1 })
    await write('PATCH', `${OGC}/${id}`, '{"properties":{"attributes":{"__proto__":{"b":2}}}}')
    expect(JSON.stringify(await attributesOf(id))).toBe('{"a":1,"__proto__":{"b":2}}')
  })

  it('a result of more than 4096 bytes is a 400, and PUT replaces', async () => {
    const id = await made(ofBytes(4096))
    const { status, body } = await write('PATCH', `${OGC}/${id}`, { properties: { attributes: { more: 1 } } })
    expect([status, body.errors]).toEqual([
      400,
      { 'properties.attributes': [expect.stringMatching(/^Enter a JSON object of at most 4096 bytes/)] },
    ])
    const [item] = [await get(`${OGC}/${id}`, await withKey('writer'))]
    const put = { ...item, properties: { ...item.properties, attributes: { b: 1 } } }
    expect((await write('PUT', `${OGC}/${id}`, put, { 'Content-Type': 'application/geo+json' })).status).toBe(200)
    expect(await attributesOf(id)).toEqual({ b: 1 })
  })
})
