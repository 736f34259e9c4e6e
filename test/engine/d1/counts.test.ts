import { env } from 'cloudflare:workers'
import type { SQL } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { TREES } from '../../../schema/trees.ts'
import { countIn, decompose } from '../../../src/engine/d1/counts.ts'
import { estimatesIn, renewalOf, rowsIn, UNKNOWN } from '../../../src/engine/d1/estimates.ts'
import { countMatches, planOf } from '../../../src/engine/d1/plan.ts'
import { onlyIn, searchOf } from '../../../src/engine/d1/search.ts'
import { asCount, preparedText } from '../../../src/engine/d1/sql.ts'
import { tableOf } from '../../../src/engine/d1/tables.ts'
import { NOWHERE_CELLS } from '../../../src/geometry/cell.ts'
import { ALWAYS } from '../../../src/question/condition.ts'
import { random } from '../../bench/events.ts'
import { eventOf } from '../../filters/records.ts'
import type { EventRecord } from '../../records.ts'
import { get, load } from '../../service.ts'
import { expectKept } from '../../store/writer.ts'
import { EXHAUSTIVE } from '../../tags.ts'
import { filterOf } from '../filters.ts'
import { EVENTS, foundation, isVisible, LEVELS, type Level, makeEvents, remove, seenBy, write } from '../world.ts'

const SEED = 20_261_121
const REACH = 8_640_000_000_000_000
const SHIFTS: [title: string, shifts: readonly number[], least: number, greatest: number][] = [
  ['id', TREES.id.shifts, 0, 2 ** 52 - 1],
  ['cell', TREES.cell.shifts, NOWHERE_CELLS[0], 2 ** 52 - 1],
  ['start', TREES.start.shifts, -REACH, REACH],
]

beforeAll(() => load(foundation))

describe('ranges are split into nodes of stored counts and a rest', () => {
  it.each(SHIFTS)('%s: both together cover random ranges exactly', (_, shifts, least, greatest) => {
    // Values near the borders of nodes, where an error of one shows.
    const end = fc
      .tuple(fc.integer({ min: least, max: greatest }), fc.constantFrom(...shifts), fc.nat(4))
      .map(([value, shift, off]) => (off < 2 ? value : Math.floor(value / 2 ** shift) * 2 ** shift + off - 3))
      .map((value) => Math.max(least, Math.min(greatest, value)))
    fc.assert(
      fc.property(fc.array(fc.tuple(end, end), { maxLength: 5 }), (pairs) => {
        const ends = [...new Set(pairs.flat())].sort((a, b) => a - b)
        const ranges = ends.flatMap((first, i): [number, number][] => {
          const last = ends[i + 1]
          return i % 2 === 0 && last !== undefined ? [[first, last]] : []
        })
        const { nodes, rest } = decompose(shifts, ranges)
        for (const [shift] of nodes) expect(shifts).toContain(shift)
        for (const [first, last] of rest) expect(last - first).toBeLessThan(2 * 2 ** (shifts[0] ?? 0))
        const parts = [
          ...nodes.map(([shift, first, last]) => [first * 2 ** shift, (last + 1) * 2 ** shift - 1] as const),
          ...rest,
        ].sort((a, b) => a[0] - b[0])
        const joined: [number, number][] = []
        for (const [first, last] of parts) {
          const before = joined.at(-1)
          expect(first).toBeGreaterThan(before?.[1] ?? -Infinity)
          if (before !== undefined && before[1] + 1 === first) before[1] = last
          else joined.push([first, last])
        }
        expect(joined).toEqual(merged(ranges))
      }),
      { seed: SEED, numRuns: 300 },
    )
  })
})

const merged = (ranges: readonly [number, number][]): [number, number][] => {
  const result: [number, number][] = []
  for (const [first, last] of ranges) {
    const before = result.at(-1)
    if (before !== undefined && before[1] + 1 === first) before[1] = last
    else result.push([first, last])
  }
  return result
}

