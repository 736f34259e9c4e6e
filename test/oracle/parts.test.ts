import { expect, it } from 'vitest'
import { ORIGIN } from '../service.ts'
import { fetchFrom, type Row, testRows } from './oracle.ts'
import { event, WORLD } from './world.ts'

// Filters by the parts of a start, in UTC and in the zone of the request.

const RECORDS = [
  ...WORLD,
  event(21, '0000-01-01T00:00:00Z'),
  event(22, '9999-12-31T23:59:59.999Z'),
  // On January 1, 1944, the clock of Phoenix went back from 00:01 to 23:01.
  event(23, '1944-01-01T06:00:00Z'),
  event(24, '1944-01-01T06:01:00Z'),
  event(25, '1944-01-01T07:00:00Z'),
  event(26, '1883-11-18T17:59:59.999Z'),
]

/** Every second year, which no range joins. */
const EVEN = Array.from({ length: 999 }, (_, i) => 2 * i + 28)

const IN_UTC: readonly Row[] = [
  { asks: `start__year__in=${EVEN}`, finds: [1, 2, 17, 18, 23, 24, 25] },
  { asks: `start__year__in__not=${EVEN},${'9'.repeat(40)}&id__lt=3`, finds: [] },
  { asks: `timezone=Europe/Amsterdam&start__year__in=${EVEN}&start__month=1`, finds: [20, 23, 24, 25] },
  {
    asks: 'start__year=2024',
    question: `start from 2024-01-01T00:00:00Z to 2024-12-31T23:59:59.${'9'.repeat(100)}Z`,
    finds: [1, 2],
  },
  { asks: 'start__year__in=2024,1969,1944', finds: [1, 2, 20, 23, 24, 25] },
  { asks: 'start__year__lt=1944', finds: [21, 26] },
  { asks: 'start__year__range=1969,2018', finds: [17, 18, 20] },
  { asks: 'start__year__range=2018,1969', finds: [] },
  { asks: 'start__year__gt=2025', finds: [22] },
  { asks: 'start__year=0', finds: [21] },
  { asks: 'start__year__lt=0', finds: [] },
  { asks: 'start__year__gte=300000', finds: [] },
  { asks: 'start__year__lte=99999999999999999999&id__lt=3', finds: [1, 2] },
  { asks: 'start__year__not=2025&start__year__gte=2018&id__lt=22', finds: [1, 2, 17, 18] },
  { asks: 'start__year__in__not=2025,2024&start__year__gte=2018', finds: [17, 18, 22] },
  {
    asks: 'start__month=10',
    question: 'month of start in UTC is 10',
    finds: [10, 11, 12, 13, 14],
  },
  { asks: 'start__month__in=11, 12', finds: [1, 2, 17, 18, 20, 22, 26] },
  { asks: 'start__month__in=12&start__month__in=11', finds: [1, 2, 17, 18, 20, 22, 26] },
  { asks: 'start__month__not=1&id__lt=9', finds: [1, 2, 6, 7, 8] },
  { asks: 'start__month__in__not=1,3&id__lt=12', finds: [1, 2, 10, 11] },
  { asks: 'start__weekday=7&start__year=2025', finds: [7, 8, 9, 11, 12, 13, 14] },
  { asks: 'start__hour=23', finds: [2, 5, 6, 14, 20, 22] },
  { asks: 'start__hour=23&start__month=1', finds: [5] },
  { asks: 'start__hour=23&value__regex=.', finds: [] },
  { asks: 'start__month=1&latest=event_series', finds: [5] },
  { asks: 'start__month=1&geometry__within=POLYGON((4 51,6 51,6 53,4 53,4 51))', finds: [4, 21, 23, 24, 25] },
  { asks: 'start__month=1', level: 'Private', finds: [3, 4, 5, 21, 23, 24, 25] },
  { asks: '/api/v3/events/?timestamp_start__month__exact=3&ordering=-timestamp_start', finds: [9, 8, 7, 6] },
  { asks: '/ogc/collections/events/items?limit=1000&timestamp_start__hour=1', finds: [12] },
  { asks: 'start__month=13', finds: { faults: ['start__month'] } },
  { asks: 'start__weekday=0', finds: { faults: ['start__weekday'] } },
  { asks: 'start__hour__in=1,24', finds: { faults: ['start__hour__in'] } },
  { asks: 'start__hour=-1', finds: { faults: ['start__hour'] } },
  { asks: 'start__year=now', finds: { faults: ['start__year'] } },
  { asks: 'start__month__gte=13', finds: { faults: ['start__month__gte'] } },
  { asks: 'start__month__gte=11', question: 'month of start in UTC is 11 or 12', finds: [1, 2, 17, 18, 20, 22, 26] },
  { asks: 'start__hour__range=21,22', finds: [1, 4, 8, 9, 10, 13, 15, 16] },
  { asks: 'start__weekday__lt=1', finds: [] },
]

