import { beforeAll, describe, expect, it } from 'vitest'
import { eventOf, seriesOf } from '../filters/records.ts'
import { get, load, send } from '../service.ts'
import { EVENTS, outcome, SERIES, write } from '../store/writer.ts'
import { typeOf } from './writes.ts'

/** From 2^51 on SQLite compares an integer with a fraction in another way. JSON numbers are exact up to 2^53 - 1. */
const IDS = [1, 999_999_999_999_999, 1e15, 2 ** 51 - 1, 2 ** 51, 2 ** 52, 2 ** 53 - 2, 2 ** 53 - 1]

beforeAll(() =>
  load([
    ...IDS.map(typeOf),
    ...IDS.map((id) => seriesOf(id, { name: `Series ${id}`, observation_type: id, uuid: uuidOf(id) })),
    ...IDS.map((id) => eventOf(id, { series: id })),
  ]),
)

const uuidOf = (id: number) => seriesOf(IDS.indexOf(id)).uuid

describe('a listed item is found by its id', () => {
  it.each(IDS)('%d', async (id) => {
    const { results } = await get(`${EVENTS}?page_size=100`)
    const listed = results.find((event: { id: number }) => event.id === id)
    expect(await get(listed.properties.url)).toEqual(listed)
    expect((await send(listed.properties.url, { method: 'HEAD' })).status).toBe(200)
    expect((await get(`${EVENTS}?event_series__name=Series+${id}`)).results).toEqual([listed])
    const series = await get(`${SERIES}${uuidOf(id)}/`)
    expect((await get(`/api/v3/eventseries/?id=${id}`)).results[0].name).toBe(series.name)
    expect(await get(series.observation_type)).toMatchObject({ id, code: `c${id}` })
    for (const version of ['v3', 'v4'])
      expect((await get(`/api/${version}/observationtypes/?id=${id}`)).results).toMatchObject([{ id }])
  })

  it.each([2 ** 53, '9007199254740993', '99999999999999999', '1.0', '1e0', '-1', '0x1', ' 1'])(
    '%s is not an id',
    async (id) => {
      for (const list of [EVENTS, '/api/v3/observationtypes/'])
        expect((await send(`${list}${encodeURIComponent(String(id))}/`)).status).toBe(404)
    },
  )
})

describe('a listed item is written by its id', () => {
  it.each(IDS)('%d', async (id) => {
    const changed = await write('PATCH', `${EVENTS}${id}/`, { properties: { value: 'changed' } })
    expect([changed.status, changed.body.id, changed.body.properties.value]).toEqual([200, id, 'changed'])
    const made = await write('POST', SERIES, { name: 'New', observation_type: `/api/v4/observationtypes/${id}/` })
    expect([made.status, (await get(made.body.observation_type)).id]).toEqual([201, id])
    expect((await outcome('DELETE', `${EVENTS}${id}/`)).status).toBe(204)
    expect((await send(`${EVENTS}${id}/`)).status).toBe(404)
  })
})
