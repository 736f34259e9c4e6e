import { beforeAll, describe, expect, it } from 'vitest'
import { ask, freezeClock } from '../engine/cost.ts'
import type { EventRecord, ObservationTypeRecord } from '../records.ts'
import { get, load } from '../service.ts'
import { splitRows } from '../tags.ts'
import { CALLERS, eventIds, eventOf, pair, refusal, seriesOf } from './records.ts'

const LEVELS = { Public: 0, Common: 100, Private: 200, Hidden: 300 }
/** The code of the third type is the id of the first. Two types have one code. */
const CODES = ['wind_speed', 'water_level', '1', 'twin', 'twin', 'Wind_speed', ' padded', 'é,ü']
const TYPES = CODES.map(
  (code, i): ObservationTypeRecord => ({ kind: 'observation_type', id: i + 1, code, name: code, unit: null }),
)
const DAY = 86_400_000

/** A series of each type at each level. Series of a higher level have more events. */
const SERIES = Object.values(LEVELS).flatMap((access_modifier, level) =>
  TYPES.map(({ id }) => seriesOf(level * 10 + id, { observation_type: id, access_modifier, name: `Station ${id}` })),
)
const EVENTS = SERIES.flatMap(({ id: series, access_modifier }) =>
  Array.from({ length: 3 + access_modifier / 50 }, (_, i): EventRecord => {
    const start = i * DAY
    const place = [i, series, 0] as const
    return eventOf(series * 100 + i, {
      series,
      start,
      end: start + i,
      category: i % 2 ? 'flood' : 'storm',
      coordinates: place,
    })
  }),
)

freezeClock()
beforeAll(() => load([...TYPES, ...SERIES, ...EVENTS]))

type Matches = (event: EventRecord) => boolean
const seriesWith = (id: number) => SERIES.find((each) => each.id === id) ?? expect.fail(`no series ${id}`)

/** Finds by the slowest obvious way: a number is an id, and anything else a code. */
const ofType =
  (...values: string[]): Matches =>
  ({ series }) => {
    const { id, code } = TYPES[seriesWith(series).observation_type - 1] ?? expect.fail()
    return values.some((value) => (/^\s*\d+(\.0*)?\s*$/.test(value) ? Number(value) === id : value === code))
  }
const ofLevel =
  (level: number): Matches =>
  ({ series }) =>
    seriesWith(series).access_modifier === level

const TYPE = 'event_series__observation_type'
const LEVEL = 'event_series__access_modifier'
const FILTERS: readonly (readonly [string, Matches])[] = [
  ...['1', ' 2 ', '+03', '4.0', '999', '99999999999999999999999', 'wind_speed', 'WIND_SPEED', 'Wind_speed'].map(
    (value) => [pair(TYPE, value), ofType(value.replace('+', ''))] as const,
  ),
  ...['twin', 'none', ' padded', 'padded', 'é,ü', "'; DROP TABLE event; --"].map(
    (value) => [pair(`${TYPE}__exact`, value), ofType(value)] as const,
  ),
  [pair(`${TYPE}__in`, '1,water_level,twin,none'), ofType('1', 'water_level', 'twin')],
  [`${TYPE}__in=1&${TYPE}__in=twin`, ofType('1', 'twin')],
  [`${TYPE}=`, () => true],
  ...Object.entries(LEVELS).flatMap(([name, level]) =>
    [name, name.toUpperCase(), ` ${level} `].map((value) => [pair(LEVEL, value), ofLevel(level)] as const),
  ),
  [`${TYPE}=wind_speed&${LEVEL}=Common`, (event) => ofType('1')(event) && ofLevel(100)(event)],
]
const OTHERS: readonly (readonly [string, Matches])[] = [
  ['', () => true],
  ['&category=flood', ({ category }) => category === 'flood'],
  ['&timestamp_start__gte=1970-01-03&ordering=-timestamp_start', ({ start }) => start >= 2 * DAY],
  ['&bbox=1,0,3,25', ({ coordinates: at }) => at !== null && at[0] >= 1 && at[0] <= 3 && at[1] <= 25],
  [
    '&geom_within=POLYGON((-1+-1,3.5+-1,0+90,-1+-1))&id__lt=2500',
    ({ id, coordinates: at }) => id < 2500 && at !== null && 91 * at[0] + 3.5 * at[1] < 315,
  ],
  ['&event_series__name__icontains=TION+4&event_series=c0ffee', ({ series }) => series % 10 === 4],
]
describe('events by the kind of their series equal those of a scan of all, alone and with others', () => {
  const all = CALLERS.flatMap(([level, of]) => FILTERS.map(([filter, test]) => [filter, level, test, of] as const))
  for (const [how, rows] of splitRows(8, all))
    it.each(rows)('%s at level %d', how, async (filter, level, matches, optionsOf) => {
      const options = await optionsOf()
      for (const [other, also] of OTHERS) {
        const seen = EVENTS.filter(({ series }) => seriesWith(series).access_modifier <= level)
        const ids = seen.filter((each) => matches(each) && also(each)).map(({ id }) => id)
        const found = await eventIds(filter + other, options)
        expect(
          found.sort((a, b) => a - b),
          other,
        ).toEqual(ids)
        const { count } = await get(`/api/v3/events/summary/?${filter}${other}`, options)
        expect(count, `summary ${other}`).toBe(ids.length)
      }
    })

  it.each(CALLERS)('features of /ogc at level %d', async (level, optionsOf) => {
    const path = `/ogc/collections/events/items?limit=1&${TYPE}=twin&${LEVEL}=Public`
    const { numberMatched } = await get(path, await optionsOf())
    expect([level, numberMatched]).toEqual([
      level,
      EVENTS.filter((each) => ofType('twin')(each) && ofLevel(0)(each)).length,
    ])
  })
})

describe('hidden events do not influence the cost', () => {
  it('a level that the caller does not see reads as many rows, however many events it has', async () => {
    const costOf = async (value: string) => {
      const { body, rows, trips } = await ask({ query: { [LEVEL]: value } }, '/api/v3/events/')
      return { count: body.count, rows, trips }
    }
    await costOf('Public') // reads the statistics
    const common = await costOf('Common')
    expect(common.count).toBe(0)
    expect(await costOf('Hidden')).toEqual(common)
  })
})

describe('a wrong value is a 400', () => {
  it.each([
    [`${LEVEL}=secret`, { [LEVEL]: ['Enter one of Public (0), Common (100), Private (200), Hidden (300).'] }],
    [`${LEVEL}=50`, { [LEVEL]: ['Enter one of Public (0), Common (100), Private (200), Hidden (300).'] }],
    [`${TYPE}=%00`, { [TYPE]: ['Null characters are not allowed.'] }],
    [`${TYPE}__gt=1`, { [`${TYPE}__gt`]: [expect.stringMatching(/^Unknown parameter/)] }],
  ])('%s', async (query, body) => {
    expect(await refusal(query)).toEqual(body)
  })
})
