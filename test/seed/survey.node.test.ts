import { describe, expect, it } from 'vitest'
import { createFaults } from '../../seed/load/faults.ts'
import { Survey } from '../../seed/load/survey.ts'
import { crsOf } from '../../seed/read/crs.ts'
import type { EventRecord } from '../records.ts'

const event = (more: Partial<EventRecord> = {}): EventRecord => ({
  ...{
    kind: 'event',
    id: 0,
    series: 1,
    category: 'a',
    value: '',
    start: 0,
    end: 0,
    coordinates: [5, 52, 0],
    object: null,
  },
  ...more,
})

describe('the report of a load contains', () => {
  it('the period, the bounds, the categories, events without geometry, and duplicates', () => {
    const survey = new Survey()
    const events = [
      event(),
      event({ category: 'b', coordinates: null }),
      event({ start: -1, coordinates: [-1, 60, 0] }),
      event(),
    ]
    expect(events.map((each) => survey.add(each))).toEqual([true, true, true, false])
    expect(survey.lines()).toEqual([
      'Period: 1969-12-31T23:59:59.999Z to 1970-01-01T00:00:00.000Z',
      'Bounds: longitude -1 to 5, latitude 52 to 60',
      'Categories: 2 ("a" 3, "b" 1)',
      'Without a place: 1 of 4 events',
      'Equal to an earlier event: 1 of 4 events',
    ])
  })

  it('no line if no event was read', () => {
    expect(new Survey().lines()).toEqual([])
  })

  it.each([
    [false, [true, true]],
    [true, [true, false]],
  ])('duplicates with different ids, if the option asks for them: %j', (withIds, firsts) => {
    const survey = new Survey(withIds)
    expect([event({ id: 1 }), event({ id: 2 })].map((each) => survey.add(each))).toEqual(firsts)
  })
})

describe('a warning about positions outside the area of their reference system', () => {
  const warningOf = async (srid: number, places: readonly EventRecord['coordinates'][]) => {
    const [survey, crs] = [new Survey(), await crsOf(srid, '--crs')]
    for (const [i, coordinates] of places.entries())
      survey.add(event({ coordinates }), () => `a.csv, line ${i + 2}`, crs)
    return survey.lines().find((line) => line.startsWith('Warning')) ?? null
  }
  const warning = (count: string, system: string, line: number) =>
    `Warning: ${count} events lie outside the area of ${system}, the first at a.csv, line ${line}. Are x and y swapped?`
  const UTRECHT: EventRecord['coordinates'] = [5.1, 52.1, 0]

  it.each<[string, number, readonly EventRecord['coordinates'][], string | null]>([
    ['RD, in Utrecht and without a place', 28992, [UTRECHT, null], null],
    ['RD, somewhat outside the Netherlands', 28992, [[2.5, 51, 0]], null],
    ['RD with x and y swapped', 28992, [UTRECHT, [9.6, 49.3, 0], [9.7, 49.3, 0]], warning('2 of 3', 'EPSG:28992', 3)],
    ['UTM zone 31 north, in Germany', 32631, [[8.9, 48, 0]], null],
    ['UTM zone 31 north, in Brazil', 32631, [[-46, -23, 0]], warning('1 of 1', 'EPSG:32631', 2)],
    ['web mercator, anywhere', 3857, [[-179, 85, 0]], null],
  ])('%s', async (_, srid, places, expected) => {
    expect(await warningOf(srid, places)).toBe(expected)
  })
})

describe('the list of faults', () => {
  it('has the first three faults of each kind, in the order of their lines', () => {
    const faults = createFaults()
    for (let i = 1; i <= 150; i++) faults.add(`"lat" is "52,${i}": enter a number`, () => `a.csv, line ${i}`)
    faults.add('"time" is "soon": enter ISO 8601', () => 'a.csv, line 151')
    for (let i = 1; i <= 3; i++) faults.add(`event id ${i} exists already`, () => `a.csv, line ${i}`)
    expect(faults.count()).toBe(154)
    expect(faults.lines()).toEqual([
      'a.csv, line 1: "lat" is "52,1": enter a number',
      'a.csv, line 1: event id 1 exists already',
      'a.csv, line 2: "lat" is "52,2": enter a number',
      'a.csv, line 2: event id 2 exists already',
      'a.csv, line 3: "lat" is "52,3": enter a number\n  and 147 more like these',
      'a.csv, line 3: event id 3 exists already',
      'a.csv, line 151: "time" is "soon": enter ISO 8601',
    ])
  })

  it('counts further kinds of faults', () => {
    const faults = createFaults()
    for (let i = 0; i < 25; i++) faults.add(`fault ${'x'.repeat(i)}`, () => 'a')
    expect(faults.lines().slice(-1)).toEqual(['and 5 faults of other kinds'])
  })
})
