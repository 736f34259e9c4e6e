import { beforeAll, describe, expect, it } from 'vitest'
import { UNITS, type Unit } from '../../../../src/engine/summaries.ts'
import type { EventRecord } from '../../../records.ts'
import { answer, get, load, post } from '../../../service.ts'
import { splitRows } from '../../../tags.ts'
import { DAY, EVENTS, foundation, LEVELS, type Level, SERIES, seenBy } from '../../world.ts'

const SUMMARY = `${EVENTS}summary/`
const QUARTER = 900_000 // milliseconds
const ZONES = ['Europe/Amsterdam', 'America/New_York', 'America/Sao_Paulo', 'Asia/Kolkata', 'Australia/Lord_Howe']
/** The clocks of these zones change near these instants, or a year begins. */
const NEAR = ['2018-03-25T01:00Z', '2018-10-28T01:00Z', '2018-11-04T03:00Z', '2018-02-18T02:00Z', '2019-01-01T00:00Z']

const made: readonly EventRecord[] = NEAR.flatMap((instant, n) =>
  Array.from({ length: 120 }, (_, i): EventRecord => {
    const start = Date.parse(instant) + (i - 60) * 1_700_000 + i
    const { id: series } = SERIES[i % SERIES.length] ?? SERIES[0]
    const rest = { value: '', category: 'flood', coordinates: [5, 52, 0], object: null } as const
    return { kind: 'event', id: 1000 * n + i + 1, series, start, end: start, ...rest }
  }),
)

/** The clock of Lord Howe moves half an hour forward at the second instant. */
const atHalf = ['2011-10-01T15:00Z', '2011-10-01T15:30Z'].map((instant, i): EventRecord => {
  const start = Date.parse(instant)
  const rest = { value: '', category: 'half', coordinates: null, object: null } as const
  return { kind: 'event', id: 9000 + i, series: 1, start, end: start, ...rest }
})

beforeAll(() => load([...foundation, ...made, ...atHalf]))

const formats = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
  ]),
)

/** Names the unit that the clocks of a zone show. An hour that they repeat has two names. */
const nameOf = (unit: Unit, zone: string, instant: number): string => {
  const shown = formats.get(zone)?.format(instant) ?? ''
  const day = new Date(`${shown.slice(0, 10)}T00:00Z`)
  const name = { hour: 13, day: 10, month: 7, year: 4 }
  if (unit !== 'week') return `${shown.slice(0, name[unit])}${unit === 'hour' ? offsetOf(shown, instant) : ''}`
  day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7))
  return day.toISOString()
}

const offsetOf = (shown: string, instant: number) =>
  Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(instant / 1000) * 1000

const firsts = new Map<string, number>()

/** Returns the first instant of a unit. It goes back by days, then by quarters of an hour: all clocks change at one. */
const firstOf = (unit: Unit, zone: string, instant: number): number => {
  const name = nameOf(unit, zone, instant)
  let first = firsts.get(zone + name) ?? Math.floor(instant / QUARTER) * QUARTER
  for (const step of [DAY, QUARTER]) while (nameOf(unit, zone, first - step) === name) first -= step
  firsts.set(zone + name, first)
  return first
}

const levelOf = (series: number) => SERIES.find(({ id }) => id === series)?.access_modifier ?? 0

describe('bins of a unit on the clock of a time zone', () => {
  const others: readonly (readonly [string, (event: EventRecord) => boolean])[] = [
    ['', () => true],
    ['event_series__id=1&', ({ series }) => series === 1],
  ]

  const all = (Object.entries(LEVELS) as [Level, number][]).flatMap(([level, least]) =>
    ZONES.map((zone) => [zone, level, least] as const),
  )
  for (const [options, rows] of splitRows(4, all))
    it.each(rows)('%s, as %s sees them', options, async (timezone, level, least) => {
      for (const unit of UNITS.filter((each) => each === 'day' || each === 'hour' || level === 'Public'))
        for (const [filter, matches] of others) {
          const expected = new Map<number, number>()
          for (const { start } of made.filter((each) => levelOf(each.series) <= least && matches(each))) {
            const first = firstOf(unit, timezone, start)
            expected.set(first, (expected.get(first) ?? 0) + 1)
          }
          const { time, count, by } = await get(SUMMARY, {
            ...seenBy(level),
            ...post(`${filter}category=flood&bins=${unit}&timezone=${timezone}&by=category`),
          })
          expect(time.bins, `${unit} ${filter}`).toEqual([...expected].sort(([a], [b]) => a - b))
          const { entries, rest } = by.category
          expect(entries[0].bins, `${unit} ${filter}`).toEqual(time.bins)
          expect([time.step, entries.length, rest]).toEqual([null, 1, { count: 0, bins: [] }])
          expect(count).toBe([...expected.values()].reduce((sum, rows) => sum + rows, 0))
        }
    })
})

it('an hour that begins during the change of a clock is its own bin, also of an entry', async () => {
  const { time, by } = await get(`${SUMMARY}?category=half&bins=hour&timezone=Australia/Lord_Howe&by=category`)
  const bins = ['2011-10-01T14:30Z', '2011-10-01T15:00Z'].map((instant) => [Date.parse(instant), 1])
  expect(time.bins).toEqual(bins)
  expect(by.category).toEqual({
    entries: [{ value: 'half', count: 2, bins }],
    more: 0,
    rest: { count: 0, bins: [] },
  })
})

it('a number of bins stays in UTC, and the zone reads the filters', async () => {
  const period = 'timestamp_start__gte=2011-10-02&bins=10'
  const [zoned, plain] = await Promise.all(
    [`${period}&timezone=Australia/Lord_Howe`, 'timestamp_start__gte=2011-10-01T13:30:00Z&bins=10'].map((query) =>
      get(`${SUMMARY}?${query}`),
    ),
  )
  expect(zoned).toEqual(plain)
})

it('a 400 tells how to enter a time zone', async () => {
  const { status, body } = await answer(`${SUMMARY}?bins=day&timezone=Amsterdam`)
  const message = 'Enter the IANA name of a time zone, such as Europe/Amsterdam.'
  expect([status, body]).toEqual([400, { timezone: [message] }])
})
