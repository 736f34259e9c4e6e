import { describe, expect, it, vi } from 'vitest'
import { UTC } from '../../src/base/zone.ts'
import { filterOf } from '../../src/web/list/filter.ts'
import { givenIn, parameter, placeOf, queryOf, zoneIn } from '../../src/web/state/address.ts'
import { chooseZone, clock, zoneAsked } from '../../src/web/state/format.ts'
import { askedInterval, askedOf, readTime, shownOf, type TimeReader } from '../../src/web/state/read/times.ts'

/** Monday 23 November 2026, 21:39. */
const NOW = Date.UTC(2026, 10, 23, 21, 39)
const DUTCH: TimeReader = { language: 'nl', clock: UTC, now: NOW }

const periodOf = (text: string, language = 'en-GB') => {
  const time = readTime(text, language)
  const iso = (at: number) => new Date(at).toISOString()
  return time && [iso(time.from), time.before === null ? null : iso(time.before)]
}
const FIFTH = ['2018-02-05T00:00:00.000Z', '2018-02-06T00:00:00.000Z']
const FEBRUARY = ['2018-02-01T00:00:00.000Z', '2018-03-01T00:00:00.000Z']

describe('a time in the way people write it', () => {
  it.each([
    ['2018', 'en', ['2018-01-01T00:00:00.000Z', '2019-01-01T00:00:00.000Z']],
    ['2018-12', 'en', ['2018-12-01T00:00:00.000Z', '2019-01-01T00:00:00.000Z']],
    ['2018-02', 'en', FEBRUARY],
    ['2/2018', 'nl', FEBRUARY],
    ['februari 2018', 'nl', FEBRUARY],
    ['Feb 2018', 'nl', FEBRUARY],
    [' 2018-02-05 ', 'en', FIFTH],
    ['2018-2-5', 'en', FIFTH],
    ['2018/02/05', 'en', FIFTH],
    ['5-2-2018', 'nl', FIFTH],
    ['05-02-2018', 'nl-NL', FIFTH],
    ['5.2.2018', 'de', FIFTH],
    ['05.02.2018', 'en-US', FIFTH],
    ['05/02/2018', 'en-GB', FIFTH],
    ['2/5/2018', 'en-US', FIFTH],
    ['5 februari 2018', 'nl', FIFTH],
    ['5. Februar 2018', 'de', FIFTH],
    ['5 février 2018', 'fr', FIFTH],
    ['Feb 5, 2018', 'en-US', FIFTH],
    ['5 Feb 2018', 'nl', FIFTH],
    ['2018-02-05 14:30', 'en', ['2018-02-05T14:30:00.000Z', null]],
    ['2018-02-05T14:30:01.5', 'en', ['2018-02-05T14:30:01.500Z', null]],
    ['5 feb 2018, 9:05', 'nl', ['2018-02-05T09:05:00.000Z', null]],
    ['0099-01-01', 'en', ['0099-01-01T00:00:00.000Z', '0099-01-02T00:00:00.000Z']],
  ])('%s in %s', (text, language, period) => {
    expect(periodOf(text, language)).toEqual(period)
  })

  it.each([
    '',
    'yesterday',
    '2018-13',
    '2018-02-30',
    '30-02-2018',
    '2018-02-05 25:00',
    '2018 14:30',
    '2018-02-05T14:30Z',
    '2018-02-05T14:30:00+01:00',
    '1517365101235',
    'Feb 5 18',
  ])('%j is not a time', (text) => {
    expect(readTime(text, 'en')).toBeNull()
  })
})

