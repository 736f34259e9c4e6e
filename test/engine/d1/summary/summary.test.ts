import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { recountStatements } from '../../../../schema/counts.ts'
import { UNITS } from '../../../../src/engine/summaries.ts'
import { cellAt } from '../../../../src/geometry/cell.ts'
import type { Geometry, Position } from '../../../../src/geometry/geometry.ts'
import { eventOf } from '../../../filters/records.ts'
import { geometries, grids, multiPolygons, polygons } from '../../../geometry/shapes.ts'
import { toWkt } from '../../../geometry/write.ts'
import { fetchFrom } from '../../../oracle/oracle.ts'
import { arraysOf } from '../../../question/arrays.ts'
import type { EventRecord } from '../../../records.ts'
import { answer, get, load, type Options, ORIGIN, post } from '../../../service.ts'
import { EXHAUSTIVE, splitRows } from '../../../tags.ts'
import { ask } from '../../cost.ts'
import { filters } from '../../filters.ts'
import { type Fineness, KEPT, MAX_CELLS, summaryOf, usual } from '../../slow.ts'
import { DAY, EVENTS, foundation, isVisible, LEVELS, type Level, makeEvents, pour, seenBy } from '../../world.ts'

const SUMMARY = `${EVENTS}summary/`
const SEED = 20_261_121
type FacetName = 'category' | 'event_series' | 'object_type__model'
const names: readonly FacetName[] = ['category', 'event_series', 'object_type__model']
const fill = async (events: readonly EventRecord[]) => {
  await reset()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
  await load([...foundation, ...events])
}

const event = (id: number, rest: Partial<EventRecord> = {}): EventRecord =>
  eventOf(id, { category: 'flood', coordinates: [5, 52, 0], ...rest })

interface Facets {
  readonly facets: Readonly<Record<FacetName, object>>
}

interface FacetPage {
  readonly entries: readonly { readonly value: string; readonly count: number }[]
  readonly more: number
  readonly next: string | null
}

/** Reads all pages of a facet, by following `next` to the end. */
const facetPages = async (query: string, name: string, options: Options = {}): Promise<FacetPage[]> => {
  const pages: FacetPage[] = []
  for (let next: string | null = `${SUMMARY}?${query}`; next !== null; next = pages.at(-1)?.next ?? null)
    pages.push((await get(next, options)).facets[name])
  return pages
}

/** A filter that every event passes. The Worker reads all rows and does not use stored counts. */
const READ = 'duration__gte=-1000000+00:00:00'

