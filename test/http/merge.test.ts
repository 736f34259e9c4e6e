import { beforeAll, describe, expect, it } from 'vitest'
import { foundation } from '../engine/world.ts'
import { load } from '../service.ts'
import { EVENTS, expectKept, feature, outcome, rows, SERIES, write } from '../store/writer.ts'

beforeAll(() => load(foundation))

const named = (external_id: string | null, more: object = {}) => feature({ external_id, ...more })
const stamps = async () => JSON.stringify(await rows('SELECT id, last_modified FROM event ORDER BY id'))
const valuesOf = () =>
  rows(
    'SELECT external_id AS name, event_series_id AS series, value FROM event WHERE external_id IS NOT NULL ORDER BY id',
  )

describe('a post with external ids changes stored events and adds new ones', () => {
  it('one event', async () => {
    const first = await write('POST', EVENTS, named('one'))
    expect([first.status, first.headers.get('Location')]).toEqual([201, first.body.properties.url])
    expect(first.body.properties).not.toHaveProperty('external_id')
    const before = [await stamps(), await rows('SELECT * FROM revision')]
    expect(await outcome('POST', EVENTS, named('one'))).toEqual({ status: 200, body: first.body })
    expect([await stamps(), await rows('SELECT * FROM revision')]).toEqual(before)
    const changed = await write('POST', EVENTS, named('one', { value: '2', timestamp_end: 5000 }))
    expect([changed.status, changed.headers.get('Location'), changed.body.id]).toEqual([200, null, first.body.id])
    expect(await outcome('GET', `${EVENTS}${first.body.id}/`)).toEqual({ status: 200, body: changed.body })
    expect(changed.body.properties).toMatchObject({ value: '2', timestamp_end: 5000 })
    await expectKept()
  })

  it('several events, with the numbers of new, changed and unchanged ones', async () => {
    const post = (...events: object[]) => outcome('POST', EVENTS, events)
    const first = await post(named('a'), named('b'), named('c', { event_series: 3 }), named(null))
    expect(first).toEqual({ status: 201, body: { ids: expect.any(Array), created: 4, changed: 0, unchanged: 0 } })
    const [a, b, c, d] = first.body.ids
    const other = named('c', { event_series: 3, value: '7' })
    const second = await post(named('b', { category: 'other' }), named('c'), named('a'), other)
    const ids = [b, expect.any(Number), a, c]
    expect(second).toEqual({ status: 201, body: { ids, created: 1, changed: 2, unchanged: 1 } })
    const third = await post(named('a'), other)
    expect(third).toEqual({ status: 200, body: { ids: [a, c], created: 0, changed: 0, unchanged: 2 } })
    expect(await rows(`SELECT count(*) AS n FROM event WHERE id >= ${a}`)).toEqual([{ n: 5 }])
    expect(d).toBeGreaterThan(c)
    await expectKept()
  })

  it.each<[string, object, object | Record<string, string[]>]>([
    ['the value', { value: '2' }, { value: '2' }],
    ['nothing', {}, {}],
    ['null', { category: null, value: null, object: null }, { category: '', value: '', object: null }],
    [
      'the empty text',
      { category: '', value: '', timestamp_end: '' },
      { category: '', value: '', timestamp_end: 1000 },
    ],
    ['a cleared end', { timestamp_end: null }, { timestamp_end: 1000 }],
    ['an earlier start', { timestamp_start: 500 }, { timestamp_start: 500 }],
    ['one part of the object', { object_id: 8 }, { object: { type: 'pump', id: 8 } }],
  ])('keeps the fields that are missing in a post with %s', async (name, given, expected) => {
    const whole = { timestamp_end: 9000, object: { type: 'pump', id: 7 } }
    const { body } = await write('POST', EVENTS, named(`keep ${name}`, whole))
    const properties = { external_id: `keep ${name}`, event_series: 1, ...given }
    const answered = await outcome('POST', EVENTS, { properties })
    expect(answered).toEqual({ status: 200, body: { ...body, properties: { ...body.properties, ...expected } } })
    expect((await outcome('GET', body.properties.url)).body).toEqual(answered.body)
  })

  it('moves the end of an instant with its start', async () => {
    const [instant, long] = ['an instant', 'a while']
    await write('POST', EVENTS, [named(instant), named(long, { timestamp_end: 2000 })])
    const move = (external_id: string) => ({ properties: { external_id, event_series: 1, timestamp_start: 5000 } })
    expect((await outcome('POST', EVENTS, move(instant))).body.properties).toMatchObject({ timestamp_end: 5000 })
    const before = await stamps()
    expect(await outcome('POST', EVENTS, [move(instant), move(long)])).toEqual({
      status: 400,
      body: { '[1].properties.timestamp_end': ['Enter timestamp_start or a later time.'] },
    })
    expect(await stamps()).toBe(before)
  })

  it('requires all fields for new events only', async () => {
    await write('POST', EVENTS, named('stored'))
    const change = (external_id: string) => ({ properties: { external_id, event_series: 1, value: '5' } })
    expect(await outcome('POST', EVENTS, [change('stored'), change('unknown')])).toEqual({
      status: 400,
      body: Object.fromEntries(
        ['type', 'geometry', 'properties.timestamp_start'].map((path) => [`[1].${path}`, ['This field is required.']]),
      ),
    })
  })

  it('uses up ids for new events only', async () => {
    const last = async () => (await rows("SELECT last FROM sequence WHERE name = 'event'"))[0]?.last
    await write('POST', EVENTS, [named('id a'), named('id b')])
    const before = Number(await last())
    await write('POST', EVENTS, [named('id a'), named('id b', { value: '3' })])
    await write('POST', EVENTS, [named('id a'), feature({ event_series: 99 })])
    expect(await last()).toBe(before)
    await write('POST', EVENTS, [named('id a'), named('id c'), feature()])
    expect(await last()).toBe(before + 2)
  })

  it('counts a moved event only at its new place and time', async () => {
    const at = (x: number, start: number) => ({
      ...named('moving', { timestamp_start: start }),
      geometry: { type: 'Point', coordinates: [x, 1] },
    })
    for (const [x, start] of [
      [-170, 0],
      [170, 4e12],
      [0, -4e12],
    ] as const) {
      await write('POST', EVENTS, at(x, start))
      await expectKept()
    }
  })

  it.each<[object, string, unknown]>([
    [
      ['x', 'y', 'x'].map((name) => named(name)),
      '[2].',
      'This value is given more than once for a series. Give it once.',
    ],
    [named('x'.repeat(301)), '', 'Enter at most 300 characters.'],
    [feature({ external_id: 5 }), '', expect.stringContaining('Enter a text of 1 to 300 characters')],
  ])('%j is a 400 at %s', async (body, at, fault) => {
    const before = await valuesOf()
    const faults = { [`${at}properties.external_id`]: [fault] }
    expect(await outcome('POST', EVENTS, body)).toEqual({ status: 400, body: faults })
    expect(await valuesOf()).toEqual(before)
  })

  it('null and the empty text are not external ids', async () => {
    const statuses = []
    for (const name of ['', null, '', null]) statuses.push((await outcome('POST', EVENTS, named(name))).status)
    expect(statuses).toEqual([201, 201, 201, 201])
  })

  it('simultaneous posts of the same events leave one of each', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `many ${i}`)
    const eventsOf = (writer: number) => names.map((name) => named(name, { value: String(writer) }))
    const answers = await Promise.all([1, 2, 3, 4].map((writer) => outcome('POST', EVENTS, eventsOf(writer))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
    const left = await rows("SELECT external_id AS name, value FROM event WHERE external_id LIKE 'many%' ORDER BY id")
    expect(left.map(({ name }) => name)).toEqual(names)
    expect(new Set(left.map(({ value }) => value)).size).toBe(1)
    await expectKept()
  })

  it('an Idempotency-Key repeats the first answer', async () => {
    const key = { 'Idempotency-Key': 'feed' }
    await write('POST', EVENTS, named('kept'))
    const first = await outcome('POST', EVENTS, named('kept', { value: '9' }), key)
    expect([first.status, await outcome('POST', EVENTS, named('kept', { value: '9' }), key)]).toEqual([200, first])
  })

  it('works for the events of a series, and their answers contain the id', async () => {
    const path = `${SERIES}10000000-0000-4000-8000-000000000000/events/`
    const body = (value: string) => ({ ...feature(), properties: { start: 0, value, external_id: 'four' } })
    const first = await write('POST', path, body('1'))
    expect([first.status, first.body.properties.external_id]).toEqual([201, 'four'])
    const second = await write('POST', path, body('2'))
    expect([second.status, second.body.id]).toEqual([200, first.body.id])
    expect(await outcome('GET', `${path}${first.body.id}/`)).toEqual({ status: 200, body: second.body })
    const same = { ids: [first.body.id], created: 0, changed: 0, unchanged: 1 }
    expect(await outcome('POST', path, [body('2')])).toEqual({ status: 200, body: same })
  })
})

describe('a PATCH of the external id', () => {
  const taken = {
    status: 400,
    body: { 'properties.external_id': ['Another event of this series has this value. Enter another value, or null.'] },
  }

  it('sets and removes it, and is a 400 if another event of the series has it', async () => {
    const { body } = await outcome('POST', EVENTS, [named('p'), named(null), named('p', { event_series: 2 })])
    const [one, two, three] = body.ids
    const patch = (id: number, properties: object) => outcome('PATCH', `${EVENTS}${id}/`, { properties })
    expect(await patch(two, { external_id: 'p' })).toEqual(taken)
    expect(await patch(three, { event_series: 1 })).toEqual(taken)
    expect((await patch(one, { external_id: 'q' })).status).toBe(200)
    expect((await patch(two, { external_id: 'p' })).status).toBe(200)
    expect((await patch(one, { external_id: null })).status).toBe(200)
    expect((await patch(three, { event_series: 1, external_id: 'q' })).status).toBe(200)
    const left = await rows(`SELECT external_id AS name FROM event WHERE id IN (${body.ids}) ORDER BY id`)
    expect(left.map(({ name }) => name)).toEqual([null, 'p', 'q'])
    await expectKept()
  })
})