describe('a time in the form becomes a filter, and the filter is shown as the same time', () => {
  it.each([
    ['gte', '2018', 'gte', '2018-01-01'],
    ['lt', '2018-02', 'lt', '2018-02-01'],
    ['gte', '5-2-2018', 'gte', '2018-02-05'],
    ['lte', '2018-02-05', 'lte', '2018-02-05T23:59:59.999999Z'],
    ['gt', '2018-02', 'gt', '2018-02-28T23:59:59.999999Z'],
    ['lte', '2018-02-05 14:30', 'lte', '2018-02-05T14:30:00Z'],
    ['', '2018-02-05', 'range', '2018-02-05,2018-02-05T23:59:59.999999Z'],
    ['', '2018-02-05 14:30', '', '2018-02-05T14:30:00Z'],
    ['range', '2017, 2018', 'range', '2017-01-01,2018-12-31T23:59:59.999999Z'],
    ['range', '2017', 'range', '2017-01-01,2017-12-31T23:59:59.999999Z'],
    ['lte', '2018-02-05T14:30:00+01:00', 'lte', '2018-02-05T14:30:00+01:00'],
    ['gte', 'someday', 'gte', 'someday'],
  ])('%s %s', (lookup, text, asked, value) => {
    expect(askedOf(lookup, text, DUTCH)).toEqual([asked, value])
    // The text in the form then gives the same condition.
    expect(askedOf(asked, shownOf(asked, value, UTC), DUTCH)).toEqual([asked, value])
  })

  it.each([
    ['lte', '2018-02-05T23:59:59.999999Z', '2018-02-05'],
    ['range', '2018-02-05,2018-02-05T23:59:59.999999Z', '2018-02-05'],
    ['range', '2018-02-05,2018-02-06T23:59:59.999999Z', '2018-02-05 – 2018-02-06'],
    ['gte', '2018-02-05T23:59:59.999999Z', '2018-02-05T23:59:59.999999Z'],
    ['lt', '2018-02-05T14:30:00Z', '2018-02-05 14:30:00'],
  ])('%s %s is shown as %s', (lookup, value, shown) => {
    expect(shownOf(lookup, value, UTC)).toBe(shown)
  })
})

describe('seasons, weeks and two ends are periods', () => {
  const WINTER = '2025-12-01,2026-02-28T23:59:59.999999Z'
  it.each([
    ['winter 2025', WINTER],
    ['winter 2025/26', WINTER],
    ['winter 2025-2026', WINTER],
    ['winter 2025/2026', WINTER],
    ['winter 2025 - 2026', WINTER],
    ['De winter 2025 – 2026', WINTER],
    ['winterhalfjaar 2025', '2025-10-01,2026-03-31T23:59:59.999999Z'],
    ['winterhalfjaar 2025/26', '2025-10-01,2026-03-31T23:59:59.999999Z'],
    ['Winter half-year 2025', '2025-10-01,2026-03-31T23:59:59.999999Z'],
    ['zomerhalfjaar 2026', '2026-04-01,2026-09-30T23:59:59.999999Z'],
    ['vorig winterhalfjaar', '2025-10-01,2026-03-31T23:59:59.999999Z'],
    ['dit winterhalfjaar', '2026-10-01,2027-03-31T23:59:59.999999Z'],
    ['1 okt t/m 31 mrt', '2026-10-01,2027-03-31T23:59:59.999999Z'],
    ['1 dec - 28 februari', '2025-12-01,2026-02-28T23:59:59.999999Z'],
    ['juni t/m augustus', '2026-06-01,2026-08-31T23:59:59.999999Z'],
    ['winter 2024/2025', '2024-12-01,2025-02-28T23:59:59.999999Z'],
    ['afgelopen winter', WINTER],
    ['de vorige winter', WINTER],
    ['last winter', WINTER],
    ['deze winter', WINTER],
    ['next winter', '2026-12-01,2027-02-28T23:59:59.999999Z'],
    ['zomer 2026', '2026-06-01,2026-08-31T23:59:59.999999Z'],
    ['spring 2024', '2024-03-01,2024-05-31T23:59:59.999999Z'],
    ['winter 2023', '2023-12-01,2024-02-29T23:59:59.999999Z'],
    ['last autumn', '2025-09-01,2025-11-30T23:59:59.999999Z'],
    ['deze herfst', '2026-09-01,2026-11-30T23:59:59.999999Z'],
    ['week 3 2026', '2026-01-12,2026-01-18T23:59:59.999999Z'],
    ['Week 53 2026', '2026-12-28,2027-01-03T23:59:59.999999Z'],
    ['2026-W01', '2025-12-29,2026-01-04T23:59:59.999999Z'],
    ['dec 2025 - feb 2026', WINTER],
    ['Dec 2025 – Feb 2026', WINTER],
    ['December 2025 to February 2026', WINTER],
    ['1 dec 2025 t/m 28 feb 2026', WINTER],
    ['van 1 december 2025 tot en met 28 februari 2026', WINTER],
    ['from 2025-12-01 until 2026-02-28', WINTER],
    ['1-12-2025 tot 28-2-2026', WINTER],
    ['1 dec 2025 t/m 1 mrt 2026', '2025-12-01,2026-03-01T23:59:59.999999Z'],
    ['7 days ago - now', 'now-7d,now'],
    ['nu - over 2 weken', 'now,now+2w'],
    ['vorig kwartaal', '2026-07-01,2026-09-30T23:59:59.999999Z'],
    ['afgelopen kwartaal', '2026-07-01,2026-09-30T23:59:59.999999Z'],
    ['this quarter', '2026-10-01,2026-12-31T23:59:59.999999Z'],
    ['Q1 2026', '2026-01-01,2026-03-31T23:59:59.999999Z'],
    ['kwartaal 4 2025', '2025-10-01,2025-12-31T23:59:59.999999Z'],
    ['laatste 30 dagen', 'now-30d,now'],
  ])('%s', (text, range) => {
    expect(askedOf('', text, DUTCH)).toEqual(['range', range])
    expect(askedOf('range', text, DUTCH)).toEqual(['range', range])
    expect(askedInterval(text, DUTCH)).toBe(range.replace(',', '/').replace('T23:59:59.999999Z', ''))
  })

  it.each(['zomer 2025/2026', 'summer 2025 - 2026', 'zomer 2025-2026', 'winter 2025/2027', 'winter 2025/24'])(
    '%s is not a period',
    (text) => {
      expect(askedOf('', text, DUTCH)).toEqual(['', text])
      expect(askedOf('range', text, DUTCH)).toEqual(['range', text])
      expect(askedInterval(text, DUTCH)).toBe(text)
    },
  )

  it.each([
    ['gte', 'winter 2025', 'gte', '2025-12-01'],
    ['lte', 'winter 2025', 'lte', '2026-02-28T23:59:59.999999Z'],
    ['gte', 'dec 2025 - feb 2026', 'range', WINTER],
    ['gte', 'Week 53, 2026', 'gte', '2026-12-28'],
    ['', 'week 54 2026', '', 'week 54 2026'],
    ['', 'week 53 2025', '', 'week 53 2025'],
    ['', 'winter', '', 'winter'],
    ['', 'some - day', '', 'some - day'],
  ])('%s %s', (lookup, text, asked, value) => {
    expect(askedOf(lookup, text, DUTCH)).toEqual([asked, value])
  })

  it.each([
    ['2025-12/2026-02', '2025-12-01/2026-02-28'],
    ['1-12-2025/28-2-2026', '2025-12-01/2026-02-28'],
    ['2017-01-01/2017-12-31', '2017-01-01/2017-12-31'],
    ['2018-02-05', '2018-02-05'],
    ['5-2-2018 14:30', '2018-02-05T14:30:00Z'],
    ['2018-02-05/..', '2018-02-05/..'],
    ['3 dagen geleden', 'now-3d'],
    ['someday', 'someday'],
  ])('the interval %s', (text, value) => {
    expect(askedInterval(text, DUTCH)).toBe(value)
  })
})

