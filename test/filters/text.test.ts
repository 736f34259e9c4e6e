import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventIds, get, load, post, send } from '../service.ts'
import { expectKept, outcome, rows } from '../store/writer.ts'
import { naiveNumber } from './numbers.ts'
import { eventOf, observationType, refusal, seriesOf } from './records.ts'

const VALUES = [
  '0.4 m',
  '0.5 m',
  ' .45',
  'Maria 2017: 150 kn',
  '1,5',
  '150 kn',
  '-2',
  '2e400',
  'MARIA',
  'Düne 3',
  '',
  '+12',
]
const SERIES = seriesOf(1)
const V4 = `/api/v4/eventseries/${SERIES.uuid}/events/`
const ITEMS = '/ogc/collections/events/items'

beforeAll(() =>
  load([
    ...[observationType, SERIES, seriesOf(2)],
    ...VALUES.map((value, i) => eventOf(i + 1, { value, coordinates: [i / 100, 0, 0] })),
  ]),
)

const idsOf = (matches: (value: string) => boolean) => VALUES.flatMap((value, i) => (matches(value) ? [i + 1] : []))
const numbers = (test: (number: number) => boolean) =>
  idsOf((value) => {
    const number = naiveNumber(value)
    return number !== null && test(number)
  })

const QUERIES: [string, number[]][] = [
  ['value=150+kn', idsOf((value) => value === '150 kn')],
  ['value__icontains=maria', idsOf((value) => /maria/i.test(value))],
  ['value__iexact=D%C3%9CNE+3', idsOf((value) => value === 'Düne 3')],
  ['value__in=-2,MARIA', idsOf((value) => ['-2', 'MARIA'].includes(value))],
  ['value__iregex=^m.*a', idsOf((value) => /^m.*a/i.test(value))],
  ['value__gte=0.45', numbers((number) => number >= 0.45)],
  ['value__range=-2,.4', numbers((number) => number >= -2 && number <= 0.4)],
  ['value__lt=1e2&value__endswith=m', idsOf((value) => value.endsWith(' m'))],
]

describe('a filter by the value of an event finds the same events', () => {
  it.each(QUERIES)('%s', async (query, expected) => {
    expect(await eventIds(query), 'v3').toEqual(expected)
    expect(await eventIds('', post(query)), 'posted').toEqual(expected)
    const idsAt = async (path: string, list: string) =>
      (await get(`${path}?${query}`))[list].map(({ id }: { id: number }) => id)
    expect(await idsAt(V4, 'results'), 'v4').toEqual(expected)
    expect(await idsAt(ITEMS, 'features'), 'ogc').toEqual(expected)
    const csv = await (await send(`/api/v3/events/?${query}&format=csv&page_size=all`)).text()
    expect(
      csv
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => Number.parseInt(line, 10)),
      'csv',
    ).toEqual(expected)
    expect((await get(`/api/v3/events/summary/?${query}`)).count, 'summary').toBe(expected.length)
    const tile = await send(`/ogc/collections/events/tiles/WebMercatorQuad/0/0/0?${query}`)
    const layer = new VectorTile(new PbfReader(new Uint8Array(await tile.arrayBuffer()))).layers.events
    expect(layer?.length ?? 0, 'tile').toBe(expected.length)
  })

  it('CQL2 compares the text', async () => {
    const { features } = await get(`${ITEMS}?filter=${encodeURIComponent("value > '0.4 m' AND value < '0.6'")}`)
    expect(features.map(({ id }: { id: number }) => id)).toEqual([2])
  })
})

it.each<[string, string]>([
  ['value__gt=x', 'Enter a number, such as 0.4.'],
  ['value__lte=0.4+m', 'Enter a number, such as 0.4.'],
  ['value__lt=2e400', 'Enter a number, such as 0.4.'],
  ['value__range=1', 'Enter the lowest and the highest value, separated by a comma.'],
  ['value__range=1,x', 'Enter a number, such as 0.4.'],
  ['value__regex=(', expect.any(String)],
  ['value__gtee=1', 'Unknown parameter. Did you mean value__gte?'],
])('%s is a 400', async (query, message) => {
  const [name = ''] = query.split('=')
  expect(await refusal(query)).toEqual({ [name]: [message] })
  expect(await refusal(query, {}, V4)).toEqual({ [name]: [message] })
})

it('a text with too many different letters is a 400 for a lookup without case', async () => {
  const letters = Array.from({ length: 2000 }, (_, i) => String.fromCodePoint(0xc0 + i)).join('')
  expect(await refusal('', post(`value__icontains=${letters}`))).toEqual({
    value__icontains: ['Enter a text with fewer different letters.'],
  })
})

it('each way to write a value keeps its number', async () => {
  const properties = { category: 'flood', value: '7.5 m', timestamp_start: 0, event_series: 2 }
  const feature = { type: 'Feature', geometry: null, properties }
  const made = await outcome('POST', '/api/v3/events/', feature)
  expect(made.status).toBe(201)
  const path = `/api/v3/events/${made.body.id}/`
  const found = (query: string) => eventIds(`event_series__id=2&${query}`)
  expect(await found('value__range=7.5,7.5')).toEqual([made.body.id])
  await outcome('PATCH', path, { properties: { value: '8' } })
  expect([await found('value__lt=8'), await found('value__gte=8')]).toEqual([[], [made.body.id]])
  await outcome('PUT', path, { ...feature, properties: { ...properties, value: 'none' } })
  expect(await found('value__gt=-1e300')).toEqual([])
  await outcome('PATCH', path, { properties: { value: -9 } })
  expect(await found('value__lt=0')).toEqual([made.body.id])
  await expectKept()
})

it('a DELETE takes both kinds of lookups', async () => {
  const events = `/api/v4/eventseries/${seriesOf(2).uuid}/events/`
  for (const value of ['5 m', '6 m', 'six', '7'])
    await outcome('POST', events, { type: 'Feature', geometry: null, properties: { value, start: 0 } })
  const stored = async () =>
    (await rows('SELECT value FROM event WHERE event_series_id = 2 ORDER BY id')).map((row) => row.value)
  expect(await outcome('DELETE', `${events}?value__gt=5&value__endswith=m`)).toMatchObject({ body: { deleted: 1 } })
  expect(await stored()).toEqual(['-9', '5 m', 'six', '7'])
  expect(await outcome('DELETE', `${events}?value__regex=^[5s]`)).toMatchObject({ body: { deleted: 2 } })
  expect(await stored()).toEqual(['-9', '7'])
  await expectKept()
})
