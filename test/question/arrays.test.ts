import { beforeAll, describe, expect, it } from 'vitest'
import { type Block, CELL_LEVELS } from '../../src/geometry/cell.ts'
import { ALWAYS, type Condition, NEVER } from '../../src/question/condition.ts'
import { BY_ID, type Order, type Question } from '../../src/question/question.ts'
import { EVENTS, foundation, LEVELS, type Level, makeEvents, seenBy } from '../engine/world.ts'
import { get, load } from '../service.ts'
import { splitRows } from '../tags.ts'
import { arraysOf } from './arrays.ts'
import { CONDITIONS, text } from './conditions.ts'

// The engine of arrays answers a question as the service answers the same request. So it can judge other engines.

const events = makeEvents(1500, 20_261_127, 1400)
const engine = arraysOf([...foundation, ...events])
beforeAll(() => load([...foundation, ...events]))

const open = (level: Level) => engine.open({ level: LEVELS[level] })

const question = (where: Condition, rest: Partial<Question> = {}): Question => ({
  where,
  latest: null,
  order: BY_ID,
  slice: { from: { offset: 0 }, limit: 10_000 },
  ...rest,
})
const READS = { fields: [] }
const answerOf = async (level: Level, asked: Question) => {
  const { rows, count } = await open(level).page('events', asked, READS)
  return { count, ids: rows.map(({ id }) => id) }
}
const served = async (query: string, level: Level) => {
  const { count, results } = await get(`${EVENTS}?page_size=10000&fields=id&${query}`, seenBy(level))
  return { count, ids: results.map(({ id }: { id: number }) => id) }
}

for (const [options, levels] of splitRows(3, Object.keys(LEVELS) as Level[]))
  describe.each(levels)('a caller of the level %s', options, (level) => {
    it.each(CONDITIONS)('gets the same events for "%s"', async (query, where) => {
      expect(await answerOf(level, question(where))).toEqual(await served(query, level))
    })
  })

it('conditions without parts are always and never true', async () => {
  expect((await answerOf('Hidden', question(ALWAYS))).count).toBe(events.length)
  expect((await answerOf('Hidden', question(NEVER))).count).toBe(0)
})

const TRUTHS = {
  "category = 'flood' OR NOT S_INTERSECTS(geom, BBOX(-60,-40,70,60))": {
    kind: 'any',
    of: [
      text('category', 'is', ['flood']),
      { kind: 'not', of: { kind: 'area', of: 'point', area: { box: [-60, -40, 70, 60], closed: true } } },
    ],
  },
  'NOT (object_id > 20) AND timestamp_start = timestamp_end': {
    kind: 'all',
    of: [
      { kind: 'not', of: { kind: 'range', field: 'object_id', extents: [[21n, null]] } },
      { kind: 'compare', operator: '=', left: 'start', right: 'end' },
    ],
  },
  "(object_type = 'pump') = (category = 'drought')": {
    kind: 'same',
    one: { kind: 'text', field: 'object_type', fold: null, test: 'is', texts: ['pump'] },
    other: text('category', 'is', ['drought']),
  },
  "id % 7 = 3 AND CASEI(value) LIKE 'm%17_ %'": {
    kind: 'all',
    of: [
      { kind: 'compare', operator: '=', left: { op: '%', of: ['id', { number: 7 }] }, right: { number: 3 } },
      { kind: 'text', field: 'value', fold: 'casei', test: 'like', texts: ['m%17_ %'] },
    ],
  },
  'category >= value': { kind: 'compare', operator: '>=', left: 'category', right: 'value' },
  'S_TOUCHES(geom, BBOX(0,0,10,10))': {
    kind: 'area',
    of: 'point',
    area: { all: [{ box: [0, 0, 10, 10], closed: true }, { outside: { box: [0, 0, 10, 10], closed: false } }] },
  },
} satisfies Readonly<Record<string, Condition>>

it.each(Object.entries(TRUTHS))('CQL2 selects the same events: %s', async (filter, where) => {
  const found = await get(
    `/ogc/collections/events/items?limit=10000&filter=${encodeURIComponent(filter)}`,
    seenBy('Private'),
  )
  const { ids } = await answerOf('Private', question(where))
  expect(ids).toEqual(found.features.map(({ id }: { id: number }) => id))
})

