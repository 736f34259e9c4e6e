import { beforeAll, describe, expect, it } from 'vitest'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { random } from '../bench/events.ts'
import { naiveNumber } from '../filters/numbers.ts'
import type { EventRecord, SeriesRecord } from '../records.ts'
import { answer, get, load } from '../service.ts'
import { splitRows } from '../tags.ts'
import { freezeClock } from './cost.ts'
import {
  DAY,
  EVENTS,
  expectPages,
  foundation,
  idsOf,
  isVisible,
  LEVELS,
  makeEvents,
  remove,
  SERIES,
  seenBy,
  write,
} from './world.ts'

freezeClock()

const next = random(20_261_124)
const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T // no list is empty

/** A cursor has the first 100 characters of a text. These texts differ later. */
const LONG = 'n'.repeat(100)
/** Code points order these texts differently than UTF-16 or a locale does. */
const TEXTS = [
  '',
  'a',
  'B',
  'b',
  'é',
  'Z_~%"',
  '\u{1F300}',
  '\uFFFD',
  'a b',
  LONG,
  `${LONG}a`,
  `${LONG}b`,
  `${LONG}\u{1F300}`,
]
const NUMBERS = ['12', '-3.5 m', '0.1', '1e300', '-1e-300', '9007199254740993', '0', '-0', '+7', '12.0 kn']

const made = makeEvents(1300, 5, 2001).map((event, i): EventRecord => {
  const value = next() < 0.5 ? pick(NUMBERS) : pick(TEXTS)
  return {
    ...event,
    value,
    category: pick(TEXTS),
    end: event.start + pick([0, 1, 3_600_000, DAY, Math.floor(next() * 900 * DAY)]),
    object: next() < 0.6 ? null : { model: 'storm', id: pick([-5, 0, 3, 2 ** 53 - 1, i]) },
    external_id: next() < 0.5 ? null : `${pick(TEXTS) || '-'}${i % 7 === 0 ? '' : i}`,
    last_modified: 1_700_000_000_000_000 + (i % 40) * 7,
  }
})
// An external id is unique within its series.
const given = new Set<string>()
const events = made.map((event): EventRecord => {
  const key = `${event.series} ${event.external_id}`
  const isNew = event.external_id !== null && !given.has(key)
  given.add(key)
  return isNew ? event : { ...event, external_id: null }
})

/** Two series have one name. */
const names = SERIES.map(({ name }, i) => (i === 2 ? 'Large' : name))
const series = foundation.map((record) =>
  record.kind === 'event_series' ? { ...record, name: names[record.id - 1] ?? '' } : record,
) as SeriesRecord[]

beforeAll(async () => {
  await load(series)
  await write(events)
})

type Value = string | number | null

const VALUES: Readonly<Record<string, (event: EventRecord) => Value>> = {
  category: ({ category }) => category,
  value: ({ value }) => value,
  value_number: ({ value }) => naiveNumber(value),
  duration: ({ start, end }) => (end ?? start) - start,
  event_series__name: ({ series }) => names[series - 1] ?? '',
  external_id: ({ external_id = null }) => external_id,
  object_id: ({ object }) => object?.id ?? null,
  last_modified: ({ last_modified = null }) => last_modified,
}

/** Compares texts code point by code point. */
const compareTexts = (a: string, b: string): number => {
  if (a === b) return 0
  const [left, right] = [
    [...a, ''],
    [...b, ''],
  ]
  const i = left.findIndex((point, i) => point !== right[i])
  return (left[i]?.codePointAt(0) ?? -1) - (right[i]?.codePointAt(0) ?? -1)
}

const compare = (a: Value, b: Value): number =>
  typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : Number(a) - Number(b)

/** Sorts events in the slowest way: those without a value come last in both directions, and a descending order is the reverse. */
const sorted = (list: readonly EventRecord[], ordering: string): number[] => {
  const [sign, keyOf] = [ordering.startsWith('-') ? -1 : 1, VALUES[ordering.replace('-', '')] ?? (() => null)]
  return list
    .map((event) => ({ id: event.id, key: keyOf(event) }))
    .sort((a, b) => {
      if (a.key === null || b.key === null)
        return Number(a.key === null) - Number(b.key === null) || sign * (a.id - b.id)
      return sign * (compare(a.key, b.key) || a.id - b.id)
    })
    .map(({ id }) => id)
}

const POLYGON = encodeURIComponent('POLYGON ((-170 -80, 160 -70, 175 80, -100 60, -170 -80))')
const isBetween = (number: number, least: number, greatest: number) => least <= number && number <= greatest

