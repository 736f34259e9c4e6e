import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { recount } from '../../seed/load/indexes.ts'
import { eventOf, seriesOf, typeOf, uuidOf } from '../http/writes.ts'
import { get, load, send } from '../service.ts'
import { EVENTS, feature, outcome, rows, SERIES, write } from './writer.ts'

const at = (series: number) => `${SERIES}${uuidOf(series)}/metadata/`
const fieldsOf = async (series: number) => (await get(at(series))).fields

/** Posts an event with these attributes and properties. */
const post = (series: number, attributes: object, properties: object = {}) =>
  write('POST', EVENTS, feature({ event_series: uuidOf(series), attributes, ...properties }))

const named = (name: string, type: string) => ({ name, type })
const EMPTY = { source: null, source_url: null, license: null, contact: null, fields: [], more: false }

beforeAll(() =>
  load([
    typeOf(1),
    ...[1, 2, 3, 4, 5, 6, 7].map((id) => seriesOf(id, 'Public')),
    seriesOf(8, 'Hidden'),
    ...[9, 10].map((id) => seriesOf(id, 'Public')),
    { ...eventOf(11, 1), attributes: { Gemeente: 'Houten', Volume: 5, Overstort: true, Punten: [1], 'a.b "c"': {} } },
    { ...eventOf(12, 1), value: '2.5', attributes: { Volume: 5.5, Leeg: null } },
  ]),
)