const ORDERS: readonly (readonly [query: string, order: Order])[] = [
  ['-id', { by: 'id', descending: true, nulls: 'last' }],
  ['timestamp_end', { by: 'end', descending: false, nulls: 'last' }],
  ['-category', { by: 'category', descending: true, nulls: 'last' }],
  ['object_id', { by: 'object_id', descending: false, nulls: 'last' }],
  ['-object_id', { by: 'object_id', descending: true, nulls: 'last' }],
  ['-value_number', { by: 'value_number', descending: true, nulls: 'last' }],
  ['attributes__mag', { by: { attribute: 'mag' }, descending: false, nulls: 'last' }],
  ['-attributes__mag', { by: { attribute: 'mag' }, descending: true, nulls: 'last' }],
  ['distance&near=5,52&radius=9000000', { by: 'distance', from: [5, 52], descending: false, nulls: 'last' }],
]

it.each(ORDERS)('pages stand in the same order: %s', async (query, order) => {
  const near: Condition = { kind: 'area', of: 'point', area: { circle: [5, 52], metres: 9_000_000 } }
  const asked = question(order.by === 'distance' ? near : ALWAYS, {
    order,
    slice: { from: { offset: 200 }, limit: 100 },
  })
  const { results } = await get(`${EVENTS}?ordering=${query}&page=3&page_size=100`, seenBy('Hidden'))
  expect((await answerOf('Hidden', asked)).ids).toEqual(results.map(({ id }: { id: number }) => id))
  const last = { ...asked, slice: { from: 'end' as const, limit: 100 } }
  const end = await get(`${EVENTS}?ordering=${query}&page=last&page_size=100`, seenBy('Hidden'))
  expect((await answerOf('Hidden', last)).ids).toEqual(end.results.map(({ id }: { id: number }) => id))
})

it('the latest event of each series is the same', async () => {
  const asked = question(text('category', 'is', ['flood']), { latest: 'series' })
  expect(await answerOf('Hidden', asked)).toEqual(await served('category=flood&latest=event_series', 'Hidden'))
})

it.each(['category=flood&bins=month&level=3', 'bins=20&level=6&facets=category,event_series,object_type__model'])(
  'a summary is the same: %s',
  async (query) => {
    const summary = await get(`${EVENTS}summary/?${query}`, seenBy('Private'))
    const isFlood = query.startsWith('category')
    const order = { by: 'count', descending: true } as const
    const facets = isFlood ? [] : (['category', 'series_uuid', 'object_type'] as const)
    const shape = {
      ...{
        bins: isFlood ? ('month' as const) : 20,
        level: isFlood ? 3 : 6,
        zone: null,
        from: null,
        by: null,
        numbers: [],
      },
      facets: facets.map((field) => ({ field, reads: [field], size: 100, offset: 0, order })),
    }
    const found = await open('Private').summary(question(isFlood ? text('category', 'is', ['flood']) : ALWAYS), shape)
    expect(found.count).toBe(summary.count)
    expect(found.cells).toEqual(summary.density.cells)
    if (isFlood) expect(found.bins).toEqual(summary.time.bins)
    const counts = Object.values(summary.facets ?? {}).map((facet) =>
      (facet as { entries: { count: number }[] }).entries.map(({ count }) => count),
    )
    expect(found.facets.map(({ entries }) => entries.map(({ count }) => count))).toEqual(counts)
  },
)

it('a tile has the rows of its block, or their number in each cell', async () => {
  const side = 2 ** (CELL_LEVELS - 2)
  const block: Block = {
    level: 6,
    west: side,
    south: side,
    east: 2 * side - 1,
    north: 2 * side - 1,
    from: null,
    below: null,
  }
  const { ids } = await answerOf(
    'Public',
    question({ kind: 'area', of: 'point', area: { box: [-90, -45, 0, 0], closed: true } }),
  )
  const tileOf = (most: number) => open('Public').tile(question(ALWAYS), { block, most, fields: [] })
  const listed = await tileOf(3000)
  const inside = 'rows' in listed ? listed.rows.map(({ id }) => id) : []
  expect(ids).toEqual(expect.arrayContaining(inside))
  expect(inside.length).toBeGreaterThan(10)
  const counted = await tileOf(5)
  const sum = 'cells' in counted ? [...counted.cells.values()].reduce((total, count) => total + count, 0) : 0
  expect(sum).toBe(inside.length)
})