describe('a summary of', () => {
  const nothing = {
    count: 0,
    time: { start: null, end: null, step: null, bins: [] },
    spatial_bounds: null,
    density: { level: null, cells: [] },
    without_geometry: 0,
  }
  const place = { west: 5, south: 52, east: 5, north: 52 }
  const asked = async (query: string, events: readonly EventRecord[], expected: object) => {
    await fill(events)
    expect(await get(`${SUMMARY}?${query}`), query).toEqual(expected)
  }

  it.each(['', READ, 'geom_within=POLYGON((0+0,9+0,9+60,0+60,0+0))', 'category=none'])('no events: %s', (query) =>
    asked(query, [], nothing),
  )

  it.each([`level=4&bins=3`, `level=4&bins=3&${READ}`])('one event: %s', (query) => {
    const step = query.includes(READ) ? 1 : KEPT.step
    return asked(query, [event(7, { start: -1 })], {
      count: 1,
      time: { start: -1, end: -1, step, bins: [[-step, 1]] },
      spatial_bounds: place,
      density: { level: 4, cells: [[0, 45, 22.5, 56.25, 1]] },
      without_geometry: 0,
    })
  })

  it.each(['', READ])('one event without a place: %s', (query) => {
    const step = query === '' ? KEPT.step : 1
    return asked(query, [event(7, { coordinates: null })], {
      ...nothing,
      count: 1,
      time: { start: 0, end: 0, step, bins: [[0, 1]] },
      without_geometry: 1,
    })
  })

  it.each(['', READ])('events that only other callers see: %s', (query) =>
    asked(query, [event(1, { series: 6 })], nothing),
  )

  it.each([
    // At the level 2, a column has 90 degrees.
    ['level=2', [178.5, -179.25, -91], { west: 178.5, east: -91 }],
    ['level=2', [178.5, -179.25, 1], { west: 1, east: -179.25 }],
    ['level=2', [178.5, -91, 1], { west: 1, east: -91 }],
    ['level=2', [178.5, -179.25, 1, -1], { west: -179.25, east: 178.5 }],
    ['level=8', [-180, 180], { west: 180, east: -180 }],
    ['level=8', [-100, 0, 100], { west: -100, east: 100 }],
    ['level=0', [-180, 180], { west: -180, east: 180 }],
  ])('places around the world: %s, %j', async (level, longitudes, { west, east }) => {
    await fill(longitudes.map((x, i) => event(i + 1, { coordinates: [x, 10 * i, 0] })))
    const expected = { west, south: 0, east, north: 10 * (longitudes.length - 1) }
    for (const query of ['', READ])
      expect((await get(`${SUMMARY}?${level}&${query}`)).spatial_bounds, query).toEqual(expected)
  })

  it.each(['', READ])('starts on the borders of bins: %s', (query) => {
    const day = 2 ** 27
    const starts = [-2 * day, -day - 1, -day, -1, 0, day - 1, day, 255 * day - 1]
    return asked(
      `level=0&${query}`,
      starts.map((start, i) => event(i + 1, { start, end: start })),
      {
        count: 8,
        time: {
          start: -2 * day,
          end: 255 * day - 1,
          // These are 257 bins. The next smaller step would have 514.
          step: 2 * day,
          bins: [
            [-2 * day, 4],
            [0, 3],
            [254 * day, 1],
          ],
        },
        spatial_bounds: place,
        density: { level: 0, cells: [[-180, -90, 180, 90, 8]] },
        without_geometry: 0,
      },
    )
  })

  it.each(['', READ])('the first and the last instant, in few bins: %s', async (query) => {
    const reach = 8_640_000_000_000_000
    await fill([event(1, { start: -reach, end: 0 }), event(2, { start: reach, end: reach })])
    for (const [bins, step] of [
      [2, 2 ** 53],
      [4, 2 ** 52],
      [512, 2 ** 45],
    ]) {
      const { time } = await get(`${SUMMARY}?bins=${bins}&${query}`)
      expect(time).toMatchObject({ start: -reach, end: reach, step })
      expect(time.bins.map(([, count]: number[]) => count)).toEqual([1, 1])
    }
    const { time } = await get(`${SUMMARY}?bins=1&${query}`)
    expect(time).toEqual({ start: -reach, end: reach, step: 2 ** 54, bins: [[-reach, 2]] })
  })

  it.each(['', READ])('places on the borders of cells, and the corners of the world: %s', (query) => {
    const places = [
      [-180, -90],
      [180, 90],
      [180, -90],
      [0, 0],
      [-(2 ** -40), 0],
      [0, -(2 ** -40)],
      [90, 45],
    ] as const
    return asked(
      `level=1&${query}`,
      places.map(([x, y], i) => event(i + 1, { coordinates: [x, y, 0] })),
      expect.objectContaining({
        density: {
          level: 1,
          cells: [
            [-180, -90, 0, 0, 1],
            [0, -90, 180, 0, 2],
            [-180, 0, 0, 90, 1],
            [0, 0, 180, 90, 3],
          ],
        },
      }),
    )
  })

  it.each(['', READ])('as many cells as the limit, and one more: %s', async (query) => {
    // A cell of level 7. Four of them make one cell of level 6.
    const at = (i: number) => {
      const { column, row } = cellAt(7, i)
      return [(column + 0.5) * (360 / 128) - 180, (row + 0.5) * (180 / 128) - 90, 0] as const
    }
    const some = Array.from({ length: MAX_CELLS }, (_, i) => event(i + 1, { coordinates: at(i) }))
    await fill(some)
    const full = await get(`${SUMMARY}?${query}`)
    expect([full.density.level, full.density.cells.length]).toEqual([8, MAX_CELLS])
    await load([event(MAX_CELLS + 1, { coordinates: at(MAX_CELLS) })])
    const more = await get(`${SUMMARY}?${query}`)
    expect([more.density.level, more.density.cells.length]).toEqual([6, MAX_CELLS / 4 + 1])
    expect((await get(`${SUMMARY}?level=5&${query}`)).density.level).toBe(5)
  })
})

const box = (west: number, south: number, east: number, north: number): Geometry => {
  const ring: Position[] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  return { type: 'Polygon', coordinates: [ring] }
}

