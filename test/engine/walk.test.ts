import { beforeAll, describe, expect, it } from 'vitest'
import { random } from '../bench/events.ts'
import { databaseWith } from '../isolates.ts'
import type { EventRecord } from '../records.ts'
import { get, load, type Options } from '../service.ts'
import { splitRows } from '../tags.ts'
import {
  EVENTS,
  foundation,
  idsOf,
  isVisible,
  LEVELS,
  type Level,
  makeEvents,
  ORDERS,
  remove,
  seenBy,
  write,
} from './world.ts'

const made = makeEvents(12_000, 3)
/** These events are written between pages. */
const later = made.filter(({ id }) => id % 9 === 0)
const stored = new Map(made.filter(({ id }) => id % 9 !== 0).map((event) => [event.id, event]))

beforeAll(() => load([...foundation, ...stored.values()]))

type Matches = (event: EventRecord) => boolean
const MIDDLE = 'geom_within=POLYGON((-22.5+-22.5,22.5+-22.5,22.5+22.5,-22.5+22.5,-22.5+-22.5))'
const inMiddle: Matches = ({ coordinates }) => {
  const [x = 90, y = 90] = coordinates ?? []
  return Math.abs(x) < 22.5 && Math.abs(y) < 22.5
}
const EAST = 'geom_within=POLYGON((0+-90,180+-90,180+90,1+90,0+-90))'
const inEast: Matches = ({ coordinates }) => {
  const [x = 0, y = 90] = coordinates ?? []
  return x > (y + 90) / 180 && x < 180 && Math.abs(y) < 90
}
const isLarge: Matches = ({ series }) => series === 1
const isFlood: Matches = ({ category }) => /flood/i.test(category)
const isEarly: Matches = ({ start }) => start < Date.UTC(1969, 7, 1)

/** Returns the events that a caller sees, in order. */
const expectedOf = (matches: Matches, ordering: string, level: Level): EventRecord[] =>
  [...stored.values()].filter((event) => isVisible(event, level) && matches(event)).sort(ORDERS[ordering])

interface Walk {
  readonly query: string
  readonly matches: Matches
  readonly ordering: string
  readonly level: Level
  readonly pages: number
}
const WALKS = (
  [
    ['', () => true, '', 'Public', 12],
    ['', () => true, '', 'Hidden', 9],
    ['', () => true, '-id', 'Public', 12],
    ['', () => true, '-timestamp_start', 'Common', 15],
    ['', () => true, 'timestamp_end', 'Private', 10],
    ['event_series=1000', isLarge, '', 'Public', 15],
    ['event_series=1000', isLarge, '-timestamp_start', 'Public', 15],
    ['event_series=1000', isLarge, '-timestamp_end', 'Public', 7],
    ['event_series=2000,2100', ({ series }) => series === 2 || series === 3, '-id', 'Public', 10],
    ['event_series=2000,2100', ({ series }) => series === 2 || series === 3, 'timestamp_start', 'Public', 10],
    ['event_series=5000', ({ series }) => series === 6, '-id', 'Hidden', 12],
    ['category=flood', ({ category }) => category === 'flood', '', 'Public', 12],
    ['category__icontains=flood', isFlood, '-timestamp_start', 'Public', 15],
    ['category__iregex=flood', isFlood, '-id', 'Hidden', 15],
    ['timestamp_start__lt=1969-08-01', isEarly, '', 'Public', 15],
    ['timestamp_start__lt=1969-08-01', isEarly, '-timestamp_start', 'Common', 15],
    [
      'timestamp_start__lt=1969-08-01&event_series=1000',
      (event) => isEarly(event) && isLarge(event),
      '-id',
      'Public',
      9,
    ],
    ['duration__gt=0', ({ start, end }) => end > start, 'timestamp_end', 'Public', 12],
    ['object_type__model__isnull=true', ({ object }) => object === null, '', 'Public', 12],
    [MIDDLE, inMiddle, '', 'Public', 15],
    [EAST, inEast, '', 'Public', 30],
    [EAST, inEast, '-timestamp_start', 'Hidden', 30],
    [`${EAST}&event_series=1000`, (event) => inEast(event) && isLarge(event), 'timestamp_start', 'Public', 12],
    [`${EAST}&category__iregex=flood`, (event) => inEast(event) && isFlood(event), '-id', 'Public', 12],
    [`${EAST}&event_series=2000,2100`, (event) => inEast(event) && [2, 3].includes(event.series), '', 'Hidden', 12],
  ] as [string, Matches, string, Level, number][]
).map(([query, matches, ordering, level, pages]): Walk => ({ query, matches, ordering, level, pages }))

