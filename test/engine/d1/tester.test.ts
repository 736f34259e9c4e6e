import { beforeAll, describe, expect, it } from 'vitest'
import { get, load, post } from '../../service.ts'
import { splitRows } from '../../tags.ts'
import { EVENTS, foundation, idsOf, makeEvents, pour } from '../world.ts'

/** Both numbers exceed the rows of one query: rows at one place, and rows at different places. */
const [PILE, SPREAD] = [52_000, 60_000]
const [X, Y] = [5.4321, 52.8765]
const first = makeEvents(1, 4)
const pile = Array.from({ length: PILE }, (_, i) => ({
  id: 100_000 + i,
  start: i % 3,
  coordinates: [X, Y, 0] as const,
}))
const spread = Array.from({ length: SPREAD }, (_, i) => {
  const coordinates = [((i * 7919) % 35_000) / 100 - 175, ((i * 104_729) % 17_000) / 100 - 85, 0] as const
  return { id: 200_000 + i, start: i * 1_000_000, coordinates }
})

beforeAll(async () => {
  await load([...foundation, ...first])
  await pour([...pile, ...spread])
})

for (const [options, rows] of splitRows<[string, string, boolean, boolean]>(4, [
  ['the place', `POINT(${X} ${Y})`, true, false],
  [
    'a triangle around it',
    'POLYGON((5.43209 52.87649,5.43211 52.87649,5.4321 52.87652,5.43209 52.87649))',
    true,
    false,
  ],
  [
    'a triangle with it on an edge',
    'POLYGON((5.4321 52.8765,5.43211 52.8765,5.43211 52.87651,5.4321 52.8765))',
    false,
    false,
  ],
  // The database decides a rectangle, so no row is tested.
  ['a box around it', 'POLYGON((5.4 52.8,5.5 52.8,5.5 52.9,5.4 52.9,5.4 52.8))', true, false],
  // Here the pile lies in a cell inside the area.
  ['most of the world', 'POLYGON((-179 -89,179 -89,178 89,-179 89,-179 -89))', true, true],
]))
  describe.each(rows)('%s', options, (_, area, withPile, withSpread) => {
    const all = [...(withPile ? pile : []), ...(withSpread ? spread : [])]
    const body = `geom_within=${area}&page_size=100`

    it.each(['', 'event_series=1000&duration__gte=0'])('the list and its summary: %j', async (filter) => {
      const list = await get(EVENTS, post(`${body}&${filter}`))
      const found = idsOf(list).filter((id) => id >= 100_000)
      expect(found).toEqual(all.slice(0, found.length).map(({ id }) => id))
      const more = list.count - all.length
      expect([0, 1]).toContain(more)
      const summary = await get(`${EVENTS}summary/`, post(`${body}&${filter}`))
      const sum = (groups: number[][]) => groups.reduce((total, group) => total + (group.at(-1) ?? 0), 0)
      expect([summary.count, sum(summary.time.bins), sum(summary.density.cells)]).toEqual(
        [1, 1, 1].map(() => list.count),
      )
    })

    it('pages far from the start', async () => {
      const { count } = await get(EVENTS, post(body))
      const last = await get(EVENTS, post(`${body}&page=last`))
      const rest = count % 100 || Math.min(100, count)
      expect(idsOf(last)).toEqual(all.slice(all.length - rest).map(({ id }) => id))
      if (count < 40_000) return
      const expected = all.slice(39_900 - (count - all.length)).slice(0, 100)
      expect(idsOf(await get(EVENTS, post(`${body}&page=400`)))).toEqual(expected.map(({ id }) => id))
    })
  })
