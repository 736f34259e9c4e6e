import { describe, expect, it } from 'vitest'
import { fileName } from '../../src/http/file.ts'
import { beginWithSeed, send } from '../service.ts'

const ALASKA = '1f3fd2e4-e4f6-564f-b861-9051626e9eb4'
const PRIVATE = 'aa894e09-f0d7-5a9e-8e64-ab22bf8ec1c8'

beginWithSeed()

it.each([
  [`/api/v3/events/?event_series=${ALASKA}&`, 'events_Earthquakes-Alaska.csv'],
  [`/api/v3/events/?category=hurricane&event_series=${ALASKA}&`, 'events_Earthquakes-Alaska_category-hurricane.csv'],
  [`/api/v4/eventseries/${ALASKA}/events/?`, 'events_Earthquakes-Alaska.csv'],
  ['/api/v3/events/?event_series=1f3fd2e4&', 'events_Earthquakes-Alaska.csv'],
  ['/api/v3/events/?event_series__name__icontains=alaska&', 'events_Earthquakes-Alaska.csv'],
  ['/api/v3/events/?event_series__name=none&', 'events_event_series-name-none.csv'],
  [`/api/v3/events/?event_series=${PRIVATE}&`, `events_event_series-${PRIVATE}.csv`],
])('a file of %s has the name of a series that the caller sees: %s', async (path, name) => {
  const response = await send(`${path}format=csv&page_size=1`)
  expect(response.headers.get('Content-Disposition')).toBe(`attachment; filename="${name}"`)
})

describe('the name of a downloaded file describes its filters', () => {
  it.each<[Record<string, string>, string]>([
    [{}, 'events.csv'],
    [{ category: 'hurricane' }, 'events_category-hurricane.csv'],
    [
      { timestamp_start__gte: '2018-02-05T00:00:00+01:00', page: '2' },
      'events_timestamp_start-gte-2018-02-05T00-00-00-01-00.csv',
    ],
    [{ category__icontains: 'Überschwemmung é/漢字' }, 'events_category-icontains-Uberschwemmung-e.csv'],
    [{ object: 'airport$986' }, 'events_object-airport-986.csv'],
    [{ category__exact: '' }, 'events_category-exact.csv'],
    [{ category: '"\r\nSet-Cookie: a=b"; ../../etc' }, 'events_category-Set-Cookie-a-b-..-..-etc.csv'],
    [
      { geom_within: 'POLYGON ((3 50, 8 50, 8 54, 3 54, 3 50))' },
      'events_geom_within-POLYGON-3-50-8-50-8-54-3-54-3-50.csv',
    ],
    [{ 4711: '' }, 'events_4711.csv'],
    [
      { category__in: 'hurricane,earthquake,Climb,Approach', timestamp_start__gte: '2017-08-01', page: '2' },
      'events_category-in-hurricane-earthquake-Climb-Approach.csv',
    ],
    [{ category: 'x'.repeat(60) }, 'events_category.csv'],
    [{ geom_within: 'x'.repeat(5_000_000) }, 'events_geom_within.csv'],
  ])('%j', (asked, name) => {
    expect(fileName('events', Object.entries(asked), 'csv')).toBe(name)
  })

  it('the name is short and has plain letters only', () => {
    const asked = Array.from({ length: 50 }, (_, i): [string, string] => [
      `category__${i}`,
      '=\0'.repeat(i) + 'x'.repeat(i),
    ])
    const name = fileName('events', asked, 'geojson')
    expect(name).toMatch(/^events_[A-Za-z0-9._-]+\.geojson$/)
    expect(name.length).toBeLessThanOrEqual(60)
  })
})
