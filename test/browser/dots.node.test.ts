import type { Feature } from 'geojson'
import { describe, expect, it } from 'vitest'
import { classesOf, type DotColumn, dotsOf, placesOf } from '../../src/web/map/dots.ts'

const eventAt = (x: number, properties: object): Feature => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [x, 52] },
  properties: { color: '#123456', ...properties },
})
const VOLUME: DotColumn = { name: 'value', title: 'Volume (m³)', statistic: 'sum' }
const TOWN: DotColumn = { name: 'attributes__Town', title: 'Town', statistic: null }

const volumes = (...values: readonly (number | undefined)[]) =>
  placesOf(values.map((value_number, i) => eventAt(i, { value_number })))

describe('the dots of a map', () => {
  it('are one for all events at a place', () => {
    const places = placesOf([eventAt(1, {}), eventAt(2, {}), eventAt(1, {})])
    const dots = dotsOf(places, null, [], () => '').map(({ properties }) => properties)
    expect(dots).toEqual([
      { color: '#123456', size: 1 + 0.4 * Math.log10(2), count: 2 },
      { color: '#123456', size: 1, count: 1 },
    ])
  })

  it.each<readonly [string, readonly (number | undefined)[], readonly string[]]>([
    ['ten numbers', [10, 3, 1, 2, 4, 5, 6, 7, 8, 9], ['1–2', '3–4', '5–6', '7–8', '9–10']],
    ['equal numbers, which stay together', [0, 0, 0, 0, 0, 0, 1, 2, 3, 400], ['0', '1–2', '3–400']],
    ['one number', [12.5], ['12.5']],
    ['no number', [undefined], []],
    ['large numbers, without decimals', [1.25, 1234.5, 99.9, 100.4, 5000], ['1.3', '99.9', '100', '1,235', '5,000']],
  ])('have classes with as many places each, of %s', (_, values, labels) =>
    expect(classesOf(volumes(...values), VOLUME).map(({ label }) => label)).toEqual(labels),
  )

  it('show the sum, the mean or the most frequent text of a place', () => {
    const events = [2, 4, 6].map((value_number, i) => eventAt(1, { value_number, Town: i === 0 ? 'Zeist' : 'Houten' }))
    const labelsOf = (column: DotColumn) => classesOf(placesOf(events), column).map(({ label }) => label)
    expect(labelsOf(VOLUME)).toEqual(['12'])
    expect(labelsOf({ ...VOLUME, statistic: 'mean' })).toEqual(['4'])
    expect(labelsOf(TOWN)).toEqual(['Houten'])
  })

  it('have a colour for the six most frequent texts, and one for the others', () => {
    const places = placesOf(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'a'].map((Town, i) => eventAt(i, { Town })))
    const classes = classesOf(places, TOWN)
    expect(classes.map(({ label }) => label)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', ''])
    const colors = dotsOf(places, TOWN, classes, (found) => String(found?.color)).map(
      ({ properties }) => properties?.color,
    )
    expect(colors).toEqual(['0', '1', '2', '3', '4', '5', '6', '0'])
  })

  it('have a colour of their own if their place has no number', () => {
    const places = volumes(1, undefined)
    const [one, none] = dotsOf(places, VOLUME, classesOf(places, VOLUME), (found) => found?.label ?? 'none')
    expect([one?.properties, none?.properties]).toMatchObject([
      { color: '1', said: 'Volume (m³): 1' },
      { color: 'none' },
    ])
  })
})
