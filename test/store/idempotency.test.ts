import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { foundation } from '../engine/world.ts'
import { load } from '../service.ts'
import { EVENTS, expectKept, feature, outcome, rows, SERIES, stored, write } from './writer.ts'

beforeAll(() => load(foundation))

const key = (name: string) => ({ 'Idempotency-Key': name })
const count = async () => (await rows('SELECT count(*) AS n FROM event'))[0]?.n

describe('a repeated post with the same Idempotency-Key', () => {
  it.each<[string, string, unknown]>([
    ['event', EVENTS, feature()],
    ['events', EVENTS, [feature(), feature()]],
    ['series', SERIES, { name: 'x', observation_type: 1 }],
    ['"several series"'.replace(' ', '-'), SERIES, [{ name: 'x', observation_type: 1 }]],
  ])('with %s gets the first answer and writes nothing', async (name, path, body) => {
    const first = await write('POST', path, body, key(name))
    const after = await stored()
    const repeat = await write('POST', path, body, key(name))
    expect([repeat.status, repeat.body, repeat.headers.get('Location')]).toEqual([
      201,
      first.body,
      first.headers.get('Location'),
    ])
    expect(await stored()).toBe(after)
  })

  it('gets the current item if it was changed', async () => {
    const { body, headers } = await write('POST', EVENTS, feature(), key('changed'))
    const changed = await write('PATCH', body.properties.url, { properties: { value: 'other' } })
    const again = await write('POST', EVENTS, feature(), key('"changed"'))
    expect([again.status, again.body, again.headers.get('Location')]).toEqual([
      201,
      changed.body,
      headers.get('Location'),
    ])
    await write('DELETE', body.properties.url)
    const gone = { id: String(body.id), detail: 'The item was stored. Since then it was deleted or hidden.' }
    expect(await outcome('POST', EVENTS, feature(), key('changed'))).toEqual({ status: 201, body: gone })
  })

  it('stores no key if it wrote nothing', async () => {
    const named = feature({ external_id: 'unchanged' })
    await write('POST', EVENTS, named)
    const kept = await rows('SELECT count(*) AS n FROM idempotency_key')
    for (const [name, body] of Object.entries({ one: named, several: [named] }))
      expect((await outcome('POST', EVENTS, body, key(name))).status).toBe(200)
    expect(await rows('SELECT count(*) AS n FROM idempotency_key')).toEqual(kept)
  })

  it('stores the id of one item, and the answer about several', async () => {
    const sizeOf = async () => (await rows('SELECT body FROM idempotency_key ORDER BY created DESC LIMIT 1'))[0]?.body
    await write('POST', EVENTS, feature({ value: 'v'.repeat(10_000) }), key('long'))
    expect(String(await sizeOf()).length).toBeLessThan(100)
    const names = Array.from({ length: 3000 }, (_, i) => feature({ external_id: `run ${i}` }))
    const first = await outcome('POST', EVENTS, names, key('many'))
    const changed = [...names].reverse().map((each) => ({ ...each, properties: { ...each.properties, value: 'new' } }))
    const mixed = [changed[5], ...changed.slice(100), changed[3], feature(), changed[1]]
    const second = await outcome('POST', EVENTS, mixed, key('mixed'))
    expect([
      await outcome('POST', EVENTS, names, key('many')),
      await outcome('POST', EVENTS, mixed, key('mixed')),
    ]).toEqual([first, second])
    expect(new Set(first.body.ids).size).toBe(3000)
    expect(second.body.ids.slice(0, 3)).toEqual([first.body.ids[2994], first.body.ids[2899], first.body.ids[2898]])
  })

  it('is a 400 with another body or address', async () => {
    const detail = 'This Idempotency-Key was used for another request. Send a new key with a new request.'
    await write('POST', EVENTS, feature(), key('other'))
    const before = await stored()
    for (const [path, body] of [
      [EVENTS, feature({ value: '2' })],
      [`${EVENTS}?format=api`, feature()],
      [SERIES, { name: 'x', observation_type: 1 }],
    ] as const)
      expect(await outcome('POST', path, body, key('other'))).toEqual({ status: 422, body: { detail } })
    expect(await stored()).toBe(before)
  })

  it('is accepted if the first one was refused', async () => {
    expect((await outcome('POST', EVENTS, feature({ value: [5] }), key('right'))).status).toBe(400)
    expect((await outcome('POST', EVENTS, feature(), key('right'))).status).toBe(201)
  })

  it('is a new post if it comes from another caller', async () => {
    const before = Number(await count())
    await write('POST', EVENTS, feature(), key('mine'))
    await write('POST', EVENTS, feature(), key('mine'), 'all')
    expect(await count()).toBe(before + 2)
  })

  it('creates one event even ten times at once', async () => {
    const before = Number(await count())
    const answers = await Promise.all(Array.from({ length: 10 }, () => outcome('POST', EVENTS, feature(), key('race'))))
    expect(answers).toEqual(Array(10).fill({ status: 201, body: answers[0]?.body }))
    expect(await count()).toBe(before + 1)
    await expectKept()
  })

  it.each(['', ' ', 'a b', '"', '"a', 'ä', 'x'.repeat(256)])('%j is a 400', async (name) => {
    const detail = 'Idempotency-Key takes 1 to 255 visible characters. Enter a new uuid, for example.'
    expect(await outcome('POST', EVENTS, feature(), key(name))).toEqual({ status: 400, body: { detail } })
  })

  it('is a new post after a day, and old keys are deleted step by step', async () => {
    await write('POST', EVENTS, feature(), key('old'))
    const age = (hours: number) =>
      env.DB.prepare(`UPDATE idempotency_key SET created = created - ${hours * 3_600_000}`).run()
    await age(23)
    const before = Number(await count())
    await write('POST', EVENTS, feature(), key('old'))
    expect(await count()).toBe(before)
    await age(2)
    await write('POST', EVENTS, feature(), key('old'))
    expect(await count()).toBe(before + 1)
    expect(await rows('SELECT count(*) AS n FROM idempotency_key')).toEqual([{ n: 1 }])
  })
})
