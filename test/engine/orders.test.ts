import { beforeAll, describe, expect, it } from 'vitest'
import { random } from '../bench/events.ts'
import { answerOf } from '../oracle/oracle.ts'
import { arraysOf } from '../question/arrays.ts'
import type { EventRecord } from '../records.ts'
import { get, load } from '../service.ts'
import { splitRows } from '../tags.ts'
import { EVENTS, foundation, idsOf, makeEvents, remove, seenBy, write } from './world.ts'

// What the pages of an order have stands in test/oracle/orders.test.ts.

const next = random(20_261_124)
const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T // no list is empty

/** A cursor has the first 100 characters of a text. */
const LONG = 'n'.repeat(100)
const TEXTS = ['', 'a', 'B', '\u{1F300}', 'a b', LONG, `${LONG}a`, '12', '-3.5 m', '0.1', '+7']

const events = makeEvents(100, 5, 3200).map(
  (event, i): EventRecord => ({
    ...event,
    value: pick(TEXTS),
    category: pick(TEXTS),
    object: next() < 0.6 ? null : { model: 'storm', id: pick([-5, 0, 3, i]) },
    external_id: next() < 0.5 ? null : `${pick(TEXTS)}-${i}`,
    last_modified: 1_700_000_000_000_000 + (i % 40) * 7,
  }),
)
const plain = arraysOf([...foundation, ...events])

beforeAll(async () => {
  await load(foundation)
  await write(events)
})

const COLUMNS = ['category', 'value', 'value_number', 'duration', 'event_series__name', 'external_id', 'object_id']
const ORDERINGS = [...COLUMNS, 'last_modified'].flatMap((name) => [name, `-${name}`])

describe('pages while others write', () => {
  for (const [options, orders] of splitRows(3, ORDERINGS))
    it.each(orders)('by %s, each event that does not change comes once', options, async (ordering) => {
      const path = `${EVENTS}?ordering=${ordering}&page_size=20`
      const asks = `/api/v3/events/?page_size=1000&ordering=${ordering}`
      const { finds } = await answerOf('arrays', plain, { asks, level: 'Hidden' })
      const expected = finds as readonly number[]
      let page = await get(path, seenBy('Hidden'))
      const found = idsOf(page)
      const boundary = events.find(({ id }) => id === found.at(-1))
      if (boundary === undefined) throw new Error('The page has an event of the test.')
      // The last event of the page changes in every respect.
      const changed = {
        ...boundary,
        category: 'q',
        value: '5',
        external_id: null,
        object: null,
        end: boundary.start + 5,
      }
      await remove([boundary])
      await write([{ ...changed, last_modified: 1_800_000_000_000_000 }])
      while (page.next !== null) {
        page = await get(page.next, seenBy('Hidden'))
        found.push(...idsOf(page))
      }
      await remove([boundary])
      await write([boundary])
      const others = (ids: readonly number[]) => ids.filter((id) => id !== boundary.id)
      // Only texts with one beginning of 100 characters may come again, if the row of the cursor changes.
      const isLong = [boundary.category, boundary.value, boundary.external_id].some((text) => text?.startsWith(LONG))
      expect(others(isLong ? [...new Set(found)] : found)).toEqual(others(expected))
    })
})