const areas: fc.Arbitrary<Geometry | null> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: grids.chain(polygons).map((coordinates): Geometry => ({ type: 'Polygon', coordinates })) },
  { weight: 1, arbitrary: grids.chain(multiPolygons) },
  { weight: 1, arbitrary: grids.chain(geometries) },
  {
    weight: 2,
    arbitrary: fc
      .record({
        west: fc.integer({ min: -200, max: 170 }),
        south: fc.integer({ min: -90, max: 80 }),
        width: fc.integer({ min: 1, max: 200 }),
        height: fc.integer({ min: 1, max: 90 }),
      })
      .map(({ west, south, width, height }) => box(west, south, west + width, Math.min(90, south + height))),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      box(-180, -90, 180, 90),
      box(150, -90, 230, 90),
      box(-230, -45, -150, 45),
      box(0, 0, 5.625, 5.625),
      box(-90, -45, 90, 45),
    ),
  },
)

describe('every summary equals a plain count of every event', () => {
  const events = makeEvents(6000, SEED)
  beforeAll(() => fill(events))

  const plain = arraysOf([...foundation, ...events])
  /** Returns the summary of plain arrays. */
  const plainly = async (query: string, level: Level) =>
    (await fetchFrom(plain, `${ORIGIN}${SUMMARY}?${query}`, level)).json<{ count: number }>()

  const expectSummary = async (
    query: string,
    geometry: Geometry | null,
    fineness: Fineness,
    level: Level,
    more = '',
    facets: readonly FacetName[] = [],
  ) => {
    const area = geometry === null ? '' : `geom_within=${encodeURIComponent(toWkt(geometry))}`
    const names = facets.length === 0 ? '' : `facets=${facets.join(',')}`
    const asked = [query, area, `bins=${fineness.bins}&level=${fineness.level}`, more, names].filter(Boolean).join('&')
    const summary = await get(SUMMARY, { ...seenBy(level), ...post(asked) })
    const expected = await plainly(asked, level)
    // Without a filter, the stored counts limit the fineness.
    const seen = events.filter((each) => isVisible(each, level))
    const all = query === '' && geometry === null ? summaryOf(seen, fineness, true) : {}
    expect(summary, asked).toEqual({ ...expected, ...all })
    const { count } = await get(EVENTS, { ...seenBy(level), ...post([query, area].join('&')) })
    expect(summary.count).toBe(count)
    return summary.count
  }

  it.each(Object.keys(LEVELS) as Level[])('the pages of each facet are the whole facet, for %s', async (level) => {
    const cases = fc.record({ filter: filters, name: fc.constantFrom(...names), size: fc.integer({ min: 1, max: 4 }) })
    const given = [
      { filter: { query: '' }, name: 'category' as const, size: 3 },
      ...fc.sample(cases, { seed: SEED, numRuns: 8 }),
    ]
    for (const { filter, name, size } of given) {
      const query = `${filter.query}&bins=1&level=0&facet_size=${size}`
      const whole = await plainly(`${filter.query}&facets=${name}&bins=1&level=0`, level)
      const found = await facetPages(`${query}&facets=${name}`, name, seenBy(level))
      expect({ entries: found.flatMap(({ entries }) => entries), more: 0 }, query).toEqual(
        (whole as unknown as Facets).facets[name],
      )
      const others = found.map((_, i) => found.slice(i + 1).reduce((sum, { entries }) => sum + entries.length, 0))
      expect(found.map(({ more }) => more)).toEqual(others)
      for (const { entries } of found.slice(0, -1)) expect(entries).toHaveLength(size)
    }
  })

  for (const [options, levels] of splitRows(4, Object.keys(LEVELS) as Level[]))
    it.each(levels)('all events that %s sees', options, async (level) => {
      for (const fineness of [usual, { bins: 512, level: 12 }, { bins: 7, level: 3 }, { bins: 1, level: 0 }])
        await expectSummary('', null, fineness, level)
      const units = level === 'Public' || level === 'Hidden' ? UNITS : []
      for (const bins of units) await expectSummary('', null, { bins, level: 2 }, level, '', names)
    })

  it('with the parameters of a list, which are ignored', async () => {
    await expectSummary('', null, usual, 'Public', 'page=9&page_size=5&ordering=-id&hint=x&format=json')
  })

  it.each(Object.keys(LEVELS) as Level[])(
    'random filters, areas, bins, cells and facets, for %s',
    { ...EXHAUSTIVE, timeout: 120_000 },
    async (level) => {
      const cases = fc.record({
        filter: filters,
        geometry: areas,
        fineness: fc.record({
          bins: fc.oneof(fc.integer({ min: 1, max: 512 }), fc.constantFrom(...UNITS)),
          level: fc.integer({ min: 0, max: 12 }),
        }),
        facets: fc.shuffledSubarray([...names]),
      })
      let found = 0
      await fc.assert(
        fc.asyncProperty(cases, async ({ filter, geometry, fineness, facets }) => {
          if ((await expectSummary(filter.query, geometry, fineness, level, '', facets)) > 0) found += 1
        }),
        { seed: SEED + LEVELS[level], numRuns: 20 },
      )
      expect(found).toBeGreaterThan(6)
    },
  )

  it('for a period, with the finest possible bins', async () => {
    const from = Date.UTC(1969, 6, 1)
    for (const days of [1, 3, 30]) {
      const query = `timestamp_start__gte=1969-07-01&timestamp_start__lt=${new Date(from + days * DAY).toISOString()}`
      expect(await expectSummary(query, null, usual, 'Hidden')).toBeGreaterThan(0)
    }
  })
})

