import { expect, it } from 'vitest'
import { readRow } from '../../src/web/state/rows.ts'

const event = { type: 'Feature', id: 5, geometry: null }
const own = { url: 'javascript:alert(1)', statistic: 'raw', timestamp_start: '2020-01-01T00:00:00Z' }
const [ITEM, ADDRESS] = ['/ogc/collections/events-1/items/5', 'http://localhost:8787/api/v3/events/5/']

it.each([
  ['of /ogc with a column url', ITEM, own, ITEM],
  ['of a list', '', { url: ADDRESS, timestamp_start: '2020-01-01T00:00:00Z' }, ADDRESS],
  ['of version 3', '/api/v3/events/5/', { url: ADDRESS, timestamp_start: '2020-01-01T00:00:00Z' }, ADDRESS],
])('an event %s has the address of the event', (_, address, properties, url) => {
  expect(readRow({ ...event, properties }, address)).toMatchObject({ id: 5, url })
})
