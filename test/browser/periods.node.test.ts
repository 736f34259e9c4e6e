import { afterEach, describe, expect, it } from 'vitest'
import { parameter, queryOf } from '../../src/web/state/address.ts'
import { zoneAsked } from '../../src/web/state/format.ts'
import { earlier, inPeriod, periodIn, saidPeriod, shortNames } from '../../src/web/state/periods.ts'

const iso = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z')
const placed = (query: string) => ({
  path: '/api/v3/events/',
  parameters: Array.from(new URLSearchParams(query), ([name, value]) => parameter(name, value)),
})
const read = (query: string) => {
  const period = periodIn(placed(query))
  return period && { from: period.from, before: period.before }
}

afterEach(() => {
  zoneAsked.value = null
})

describe('the period of a list', () => {
  it.each([
    ['range=2025-10-01,2026-03-31T23:59:59.999999', '2025-09-30T22:00:00Z', '2026-03-31T22:00:00Z'],
    ['gte=2026-03-29&timestamp_start__lt=2026-03-30', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    [
      'gte=2026-01-01T00:00:00Z&timestamp_start__lte=2026-01-31T23:59:59.999999Z',
      '2026-01-01T00:00:00Z',
      '2026-02-01T00:00:00Z',
    ],
  ])('%s begins and ends on the clock of the page', (query, from, before) => {
    zoneAsked.value = 'Europe/Amsterdam'
    const period = read(`timestamp_start__${query}`)
    expect(period && [iso(period.from), iso(period.before)]).toEqual([from, before])
  })

  it.each(['gte=2026-01-01', 'lt=2026-01-01', 'range=now-7d,now', 'gte=2026-02-01&timestamp_start__lt=2026-01-01'])(
    '%s is none',
    (query) => {
      expect(read(`timestamp_start__${query}`)).toBe(null)
    },
  )
})

describe('the period before', () => {
  it.each([
    // Whole months move by months, and a year by a year.
    ['2025-10-01', '2026-04-01', 'before', '2025-03-31T22:00:00Z', '2025-09-30T22:00:00Z'],
    ['2025-10-01', '2026-04-01', 'year', '2024-09-30T22:00:00Z', '2025-03-31T22:00:00Z'],
    ['2026-03-01', '2026-04-01', 'before', '2026-01-31T23:00:00Z', '2026-02-28T23:00:00Z'],
    // A week that changes its clock begins and ends at midnight.
    ['2026-03-26', '2026-04-02', 'before', '2026-03-18T23:00:00Z', '2026-03-25T23:00:00Z'],
    ['2024-02-29', '2024-03-01', 'year', '2023-02-28T23:00:00Z', '2023-02-28T23:00:00Z'],
  ] as const)('%s to %s, %s', (from, before, comparison, first, end) => {
    zoneAsked.value = 'Europe/Amsterdam'
    const period = read(`timestamp_start__gte=${from}&timestamp_start__lt=${before}`)
    const other = period && earlier(period, comparison)
    expect(other && [iso(other.from), iso(other.before)]).toEqual([first, end])
  })

  it('replaces each filter by start, and keeps the others', () => {
    const place = placed('category=flood&timestamp_start__range=2025-01-01,2025-02-01&page=2&ordering=id')
    expect(queryOf(inPeriod(place, { from: 0, before: 86_400_000 }))).toBe(
      '?category=flood&timestamp_start__gte=1970-01-01T00:00:00.000Z&timestamp_start__lt=1970-01-02T00:00:00.000Z&ordering=id',
    )
  })
})

it('periods have short names by their years, and words if these are equal', () => {
  const of = (from: string, before: string) => ({ from: Date.parse(from), before: Date.parse(before) })
  const winters = [of('2025-10-01', '2026-04-01'), of('2024-10-01', '2025-04-01')]
  expect([shortNames(winters), winters.map(saidPeriod)]).toEqual([
    ['2025/26', '2024/25'],
    ['Oct 1, 2025\u2009–\u2009Mar 31, 2026', 'Oct 1, 2024\u2009–\u2009Mar 31, 2025'],
  ])
  expect(shortNames([of('2026-03-01', '2026-04-01'), of('2026-02-01', '2026-03-01')])).toEqual(['Now', 'Earlier'])
})
