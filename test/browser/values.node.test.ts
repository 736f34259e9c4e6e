import { afterEach, describe, expect, it, vi } from 'vitest'
import { attributeLabel } from '../../src/formats/columns.ts'
import { geometryOf, positionsOf, wktOf } from '../../src/web/map/shown.ts'
import { changed, exchanged, givenIn, hrefOf, type PageAddress, queryOf } from '../../src/web/state/address.ts'
import {
  formatBounds,
  formatCompact,
  formatCount,
  formatDay,
  formatDuration,
  formatExact,
  formatNumber,
  formatPosition,
  formatterOf,
  formatValue,
  zone,
} from '../../src/web/state/format.ts'
import { language } from '../../src/web/state/text.ts'

const place = (query: string): PageAddress => ({
  path: '/api/v3/events/',
  parameters: Array.from(new URLSearchParams(query), ([name, value]) => ({ name, value })),
})

describe('the address of a list', () => {
  it.each<[string, Record<string, string | null>, string]>([
    ['category=a&page=3&hint=x', { ordering: 'id' }, '?category=a&ordering=id'],
    ['category=a&page=3&hint=x', { page: 'last' }, '?category=a&page=last'],
    ['category=a&page_size=5', { category: null }, '?page_size=5'],
    [
      'geom_within=POLYGON ((3 50, 8 50))',
      { category: 'a b&c' },
      '?geom_within=POLYGON+((3+50,+8+50))&category=a+b%26c',
    ],
    ['category=a', { object: 'airport$9' }, '?category=a&object=airport$9'],
    ['category=a', { category: '2018-01-01T00:00:00+01:00' }, '?category=2018-01-01T00:00:00%2B01:00'],
  ])('%s with %j is %s', (from, changes, to) => {
    expect(queryOf(changed(place(from), changes))).toBe(to)
  })

  it('keeps ordering, page size and format when the filters change', () => {
    const [after] = place('object_id=3').parameters
    const next = exchanged(place('category=a&ordering=-id&page=2&page_size=5'), ['category'], after ? [after] : [])
    expect(hrefOf(next)).toBe('/api/v3/events/?object_id=3&ordering=-id&page_size=5')
  })

  it('a value is decoded', () => {
    expect(givenIn(place('category=a+b%2Bc%C3%A9'), 'category')).toBe('a b+cé')
    expect(givenIn(place('category=a'), 'object')).toBeNull()
  })
})

describe('geometries', () => {
  it.each([
    ['POLYGON ((3 50, 8 50, 8 54, 3 50))', '3,50 8,50 8,54 3,50'],
    ['SRID=4326;POINT (5 52)', '5,52'],
    ['{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]}]}', '1,2'],
    ['POLYGON EMPTY', ''],
  ])('%s', (text, positions) => {
    const area = geometryOf(text)
    expect(area && positionsOf(area).join(' ')).toBe(positions)
  })

  it.each(['', 'POLYGON ((3 50', 'SRID=28992;POINT (155000 463000)', '0101', '{"type":"Point"}'])(
    '%j is not drawn',
    (text) => {
      expect(geometryOf(text)).toBeNull()
    },
  )

  it('a drawn shape is the same after it is written and read', () => {
    const coordinates = [
      [
        [3.1234567, 50],
        [8, 50],
        [8, -1e-9],
        [3.1234567, 50],
      ],
    ]
    const text = 'POLYGON ((3.12346 50, 8 50, 8 0, 3.12346 50))'
    expect(wktOf({ type: 'Polygon', coordinates })).toBe(text)
    expect(geometryOf(text)).not.toBeNull()
  })
})

