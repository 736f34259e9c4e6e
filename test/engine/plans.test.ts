import { env } from 'cloudflare:workers'
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import { beforeAll, describe, expect, it } from 'vitest'
import { countStatements } from '../../schema/counts.ts'
import { records } from '../bench/events.ts'
import { CATEGORY, LIST, SMALL_AREA, SUMMARY, type Workload, workloads } from '../bench/workloads.ts'
import type { EventRecord } from '../records.ts'
import { RAISE_AT_ONCE } from '../revisions.ts'
import { load } from '../service.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { ask, costOf, freezeClock } from './cost.ts'

const EVENTS = 20_000
const HIDDEN = [2, 3, 4]

const all = [...records(EVENTS)]
const events = all.filter((record): record is EventRecord => record.kind === 'event')
const uuids = new Map(all.flatMap((record) => (record.kind === 'event_series' ? [[record.id, record.uuid]] : [])))
const asked = workloads(EVENTS, null)
/** Returns the number of events on earlier pages. */
const firstOf = ({ query, turns }: Workload) => (Number(query.page ?? 1) - 1 + turns) * 10
const summaries = asked.filter(({ to }) => to === SUMMARY)
const lists = asked.filter((each) => each.to === LIST && !each.item && matches(each.query).length > firstOf(each))

freezeClock()

beforeAll(async () => {
  await load(all)
  await ask({ query: SMALL_AREA }, LIST)
})

describe('a list reads as many rows as recorded, in few round trips', () => {
  const isLong = ({ turns }: Workload) => turns > 20
  const [long, short] = [lists.filter(isLong), lists.filter((each) => !isLong(each))]
  it.each(short)('$name', expectPage)
  it.each(long)('$name', EXHAUSTIVE, expectPage)

  async function expectPage(workload: Workload) {
    const answer = await walkTo(workload)
    const { body, rows, trips, timing } = answer
    const matching = matches(workload.query)
    const first = firstOf(workload)
    expect(body.count).toBe(matching.length)
    expect(idsOf(body)).toEqual(matching.slice(first, first + 10).map(({ id }) => id))
    expect(timing).toContain(`rows_read;desc="${rows}", round_trips;desc="${trips}"`)
    expect(trips).toBeLessThanOrEqual(2)
    expect(costOf(answer)).toMatchSnapshot()
  }

  it.each(asked.filter(({ item }) => item !== undefined))(
    '$name, read as an item in one round trip',
    async ({ item = '', query }) => {
      const { rows, trips } = await ask({ query }, item, {})
      expect(trips).toBe(1)
      expect(rows).toBeLessThanOrEqual(5)
    },
  )
})

it('a regular expression reads each text of its dictionary once', async () => {
  const categories = new Set(events.map(({ category }) => category))
  const { body, rows, trips } = await ask({ query: { category__regex: '^nothing' } }, LIST)
  expect([body.count, trips]).toEqual([0, 2])
  expect(rows).toBeLessThanOrEqual(4 * categories.size + 10)
})

it.each([
  { category__isnull: 'false', event_series__name__isnull: 'false', duration__gte: '0' },
  { timestamp_start__gte: '1900-01-01', duration__gte: '0' },
  { ...CATEGORY, timestamp_start__gte: '1900-01-01', timestamp_end__lt: '2200-01-01' },
])('a condition that every row meets costs a few rows of the count: %j', async (query) => {
  const { body, rows, trips } = await ask({ query: { ...query, page: 'last' } }, LIST)
  expect([body.count, trips]).toEqual([matches({ category__icontains: '', ...query }).length, 1])
  expect(rows).toBeLessThanOrEqual(500)
})

describe('a summary reads as many rows as recorded', () => {
  it.each(summaries)('$name', async ({ query }) => {
    const answer = await ask({ query }, SUMMARY)
    expect(answer.body.count).toBe(matches(query).length)
    expect(costOf(answer)).toMatchSnapshot()
  })
})

/** Hides series, and the counts of their events with them. */
const hide = async () => {
  const ids = JSON.stringify(events.filter(({ series }) => HIDDEN.includes(series)).map(({ id }) => id))
  const counted = (sign: 1 | -1) => countStatements(sign).map((text) => env.DB.prepare(text).bind(ids))
  const hidden = env.DB.prepare(`UPDATE event_series SET access_modifier = 200 WHERE id IN (${HIDDEN})`)
  await env.DB.batch([...counted(-1), hidden, ...counted(1), env.DB.prepare(RAISE_AT_ONCE)])
}

describe('with hidden series', () => {
  const visible = events.filter(({ series }) => !HIDDEN.includes(series))
  beforeAll(hide)

  it('the first page', async () => {
    const { body, rows, trips } = await ask({ query: {} }, LIST)
    expect(body.count).toBe(visible.length)
    expect(idsOf(body)).toEqual(visible.slice(0, 10).map(({ id }) => id))
    expect(trips).toBe(1)
    expect(rows).toBeLessThanOrEqual(200)
  })

  it('the summary', async () => {
    const answer = await ask({ query: {} }, SUMMARY)
    expect(answer.body.count).toBe(visible.length)
    expect(costOf(answer)).toMatchSnapshot()
  })
})

/** Follows `next` to the page of a workload. */
const walkTo = async (workload: Workload) => {
  let answer = await ask(workload, LIST)
  for (let turn = 0; turn < workload.turns; turn++) answer = await ask(workload, answer.body.next)
  return answer
}

const idsOf = (body: { results: { id: number }[] }) => body.results.map(({ id }) => id)

/** Returns the events that match a query, in its order. It tests every event. */
function matches(query: Workload['query']): EventRecord[] {
  const from = Date.parse(query.timestamp_start__gte ?? '') || -Infinity
  const to = Date.parse(query.timestamp_start__lt ?? '') || Infinity
  const part = query.category__icontains?.toLowerCase() ?? ''
  const area = query.geom_within === undefined ? null : JSON.parse(query.geom_within)
  const found = events.filter(
    ({ series, start, category, coordinates }) =>
      (query.event_series === undefined || uuids.get(series) === query.event_series) &&
      start >= from &&
      start < to &&
      category.toLowerCase().includes(part) &&
      (area === null ||
        (coordinates !== null && booleanPointInPolygon([...coordinates], area, { ignoreBoundary: true }))),
  )
  if (query.ordering === undefined) return found
  const sign = query.ordering.startsWith('-') ? -1 : 1
  return found.sort((a, b) => sign * (a.start - b.start || a.id - b.id))
}
