import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseWith } from '../isolates.ts'
import type { EventRecord } from '../records.ts'
import { load, type Options, send, withKey } from '../service.ts'
import { splitRows } from '../tags.ts'
import { foundation, makeEvents, SERIES } from './world.ts'

/** The series that the feed writes. Its first events are in the data already. */
const BUSY = 3
const busyUuid = '21000000-0000-4000-8000-000000000000'
const made = makeEvents(4000, 11)
const busy = new Set<number | string>(made.flatMap(({ id, series }) => (series === BUSY ? [id] : [])))

beforeAll(() => load([...foundation, ...made]))

/** Sends a body with a key that writes. */
const sendAs = async (method: string, path: string, body: object): Promise<Response> => {
  const { headers = {}, vars = {} } = await withKey('all')
  return send(path, {
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    vars,
    body: JSON.stringify(body),
  })
}

let written = 0
/** Stores a new event, and moves another one. */
const feed = async (): Promise<void> => {
  written += 1
  const body = [`new ${written}`, 'one'].map((external_id) => ({
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [-170 + ((written * 37) % 340), ((written * 13) % 160) - 80] },
    properties: {
      external_id,
      event_series: busyUuid,
      category: 'flood',
      value: `${written} k`,
      timestamp_start: `1969-0${7 + (written % 3)}-02T00:00:00Z`,
    },
  }))
  const response = await sendAs('POST', '/api/v3/events/', body)
  const { ids } = (await response.json()) as { readonly ids: readonly number[] }
  for (const id of ids) busy.add(id)
}

/** A database that runs `between` before each round trip of a request but the first one. */
const between = (write: (trip: number) => Promise<unknown>) => {
  const seen = { trips: 0 }
  const DB = databaseWith(async (real) => {
    seen.trips += 1
    if (seen.trips > 1) await write(seen.trips)
    return real()
  })
  return { seen, options: { vars: { DB }, headers: { 'Cache-Control': 'no-cache' } } satisfies Options }
}

/** What a test looks at: the events and the count of an answer, and numbers that the feed never changes. */
interface Looked {
  readonly ids: readonly (number | string)[]
  readonly count: number | null
  readonly others: unknown
}

