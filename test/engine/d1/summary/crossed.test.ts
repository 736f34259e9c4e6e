import { beforeAll, describe, expect, it } from 'vitest'
import type { EventRecord } from '../../../records.ts'
import { answer, get, load } from '../../../service.ts'
import { splitRows } from '../../../tags.ts'
import { FILTERS } from '../../filters.ts'
import { binsOf, slowStartOf, type Unit, unitsOf } from '../../slow.ts'
import { EVENTS, foundation, isVisible, LEVELS, type Level, makeEvents, SERIES, seenBy } from '../../world.ts'

const SUMMARY = `${EVENTS}summary/`
const HOUR = 3_600_000
const levels = Object.keys(LEVELS) as Level[] // the keys of the constant

/** Every tenth event is in one of 30 further categories. */
const made = makeEvents(2000, 78, 1400).map((event, i) =>
  i % 10 === 0 ? { ...event, category: `kind ${(i / 10) % 30}` } : event,
)
/** Each event is in an hour of its own, long after the others. So no answer can list all hours of all entries. */
const MANY = { from: Date.UTC(2030, 0, 1), count: 51_000 }
const hourly = Array.from({ length: MANY.count }, (_, i): EventRecord => {
  const start = MANY.from + i * HOUR
  const rest = { value: '', coordinates: null, object: null } as const
  return { kind: 'event', id: 100_000 + i, series: 1, category: `many ${i % 100}`, start, end: start, ...rest }
})

beforeAll(() => load([...foundation, ...made, ...hourly]))

const KEYS: Readonly<Record<string, (event: EventRecord) => string | undefined>> = {
  category: ({ category }) => category,
  event_series: ({ series }) => SERIES[series - 1]?.name,
  object_type__model: ({ object }) => object?.model,
}

type Bin = readonly [start: number, count: number]

/** Compares the bins of each entry with the bins of its events, counted one by one. */
const expectCrossed = async (
  query: string,
  by: string,
  bins: Unit | number,
  { found, level }: { readonly found: readonly EventRecord[]; readonly level: Level },
) => {
  const path = `${SUMMARY}?by=${by}&bins=${bins}&${query}`
  const { count, time, by: crossed } = await get(path, seenBy(level))
  const { entries, more, rest } = crossed[by]
  const keyOf = KEYS[by] ?? (() => undefined)
  const groups = Map.groupBy(found, keyOf)
  const startOf = (start: number) =>
    typeof bins === 'string' ? slowStartOf(bins, start) : Math.floor(start / time.step) * time.step
  const binned = (events: readonly EventRecord[]): Bin[] =>
    [...Map.groupBy(events, ({ start }) => startOf(start))]
      .map(([start, each]): Bin => [start, each.length])
      .sort(([a], [b]) => a - b)
  const listed = new Set<string>()
  for (const { value, name, ...entry } of entries) {
    const events = groups.get(value ?? name) ?? []
    listed.add(value ?? name)
    expect([entry.count, entry.bins], path).toEqual([events.length, binned(events)])
  }
  const others = found.filter((event) => !listed.has(keyOf(event) ?? '') || keyOf(event) === undefined)
  expect(rest, path).toEqual({ count: others.length, bins: binned(others) })
  const sizes = [...groups].flatMap(([key, { length }]) => (key === undefined ? [] : [length])).sort((a, b) => b - a)
  expect(entries.map((entry: { count: number }) => entry.count)).toEqual(sizes.slice(0, 20))
  expect([count, more]).toEqual([found.length, Math.max(0, sizes.length - 20)])
}

const isOld = ({ start }: EventRecord) => start < MANY.from
const OLD = `timestamp_start__lt=${MANY.from}`