const FILTERS: readonly [string, ((event: EventRecord) => boolean) | null][] = [
  ['', () => true],
  ['category=a', ({ category }) => category === 'a'],
  ['category__not=a', ({ category }) => category !== 'a'],
  ['event_series=1000', ({ series }) => series === 1],
  ['value__gte=-3.5', ({ value }) => (naiveNumber(value) ?? -9) >= -3.5],
  ['value__icontains=N', ({ value }) => /n/i.test(value)],
  ['value__regex=^[0-9]', ({ value }) => /^[0-9]/.test(value)],
  ['duration__range=PT1S,P400D', ({ start, end }) => isBetween((end ?? start) - start, 1000, 400 * DAY)],
  ['object_type__model=storm', ({ object }) => object?.model === 'storm'],
  ['object_id__gte=0', ({ object }) => (object?.id ?? -1) >= 0],
  ['timestamp_start__gte=1969-08-01', ({ start }) => start >= Date.UTC(1969, 7, 1)],
  [
    'bbox=-100,-60,100,70',
    ({ coordinates }) =>
      coordinates !== null && isBetween(coordinates[0], -100, 100) && isBetween(coordinates[1], -60, 70),
  ],
  [`geom_within=${POLYGON}`, null],
]

const ORDERINGS = Object.keys(VALUES).flatMap((name) => [name, `-${name}`])

/** Pairs each order with each filter, at one level. All levels come with each order and with each filter. */
const cases = ORDERINGS.flatMap((ordering, i) =>
  FILTERS.map(([query, matches], j) => {
    const levels = Object.keys(LEVELS) as (keyof typeof LEVELS)[]
    return { ordering, query, matches, level: levels[(i + j) % levels.length] ?? 'Public', turn: 4 * j + i }
  }),
).sort((a, b) => a.turn - b.turn)

/** Other tests compare areas with the slowest way. */
const idsInArea = async (query: string, level: keyof typeof LEVELS): Promise<ReadonlySet<number>> =>
  new Set(idsOf(await get(`${EVENTS}?${query}&page_size=${MAX_PAGE_SIZE}`, seenBy(level))))

describe('each order has the pages of the slowest sort', () => {
  for (const [options, rows] of splitRows(13, cases))
    it.each(rows)('$ordering with "$query" for $level', options, async ({ ordering, query, matches, level }) => {
      const inArea = matches === null ? await idsInArea(query, level) : new Set()
      const expected = sorted(
        events.filter((event) => isVisible(event, level) && (matches?.(event) ?? inArea.has(event.id))),
        ordering,
      )
      const size = Math.max(60, Math.ceil(expected.length / 8))
      const path = `${EVENTS}?${query}&ordering=${ordering}&page_size=${size}`
      await expectPages(path, expected, size, [1, 3, 8], seenBy(level))
    })
})

describe('names', () => {
  it('version 4 and /ogc have the same orders', async () => {
    for (const ordering of ['-duration', 'external_id', '-value_number']) {
      const expected = sorted(
        events.filter((event) => isVisible(event, 'Public')),
        ordering,
      ).slice(0, 50)
      const v4 = await get(`/api/v4/events/?ordering=${ordering}&page_size=50`)
      const ogc = await get(`/ogc/collections/events/items?sortby=${ordering}&limit=50`)
      expect([idsOf(v4), ogc.features.map(({ id }: { id: number }) => id)]).toEqual([expected, expected])
    }
  })

  it('after needs an order by id or time', async () => {
    expect(await answer(`${EVENTS}?ordering=value&after=4711&format=json`)).toEqual({
      status: 400,
      body: { after: ['Only an order by id, start or end takes after. Choose one of them, or leave after out.'] },
    })
  })
})

describe('pages while others write', () => {
  for (const [options, orders] of splitRows(3, ORDERINGS))
    it.each(orders)('by %s, each event that does not change comes once', options, async (ordering) => {
      const own = events.filter(({ id }) => id >= 3200)
      const keyOf = VALUES[ordering.replace('-', '')] ?? (() => null)
      const path = `${EVENTS}?id__gte=3200&ordering=${ordering}&page_size=20`
      const expected = sorted(own, ordering)
      let page = await get(path, seenBy('Hidden'))
      const found = idsOf(page)
      const boundary = own.find(({ id }) => id === found.at(-1))
      if (boundary === undefined) throw new Error('The page has an event of the test.')
      // The last event of the page changes in every respect.
      const changed = {
        ...boundary,
        category: 'q',
        value: '5',
        external_id: null,
        object: null,
        end: boundary.start + 5,
      }
      await remove([boundary])
      await write([{ ...changed, last_modified: 1_800_000_000_000_000 }])
      while (page.next !== null) {
        page = await get(page.next, seenBy('Hidden'))
        found.push(...idsOf(page))
      }
      await remove([boundary])
      await write([boundary])
      const others = (ids: readonly number[]) => ids.filter((id) => id !== boundary.id)
      // Only texts with one beginning of 100 characters may come again, if the row of the cursor changes.
      const isLong = `${keyOf(boundary)}`.length >= LONG.length
      expect(others(isLong ? [...new Set(found)] : found)).toEqual(others(expected))
    })
})
