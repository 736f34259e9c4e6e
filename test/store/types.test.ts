import { beforeAll, describe, expect, it } from 'vitest'
import { foundation } from '../engine/world.ts'
import { get, load, ORIGIN } from '../service.ts'
import { outcome, SERIES, stored, write } from './writer.ts'

beforeAll(() => load(foundation))

const TYPES = '/api/v4/observationtypes/'
const level = (more: object = {}) => ({ code: crypto.randomUUID(), name: 'Water level', unit: 'm', ...more })

describe('a posted observation type', () => {
  it.each(['v3', 'v4'])('to %s has the same answer as a read of its Location', async (version) => {
    const path = `/api/${version}/observationtypes/`
    const { status, headers, body } = await write('POST', path, level())
    const url = `${ORIGIN}${path}${body.id}/`
    expect([status, headers.get('Location')]).toEqual([201, url])
    expect(body).toEqual({ url, id: expect.any(Number), code: expect.any(String), name: 'Water level', unit: 'm' })
    expect(await get(url)).toEqual(body)
    const series = await write('POST', SERIES, { name: 'Floods', observation_type: body.code })
    expect(series.body.observation_type).toBe(`${ORIGIN}${TYPES}${body.id}/`)
  })

  it.each([[{}], [{ unit: null }], [{ unit: '' }]])('has a null unit with %j', async (unit) => {
    const { status, body } = await write('POST', TYPES, { code: crypto.randomUUID(), name: 'Count', ...unit })
    expect([status, body.unit]).toEqual([201, null])
  })

  it('gets an id also in an array', async () => {
    const types = [level(), level()]
    const { status, body } = await write('POST', TYPES, types)
    expect([status, body]).toEqual([201, { ids: [expect.any(Number), body.ids[0] + 1] }])
    for (const [i, id] of body.ids.entries()) expect(await get(`${TYPES}${id}/`)).toMatchObject(types[i] ?? {})
  })

  it('gets the first answer again with its Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    const given = level()
    const first = await write('POST', TYPES, given, key)
    const again = await write('POST', TYPES, given, key)
    expect([again.status, again.body]).toEqual([201, first.body])
  })
})

describe('an observation type with a stored code', () => {
  const ONE = 'An item with this code is stored already. It is PATH. To store a new item, enter another code.'
  const SEVERAL = 'Items with these values of code are stored already: [1]. Leave them out. The first is PATH.'
  it.each([
    ['alone', (item: object) => item, ONE],
    ['as a feature', (item: object) => ({ type: 'Feature', geometry: null, properties: item }), ONE],
    ['among others', (item: object) => [level(), item], SEVERAL],
  ])('%s is a 409', async (_, bodyOf, detail) => {
    const { body } = await write('POST', TYPES, level())
    const before = await stored()
    const told = detail.replace('PATH', `${TYPES}${body.id}/`)
    expect(await outcome('POST', TYPES, bodyOf(body))).toEqual({ status: 409, body: { detail: told } })
    expect(await stored()).toEqual(before)
  })

  it('is created once by simultaneous posts', async () => {
    const given = level()
    const answers = await Promise.all([1, 2, 3].map(() => write('POST', TYPES, given)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    const { results } = await get(`${TYPES}?page_size=1000`)
    expect(results.filter(({ code }: { code: string }) => code === given.code)).toHaveLength(1)
  })
})

describe('a faulty observation type is a 400 and stores nothing', () => {
  const twice = level()
  const required = ['This field is required.']
  it.each<[unknown, object]>([
    [{}, { code: required, name: required }],
    [[twice, twice], { '[1].code': ['Another type has this code. Enter another.'] }],
    [level({ code: 'x'.repeat(301) }), { code: ['Enter at most 300 characters.'] }],
    [level({ unit: 5 }), { unit: [expect.stringMatching(/^Enter a text, such as "kn"/)] }],
    [level({ color: 'red' }), { color: ['Unknown field. Enter one of code, name, unit.'] }],
  ])('%j', async (body, faults) => {
    const before = await stored()
    expect(await outcome('POST', TYPES, body)).toEqual({ status: 400, body: faults })
    expect(await stored()).toEqual(before)
  })
})