const AMSTERDAM = 'timezone=Europe/Amsterdam'

const IN_ZONES: readonly Row[] = [
  { asks: `${AMSTERDAM}&start__year=2025&start__month=1`, finds: [2, 3, 4] },
  {
    asks: `${AMSTERDAM}&start__month=3`,
    question: 'month of start in Europe/Amsterdam is 3',
    finds: [6, 7, 8, 9],
  },
  { asks: `${AMSTERDAM}&start__weekday=1&start__month__in=3,10`, finds: [9, 14] },
  { asks: `${AMSTERDAM}&start__hour=2`, finds: [11, 12] },
  {
    asks: `${AMSTERDAM}&start__hour__in=0,1&start__year=2025`,
    finds: [2, 5, 6, 7, 9, 10, 14, 16],
  },
  { asks: `${AMSTERDAM}&start__hour__in=0,23&start__gte=2025-10-26&start__lt=2025-10-27`, finds: [10, 13] },
  { asks: `${AMSTERDAM}&start__hour=0&start__gte=2025-10-26&start__lt=2025-10-26`, finds: [] },
  { asks: `${AMSTERDAM}&start__hour=2&start__year__in=2018,2025`, finds: [11, 12] },
  { asks: 'timezone=Africa/Cairo&start__month=4&start__hour=1', finds: [16] },
  { asks: 'timezone=America/New_York&start__year=-1', finds: [21] },
  { asks: 'timezone=America/New_York&start__year__lt=0&start__month=12&start__hour=19', finds: [21] },
  { asks: `${AMSTERDAM}&start__year=10000&start__month=1&start__weekday=6`, finds: [22] },
  { asks: 'timezone=America/Phoenix&start__year=1944', finds: [23, 25] },
  { asks: 'timezone=America/Phoenix&start__year=1943', finds: [24] },
  { asks: 'timezone=America/Phoenix&start__year__in=1943,1944', finds: [23, 24, 25] },
  { asks: 'timezone=America/Phoenix&start__year__gte=1944&start__year__lt=2000', finds: [20, 23, 25] },
  { asks: 'timezone=America/New_York&start__hour=12&start__year=1883', finds: [26] },
]

const engines = testRows(RECORDS, { 'in UTC': IN_UTC, 'in a zone': IN_ZONES })

interface Counted {
  readonly count: number
  readonly facets: Readonly<Record<string, { readonly entries: readonly { value: number; count: number }[] }>>
}

it.each(['Europe/Amsterdam', 'America/Phoenix'])(
  'each entry of a facet in %s has as many events as its filter',
  async (zone) => {
    const parts = ['year', 'month', 'weekday', 'hour'].map((part) => `timestamp_start__${part}`)
    for (const [name, engine] of engines) {
      if (name === 'arrays') continue
      const ask = async (query: string) => {
        const address = `${ORIGIN}/api/v3/events/summary/?timezone=${encodeURIComponent(zone)}&${query}`
        return (await fetchFrom(engine, address)).json<Counted>()
      }
      const { facets } = await ask(`facets=${parts}`)
      for (const part of parts)
        for (const { value, count } of facets[part]?.entries ?? [])
          expect((await ask(`${part}=${value}`)).count, `${name}: ${part}=${value}`).toBe(count)
    }
  },
)
