import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { beforeAll, describe, expect, it } from 'vitest'
import { answerOf } from '../../oracle/oracle.ts'
import { arraysOf } from '../../question/arrays.ts'
import type { EventRecord } from '../../records.ts'
import { answer, eventIds, get, load, send, walk } from '../../service.ts'
import { ask, freezeClock } from '../cost.ts'
import { EVENTS, foundation, type Level, makeEvents, seenBy } from '../world.ts'

const made = makeEvents(3000, 79, 1400)
const LATEST = 'latest=event_series'

freezeClock()
beforeAll(() => load([...foundation, ...made]))

const plain = arraysOf([...foundation, ...made])
/** Returns the ids of the latest events, from plain arrays. */
const latestOf = async (query: string, level: Level) => {
  const { finds } = await answerOf('arrays', plain, { asks: `${LATEST}&${query}`, level })
  return finds as readonly number[]
}

describe('the latest event of each series', () => {
  it('is the same on every page if the Worker tests texts', async () => {
    for (const filter of ['value__regex=m', 'q=m', 'value__icontains=M&category__iregex=o']) {
      const whole = await eventIds(`${LATEST}&${filter}`, seenBy('Hidden'))
      const pages = await walk(`${EVENTS}?${LATEST}&${filter}&page_size=1`, seenBy('Hidden'))
      expect(whole.length).toBeGreaterThan(2)
      expect(pages.flatMap(({ results }) => results.map(({ id }: EventRecord) => id))).toEqual(whole)
    }
  })

  it('is in its tile, even if another tile has earlier ones', async () => {
    const found = new Set<unknown>()
    for (const tile of ['0/0', '0/1', '1/0', '1/1']) {
      const path = `/ogc/collections/events/tiles/WebMercatorQuad/1/${tile}`
      const response = await send(`${path}?f=mvt&${LATEST}`, seenBy('Hidden'))
      const { events } = new VectorTile(new PbfReader(await response.arrayBuffer())).layers
      for (let i = 0; i < (events?.length ?? 0); i++) found.add(events?.feature(i).id)
    }
    const placed = new Set(made.filter(({ coordinates }) => coordinates !== null).map(({ id }) => id))
    const latest = await latestOf('', 'Hidden')
    expect([...found].sort()).toEqual(latest.filter((id) => placed.has(id)).sort())
  })

  it('is the latest of the one series of a nested list', async () => {
    const { count, results } = await get(`/api/v4/eventseries/10/events/?${LATEST}`)
    expect([count, [results[0].id]]).toEqual([1, await latestOf('event_series=10', 'Public')])
  })

  it('costs as much as the number of series', async () => {
    await ask({ query: { timestamp_start__gte: '1970-01-01', duration__gte: '0' } }, EVENTS) // reads the statistics
    for (const query of [{}, { timestamp_start__lt: '1970-01-01' }, { event_series: '10' }]) {
      const { rows, trips } = await ask({ query: { latest: 'event_series', ...query } }, EVENTS)
      expect([query, trips, rows < 100]).toEqual([query, 2, true])
    }
  })

  it('is a 400 for another field', async () => {
    for (const name of ['category', 'event_series,event_series', '__proto__'])
      expect(await answer(`${EVENTS}?latest=${name}`)).toMatchObject({
        status: 400,
        body: { latest: ['Enter event_series.'] },
      })
  })
})
