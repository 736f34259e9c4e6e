import { beforeAll, describe, expect, it } from 'vitest'
import { get, load, send } from '../service.ts'
import { outcome } from '../store/writer.ts'
import { eventIds, eventOf, observationType, pair, refusal, seriesIds, seriesOf } from './records.ts'

const UUIDS = [
  '99fe5d03-893d-5b20-8244-b9189db33e37',
  '99fe5d03-893d-5b20-8244-b9189db33e38',
  '99fe5d03-8000-5b20-8244-b9189db33e37',
  '99fe5d04-0000-0000-0000-000000000000',
  '9a000000-0000-4000-8000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'fffffff0-0000-4000-8000-000000000000',
]

const MODIFIERS = [
  ['Public', 0],
  ['Common', 100],
  ['Private', 200],
  ['Hidden', 300],
] as const

const OBJECTS = [
  { model: 'storm', id: 7 },
  { model: 'storm', id: 8 },
  { model: 'airport', id: 7 },
  { model: 'storm_surge', id: 7 },
  { model: 'storm', id: -7 },
  { model: 'storm', id: 2 ** 53 - 1 },
  null,
]

/** The series and the external ids of events. Series 204 is Hidden. */
const NAMED = [
  [201, 'a1'],
  [201, 'É, %_'],
  [202, 'a1'],
  [204, 'a1'],
  [204, 'a2'],
] as const

const [FIRST_OBJECT, FIRST_MODIFIER, FIRST_NAMED] = [101, 201, 301]

// Event i is in series i. Events with objects are in the first series.
beforeAll(() =>
  load([
    observationType,
    ...UUIDS.map((uuid, i) => seriesOf(i + 1, { uuid })),
    ...MODIFIERS.map(([name, access_modifier], i) => seriesOf(FIRST_MODIFIER + i, { name, access_modifier })),
    ...UUIDS.map((_, i) => eventOf(i + 1, { series: i + 1 })),
    ...OBJECTS.map((object, i) => eventOf(FIRST_OBJECT + i, { object, category: 'object' })),
    ...NAMED.map(([series, external_id], i) => eventOf(FIRST_NAMED + i, { series, external_id })),
  ]),
)

/** Returns the uuids of the events that a value of event_series finds. Each uuid has one event. */
const uuidsOf = async (value: string) =>
  (await eventIds(`event_series=${value}`)).filter((id) => id < FIRST_OBJECT).map((id) => UUIDS[id - 1])

describe('event_series', () => {
  it.each([
    ['F', 2],
    ['1', 0],
    ['9A', 1],
    ['9-9-f', 4],
    ['%2099f+', 4],
    ['f,9a', 3],
    ['99fe5d04,9', 5],
    ['1,2,3', 0],
    ['99FE5D03', 3],
    ['99fe5d03-', 3],
    ['99FE5D03-893D-5B20-8244-B9189DB33E37', 1],
    ['99fe5d03-893d-5b20-8244-b9189db33e37-', 1],
    ['9-9-f-e-5-d-0-3-8-9', 2],
    ['--99fe5d04', 1],
    ['%2099fe5d04+', 1],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', 1],
    ['99fe5d04,ffffffff', 2],
    ['99fe5d04, FFFFFFFF,99fe5d04', 2],
    ['99fe5d0,99fe5d04', 4],
    ['99fe5d04,0123', 1],
    ['0000', 0],
    ['99fe5d03-893d-5b20-8244-b9189db33e39', 0],
    ['00000000-0000-0000-0000-000000000000', 0],
  ])('%s finds %i series', async (value, count) => {
    const prefixes = decodeURIComponent(value.replaceAll('+', ' '))
      .split(',')
      .map((prefix) => prefix.trim().toLowerCase().replaceAll('-', ''))
    const found = await uuidsOf(value)
    expect(found).toHaveLength(count)
    expect(found).toEqual(
      UUIDS.filter((uuid) => prefixes.some((prefix) => uuid.replaceAll('-', '').startsWith(prefix))),
    )
  })

  it('every prefix of a uuid finds its series, with and without hyphens', async () => {
    // The first uuid is tested up to its full length. The others are tested with the prefixes that several of them share.
    for (const [i, uuid] of UUIDS.entries())
      for (const whole of [uuid, uuid.replaceAll('-', '')])
        for (const length of i === 0 ? [1, 5, 8, 9, 10, 13, 14, 18, 19, 23, 24, 25, 32, 36] : [1, 2, 3, 4, 5, 9]) {
          const digits = whole.slice(0, length).replaceAll('-', '')
          const expected = UUIDS.filter((other) => other.replaceAll('-', '').startsWith(digits))
          expect(await uuidsOf(whole.slice(0, length)), whole.slice(0, length)).toEqual(expected)
        }
  })

  it('prefixes of one character find all their series in lists, summaries and pages', async () => {
    for (const [prefix, count] of [
      ['9', 5],
      ['f,9A', 3],
    ] as const) {
      const query = `event_series=${prefix}&id__lt=${FIRST_OBJECT}`
      const total = async (format: string) =>
        Number((await send(`/api/v3/events/?${query}&format=${format}`)).headers.get('X-Total-Count'))
      const items = await get(`/ogc/collections/events/items?${query}`)
      const summary = await get(`/api/v3/events/summary/?${query}&facets=event_series`)
      expect(await Promise.all(['json', 'geojson', 'csv', 'ndjson'].map(total))).toEqual(Array(4).fill(count))
      expect([items.numberMatched, summary.count, summary.facets.event_series.entries.length]).toEqual(
        Array(3).fill(count),
      )
    }
    const lists = await Promise.all(['v3', 'v4'].map((version) => get(`/api/${version}/eventseries/9a/`)))
    expect(lists.map(({ name }) => name)).toEqual(['Series 5', 'Series 5'])
  })

  it.each([
    'g',
    '99fe5d0g',
    '0x99',
    '99fe 5d03',
    '-',
    '%20',
    '99%25',
    '%EF%BC%99',
    '99fe5d0,',
    ',',
    '99fe5d03893d5b208244b9189db33e370',
    '99fe5d03-893d-5b20-8244-b9189db33e37x',
    '99,x',
    '%7B99fe5d03%7D',
  ])('%s is a 400', async (value) => {
    expect(await refusal(`event_series=${value}`)).toEqual({
      event_series: ['Enter a uuid or its first characters, such as 99fe5d0. For a number use event_series__id.'],
    })
  })
})

