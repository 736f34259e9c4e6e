import { afterAll, beforeAll, vi } from 'vitest'
import { type Row, testRows } from './oracle.ts'
import { event, FOUNDATION, series } from './world.ts'

// Times relative to now. The clock of these tests stands at noon.

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
/** A whole second, after every change of the tests. */
const NOW = Date.UTC(2126, 10, 23, 12)

beforeAll(() => {
  vi.spyOn(Date, 'now').mockReturnValue(NOW + 789)
})
afterAll(() => vi.restoreAllMocks())

/** Events around each limit of the tests, a millisecond before and after it. Each lasts a day. */
const OFFSETS = [-14 * DAY, -7 * DAY, -DAY, -HOUR, 0, HOUR].flatMap((at) => [at - 1, at, at + 1])
const RECORDS = [
  ...FOUNDATION,
  ...OFFSETS.map((offset, i) =>
    event(i + 1, '1970-01-01', { start: NOW + offset, end: NOW + offset + (i % 2) * DAY, coordinates: [i, 52, 0] }),
  ),
  ...[1, 2, 3].map((days) => series(1 + days, 'aged', 0, { created: (NOW - days * DAY) * 1000 })),
]
const from = (first: number) => OFFSETS.map((_, i) => i + 1).slice(first - 1)

const ROWS: readonly Row[] = [
  { asks: 'start__gte=now-7d', question: 'start from 2126-11-16T12:00:00Z', finds: from(5) },
  { asks: 'start__gt=now-2w', finds: from(3) },
  { asks: 'start=now', question: 'start is 2126-11-23T12:00:00Z', finds: [14] },
  { asks: 'start__lt=now+1h&start__gte=now', finds: [14, 15, 16] },
  { asks: 'start__lt=now 1h&start__gt=now', finds: [15, 16] },
  { asks: 'end__lte=now-1d', question: 'end to 2126-11-22T12:00:00Z', finds: [1, 2, 3, 4, 5, 6, 7] },
  { asks: 'start__range=now-1h,now', finds: [11, 12, 13, 14] },
  { asks: 'start__range=now-1h&start__range=now', finds: [11, 12, 13, 14] },
  { asks: 'datetime=now', finds: [8, 10, 12, 14] },
  { asks: 'datetime=now-7d/..&id__lt=8', finds: [4, 5, 6, 7] },
  { asks: 'datetime=2126-11-22/now+1d&id__lte=9', finds: [7, 8, 9] },
  { asks: 'start__gte=now-7d&bbox=6,50,9,54&ordering=-start', finds: [10, 9, 8, 7] },
  { asks: 'category=now-7d', finds: [] },
  { asks: '/api/v4/eventseries/?name=aged&created__gte=now-2d', finds: [2, 3] },
  {
    asks: '/api/v4/eventseries/a0000000-0000-4000-8000-000000000001/events/?start__gte=now',
    finds: [14, 15, 16, 17, 18],
  },
  {
    asks: '/ogc/collections/events/items?datetime=now-1d/..&datetime=../now&limit=100',
    finds: [8, 9, 10, 11, 12, 13, 14],
  },
]

testRows(RECORDS, { 'a time relative to now': ROWS })