describe('the description of a series', () => {
  it('writes itself: names, types and their order', async () => {
    expect(await get(at(1))).toEqual({
      ...EMPTY,
      fields: [
        named('value', 'number'),
        named('category', 'string'),
        named('timestamp_start', 'datetime'),
        named('timestamp_end', 'datetime'),
        named('external_id', 'string'),
        named('attributes__Gemeente', 'string'),
        named('attributes__Volume', 'number'),
        named('attributes__Overstort', 'boolean'),
        named('attributes__Punten', 'array'),
        named('attributes__a.b "c"', 'object'),
      ],
    })
    expect(await get(at(2))).toEqual(EMPTY)
  })

  it.each([
    [[1, 2], 'integer'],
    [[1, 3_000_000_000], 'number'],
    [[1, 2.5], 'number'],
    [[2.5, 1], 'number'],
    [[1, '2'], 'string'],
    [['a', 1], 'string'],
    [[true, false], 'boolean'],
    [[true, 1], 'string'],
    [[{}, {}], 'object'],
    [[{}, []], 'string'],
    [[null, 1], 'integer'],
    [[null, null], undefined],
  ])('has the type of all values, posted one by one or together: %j is %s', async (values, type) => {
    for (const [series, posts] of [
      [2, values.map((X) => ({ X }))],
      [3, [values.map((X) => ({ X }))]],
    ] as const) {
      await write('PUT', at(series), { fields: [] })
      for (const attributes of posts) {
        const features = [attributes].flat().map((each) => feature({ event_series: uuidOf(series), attributes: each }))
        expect((await write('POST', EVENTS, features)).status).toBe(201)
      }
      const found = (await fieldsOf(series)).find(({ name }: { name: string }) => name === 'attributes__X')
      expect(found?.type).toBe(type)
    }
  })

  it.each([
    [['1', '-2'], 'integer'],
    [['1', '2.50', '1e3'], 'number'],
    [['<5'], 'string'],
    [['7', 'NaN'], 'string'],
    [['', '3'], 'integer'],
    [[''], undefined],
  ])('has the type of all texts of value: %j is %s', async (values, type) => {
    await write('PUT', at(2), { fields: [] })
    await write(
      'POST',
      EVENTS,
      values.map((value) => feature({ event_series: uuidOf(2), value })),
    )
    const found = (await fieldsOf(2)).find(({ name }: { name: string }) => name === 'value')
    expect(found?.type).toBe(type)
  })

  describe('is told by a post that makes a column wider', () => {
    const series = 9
    const [list, owner, ogc] = [
      EVENTS,
      `${SERIES}${uuidOf(series)}/events/`,
      `/ogc/collections/events-${uuidOf(series)}/items`,
    ]
    const bodyOf = (address: string, attributes: object) => {
      const [start, timestamp_start] = ['2020-01-01', 1000]
      // The collection of a series has its columns as properties.
      const properties = { category: 'a', ...(address === ogc ? attributes : { attributes }) }
      const time = address === owner ? { start } : { timestamp_start: address === ogc ? start : timestamp_start }
      const own = address === list ? { event_series: uuidOf(series) } : {}
      return { ...feature(), properties: { ...properties, ...time, ...own } }
    }
    const values = [1, 3_000_000_000, 2.5, -0, '2', '', true, null, [], {}]
    it.each(values.flatMap((from) => values.map((to) => [from, to])))('from %j to %j', async (from, to) => {
      await write('PUT', at(series), { fields: [] })
      for (const X of [from, to]) {
        const typeIn = async () =>
          (await fieldsOf(series)).find(({ name }: { name: string }) => name === 'attributes__X')?.type
        const before = await typeIn()
        const { body } = await write('POST', list, [bodyOf(list, { X })])
        const after = await typeIn()
        const widened =
          before === undefined || before === after ? undefined : [{ name: 'attributes__X', from: before, to: after }]
        expect(body.widened).toEqual(widened)
      }
    })

    it.each([list, owner, ogc])('at %s: one item, several, and a feed', async (address) => {
      await write('PUT', at(series), {
        fields: [
          { name: 'attributes__v', type: 'number' },
          { name: 'value', type: 'integer' },
        ],
      })
      const all = [{ v: '3,2' }, { v: 'x', constructor: 1 }].map((attributes) => bodyOf(address, attributes))
      expect((await write('POST', address, { ...bodyOf(address, { v: 3 }) })).body.widened).toBeUndefined()
      const { status, body } = await write('POST', address, bodyOf(address, { v: '3,2' }))
      expect([status, body.type, body.widened]).toEqual([
        201,
        'Feature',
        [{ name: 'attributes__v', from: 'number', to: 'string' }],
      ])
      await write('PUT', at(series), { fields: [{ name: 'attributes__v', type: 'integer' }] })
      const several = await write('POST', address, { type: 'FeatureCollection', features: all })
      expect(several.body).toMatchObject({
        created: 2,
        widened: [{ name: 'attributes__v', from: 'integer', to: 'string' }],
      })
      await write('PUT', at(series), { fields: [{ name: 'value', type: 'integer' }] })
      const named = all.map((one, i) => ({
        ...one,
        properties: { ...one.properties, external_id: `${address} ${i}`, value: '7' },
      }))
      expect((await write('POST', address, named)).body.widened).toBeUndefined()
      const changed = named.map((one) => ({ ...one, properties: { ...one.properties, value: '7.5' } }))
      expect((await write('POST', address, changed)).body).toMatchObject({
        changed: 2,
        widened: [{ name: 'value', from: 'integer', to: 'number' }],
      })
    })

    it.each(['1', ' 2 ', '2.50', '1e3', '-0', '012', '+1', '.5', '<5', 'true', '[1]', '\u00a05'])(
      'value %j',
      async (value) => {
        await write('PUT', at(series), { fields: [{ name: 'value', type: 'integer' }] })
        const { body } = await write('POST', list, [
          { ...bodyOf(list, {}), properties: { ...bodyOf(list, {}).properties, value } },
        ])
        const [{ type }] = await fieldsOf(series)
        expect(body.widened?.[0].to ?? 'integer').toBe(type)
      },
    )
  })

  it('keeps titles, units, the order and datetime when an event is changed or moved', async () => {
    const fields = [
      { name: 'attributes__Duur', title: 'Duur (min)', type: 'integer', unit: 'min' },
      { name: 'attributes__Datum', title: 'Datum', type: 'datetime' },
      { name: 'value', title: 'Volume', type: 'integer', unit: 'm³' },
    ]
    await write('PUT', at(4), { source: 'Waterschap', fields })
    const { body } = await post(4, { Duur: 5, Datum: '2020-01-01' })
    const path = `${EVENTS}${body.id}/`
    expect((await write('PATCH', path, { properties: { attributes: { Duur: 5.5, Datum: 3 } } })).status).toBe(200)
    const [duration, ...others] = fields
    const kept = [{ ...duration, type: 'number' }, ...others]
    expect((await fieldsOf(4)).slice(0, 3)).toEqual(kept)
    await write('PATCH', path, { properties: { event_series: uuidOf(5), value: 'veel' } })
    expect((await fieldsOf(4)).slice(0, 3)).toEqual(kept)
    expect(await fieldsOf(5)).toEqual(
      expect.arrayContaining([named('value', 'string'), named('attributes__Duur', 'number')]),
    )
  })

  it('writes no row more for an event without a new field', async () => {
    const written = async (attributes: object) => {
      const [before] = await rows(`SELECT metadata FROM event_series WHERE id = 6`)
      await post(6, attributes)
      const [after] = await rows(`SELECT metadata FROM event_series WHERE id = 6`)
      return before?.metadata !== after?.metadata
    }
    expect(await written({ A: 1 })).toBe(true)
    expect(await written({ A: 2 })).toBe(false)
    expect(await written({})).toBe(false)
  })

  it('has at most 100 fields, and says that there are more', async () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`f${i}`, i]))
    await post(7, many)
    const before = await get(at(7))
    expect([before.fields.length, before.more]).toEqual([100, true])
    expect(before.fields.at(-1)).toEqual(named('attributes__f96', 'integer'))
    await post(7, { other: 1 })
    expect(await get(at(7))).toEqual(before)
    // A field that was taken out comes back with the next event that has it.
    expect((await outcome('PUT', at(7), { ...before, fields: [] })).body).toEqual(EMPTY)
    await post(7, { f3: 'a' })
    expect(await fieldsOf(7)).toContainEqual(named('attributes__f3', 'string'))
  })

  it('is derived again by a recount: fields without events go, and the others keep their words', async () => {
    await write('DELETE', `${SERIES}${uuidOf(6)}/events/?all=true`)
    const fields = [
      { name: 'attributes__Oud', title: 'Oud', type: 'string' },
      { name: 'attributes__A', title: 'Aantal', type: 'string', unit: 'st' },
    ]
    await write('PUT', at(6), { license: 'CC0-1.0', fields })
    await post(6, { A: 2, B: true })
    const titles = { ...fields[1], type: 'string' }
    expect((await fieldsOf(6)).slice(0, 2)).toEqual([fields[0], titles])
    await recount(env.DB)
    const { license, fields: derived } = await get(at(6))
    expect(license).toBe('CC0-1.0')
    expect(derived[0]).toEqual({ ...titles, type: 'integer' })
    expect(derived).toContainEqual(named('attributes__B', 'boolean'))
    expect(JSON.stringify(derived)).not.toContain('Oud')
    await write('DELETE', `${SERIES}${uuidOf(6)}/events/?all=true`)
    await recount(env.DB)
    expect(await fieldsOf(6)).toEqual([])
  })
})

