import { beforeAll, expect, it } from 'vitest'
import type { EventRecord } from '../../../records.ts'
import { answer, get, load } from '../../../service.ts'
import { EVENTS, foundation } from '../../world.ts'

const SUMMARY = `${EVENTS}summary/`
/** The clock of Lord Howe moves half an hour forward at the second instant. */
const atHalf = ['2011-10-01T15:00Z', '2011-10-01T15:30Z'].map((instant, i): EventRecord => {
  const start = Date.parse(instant)
  const rest = { value: '', category: 'half', coordinates: null, object: null } as const
  return { kind: 'event', id: 9000 + i, series: 1, start, end: start, ...rest }
})

beforeAll(() => load([...foundation, ...atHalf]))

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