describe('the stored counts after writes and deletes', EXHAUSTIVE, () => {
  const stored = new Map<number, EventRecord>()
  const next = random(SEED)

  const FILTERS = [
    ...['', 'category=flood', 'category__icontains=flood', 'object_type__model=pump'],
    ...['event_series=2000,2100', 'event_series=5000'],
    ...['timestamp_start__gte=1969-08-01', 'timestamp_start__range=1969-07-03,1970-01-02'],
    'geom_within=POLYGON((0+-90,180+-90,180+90,0+90,0+-90))&page_size=1',
  ].map(filterOf)

  const expectCounts = async () => {
    for (const level of Object.keys(LEVELS) as Level[])
      for (const { query, matches } of FILTERS) {
        const expected = [...stored.values()].filter((event) => isVisible(event, level) && matches(event)).length
        expect((await get(`${EVENTS}?${query}`, seenBy(level))).count, `${query} ${level}`).toBe(expected)
      }
  }

  const add = async (events: readonly EventRecord[]) => {
    await write(events)
    for (const event of events) stored.set(event.id, event)
  }
  const drop = async (part: number) => {
    const doomed = [...stored.values()].filter(() => next() < part)
    await remove(doomed)
    for (const { id } of doomed) stored.delete(id)
  }
  const extremes = (id: number, start: number, coordinates: [number, number, number]): EventRecord => {
    const object = { model: 'pump', id: -1 }
    return eventOf(id, { series: 1 + (id % 6), category: 'flood', start, end: REACH, coordinates, object })
  }

  it.each<[string, () => Promise<void>]>([
    ['nothing', async () => {}],
    ['a first event', () => add(makeEvents(1, 1, 4000))],
    ['3,000 events', () => add(makeEvents(3000, 2))],
    ['a tenth of them deleted', () => drop(0.1)],
    [
      'the ends of the world, of time and of ids',
      () =>
        add([
          extremes(2 ** 53 - 1, -8_640_000_000_000_000, [180, 90, 0]),
          extremes(2 ** 53 - 2, 8_640_000_000_000_000, [-180, -90, 0]),
          extremes(2 ** 26, -1, [180, -90, 0]),
          extremes(2 ** 26 - 1, 0, [-180, 90, 0]),
          extremes(5001, -(2 ** 27), [0, 0, 0]),
        ]),
    ],
    ['500 events far away', () => add(makeEvents(500, 3, 10_000_000))],
    ['half of them deleted', () => drop(0.5)],
    ['deleted ids used again', () => add(makeEvents(3000, 9).filter(({ id }) => !stored.has(id)))],
    ['all deleted', () => drop(1)],
    ['one event after all were deleted', () => add(makeEvents(1, 1, 7))],
  ])('%s', async (_, change) => {
    await change()
    await expectKept()
    await expectCounts()
  })
})

describe('events without a place', () => {
  const WORLD = [0, 2 ** 52 - 1] as const
  const prepare = (query: SQL<unknown>) => {
    const { sql, parameters } = preparedText(query)
    return env.DB.prepare(sql).bind(...parameters)
  }
  const countOf = async (query: SQL<{ readonly count: number }>) => (await prepare(query).first())?.count
  /** Counts the visible events with these places in the table. */
  const countedAt = (level: number, places: string) =>
    env.DB.prepare(
      `SELECT count(*) AS count FROM event JOIN event_series ON event_series.id = event_series_id
        WHERE access_modifier <= ? AND ${places}`,
    )
      .bind(level)
      .first('count')

  beforeAll(() => write(makeEvents(2000, 4, 20_000_000)))

  it('are one stored node', () => {
    expect(decompose(TREES.cell.shifts, [NOWHERE_CELLS])).toEqual({ nodes: [[48, -1, -1]], rest: [] })
  })

  describe.each(Object.entries(LEVELS))('as %s sees them', (_, level) => {
    const search = searchOf(tableOf('events', []), { where: ALWAYS, latest: null }, level)

    it.each([
      ['they alone', [NOWHERE_CELLS], 'x IS NULL'],
      ['they and a place', [NOWHERE_CELLS, [0, 2 ** 50 - 5]], `cell <= ${2 ** 50 - 5}`],
      ['all others', [WORLD], 'x IS NOT NULL'],
    ] as const)('%s are counted, and found in the index', async (_, ranges, places) => {
      const count = await countedAt(level, places)
      expect(count).toBeGreaterThan(0)
      expect(await countOf(asCount(countIn(search, 'cell', ranges)))).toBe(count)
      expect(await countOf(countMatches(planOf(onlyIn(search, ranges), UNKNOWN, null)))).toBe(count)
    })

    it('estimates have their number, and none of them in the world', async () => {
      const { cells } = estimatesIn(await env.DB.batch(renewalOf(UNKNOWN, level).map(prepare)))
      expect(rowsIn(cells, ...NOWHERE_CELLS)).toBe(await countedAt(level, 'x IS NULL'))
      expect(rowsIn(cells, ...WORLD)).toBe(await countedAt(level, 'x IS NOT NULL'))
    })
  })
})
