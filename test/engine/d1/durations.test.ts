import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { DURATION_CLASSES, DURATIONS, durationNode } from '../../../schema/durations.ts'
import { events } from '../../../schema/tables.ts'
import { classesOf, inClasses } from '../../../src/engine/d1/paths.ts'
import { timeBounds } from '../../../src/engine/d1/ranges.ts'
import { random } from '../../bench/events.ts'
import type { EventRecord } from '../../records.ts'
import { get, load } from '../../service.ts'
import { expectKept } from '../../store/writer.ts'
import { splitRows } from '../../tags.ts'
import { ask, freezeClock } from '../cost.ts'
import { filterOf } from '../filters.ts'
import { EVENTS, foundation, isVisible, LEVELS, type Level, makeEvents, remove, seenBy, write } from '../world.ts'

freezeClock()

const SEED = 20_261_123
const HOUR = 3_600_000
const REACH = 8_640_000_000_000_000
const bitsOf = fc.integer({ min: 0, max: 53 })
/** Durations near the borders of nodes and classes, where an error of one shows. */
const durations = fc
  .tuple(bitsOf, fc.nat(2 ** 12), fc.integer({ min: -2, max: 2 }))
  .map(([bits, high, off]) => BigInt(high) * 2n ** BigInt(Math.max(0, bits - 12)) + BigInt(off))
  .map((duration) => (duration < 0n ? 0n : duration))

const textOf = (query: ReturnType<typeof sql>) => new SQLiteSyncDialect().sqlToQuery(query.inlineParams()).sql

describe('the node of a duration', () => {
  it('is the greatest least duration, in SQL', async () => {
    const values = [
      ...fc.sample(durations, { seed: SEED, numRuns: 300 }),
      ...DURATIONS.flatMap((least) => [BigInt(least), BigInt(least) + 1n, BigInt(least === 0 ? 0 : least - 1)]),
    ]
    const { results } = await env.DB.prepare(
      textOf(sql`SELECT ${durationNode} AS node
        FROM (SELECT CAST(value AS INTEGER) AS duration FROM json_each(${JSON.stringify(values.map(String))})) AS event`),
    ).all()
    expect(results).toEqual(values.map((value) => ({ node: DURATIONS.findLast((least) => least <= value) })))
  })

  it('is in one class', () => {
    for (const bits of DURATION_CLASSES.slice(0, -1)) expect(DURATIONS).toContain(2 ** bits)
    expect(DURATIONS).toEqual([...new Set(DURATIONS)])
  })
})

const next = random(SEED)
/** The longest duration of each class, and the shortest of the next one. */
const BORDERS = DURATION_CLASSES.slice(0, -1).flatMap((bits) => [2 ** bits - 1, 2 ** bits])
const SPECIAL = [0, 1, REACH, 2 * REACH, ...BORDERS]
/** Many events last exactly an hour, and many nearly an hour. Some have the least and the greatest duration. */
const durationOf = (i: number): number => {
  const special = SPECIAL[i]
  if (special !== undefined) return special
  if (next() < 0.3) return HOUR
  if (next() < 0.3) return HOUR + Math.floor((next() - 0.5) * 600_000)
  return next() < 0.2 ? 0 : Math.floor(next() ** 6 * 90 * 24 * HOUR)
}
const made = makeEvents(4000, 5).map((event, i): EventRecord => {
  const duration = durationOf(i)
  const start = Math.min(event.start, REACH - duration)
  return { ...event, start, end: start + duration }
})
const seconds = (duration: bigint): string => `${duration / 1000n}.${String(duration % 1000n).padStart(3, '0')}`

