import { beforeAll, expect, it } from 'vitest'
import { eventIds, load, post } from '../service.ts'
import { expectKept, outcome, rows } from '../store/writer.ts'
import { eventOf, observationType, seriesOf } from './records.ts'

const LIST = `/api/v4/eventseries/${seriesOf(2).uuid}/events/`

beforeAll(() => load([observationType, seriesOf(1), seriesOf(2), eventOf(1, { external_id: 'a1' })]))

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
  expect(await eventIds('', post('event_series__id=2&value__lt=0'))).toEqual([made.body.id])
  await expectKept()
})

it('a DELETE takes each kind of filter, and deletes only in its series', async () => {
  const made = [
    ...['5 m', '6 m', 'six', '7'].map((value) => ({ value, start: 0 })),
    { value: 'a', start: 0, attributes: { doomed: 1 } },
    { value: 'b', start: 0, external_id: 'a1' },
    { value: 'c', start: '2200-01-01T00:00:00Z' },
  ]
  for (const properties of made) await outcome('POST', LIST, { type: 'Feature', geometry: null, properties })
  const stored = async () =>
    (await rows('SELECT value FROM event WHERE event_series_id = 2 ORDER BY id')).map(({ value }) => value)
  for (const [filter, deleted] of [
    ['value__gt=5&value__endswith=m', 1],
    ['value__regex=^[5s]', 2],
    ['attributes__doomed=1', 1],
    ['external_id__in=a1,a2', 1],
    ['start__gte=now-7d', 1],
  ])
    expect(await outcome('DELETE', `${LIST}?${filter}`)).toEqual({ status: 200, body: { deleted } })
  expect(await stored()).toEqual(['-9', '7'])
  expect(await eventIds('external_id=a1')).toEqual([1])
  await expectKept()
})