interface Item {
  readonly id?: number
  readonly url: string
  readonly uuid: string
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
const lookAtSummary = ({ count, facets, by }: any): Looked => {
  const still = (entries: readonly Item[] = []) => entries.filter(({ uuid }) => uuid !== busyUuid)
  return { ids: [], count, others: [still(facets?.event_series.entries), still(by?.event_series.entries)] }
}

const lookAtTile = (bytes: ArrayBuffer): Looked => {
  const { layers } = new VectorTile(new PbfReader(new Uint8Array(bytes)))
  const of = (name: string) => Array.from({ length: layers[name]?.length ?? 0 }, (_, i) => layers[name]?.feature(i))
  const count = of('cells').reduce((sum, cell) => sum + Number(cell?.properties.count), 0)
  return { ids: of('events').map((each) => each?.id ?? 0), count, others: null }
}

const lookAt = async (response: Response): Promise<Looked> => {
  const type = response.headers.get('Content-Type') ?? ''
  const total = response.headers.get('X-Total-Count')
  const count = total === null ? null : Number(total)
  if (type.includes('mapbox')) return lookAtTile(await response.arrayBuffer())
  const text = await response.text()
  const idsIn = (lines: readonly string[]) => lines.map((line) => Number.parseInt(line.replace(/^\{"id":/, ''), 10))
  if (type.includes('csv')) return { ids: idsIn(text.trim().split('\r\n').slice(1)), count, others: null }
  if (type.includes('ndjson')) return { ids: idsIn(text.trim().split('\n')), count, others: null }
  const body = JSON.parse(text)
  const items: readonly Item[] | undefined = body.results ?? body.features
  return items === undefined ? lookAtSummary(body) : { ids: items.map(({ id, url }) => id ?? url), count, others: null }
}

const AREA = 'POLYGON((-170 -80,170 -80,0 80,-170 -80))'
const LIST = '/api/v3/events/?page_size=10000'
const ALL = '/api/v3/events/?page_size=all&fields=id'
const STORED = '/api/v3/events/summary/?facets=event_series&bins=month'
const SUMMARY = '/api/v3/events/summary/?facets=event_series'
const ITEMS = '/ogc/collections/events/items?limit=10000'
const NEAR = 'near=5,52&radius=20040000'
const LATEST = 'latest=event_series&category__not=drought'

const KINDS = [
  ['/api/v3/eventseries/?name__regex=.&page_size=100'],
  [`${LIST}&geom_within=${AREA}`],
  [`${LIST}&geom_within=${AREA}&ordering=-timestamp_start`],
  [`${LIST}&geom_within=${AREA}&category=flood&format=csv`],
  [`${LIST}&${NEAR}`],
  [`${LIST}&geom_within=${AREA}&include=series`],
  [`${LIST}&${NEAR}&ordering=distance`],
  [`${LIST}&${NEAR}&ordering=-distance&category=flood&format=geojson`],
  [`${LIST}&q=k`],
  [`${LIST}&q=flood+k&geom_within=${AREA}`],
  [`${LIST}&value__regex=k`],
  [`${LIST}&category__iregex=d.r&value__icontains=k`],
  [`${LIST}&${LATEST}`],
  [`${LIST}&${LATEST}&geom_within=${AREA}`],
  [`${ALL}&format=ndjson&${NEAR}&ordering=distance`],
  [`${ALL}&format=csv&geom_within=${AREA}`],
  [`${ALL}&format=ndjson&value__regex=k`],
  [`${SUMMARY}&category=flood`],
  [`${SUMMARY}&geom_within=${AREA}`],
  [`${SUMMARY}&by=event_series&bins=day&duration__gte=0`],
  [STORED],
  [`${SUMMARY}&statistics=value&value__icontains=k`],
  [`${SUMMARY}&${LATEST}`],
  [`${ITEMS}&filter=S_WITHIN(geom,${AREA})`],
  [`${ITEMS}&filter=NOT S_WITHIN(geom,${AREA})`],
  [`${ITEMS}&filter=category LIKE 'fl%25' AND NOT S_WITHIN(geom,${AREA})&f=csv`],
  [`${ITEMS}&bbox=-180,-90,180,90&filter=value LIKE '%25k%25' OR S_WITHIN(geom,${AREA})`],
  [`${ITEMS}&sortby=distance&${NEAR}`],
  [`/ogc/collections/events/tiles/WebMercatorQuad/0/0/0?f=mvt&geom_within=${AREA}`],
  [`/ogc/collections/events/tiles/WebMercatorQuad/1/0/0?f=mvt&value__regex=k`],
] as const

describe('beside a write between each two round trips, the answer has each lasting event once', () => {
  for (const [options, kinds] of splitRows(4, KINDS))
    it.each(kinds)('%s', options, async (path) => {
      const quiet = async () => lookAt(await send(path, { headers: { 'Cache-Control': 'no-cache' } }))
      const { seen, options } = between(feed)
      const before = await quiet()
      const response = await send(path, options)
      const { headers, status } = response
      const { ids, count, others } = await lookAt(response)
      const after = await quiet()
      expect([status, headers.get('ETag'), headers.get('Cache-Control')]).toEqual([200, null, 'no-store'])
      // Three attempts, of which the first two end at their second round trip.
      expect(seen.trips).toBeGreaterThanOrEqual(6)
      const lasting = (all: Looked['ids']) => all.filter((id) => !busy.has(id))
      expect(lasting(ids)).toEqual(lasting(before.ids))
      // The event that moves may come twice in a stream.
      expect(ids.length - new Set(ids).size).toBeLessThanOrEqual(path.startsWith(ALL) ? 1 : 0)
      expect(others).toEqual(before.others)
      // The event that moves may be in the area in between only.
      expect(count ?? 0).toBeGreaterThanOrEqual((before.count ?? 0) - 1)
      expect(count ?? 0).toBeLessThanOrEqual((after.count ?? 0) + 1)
    })
})

describe('a series that is hidden between two round trips is in no later one', () => {
  const HIDDEN = 2
  const { prefix, name } = SERIES[HIDDEN - 1] ?? SERIES[0]
  const own = new Set<number | string>(made.flatMap(({ id, series }: EventRecord) => (series === HIDDEN ? [id] : [])))
  /** The series is public in the first round trip of each attempt, and hidden from the second one on. */
  const setAccess = (trip: number) =>
    sendAs('PATCH', `/api/v4/eventseries/${prefix}000000-0000-4000-8000-000000000000/`, {
      access_modifier: trip === 3 || trip === 5 ? 'Public' : 'Hidden',
    })

  // Stored counts have the names of the first round trip.
  const others = KINDS.filter(([path]) => path !== STORED)
  for (const [options, kinds] of splitRows(4, others))
    it.each(kinds)('%s', options, async (path) => {
      await setAccess(3)
      const { seen, options } = between(setAccess)
      const response = await send(path, options)
      const shown = new TextDecoder().decode(await response.clone().arrayBuffer())
      const { ids } = await lookAt(response)
      expect(response.status).toBe(200)
      expect(seen.trips).toBeGreaterThanOrEqual(6)
      expect(ids.filter((id) => own.has(id))).toEqual([])
      expect(shown).not.toContain(`"${name}"`)
      expect(shown).not.toContain(`${prefix}000000-`)
    })
})