const RUNS = splitRows(6, WALKS)

const pathOf = (query: string, ordering: string, size: number) =>
  `${EVENTS}?${[query, ordering && `ordering=${ordering}`, `page_size=${size}`].filter((part) => part !== '').join('&')}`

describe.each(RUNS)('next continues at its position while events are written and deleted', (options, walks) => {
  const next = random(5)
  const take = (count: number): EventRecord[] => later.splice(Math.floor(next() * later.length), count)
  /** Deletes some events, among them the last one of a page. Writes other events, some of them deleted before. */
  const change = async (last: EventRecord | undefined) => {
    const doomed = [...stored.values()].filter(({ id }) => id === last?.id || next() < 0.003)
    await remove(doomed)
    for (const event of doomed) stored.delete(event.id)
    const added = take(25)
    await write(added)
    for (const event of added) stored.set(event.id, event)
    later.push(...doomed)
  }

  it.each(walks)(
    '$query ordering=$ordering $level in $pages',
    options,
    async ({ query, matches, ordering, level, pages }) => {
      const order = ORDERS[ordering] ?? (() => 0)
      const lasting = new Set(expectedOf(matches, ordering, level).map(({ id }) => id))
      const size = Math.ceil((2 * lasting.size) / pages)
      const seen: number[] = []
      let last: EventRecord | undefined
      for (let address: string | null = pathOf(query, ordering, size); address !== null; ) {
        const page = await get(address, seenBy(level))
        const now = expectedOf(matches, ordering, level)
        const rest = now.filter((event) => last === undefined || order(event, last) > 0)
        expect([page.count, idsOf(page)], address).toEqual([now.length, rest.slice(0, size).map(({ id }) => id)])
        expect(page.next !== null).toBe(rest.length > size)
        seen.push(...idsOf(page))
        last = rest.slice(0, size).at(-1)
        address = page.next
        if (next() < 0.5) await change(last)
        for (const id of lasting) if (!stored.has(id)) lasting.delete(id)
      }
      expect(new Set(seen).size).toBe(seen.length)
      expect([...lasting].filter((id) => !seen.includes(id))).toEqual([])
    },
  )

  it('and the stored counts are right at the end', async () => {
    for (const level of Object.keys(LEVELS) as Level[])
      expect((await get(EVENTS, seenBy(level))).count).toBe(expectedOf(() => true, '', level).length)
  })
})

describe('a change of the data between two round trips of a request', () => {
  /** A database that receives a write after each of its first `times` answers. */
  const moving = (times: number): Options => {
    let left = times
    const DB = databaseWith(async (real) => {
      const answers = await real()
      if (left-- > 0) {
        const [event] = later.splice(0, 1)
        if (event !== undefined) {
          await write([event])
          stored.set(event.id, event)
        }
      }
      return answers
    })
    // A cached count would save a round trip.
    return { headers: { 'Cache-Control': 'no-cache' }, vars: { DB, ANONYMOUS_LEVEL: 'Hidden' } }
  }

  it.each([
    [`${EAST}&page=3`, inEast],
    [`${EAST}&page=last`, inEast],
  ] as [string, Matches][])('%s: the answer has one state', async (query, matches) => {
    const page = await get(`${EVENTS}?${query}`, moving(2))
    const now = expectedOf(matches, '', 'Hidden').map(({ id }) => id)
    const from = query.endsWith('last') ? 10 * (Math.ceil(now.length / 10) - 1) : 10 * (Number(query.slice(-1)) - 1)
    expect([page.count, idsOf(page)]).toEqual([now.length, now.slice(from, from + 10)])
  })
})