const PERIOD = { name: 'datetime', label: ['', ''], kind: 'interval', group: 'when', lookups: [''] } as const

describe('words become days, and stay relative where the service has relative times', () => {
  const LAST = 'T23:59:59.999999Z'
  it.each([
    ['gte', 'today', 'gte', '2026-11-23'],
    ['lte', 'vandaag', 'lte', `2026-11-23${LAST}`],
    ['', 'gisteren', 'range', `2026-11-22,2026-11-22${LAST}`],
    ['lt', 'Yesterday', 'lt', '2026-11-22'],
    ['gte', 'eergisteren', 'gte', '2026-11-21'],
    ['', 'this week', 'range', `2026-11-23,2026-11-29${LAST}`],
    ['', 'vorige week', 'range', `2026-11-16,2026-11-22${LAST}`],
    ['', 'last month', 'range', `2026-10-01,2026-10-31${LAST}`],
    ['gt', 'vorig jaar', 'gt', `2025-12-31${LAST}`],
    ['', 'volgend jaar', 'range', `2027-01-01,2027-12-31${LAST}`],
    ['range', 'last month, yesterday', 'range', `2026-10-01,2026-11-22${LAST}`],
    ['gte', 'now', 'gte', 'now'],
    ['gte', 'last 7 days', 'gte', 'now-7d'],
    ['', 'de afgelopen 7 dagen', 'range', 'now-7d,now'],
    ['gte', 'past week', 'gte', 'now-1w'],
    ['lte', 'komende 2 weken', 'lte', 'now+2w'],
    ['gte', '12 uur geleden', 'gte', 'now-12h'],
    ['lte', '3 days ago', 'lte', 'now-3d'],
    ['gte', 'an hour ago', 'gte', 'now-1h'],
    ['gte', 'last 30 minutes', 'gte', '2026-11-23T21:09:00Z'],
    ['gte', 'afgelopen 3 maanden', 'gte', '2026-08-23'],
    ['gte', '9 months ago', 'gte', '2026-02-23'],
    ['', '3 days ago', '', '3 days ago'],
    ['gte', 'last parsec', 'gte', 'last parsec'],
    ['gte', 'constructor week', 'gte', 'constructor week'],
  ])('%s %s', (lookup, text, asked, value) => {
    expect(askedOf(lookup, text, DUTCH)).toEqual([asked, value])
  })

  it.each([
    ['2025-12-01/2026-02-28', '2025-12-01 – 2026-02-28', '2025-12-01 – 2026-02-28'],
    ['2018-02-05', '2018-02-05', '2018-02-05'],
    [
      '2018-02-04T23:00:00Z/2018-02-05T22:59:59.999999Z',
      '2018-02-04 23:00:00 – 2018-02-05T22:59:59.999999Z',
      '2018-02-05',
    ],
    ['2018-02-05/..', '2018-02-05/..', '2018-02-05/..'],
  ])('a date is the day that it is, in each zone of the request: %s', (value, utc, local) => {
    const shown = () => filterOf({ fields: [PERIOD] }, parameter('datetime', value))?.text
    expect(shown()).toBe(utc)
    zoneAsked.value = 'Europe/Amsterdam'
    expect(shown()).toBe(local)
    zoneAsked.value = null
  })

  it('a day in the zone of the page is that day, also when it is shown again', () => {
    zoneAsked.value = 'Europe/Amsterdam'
    const local = { ...DUTCH, clock: clock.value, now: Date.UTC(2026, 10, 23, 23, 39) }
    zoneAsked.value = null
    for (const [text, from, until] of [
      ['2018-02-05', '2018-02-04T23:00:00Z', '2018-02-05T22:59:59.999999Z'],
      ['vandaag', '2026-11-23T23:00:00Z', '2026-11-24T22:59:59.999999Z'],
      ['2018-08-05 14:30', '2018-08-05T12:30:00Z', '2018-08-05T12:30:00Z'],
    ] as const) {
      expect(askedOf('gte', text, local)[1]).toBe(from)
      expect(askedOf('lte', text, local)[1]).toBe(until)
    }
    const shown = (lookup: string, value: string) => shownOf(lookup, value, local.clock)
    expect(shown('gte', '2018-02-04T23:00:00Z')).toBe('2018-02-05')
    expect(shown('lte', '2018-02-05T22:59:59.999999Z')).toBe('2018-02-05')
    expect(shown('range', '2018-02-05,2018-08-05T12:30:00Z')).toBe('2018-02-05 – 2018-08-05 14:30:00')
    expect(shown('range', '2018-02-05,2018-02-06T23:59:59.999999')).toBe('2018-02-05 – 2018-02-06')
    expect(shown('gte', 'now-7d')).toBe('now-7d')
  })

  it.each([
    ['datetime=2025-01-01', 'UTC', 'datetime=2025-01-01&timezone=Europe/Amsterdam'],
    [
      'timestamp_start__range=2025-01-01,2025-01-31T23:59:59.999999Z',
      'UTC',
      'timestamp_start__range=2025-01-01,2025-01-31T23:59:59.999999&timezone=Europe/Amsterdam',
    ],
    ['timestamp_start__gte=2025-01-01T00:00:00Z', null, 'timestamp_start__gte=2025-01-01T00:00:00Z'],
    ['category=2025-01-01', null, 'category=2025-01-01'],
    ['start__hour__in=9,10', 'UTC', 'start__hour__in=9,10&timezone=Europe/Amsterdam'],
    ['category=a&timezone=Asia/Tokyo', 'Asia/Tokyo', 'category=a&timezone=Europe/Amsterdam'],
  ])('the zone of a query holds for the page: %s', (query, zoneOfQuery, local) => {
    vi.stubEnv('TZ', 'Europe/Amsterdam')
    vi.stubGlobal('history', { state: null, replaceState: () => {} })
    vi.stubGlobal('location', { pathname: '/', search: '', hash: '', href: 'http://localhost/' })
    const place = placeOf(`http://localhost/api/v3/events/?${query}`)
    expect(zoneIn(place)).toBe(zoneOfQuery)
    expect(queryOf(chooseZone('local', place)).slice(1)).toBe(local)
    expect(givenIn(chooseZone('utc', place), 'timezone')).toBeNull()
    vi.unstubAllGlobals()
    vi.unstubAllEnvs()
  })
})