describe('60,000 events', EXHAUSTIVE, () => {
  const MANY = 60_000

  it('are read in portions', { timeout: 120_000 }, async () => {
    await fill([event(1), event(2, { series: 6 })])
    // Inserts rows without stored counts. The request reads the rows and ignores these counts.
    await env.DB.prepare(
      `INSERT INTO event (id, event_series_id, category_id, value, start, "end", x, y, cell)
        WITH RECURSIVE ids(id) AS (SELECT 3 UNION ALL SELECT id + 1 FROM ids WHERE id < ${MANY})
        SELECT ids.id, 1, event.category_id, '', ids.id % 2, ids.id % 2, 5, 52, event.cell FROM ids CROSS JOIN event WHERE event.id = 1`,
    ).run()
    const read = await get(`${SUMMARY}?${READ}&facets=event_series,category,object_type__model`)
    expect(read).toMatchObject({
      count: MANY - 1,
      density: { level: 8 },
      facets: {
        event_series: { entries: [{ id: 1, count: MANY - 1 }], more: 0 },
        category: { entries: [{ value: 'flood', count: MANY - 1 }], more: 0 },
        object_type__model: { entries: [], more: 0 },
      },
    })
    const { bins } = read.time
    expect(bins.reduce((sum: number, [, rows]: number[]) => sum + (rows ?? 0), 0)).toBe(MANY - 1)
    for (const [area, count] of [
      ['POINT(5 52)', MANY - 1],
      ['POINT(5 53)', 0],
      ['POLYGON((4 51,6 51,6 53,4 53.5,4 51))', MANY - 1],
    ] as const)
      expect((await get(`${SUMMARY}?event_series=1000&geom_within=${area}`)).count, area).toBe(count)
  })
})

it('a series with many events in a short period is read twice', { ...EXHAUSTIVE, timeout: 120_000 }, async () => {
  const MANY = 60_000
  const from = (id: number, start: number) =>
    Array.from({ length: MANY }, (_, i) => ({
      id: id + i,
      start: start + i * 50_000,
      coordinates: [5, 52, 0] as const,
    }))
  await fill([event(1)])
  await pour(from(10, 10 ** 12))
  await env.DB.prepare('UPDATE event SET event_series_id = 2 WHERE id >= 10').run()
  await pour(from(100_000, 0))
  const query = { event_series: '1000', facets: names.join() }
  await ask({ query }, SUMMARY)
  const { body, rows } = await ask({ query }, SUMMARY)
  expect(body.count).toBe(MANY + 1)
  expect(rows).toBeLessThan(2.4 * MANY)
})

