import { describe, expect, it } from 'vitest'
import { servicesWith } from './oracle.ts'
import { event, FOUNDATION, series } from './world.ts'

// The tables of summaries, from each database.

const SUMMARY = '/api/v3/events/summary'
const town = (name: unknown, volume: unknown, outfall: string) => ({ attributes: { town: name, volume, outfall } })
const services = servicesWith([
  ...FOUNDATION,
  series(2, 'Gauges, old', 0),
  event(1, '2025-03-29T22:30:00Z', { ...town('Delft', 12.5, 'a'), value: '5 cm' }),
  // March 30 in Amsterdam, which has 23 hours.
  event(2, '2025-03-29T23:30:00Z', { ...town('Delft', '<10', 'b'), series: 2 }),
  event(3, '2025-03-30T12:00:00Z', town('Ede, west', 3, 'a')),
  // In Amsterdam, the hour from 02:00 comes twice.
  event(4, '2025-10-26T00:30:00Z', town('Delft', -1, 'a')),
  event(5, '2025-10-26T01:30:00Z', town('Delft', 2, 'c')),
  event(6, '2025-10-26T02:30:00Z', town(null, 4, 'd')),
  event(7, '2025-10-26T03:30:00Z', town('=1+1', null, 'd')),
  event(8, '2025-10-26T04:30:00Z', town({ code: 7 }, 6, 'd')),
])

const volume = (...names: readonly string[]) => names.map((name) => `attributes__volume__${name}`).join()
const NUMBERS = volume('count', 'min', 'max', 'mean', 'sum')
const ZONE = 'timezone=Europe/Amsterdam'

const TABLES: readonly (readonly [address: string, lines: readonly string[]])[] = [
  [
    '.csv?facets=attributes__town&statistics=attributes__volume&distinct=attributes__outfall,event_series',
    [
      `attributes__town,count,${NUMBERS},attributes__outfall__distinct,event_series__distinct`,
      'Delft,4,3,-1,12.5,4.5,13.5,3,2',
      "'=1+1,1,0,,,,,1,1",
      '"Ede, west",1,1,3,3,3,3,1,1',
      '"{""code"":7}",1,1,6,6,6,6,1,1',
    ],
  ],
  [
    '.csv?facets=event_series',
    [
      'event_series__id,event_series__uuid,event_series__name,event_series__color,count',
      '1,a0000000-0000-4000-8000-000000000001,Overflows,#336699,7',
      '2,a0000000-0000-4000-8000-000000000002,"Gauges, old",#336699,1',
    ],
  ],
  [
    `.csv?by=attributes__town&by_size=1&bins=day&statistics=attributes__volume,value&${ZONE}`,
    [
      `attributes__town,start,count,${NUMBERS},value__count,value__min,value__max,value__mean,value__sum`,
      'Delft,2025-03-29T00:00:00+01:00,1,1,12.5,12.5,12.5,12.5,1,5,5,5,5',
      'Delft,2025-03-30T00:00:00+01:00,1,0,,,,,0,,,,',
      'Delft,2025-10-26T00:00:00+02:00,2,2,-1,2,0.5,1,0,,,,',
      ',2025-03-30T00:00:00+01:00,1,1,3,3,3,3,0,,,,',
      ',2025-10-26T00:00:00+02:00,3,2,4,6,5,10,0,,,,',
    ],
  ],
  [
    `/?format=csv&by=timestamp_start__month&by_ordering=text&bins=month&id__lt=6&${ZONE}`,
    ['timestamp_start__month,start,count', '3,2025-03-01T00:00:00+01:00,3', '10,2025-10-01T00:00:00+02:00,2'],
  ],
  [
    `.csv?bins=hour&statistics=attributes__volume&id__in=4,5,6&${ZONE}`,
    [
      `start,count,${NUMBERS}`,
      '2025-10-26T02:00:00+02:00,1,1,-1,-1,-1,-1',
      '2025-10-26T02:00:00+01:00,1,1,2,2,2,2',
      '2025-10-26T03:00:00+01:00,1,1,4,4,4,4',
    ],
  ],
  ['.csv?bins=year', ['start,count', '2025-01-01T00:00:00Z,8']],
  [
    '.csv?bins=year&category=none&statistics=value&by=category',
    ['category,start,count,value__count,value__min,value__max,value__mean,value__sum'],
  ],
  [
    `/?format=spreadsheet&locale=nl&bins=month&by=category&statistics=attributes__volume&id__lt=3&${ZONE}`,
    [
      `\ufeffcategory;start (Europe/Amsterdam);count;${NUMBERS.replaceAll(',', ';')}`,
      'flood;2025-03-01 00:00:00;2;1;12,5;12,5;12,5;12,5',
    ],
  ],
]

describe.each(services)('%s', (_, send) => {
  it.each(TABLES)('writes the table of %s', async (address, lines) => {
    const response = await send(SUMMARY + encodeURI(address))
    expect([response.status, response.headers.get('Content-Type')]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ])
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await response.arrayBuffer())
    expect(text.split('\r\n')).toEqual([...lines, ''])
  })

  it('writes the table of a posted query', async () => {
    const response = await send(`${SUMMARY}/?format=csv`, 'bins=year&id=1')
    expect(await response.text()).toBe('start,count\r\n2025-01-01T00:00:00Z,1\r\n')
  })

  it('names the file by the facet and the filters, and the address of the next entries', async () => {
    const { headers } = await send(`${SUMMARY}.csv?facets=attributes__town&facet_size=3&category=flood`)
    expect([headers.get('Content-Disposition'), headers.get('X-Total-Count'), headers.get('Link')]).toEqual([
      'attachment; filename="summary_attributes-town_category-flood.csv"',
      '4',
      expect.stringMatching(
        /summary\.csv\?category=flood&facet_offset=3&facet_size=3&facets=attributes__town>; rel="next"$/,
      ),
    ])
  })

  it.each([
    [
      '.csv?facets=category,event_series',
      { facets: ['A table has the entries of one facet. Enter one name in facets, or only by.'] },
    ],
    [
      '.csv?facets=category&by=event_series',
      { facets: ['A table has the entries of one facet. Enter one name in facets, or only by.'] },
    ],
    [
      '.csv?by=category&distinct=event_series',
      {
        distinct: ['A table of bins does not count different values. Enter one name in facets, or leave distinct out.'],
      },
    ],
    [
      '.csv?format=csv',
      { format: ['The address ends in .csv, which is its format. Leave format out, or leave .csv out.'] },
    ],
    [
      '/?format=csv&locale=nl',
      { locale: ['Only format=spreadsheet accepts a language. Enter that, or leave locale out.'] },
    ],
    ['/?format=ndjson', { format: ['Enter one of json, api, csv, spreadsheet.'] }],
  ])('%s is a 400', async (address, errors) => {
    const response = await send(SUMMARY + address)
    expect([response.status, await response.json()]).toEqual([400, errors])
  })
})