describe('the count of a range of durations', () => {
  let stored = made
  beforeAll(async () => {
    await load(foundation)
    await write(made)
  })

  const bound = fc.oneof(
    fc.constantFrom(...made.map(({ start, end }) => BigInt(end - start))),
    fc.constantFrom(0n, 1n, BigInt(HOUR), BigInt(HOUR) + 1n, BigInt(HOUR) - 1n, BigInt(2 * REACH)),
    durations,
  )
  const ranges = fc.tuple(bound, bound, fc.constantFrom('range', 'gte', 'gt', 'lte', 'lt', 'exact', 'in'))

  const expectCounts = async (numRuns: number) => {
    await expectKept()
    await fc.assert(
      fc.asyncProperty(
        ranges,
        fc.constantFrom(...(Object.keys(LEVELS) as Level[])),
        async ([one, other, lookup], level) => {
          const [least, greatest] = one < other ? [one, other] : [other, one]
          const value = ['range', 'in'].includes(lookup) ? `${seconds(least)},${seconds(greatest)}` : seconds(one)
          const query = `duration${lookup === 'exact' ? '' : `__${lookup}`}=${value}`
          const { matches } = filterOf(query)
          const found = stored.filter((event) => isVisible(event, level) && matches(event))
          const answer = await get(`${EVENTS}?${query}`, seenBy(level))
          expect([answer.count, answer.results.map(({ id }: { id: number }) => id)], `${query} ${level}`).toEqual([
            found.length,
            found.slice(0, 10).map(({ id }) => id),
          ])
        },
      ),
      { seed: SEED, numRuns },
    )
  }

  for (const [options, [times = 0]] of splitRows(2, [20, 150]))
    it('equals a slow count', options, () => expectCounts(times))

  it.each(BORDERS)('a duration of %i ms is in the class that the times of its event lead to', async (duration) => {
    const { id, start, end } = made[SPECIAL.indexOf(duration)] as EventRecord
    const [from, until] = [BigInt(start), BigInt(end)]
    const around = timeBounds([null, from], [until, null], [null, null])
    const within = timeBounds([from, null], [null, until], [null, null])
    for (const classes of [around, within].map(classesOf)) {
      const { from, enter } = inClasses(classes ?? [])
      const { results } = await env.DB.prepare(textOf(sql`SELECT ${events.id} AS id FROM ${from} WHERE ${enter}`)).all()
      expect(results).toContainEqual({ id })
    }
  })

  it('reads few rows', async () => {
    await ask({ query: { duration__gte: '1' } }, EVENTS) // reads statistics
    for (const query of [{ duration__gte: '01:00:00' }, { duration__range: '00:56:00,01:01:00' }]) {
      const { rows, body } = await ask({ query }, EVENTS)
      expect(body.count).toBeGreaterThan(400)
      expect(rows - body.results.length).toBeLessThan(1000)
    }
  })

  it.each<[string, Record<string, string>, (lasting: number) => boolean]>([
    ['one duration', { duration: '01:00:00' }, (lasting) => lasting === HOUR],
    ['one duration, the last ids first', { duration: '01:00:00', ordering: '-id' }, (lasting) => lasting === HOUR],
    ['two durations', { duration__in: '01:00:00,00:00:00' }, (lasting) => lasting === HOUR || lasting === 0],
  ])('%s: the pages', async (_, query, fits) => {
    const ids = stored
      .filter((event) => isVisible(event, 'Public') && fits(event.end - event.start))
      .map(({ id }) => id)
    if (query.ordering !== undefined) ids.reverse()
    const first = await ask({ query }, EVENTS)
    const next = await ask({ query }, first.body.next)
    const last = await ask({ query: { ...query, page: 'last' } }, EVENTS)
    expect([first, next, last].map(({ body }) => body.results.map(({ id }: { id: number }) => id))).toEqual([
      ids.slice(0, 10),
      ids.slice(10, 20),
      ids.slice(-(ids.length % 10 || 10)),
    ])
    expect(Math.max(first.rows, next.rows, last.rows)).toBeLessThan(2500)
  })

  it('equals a slow count after deletes and writes', async () => {
    const doomed = stored.filter(() => next() < 0.6)
    await remove(doomed)
    const gone = new Set(doomed.map(({ id }) => id))
    const again = makeEvents(400, 6, 20_000).map((event) => ({ ...event, end: event.start + HOUR }))
    await write(again)
    stored = [...stored.filter(({ id }) => !gone.has(id)), ...again]
    await expectCounts(60)
  })
})