describe('the bins of the entries of a facet', () => {
  for (const [options, some] of splitRows(4, levels))
    it.each(some)('equal those of each entry, at the level %s', options, async (level) => {
      const seen = made.filter((event) => isVisible(event, level) && isOld(event))
      for (const by of Object.keys(KEYS))
        for (const bins of ['day', 'month', 7, 512] as const) await expectCrossed(OLD, by, bins, { found: seen, level })
      const filters = FILTERS.filter(({ query }, i) => i % 9 === levels.indexOf(level) && !/start|category/.test(query))
      for (const [i, { query, matches }] of filters.entries()) {
        const by = Object.keys(KEYS)[i % 3] ?? 'category'
        await expectCrossed(`${OLD}&${query}`, by, 'year', { found: seen.filter(matches), level })
      }
    })

  it('are the same without a filter', async () => {
    const found = [...made, ...hourly].filter((event) => isVisible(event, 'Public'))
    await expectCrossed('', 'category', 100, { found, level: 'Public' })
  })

  it('come with the statistics of each entry', async () => {
    const path = `${SUMMARY}?by=event_series&bins=year&${OLD}`
    const { by, facets } = await get(`${path}&statistics=value&facets=event_series`)
    for (const [i, { statistics }] of by.event_series.entries.entries())
      expect(statistics).toEqual(facets.event_series.entries[i].statistics)
    expect(Object.keys(by.event_series.entries[0])).toEqual([
      'id',
      'uuid',
      'name',
      'color',
      'count',
      'statistics',
      'bins',
    ])
  })

  it('are a 400 if there are more than an answer may have', async () => {
    expect(await answer(`${SUMMARY}?by=event_series&bins=hour`)).toMatchObject({ status: 400 })
  })

  it('are counted for the listed entries alone, if those of all entries are too many', async () => {
    const { by, time } = await get(`${SUMMARY}?by=category&bins=hour&timestamp_start__gte=${MANY.from}`).catch(
      () => ({}),
    )
    expect([by, time]).toEqual([undefined, undefined])
    const found = hourly.slice(0, 19_000)
    const until = `timestamp_start__range=${MANY.from},${MANY.from + 18_999 * HOUR}`
    await expectCrossed(until, 'category', 'hour', { found, level: 'Public' })
    await expectCrossed(`timestamp_start__gte=${MANY.from}`, 'category', 512, { found: hourly, level: 'Public' })
  })

  it('name a 400 for a field that is no facet', async () => {
    for (const by of ['value', 'category,event_series', '__proto__'])
      expect(await answer(`${SUMMARY}?by=${by}`)).toMatchObject({
        status: 400,
        body: {
          by: [
            'Enter one of category, event_series, object_type__model, timestamp_start__year, timestamp_start__month, timestamp_start__weekday, timestamp_start__hour, attributes__NAME.',
          ],
        },
      })
  })
})

describe('the bins of a period', () => {
  /** The period. Some events begin before it and end in it. */
  const [first, last] = [Date.UTC(1970, 0, 10), Date.UTC(1970, 1, 20)]
  const during = `datetime=${new Date(first).toISOString()}/${new Date(last).toISOString()}`
  const found = made.filter((event) => isVisible(event, 'Public') && event.start <= last && event.end >= first)
  const starts = found.map(({ start }) => Math.max(start, first)).sort((a, b) => a - b)

  it('begin with it', async () => {
    expect(found.filter(({ start }) => start < first).length).toBeGreaterThan(0)
    for (const unit of ['day', 'hour'] as const) {
      const { count, time } = await get(`${SUMMARY}?${during}&bins=${unit}`)
      expect([count, time.bins]).toEqual([found.length, unitsOf(starts, unit).bins])
      expect(time.start).toBe(Math.min(...found.map(({ start }) => start)))
    }
    for (const bins of [2, 50, 512]) {
      const { time } = await get(`${SUMMARY}?${during}&bins=${bins}`)
      expect([time.step, time.bins]).toEqual(Object.values(binsOf(starts, bins, 1)))
    }
    const { time } = await get(`${SUMMARY}?${during}&bins=1`)
    expect(time.bins).toEqual([[first, found.length]])
  })

  it('have the statistics of their events', async () => {
    for (const bins of ['day', '1', '50']) {
      const { time, statistics } = await get(`${SUMMARY}?${during}&bins=${bins}&statistics=value`)
      const known = time.bins.map(([start]: Bin) => start)
      for (const { start } of statistics.value.bins) expect(known).toContain(start)
    }
  })
})