describe('entries with equal counts', () => {
  it.each(['', READ])('come in the order of their texts, also if a hidden event had one first: %s', async (filter) => {
    const first = event(1, { category: 'b', series: 6, object: { model: 'b', id: 1 } })
    const seen = ['b', 'a', 'é', 'c', 'c'].map((text, i) =>
      event(2 + i, { category: text, object: { model: text.normalize('NFKD').charAt(0), id: i } }),
    )
    await fill([first, ...seen])
    const valuesOf = ({ entries }: FacetPage) => entries.map(({ value, count }) => `${value} ${count}`)
    const { facets, by } = await get(`${SUMMARY}?facets=category,object_type__model&by=category&${filter}`)
    expect(valuesOf(facets.category)).toEqual(['c 2', 'a 1', 'b 1', 'é 1'])
    expect(valuesOf(facets.object_type__model)).toEqual(['c 2', 'a 1', 'b 1', 'e 1'])
    expect(valuesOf(by.category)).toEqual(['c 2', 'a 1', 'b 1', 'é 1'])
    const pages = await facetPages(`facets=category&facet_size=1&${filter}`, 'category')
    expect(pages.flatMap(valuesOf)).toEqual(['c 2', 'a 1', 'b 1', 'é 1'])
  })

  it('come page by page if they are 130,000', EXHAUSTIVE, async () => {
    await fill([event(1, {})])
    const count = `WITH RECURSIVE ids(id) AS (SELECT 1000 UNION ALL SELECT id + 1 FROM ids WHERE id < 131000)`
    for (const statement of [
      `INSERT INTO category (id, text, folded) ${count} SELECT id, 'c' || (200000 - id), '' FROM ids`,
      `INSERT INTO event (id, event_series_id, category_id, value, start, "end", x, y, cell)
        ${count} SELECT ids.id, 1, ids.id, '', 0, 0, 5, 52, event.cell FROM ids CROSS JOIN event WHERE event.id = 1`,
      ...recountStatements(),
    ])
      await env.DB.prepare(statement).run()
    for (const filter of ['', READ]) {
      const { facets } = await get(`${SUMMARY}?facets=category&facet_size=2&facet_offset=70000&${filter}`)
      expect(facets.category.entries.map(({ value }: { value: string }) => value)).toEqual(['c170000', 'c170001'])
    }
  })
})

describe('many facet entries and bins', () => {
  const HOUR = 3_600_000
  const MANY = 20_001

  it.each(['', READ])('stop at a limit: %s', { timeout: 120_000 }, async (filter) => {
    await fill([
      ...Array.from({ length: 120 }, (_, i) => event(i + 1, { category: `c${i}`, start: 0 })),
      event(200, { category: 'c119' }),
      event(201, { category: 'hidden', series: 6 }),
    ])
    // In the order of their texts.
    const values = Array.from({ length: 119 }, (_, i) => `c${i}`).sort()
    const ones = values.map((value) => ({ value, count: 1 }))
    const { facets } = await get(`${SUMMARY}?facets=category&${filter}`)
    expect(facets.category.more).toBe(20)
    expect(facets.category.entries).toEqual([{ value: 'c119', count: 2 }, ...ones.slice(0, 99)])
    const all = [{ value: 'c119', count: 2 }, ...ones]
    for (const size of [50, 120, 1000]) {
      const pages = await facetPages(`facets=event_series,category&facet_size=${size}&${filter}`, 'category')
      expect(pages).toHaveLength(Math.ceil(all.length / size))
      expect(pages.flatMap(({ entries }) => entries)).toEqual(all)
    }
    const query = `facets=event_series,category&${filter}`
    const [, last] = await facetPages('', 'category', post(`facet_offset=0&${query}`))
    expect(last).toEqual({ entries: all.slice(100), more: 0, next: null })
    const beyond = await get(`${SUMMARY}?facet_offset=500&${query}`)
    expect(beyond.facets.category).toEqual({ entries: [], more: 0, next: null })
    await env.DB.prepare(
      `INSERT INTO event (id, event_series_id, category_id, value, start, "end", x, y, cell)
        WITH RECURSIVE ids(id) AS (SELECT 1000 UNION ALL SELECT id + 1 FROM ids WHERE id < 1000 + ${MANY})
        SELECT ids.id, 1, event.category_id, '', (ids.id - 1000) * ${HOUR}, (ids.id - 1000) * ${HOUR}, 5, 52, event.cell
        FROM ids CROSS JOIN event WHERE event.id = 1`,
    ).run()
    for (const statement of recountStatements()) await env.DB.prepare(statement).run()
    const refused = await answer(`${SUMMARY}?bins=hour&${filter}`)
    expect(refused).toEqual({
      status: 400,
      body: {
        bins: [
          'More than 20000 bins of this length hold events. Enter a longer one of hour, day, week, month, year, or a number of bins.',
        ],
      },
    })
    const { time } = await get(`${SUMMARY}?bins=day&${filter}`)
    expect([time.step, time.bins.length, time.bins[1]]).toEqual([24 * HOUR, 834, [24 * HOUR, 24]])
  })
})
