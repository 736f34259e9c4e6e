import { beforeAll, describe, expect, it } from 'vitest'
import { PRODUCT } from '../../src/base/product.ts'
import { headOf } from '../../src/formats/plain.ts'
import { load, send } from '../service.ts'

describe('the title and description of a page', () => {
  beforeAll(() => load())

  it.each([
    ['/', PRODUCT, 'Events on a map, over time, and as data.'],
    ['/api/v3/events/', 'Event List', '15,175 in all. Geo-referenced, time-stamped events as GeoJSON features.'],
    [
      '/api/v3/events/1/',
      'M 2.3 - 81km WNW of Skagway, Alaska, 2018-01-31',
      'earthquake. M 2.3 - 81km WNW of Skagway, Alaska. 2018-01-31T02:18:21.235000Z. Longitude -136.5559, latitude 59.8411',
    ],
    [
      '/api/v4/eventseries/99fe5d0/events/1708/',
      /^Alex 2010.*, 2010-06-25$/,
      /^hurricane\. Alex 2010.*\. 2010-06-25T18:00:00Z to 2010-07-02T/,
    ],
    ['/ogc/collections/events/items/1', 'M 2.3 - 81km WNW of Skagway, Alaska, 2018-01-31', /^earthquake\. M 2\.3/],
    ['/api/v3/eventseries/99fe5d0/', 'Atlantic storms 2010-2020', /^Source: HURDAT2, .*…$/],
    ['/api/v3/observationtypes/1/', 'Seismic magnitude', /./],
    ['/api/v3/events/0/', 'Error 404', 'Not found.'],
    ['/api/v3/events/?nope=1', 'Event List', 'Geo-referenced, time-stamped events as GeoJSON features.'],
    ['/docs', `Reference of the ${PRODUCT}`, /^The reference/],
  ])('say what %s shows: %s', async (path, title, description) => {
    const html = await (await send(path, { headers: { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' } })).text()
    const own = (found: RegExp) => found.exec(html)?.[1]
    const shown = [own(/<title>(.*?)<\/title>/), own(/<meta name="description" content="(.*?)">/)]
    const wanted = [title, description].map((each) => (typeof each === 'string' ? each : expect.stringMatching(each)))
    expect(shown).toEqual(wanted)
  })

  const about = { title: 'Event List', description: 'Events.' }
  const event = { value: '', category: '', timestamp_start: 0, timestamp_end: 0 }
  it.each([
    [{ properties: event, geometry: null }, 'Event List, 1970-01-01', '1970-01-01T00:00:00.000Z'],
    [{ properties: { ...event, category: 'flood' } }, 'flood, 1970-01-01', 'flood. 1970-01-01T00:00:00.000Z'],
    [
      { properties: { ...event, value: '3', timestamp_end: 9e15 } },
      '3, 1970-01-01',
      /^3\. 1970-.* to 9000000000000000$/,
    ],
    [{ properties: { ...event, value: '3.4', category: 'flood' } }, 'flood, 3.4, 1970-01-01', /^flood\. 3\.4\. 1970-/],
    [{ name: 'Floods', description: '' }, 'Floods', 'Events.'],
    [{ name: 'Floods', description: ' a\n b ' }, 'Floods', 'a b'],
    [{ name: 'Floods', description: 'word '.repeat(50) }, 'Floods', `${'word '.repeat(40).trim()}…`],
    [{ name: '' }, 'Event List', 'Events.'],
    [{ properties: null }, 'Event List', 'Events.'],
    [{ count: 0, results: [] }, 'Event List', '0 in all. Events.'],
    [{}, 'Event List', 'Events.'],
  ])('of %j are %s and %s', (body, title, description) => {
    expect(headOf(body, about)).toEqual({
      title,
      description: typeof description === 'string' ? description : expect.stringMatching(description),
    })
  })
})