describe('event_series__id', () => {
  const idsOf = async (query: string) => (await eventIds(query)).filter((id) => id < FIRST_OBJECT)
  it.each([
    ['event_series__id=2', [2]],
    ['event_series__id__exact=3', [3]],
    ['event_series__id=+002.0+', [2]],
    ['event_series__id__in=2,3,3,999', [2, 3]],
    ['event_series__id__in=3', [3]],
    ['event_series__id=0', []],
    ['event_series__id=-1', []],
    ['event_series__id=999', []],
    ['event_series__id=9007199254740993', []],
    ['event_series__id=99999999999999999999999', []],
    ['event_series__id__in=2,99999999999999999999999', [2]],
    ['event_series__id=2&event_series__name__isnull=true', []],
  ])('%s finds %j', async (query, expected) => {
    expect(await idsOf(query)).toEqual(expected)
  })

  it.each(['event_series__id=99fe5d0', 'event_series__id__in=1,x', 'event_series__id__exact=1.5'])(
    '%s is a 400',
    async (query) => {
      const [name = ''] = query.split('=')
      expect(await refusal(query)).toEqual({ [name]: ['Enter a whole number, such as 986.'] })
    },
  )

  it.each(['event_series__id__gt=1', 'event_series__id__range=1,2'])('%s is an unknown parameter', async (query) => {
    const [name = ''] = query.split('=')
    expect(await refusal(query)).toEqual({ [name]: [expect.stringMatching(/^Unknown parameter/)] })
  })
})

describe('external_id', () => {
  const hidden = { vars: { ANONYMOUS_LEVEL: 'Hidden' } }

  it.each<[string, number[], number[]]>([
    ['external_id=a1', [301], [301, 303, 304]],
    ['external_id__exact=a1', [301], [301, 303, 304]],
    ['external_id__in=a1,a2,a2,none', [301], [301, 303, 304, 305]],
    [pair('external_id', 'É, %_'), [302], [302]],
    ['external_id=A1', [], []],
    ['external_id=+a1', [], []],
    ['external_id=a2', [], [305]],
    ['external_id__in=,', [], []],
    ['external_id=a1&event_series=c&category__isnull=false', [301], [301, 303, 304]],
    ['external_id=a1&external_id__in=a2', [], []],
  ])('%s finds the events that the caller may see', async (query, anyone, all) => {
    expect(await eventIds(query)).toEqual(anyone)
    expect(await eventIds(query, hidden)).toEqual(all)
    expect((await get(`/api/v3/events/summary/?${query}`)).count).toBe(anyone.length)
    expect((await get(`/ogc/collections/events/items?${query}`, hidden)).numberMatched).toBe(all.length)
    const lines = async (options = {}) => {
      const whole = await send(`/api/v3/events/?${query}&format=csv&page_size=all`, options)
      return (await whole.text()).trim().split('\r\n').length - 1
    }
    expect([await lines(), await lines(hidden)]).toEqual([anyone.length, all.length])
  })

  it.each(['external_id__gt=a', 'external_id__icontains=a'])('%s is an unknown parameter', async (query) => {
    const [name = ''] = query.split('=')
    expect(await refusal(query)).toEqual({ [name]: [expect.stringMatching(/^Unknown parameter/)] })
  })

  it('in a DELETE deletes only the named events of the series', async () => {
    const list = '/api/v4/eventseries/c0ffee00-0000-4000-8000-000000000201/events/'
    expect((await get(`${list}?external_id__in=a1,a2`)).results.map(({ id }: { id: number }) => id)).toEqual([301])
    expect(await outcome('DELETE', `${list}?external_id__in=a1,a2`)).toEqual({ status: 200, body: { deleted: 1 } })
    expect(await eventIds('external_id__in=a1,a2', hidden)).toEqual([303, 304, 305])
  })
})

