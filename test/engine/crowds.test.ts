import { beforeAll, describe, expect, it, vi } from 'vitest'
import { MAX_BYTES } from '../../src/engine/limits.ts'
import { random } from '../bench/events.ts'
import { databaseWith } from '../isolates.ts'
import type { EventRecord } from '../records.ts'
import { get, load } from '../service.ts'
import { splitRows } from '../tags.ts'
import { foundation, makeEvents, pour } from './world.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

/** More rows than one list has, with the columns of a summary, and more points than one list has. */
const [ROWS, POINTS] = [21_000, 27_000]

type Place = readonly [number, number, number]
type Made = Pick<EventRecord, 'id' | 'start' | 'coordinates'>

const next = random(4)
const anywhere = (): Place => [next() * 20, next() * 20, 0]
const HERE: Place = [5.1, 52.1, 0]
const yearOf = (shape: number) => Date.UTC(2001 + shape, 0)
/** Makes the events of a shape, all in its own year. */
const made = (shape: number, count: number, make: (i: number) => { id: number; after: number; place: Place }): Made[] =>
  Array.from({ length: count }, (_, i) => {
    const { id, after, place } = make(i)
    return { id, start: yearOf(shape) + after, coordinates: place }
  })
const withHoles = (shape: number, bits: number) =>
  made(shape, ROWS, (i) => ({
    id: (i + 1) * 2 ** bits + 2 * shape + 1,
    after: Math.floor(next() * 3_600_000),
    place: anywhere(),
  }))
const dense = (shape: number, i: number) => 2 ** 45 + shape * 100_000 + i

/** The shapes of data, with the number of events of each. */
const SHAPES = [
  ['ids of 10 bits each', (shape: number) => withHoles(shape, 10)],
  ['ids of 13 bits each', (shape: number) => withHoles(shape, 13)],
  ['ids of 16 bits each', (shape: number) => withHoles(shape, 16)],
  ['ids of 20 bits each', (shape: number) => withHoles(shape, 20)],
  [
    'events at one instant',
    (shape: number) => made(shape, ROWS, (i) => ({ id: dense(shape, i), after: 0, place: anywhere() })),
  ],
  [
    'events at one place',
    (shape: number) => made(shape, POINTS, (i) => ({ id: dense(shape, i), after: 60_000 * i, place: HERE })),
  ],
  [
    'events at one instant and place',
    (shape: number) => made(shape, POINTS, (i) => ({ id: dense(shape, i), after: 0, place: HERE })),
  ],
] as const

const shapes = SHAPES.map(([name, make], shape) => ({ name, shape, events: make(shape) }))

beforeAll(() => load([...foundation, ...makeEvents(20, 3)]))

/** A database that notes the bytes of the longest answer, and the round trips. */
const measured = () => {
  const seen = { bytes: 0, trips: 0 }
  const DB = databaseWith(async (real) => {
    const answers = await real()
    seen.trips += 1
    seen.bytes = Math.max(seen.bytes, JSON.stringify(answers.map(({ results }) => results)).length)
    return answers
  })
  return { seen, options: { vars: { DB }, headers: { 'Cache-Control': 'no-cache' } } }
}

const AREA = 'geom_within=POLYGON((-170 -80,170 -80,1 85,-170 -80))'
/** The area has this position on its side. */
const EDGE = 'geom_within=POLYGON((5.1 52.1,30 -1,-30 -1,5.1 52.1))'
const FACETS = 'facets=event_series,category,object_type__model&level=12'
const SUMMARY = '/api/v3/events/summary/'
const LIST = '/api/v3/events/?page_size=10'

for (const [options, rows] of splitRows(7, shapes.toReversed()))
  describe.each(rows)('$name: bounded answers have each event once', options, ({ shape, events }) => {
    beforeAll(() => pour(events))
    const period = `timestamp_start__gte=${2001 + shape}-01-01&timestamp_start__lt=${2002 + shape}-01-01`

    it.each([
      `${SUMMARY}?${FACETS}`,
      `${SUMMARY}?${FACETS}&category__icontains=`,
      `${SUMMARY}?${FACETS}&category__isnull=false&by=category&bins=day`,
      `${SUMMARY}?${FACETS}&${AREA}`,
      `${LIST}&near=5,52&radius=20040000&ordering=distance`,
      `${LIST}&value__regex=^$`,
      `${LIST}&value__regex=^$&${AREA}`,
      `${LIST}&latest=event_series&value__regex=^$`,
      `${LIST}&${AREA}&ordering=-timestamp_start`,
      `${LIST}&${EDGE}`,
    ])('%s', async (path) => {
      const { seen, options } = measured()
      const { count, facets, time } = await get(`${path}&${period}`, options)
      const isHere = events.every(({ coordinates }) => coordinates === HERE)
      const onEdge = isHere ? 0 : count
      const expected = path.includes('latest') ? 1 : events.length
      expect(count).toBe(path.includes(EDGE) ? onEdge : expected)
      if (facets !== undefined) {
        expect(facets.event_series.entries.map((entry: { count: number }) => entry.count)).toEqual([events.length])
        expect(time.bins.reduce((sum: number, [, rows]: [number, number]) => sum + rows, 0)).toBe(events.length)
      }
      expect(seen.bytes).toBeLessThan(MAX_BYTES)
      expect(seen.trips).toBeLessThanOrEqual(16)
    })
  })
