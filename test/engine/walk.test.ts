import { beforeAll, describe, expect, it } from 'vitest'
import { random } from '../bench/events.ts'
import type { EventRecord } from '../records.ts'
import { get, load } from '../service.ts'
import { splitRows } from '../tags.ts'
import { type Filter, filterOf } from './filters.ts'
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

const MIDDLE = 'geom_within=POLYGON((-22.5 -22.5,22.5 -22.5,22.5 22.5,-22.5 22.5,-22.5 -22.5))'
const EAST = 'geom_within=POLYGON((0 -90,180 -90,180 90,1 90,0 -90))'

/** Returns the events that a caller sees, in order. */
const expectedOf = (matches: Filter['matches'], ordering: string, level: Level): EventRecord[] =>
  [...stored.values()].filter((event) => isVisible(event, level) && matches(event)).sort(ORDERS[ordering])

interface Walk {
  readonly query: string
  readonly matches: Filter['matches']
  readonly ordering: string
  readonly level: Level
  readonly pages: number
}
const WALKS = (
  [
    ['', '', 'Public', 12],
    ['', '', 'Hidden', 9],
    ['', '-id', 'Public', 12],
    ['', '-timestamp_start', 'Common', 15],
    ['', 'timestamp_end', 'Private', 10],
    ['event_series=1000', '', 'Public', 15],
    ['event_series=1000', '-timestamp_start', 'Public', 15],
    ['event_series=1000', '-timestamp_end', 'Public', 7],
    ['event_series=2000,2100', '-id', 'Public', 10],
    ['event_series=2000,2100', 'timestamp_start', 'Public', 10],
    ['event_series=5000', '-id', 'Hidden', 12],
    ['category=flood', '', 'Public', 12],
    ['category__icontains=flood', '-timestamp_start', 'Public', 15],
    ['category__iregex=flood', '-id', 'Hidden', 15],
    ['timestamp_start__lt=1969-08-01', '', 'Public', 15],
    ['timestamp_start__lt=1969-08-01', '-timestamp_start', 'Common', 15],
    ['timestamp_start__lt=1969-08-01&event_series=1000', '-id', 'Public', 9],
    ['duration__gt=0', 'timestamp_end', 'Public', 12],
    ['object_type__model__isnull=true', '', 'Public', 12],
    [MIDDLE, '', 'Public', 15],
    [EAST, '', 'Public', 30],
    [EAST, '-timestamp_start', 'Hidden', 30],
    [`${EAST}&event_series=1000`, 'timestamp_start', 'Public', 12],
    [`${EAST}&category__iregex=flood`, '-id', 'Public', 12],
    [`${EAST}&event_series=2000,2100`, '', 'Hidden', 12],
  ] as [string, string, Level, number][]
).map(([query, ordering, level, pages]): Walk => ({ ...filterOf(query), ordering, level, pages }))

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