describe('the uuid of a series', () => {
  it.each([
    ['99fe5d03-893d-5b20-8244-b9189db33e37', true],
    ['99FE5D03-893D-5B20-8244-B9189DB33E37', true],
    ['99fe5d03893d5b208244b9189db33e37', true],
    ['%2099fe5d03-893d-5b20-8244-b9189db33e37%20', true],
    ['99fe5d03-893d-5b20-8244-b9189db33e39', false],
  ])('%s: %j', async (value, known) => {
    expect(await seriesIds(`uuid=${value}`)).toHaveLength(known ? 1 : 0)
  })

  it.each(['9', 'x', '99fe5d0', '99fe5d03-893d-5b20-8244-b9189db33e3'])(
    '%s is a 400, because a full uuid is needed',
    async (value) => {
      for (const path of ['/api/v3/eventseries/', '/api/v4/eventseries/'])
        expect(await refusal(`uuid=${value}`, {}, path)).toEqual({
          uuid: ['Enter a full uuid, such as 99fe5d03-893d-5b20-8244-b9189db33e37.'],
        })
    },
  )
})

describe('access_modifier', () => {
  const all = { vars: { ANONYMOUS_LEVEL: 'Hidden' } }

  it.each([
    ['Public', 'Public'],
    ['public', 'Public'],
    ['COMMON', 'Common'],
    ['pRIVATE', 'Private'],
    ['Hidden', 'Hidden'],
    ['%20Hidden+', 'Hidden'],
    ['0', 'Public'],
    ['-0', 'Public'],
    ['100', 'Common'],
    ['100.0', 'Common'],
    ['0200', 'Private'],
    ['%2B300', 'Hidden'],
  ])('%s means %s', async (value, name) => {
    const level = MODIFIERS.find(([each]) => each === name)?.[1]
    const expected = MODIFIERS.flatMap(([, each], i) => (each === level ? [FIRST_MODIFIER + i] : []))
    const ids = await seriesIds(`name__in=Public,Common,Private,Hidden&access_modifier=${value}`, all)
    expect(ids).toEqual(expected)
  })

  it.each(['nobody', '1', '99', '400', '-100', '100.5', '1e2', '0x0', 'Public,Common', '%20', '100x'])(
    '%s is a 400',
    async (value) => {
      expect(await refusal(`access_modifier=${value}`, {}, '/api/v4/eventseries/')).toEqual({
        access_modifier: ['Enter one of Public (0), Common (100), Private (200), Hidden (300).'],
      })
    },
  )

  it('a level above the caller’s own finds nothing', async () => {
    expect(await seriesIds('access_modifier=Common')).toEqual([])
  })
})

describe('object', () => {
  const objectsOf = async (query: string) =>
    (await eventIds(`category=object&${query}`)).map((id) => OBJECTS[id - FIRST_OBJECT])

  it.each([
    ['storm$7', 'storm', 7],
    ['storm$007', 'storm', 7],
    ['storm$7.0', 'storm', 7],
    ['storm$ 7 ', 'storm', 7],
    ['storm$-7', 'storm', -7],
    ['airport$7', 'airport', 7],
    ['storm_surge$7', 'storm_surge', 7],
    [`storm$${2 ** 53 - 1}`, 'storm', 2 ** 53 - 1],
    ['storm$9007199254740992', 'storm', null],
    [`storm$${'9'.repeat(400)}`, 'storm', null],
    ['storm$9', 'storm', null],
    ['Storm$7', 'Storm', 7],
    ['STORM$7', 'STORM', 7],
    [' storm$7', ' storm', 7],
    ['storm%$7', 'storm%', 7],
    ['lighthouse$7', 'lighthouse', 7],
  ])('%s finds the same events as its model and id', async (value, model, id) => {
    const expected = OBJECTS.filter((object) => object?.model === model && object.id === id)
    expect(await objectsOf(pair('object', value))).toEqual(expected)
    const [, written = ''] = value.split('$')
    expect(await objectsOf(`${pair('object_type__model', model)}&${pair('object_id', written)}`)).toEqual(expected)
  })

  it('works with a plain and with a percent-encoded dollar sign', async () => {
    expect(await objectsOf('object=storm$8')).toEqual([OBJECTS[1]])
    expect(await objectsOf('object=storm%248')).toEqual([OBJECTS[1]])
  })

  it.each(['storm', '$7', '$', '7', ' '])('%j is a 400 that shows the form of an object', async (value) => {
    expect(await refusal(pair('object', value))).toEqual({
      object: ['Enter <model>$<object_id>, such as airport$986.'],
    })
  })

  it.each(['storm$', 'storm$x', 'storm$7$8', 'storm$$7', 'storm$7,8', 'storm$1e3'])(
    '%s is a 400 that asks for a whole number',
    async (value) => {
      expect(await refusal(pair('object', value))).toEqual({ object: ['Enter a whole number, such as 986.'] })
    },
  )
})
