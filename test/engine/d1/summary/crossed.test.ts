import { beforeAll, describe, expect, it } from 'vitest'
import { fetchFrom } from '../../../oracle/oracle.ts'
import { arraysOf } from '../../../question/arrays.ts'
import type { EventRecord } from '../../../records.ts'
import { answer, get, load, ORIGIN } from '../../../service.ts'
import { splitRows } from '../../../tags.ts'
import { FILTERS } from '../../filters.ts'
import { binsOf, type Unit, unitsOf } from '../../slow.ts'
import { EVENTS, foundation, isVisible, LEVELS, type Level, makeEvents, seenBy } from '../../world.ts'

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
  const rest = { coordinates: null, object: null, attributes: { n: i } } as const
  const category = `many ${i % 100}`
  return { kind: 'event', id: 100_000 + i, series: 1, category, value: `${i % 7}`, start, end: start, ...rest }
})

beforeAll(() => load([...foundation, ...made, ...hourly]))

const NAMES = ['category', 'event_series', 'object_type__model']
const plain = arraysOf([...foundation, ...made, ...hourly])

type Bin = readonly [start: number, count: number]

/** Compares an answer with that of plain arrays. */
const expectCrossed = async (query: string, by: string, bins: Unit | number, level: Level) => {
  const path = `${SUMMARY}?by=${by}&bins=${bins}&${query}`
  const wanted = await (await fetchFrom(plain, `${ORIGIN}${path}`, level)).json()
  expect(await get(path, seenBy(level)), path).toEqual(wanted)
}

const OLD = `timestamp_start__lt=${MANY.from}`

describe('the bins of the entries of a facet', () => {
  for (const [options, some] of splitRows(4, levels))
    it.each(some)('equal those of each entry, at the level %s', options, async (level) => {
      for (const by of NAMES)
        for (const bins of ['day', 'month', 7, 512] as const) await expectCrossed(OLD, by, bins, level)
      const filters = FILTERS.filter(({ query }, i) => i % 9 === levels.indexOf(level) && !/start|category/.test(query))
      for (const [i, { query }] of filters.entries())
        await expectCrossed(`${OLD}&${query}`, NAMES[i % 3] ?? '', 'year', level)
    })

  it('are the same without a filter', async () => {
    await expectCrossed('', 'category', 100, 'Public')
  })

  it('come with the statistics of each entry', async () => {
    const path = `${SUMMARY}?by=event_series&bins=year&${OLD}`
    const { by, facets } = await get(`${path}&statistics=value&facets=event_series`)
    for (const [i, { statistics }] of by.event_series.entries.entries())
      expect(statistics.value).toEqual({ ...facets.event_series.entries[i].statistics.value, bins: expect.any(Array) })
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
    const until = `timestamp_start__range=${MANY.from},${MANY.from + 18_999 * HOUR}`
    await expectCrossed(until, 'category', 'hour', 'Public')
    await expectCrossed(`timestamp_start__gte=${MANY.from}`, 'category', 512, 'Public')
  })

  it('have statistics of the listed entries alone, if those of all entries are too many', async () => {
    const query = `timestamp_start__gte=${MANY.from}&statistics=value&distinct=event_series`
    await expectCrossed(query, 'category', 'day', 'Public')
    await expectCrossed(`${query}&by_size=3&by_ordering=-value__sum`, 'category', 'day', 'Public')
    await expectCrossed(`${query}&by_size=40`, 'category', 512, 'Public')
  })

  it('are a 400 if they have more statistics than an answer may have', async () => {
    const query = `by=category&bins=hour&timestamp_start__range=${MANY.from},${MANY.from + 18_999 * HOUR}`
    const { status, body } = await answer(`${SUMMARY}?${query}&statistics=value,attributes__n`)
    expect([status, body]).toEqual([
      400,
      {
        statistics: [
          'The entries of by have more than 25000 statistics of bins. Enter fewer names in statistics, fewer or longer bins, such as bins=year, or a smaller by_size.',
        ],
      },
    ])
    expect((await answer(`${SUMMARY}?${query}&statistics=attributes__n`)).status).toBe(200)
  })

  it('are a 400 if they have more different values than the Worker holds', async () => {
    const query = `facets=category&distinct=attributes__n&timestamp_start__gte=${MANY.from}`
    const { status, body } = await answer(`${SUMMARY}?${query}`)
    expect([status, body]).toEqual([
      400,
      {
        detail:
          'The names in distinct have more than 100,000 different values in the entries of facets and by. Add a filter, or enter fewer names in distinct or in facets.',
      },
    ])
    const { distinct } = await get(`${SUMMARY}?${query.replace('facets=category&', '')}`)
    expect(distinct).toEqual({ attributes__n: MANY.count })
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