describe('the address of a description', () => {
  const SENT = { source: 'Waterschap', source_url: 'https://example.org/', license: 'CC-BY-4.0', contact: 'a@b.nl' }

  it('takes PUT and PATCH as an item does, and changes the last_modified of its series', async () => {
    const series = `${SERIES}${uuidOf(2)}/`
    const before = await get(series)
    const fields = [{ name: 'value', title: 'Volume', type: 'number', unit: 'm³' }]
    expect(await outcome('PUT', at(2), { ...SENT, fields })).toEqual({
      status: 200,
      body: { ...EMPTY, ...SENT, fields },
    })
    expect((await get(series)).last_modified).not.toBe(before.last_modified)
    expect((await outcome('PATCH', at(2), { license: null })).body).toEqual({
      ...EMPTY,
      ...SENT,
      license: null,
      fields,
    })
    expect((await outcome('PUT', at(2), { contact: 'c' })).body).toEqual({ ...EMPTY, contact: 'c' })
  })

  it('takes ten changes beside ten posts that add columns', async () => {
    const numbers = Array.from({ length: 10 }, (_, i) => i)
    const changesAndPosts = await Promise.all(
      numbers.flatMap((i) => [
        write('PATCH', at(9), i < 9 ? { source: `Source ${i}` } : { fields: [named('attributes__own', 'string')] }),
        post(9, { [`n${i}`]: i }),
      ]),
    )
    expect(changesAndPosts.map(({ status }) => status)).toEqual(numbers.flatMap(() => [200, 201]))
    const { source, fields } = await get(at(9))
    expect([source, fields]).toEqual([
      expect.stringMatching(/^Source/),
      expect.arrayContaining([named('attributes__own', 'string')]),
    ])
    await post(9, Object.fromEntries(numbers.map((i) => [`n${i}`, i])))
    expect(await fieldsOf(9)).toEqual(expect.arrayContaining(numbers.map((i) => named(`attributes__n${i}`, 'integer'))))
  })

  it('has a tag, which If-Match names', async () => {
    const tag = (await send(at(2))).headers.get('ETag') ?? ''
    expect((await send(at(2), { headers: { 'If-None-Match': tag } })).status).toBe(304)
    expect((await write('PATCH', at(2), { license: 'MIT' }, { 'If-Match': tag })).status).toBe(200)
    expect((await write('PATCH', at(2), { license: 'CC0' }, { 'If-Match': tag })).status).toBe(412)
  })

  it('takes the beginning of a uuid to read, and the whole one to write', async () => {
    expect(await get(`${SERIES}00000002/metadata/`)).toEqual(await get(at(2)))
    expect(await outcome('PATCH', `${SERIES}00000002/metadata/`, { license: 'MIT' })).toEqual({
      status: 400,
      body: { detail: expect.stringContaining(`To write, use ${at(2)}.`) },
    })
  })

  it('does not exist for a series that the caller does not see', async () => {
    expect((await send(at(8))).status).toBe(404)
    expect((await write('PATCH', at(8), {})).status).toBe(404)
    expect((await write('PATCH', at(8), { license: 'MIT' }, {}, 'all')).status).toBe(200)
  })

  it.each([
    [{ source: 5 }, 'source', /Enter a text/],
    [{ source_url: 'javascript:alert(1)' }, 'source_url', /https:\/\//],
    [{ fields: {} }, 'fields', /array of at most 100/],
    [{ fields: [{ name: 'value', type: 'text' }] }, 'fields', /Field 1 is wrong.*string, number/],
    [{ fields: [{ name: 'value', type: 'number', about: '' }] }, 'fields', /Field 1 is wrong/],
    [{ fields: [0, 1].map(() => named('value', 'string')) }, 'fields', /Two fields have the name value/],
    [{ fields: [named('uur', 'integer')] }, 'fields', /No column has the name uur.* such as attributes__uur\.$/],
    [{ colour: 1 }, 'colour', /Unknown field/],
  ])('refuses %j, and says what to enter', async (body, member, message) => {
    const { status, body: faults } = await write('PATCH', at(3), body)
    expect([status, faults[member]]).toEqual([400, [expect.stringMatching(message)]])
  })

  it('needs a key to write, has no DELETE, and describes itself', async () => {
    expect((await send(at(3), { method: 'PUT', body: '{}' })).status).toBe(401)
    expect((await write('DELETE', at(3))).status).toBe(405)
    const options = await send(at(3), { method: 'OPTIONS' })
    expect(options.headers.get('Allow')).toBe('GET, PUT, PATCH, HEAD, OPTIONS')
    expect(await options.json()).toEqual({
      name: 'Event Series Metadata',
      description: expect.any(String),
      renders: ['application/json', 'text/html'],
      parses: ['application/json', 'application/merge-patch+json'],
    })
    expect((await send(`${at(3)}?format=csv`)).status).toBe(400)
    expect((await send(at(3).slice(0, -1), { redirect: 'manual' })).status).toBe(301)
  })
})

describe('a title is not a name', () => {
  const fields = [
    { name: 'value', title: 'Volume', type: 'number', unit: 'm³' },
    { name: 'attributes__Duur_min', title: 'Duur', type: 'number', unit: 'min' },
    { name: 'attributes__Gemeente', title: 'Gemeente', type: 'string' },
  ]
  const list = `${SERIES}${uuidOf(10)}/events/`
  const items = `/ogc/collections/events-${uuidOf(10)}/items`
  const ogc = (properties: object) => ({
    type: 'Feature',
    geometry: null,
    properties: { timestamp_start: '2024-05-01T00:00:00Z', ...properties },
  })
  const nested = (attributes: object) => ({
    type: 'Feature',
    geometry: null,
    properties: { start: '2024-05-01T00:00:00Z', attributes },
  })
  let id = 0
  beforeAll(async () => {
    await write('PUT', at(10), { fields })
    id = (await write('POST', list, nested({ Duur_min: 5, Gemeente: 'Houten' }))).body.id
  })

  const FAULT = ['Volume (m³) is the title of value. Enter value, or another name.']
  const titled = { 'Volume (m³)': 28.4 }
  it.each<[string, string, () => string, () => unknown]>([
    ['POST to a list', 'POST', () => list, () => nested(titled)],
    ['POST of several', 'POST', () => list, () => [nested(titled)]],
    [
      'a feed that changes an event',
      'POST',
      () => EVENTS,
      () => feature({ event_series: uuidOf(10), external_id: 'x', attributes: titled }),
    ],
    ['PATCH of an event', 'PATCH', () => `${EVENTS}${id}/`, () => ({ properties: { attributes: titled } })],
    [
      'PUT of an event',
      'PUT',
      () => `${EVENTS}${id}/`,
      () => feature({ event_series: uuidOf(10), attributes: titled }),
    ],
    ['POST to a collection', 'POST', () => items, () => ogc(titled)],
    ['PUT of a feature', 'PUT', () => `${items}/${id}`, () => ogc(titled)],
    ['a merge patch of a feature', 'PATCH', () => `${items}/${id}`, () => ({ properties: titled })],
  ])('in %s', async (_, method, address, body) => {
    const { status, body: faults } = await write(method, address(), body())
    const [path, messages] = Object.entries<readonly string[]>(faults.errors ?? faults)[0] ?? []
    expect([status, path?.replace(/^0\./, ''), messages]).toEqual([
      400,
      expect.stringMatching(/properties\.attributes$/),
      FAULT,
    ])
  })

  it.each([
    [{ Duur: 1 }, /^Duur is the title of Duur_min\. Enter Duur_min/],
    [{ 'Duur [min]': 1 }, /^Duur \[min\] is the title of Duur_min/],
    [{ Volume: 1, Duur: 2 }, /value.*Duur_min/],
  ])('names each column: %j', async (attributes, message) => {
    expect((await write('POST', list, nested(attributes))).body['properties.attributes']).toEqual([
      expect.stringMatching(message),
    ])
  })

  it('leaves a name that is its own title, one in another case, and an event as it was read', async () => {
    expect((await write('POST', list, nested({ Gemeente: 'Zeist', volume: 3 }))).status).toBe(201)
    const { links: _, ...read } = await get(`${items}/${id}`)
    expect((await write('PUT', `${items}/${id}`, read)).status).toBe(200)
  })

  it('in the description: a title that is the name of another column is a 400', async () => {
    const wrong = [...fields, named('attributes__Volume', 'number')]
    for (const method of ['PUT', 'PATCH']) {
      const { status, body } = await write(method, at(10), { fields: wrong })
      expect([status, body.fields]).toEqual([
        400,
        [expect.stringMatching(/^Volume is the title of value, and the name of a column\. Enter another title/)],
      ])
    }
    expect((await write('PATCH', at(10), { fields })).status).toBe(200)
  })

  it('stays open for a name that was there before the title', async () => {
    await write('POST', list, nested({ Old: 1 }))
    await load([
      {
        ...seriesOf(20, 'Public'),
        metadata: {
          ...EMPTY,
          fields: [
            { ...fields[0], title: 'Old', type: 'number' as const, name: 'value' },
            { name: 'attributes__Old', type: 'integer' },
          ],
        },
      },
    ])
    const path = `${SERIES}${uuidOf(20)}/events/`
    expect((await write('POST', path, nested({ Old: 2 }))).status).toBe(201)
  })
})