describe('values as the page shows them', () => {
  afterEach(() => {
    zone.value = 'utc'
    vi.unstubAllEnvs()
  })

  it.each([
    [[0, null], '1970-01-01'],
    [[0, 1], '1970-01-01 00:00:00'],
    [[0, 60_000], '1970-01-01 00:00'],
    [[1517365101235], '2018-01-31 02:18:21'],
    [[-1, 0], '1969-12-31 23:59:59'],
    [['2018-02-07T01:49:14.000001Z'], '2018-02-07 01:49:14'],
    [[null, 0], '–'],
  ])('of the instants %j the first is %s', (instants, text) => expect(formatterOf(instants)(instants[0])).toBe(text))

  it.each([
    ['aantal_gewonden', 'Aantal gewonden'],
    ['uur', 'Uur'],
    ['maxSpeed', 'Max speed'],
    ['Volume (m³)', 'Volume (m³)'],
    ['pH', 'pH'],
    ['NO2', 'NO2'],
    ["'s-Gravenhage", "'s-Gravenhage"],
  ])('the attribute %s is %s', (name, label) => expect(attributeLabel(name)).toBe(label))

  it.each([
    [1234.5, 2, true, '1,234.50'],
    [1998, 0, false, '1998'],
    [19_980, 0, false, '19,980'],
    [0.123456789, 2, false, '0.123456789'],
  ])('the number %d with %d decimals, measured: %j, is %s', (number, decimals, isMeasured, text) => {
    expect(formatNumber(number, decimals, isMeasured)).toBe(text)
  })

  it.each([
    [0, '0 s'],
    [1500, '1 s 500 ms'],
    [86_400_000 * 1200 + 3_600_000, '1,200 d 1 h'],
    [-60_000, '−1 min'],
  ])('%d milliseconds are %s', (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text))

  it.each([
    ['3020.5', '3020,5'],
    ['-0.25', '-0,25'],
    ['2018', '2018'],
    ['Alex 2010: 9.5 kn', 'Alex 2010: 9.5 kn'],
    ['10.1.2', '10.1.2'],
    ['', ''],
  ])('the value %j is %j in Dutch, and stays in English', (value, dutch) => {
    expect(formatValue(value)).toBe(value)
    language.value = 'nl'
    expect(formatValue(value)).toBe(dutch)
    language.value = 'en'
  })

  it('Dutch has its own separators, units and names of directions', () => {
    language.value = 'nl'
    expect(formatCount(15_175)).toBe('15.175')
    expect(formatCompact(15_175)).toBe('15,2K')
    expect(formatDuration(86_400_000 * 1200 + 3_600_000)).toBe('1.200 d 1 u')
    expect(formatPosition([136.5559, -59.8411])).toBe('59,841°\u00a0Z 136,556°\u00a0O')
    expect(formatBounds({ west: -10, east: 20, south: 0, north: 5 })).toBe('0,0 – 5,0° N, 10,0° W – 20,0° O')
    language.value = 'en'
  })

  it.each([
    ['Europe/Amsterdam', ['2002-07-24', '2002-01-01'], '2002-07-24 02:00:00'],
    // There, midnight in UTC is on the day before.
    ['America/New_York', ['2002-07-23 20:00', '2001-12-31 19:00'], '2002-07-23 20:00:00'],
  ])('instants at midnight in UTC are days in %s if it has the same days', (name, expected, second) => {
    vi.stubEnv('TZ', name)
    zone.value = 'local'
    const days = [Date.UTC(2002, 6, 24), Date.UTC(2002, 0, 1)]
    expect(days.map(formatterOf(days))).toEqual(expected)
    expect(formatterOf([...days, 1])(days[0])).toBe(second)
  })

  it('local time shows the clock of the browser, and its distance from UTC', () => {
    vi.stubEnv('TZ', 'Asia/Kolkata')
    zone.value = 'local'
    const winter = new Date(2018, 0, 31, 2, 18, 21, 235)
    const midnight = new Date(2018, 0, 31).getTime()
    expect(formatterOf([winter.getTime(), midnight])(winter.getTime())).toBe('2018-01-31 02:18:21')
    expect(formatterOf([midnight])(midnight)).toBe('2018-01-31')
    expect(formatDay(winter.toISOString())).toBe('2018-01-31')
    expect(formatExact(winter.getTime())).toMatch(/^2018-01-31 02:18:21\.235 [+−]\d\d:\d\d$/)
    zone.value = 'utc'
    expect(formatExact(1517365101235)).toBe('2018-01-31 02:18:21.235 UTC')
  })

  it('positions and bounds in degrees', () => {
    expect(formatPosition([-136.5559, 59.8411, 0])).toBe('59.841°\u00a0N 136.556°\u00a0W')
    expect(formatBounds({ west: -10, east: 20, south: -5.25, north: 5 })).toBe('5.3° S – 5.0° N, 10.0° W – 20.0° E')
  })
})
