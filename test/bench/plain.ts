import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import type { MultiPolygon, Polygon, Position } from 'geojson'
import { LIST, type Workload } from './workloads.ts'

/**
 * Answers the bench as a usual stack does. It counts all matches for each page and uses OFFSET. For an area, it tests
 * each event in the bounds with turf. It supports only the bench, and returns raw rows.
 */
export default {
  async fetch(request: Request, { DB }: { DB: D1Database }): Promise<Response> {
    const cost = { roundTrips: 0, rowsRead: 0 }
    const read: Read = async (...statements) => {
      const answers = await DB.batch<Row>(statements)
      cost.roundTrips += 1
      for (const { meta } of answers) cost.rowsRead += meta.rows_read
      return answers.map(({ results }) => results)
    }
    const body = await answer(DB, read, new URLSearchParams(await request.text()))
    const timing = `rows_read;desc="${cost.rowsRead}", round_trips;desc="${cost.roundTrips}"`
    return Response.json(body, { headers: { 'Server-Timing': timing } })
  },
}

type Row = Record<string, number | string | null>
type Read = (...statements: D1PreparedStatement[]) => Promise<Row[][]>

const SIZE = 10
const VISIBLE = '+event.event_series_id IN (SELECT id FROM event_series WHERE access_modifier = 0)'
const ROWS = `SELECT event.*, category.text AS category, object_model.text AS model FROM event
  LEFT JOIN category ON category.id = event.category_id LEFT JOIN object_model ON object_model.id = event.object_model_id`

type Value = string | number
const asText = (value: string): Value => value
const asTime = (value: string): Value => Date.parse(value)
/** Converts HH:MM:SS to milliseconds. */
const asDuration = (value: string): Value => value.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1000

/** The condition of each filter, with a question mark for the value, and the function that parses the value. */
const FILTERS: Record<string, readonly [condition: string, valueOf: (text: string) => Value]> = {
  event_series: ['event.event_series_id = (SELECT id FROM event_series WHERE uuid = ?)', asText],
  timestamp_start__gte: ['event.start >= ?', asTime],
  timestamp_start__lt: ['event.start < ?', asTime],
  timestamp_end__gte: ['event."end" >= ?', asTime],
  timestamp_end__lt: ['event."end" < ?', asTime],
  duration__gt: ['event."end" - event.start > ?', asDuration],
  duration__gte: ['event."end" - event.start >= ?', asDuration],
  duration__lt: ['event."end" - event.start < ?', asDuration],
  category: ['event.category_id = (SELECT id FROM category WHERE text = ?)', asText],
  category__icontains: ["event.category_id IN (SELECT id FROM category WHERE text LIKE '%' || ? || '%')", asText],
  object_type__model: ['event.object_model_id = (SELECT id FROM object_model WHERE text = ?)', asText],
  object_id: ['event.object_id = ?', Number],
}

/** Returns true if this implementation answers a request: pages of events with these parameters. Areas must be GeoJSON. */
export const isPlain = ({ item, to, query }: Workload): boolean =>
  item === undefined &&
  to === LIST &&
  Object.entries(query).every(([name, value]) =>
    name === 'geom_within' ? value.startsWith('{') : name in FILTERS || name === 'page' || name === 'ordering',
  )

const answer = async (db: D1Database, read: Read, query: URLSearchParams): Promise<object> => {
  const filters = [...query].filter(([name]) => name in FILTERS)
  const where = [VISIBLE, ...filters.map(([name]) => FILTERS[name]?.[0])].join(' AND ')
  const values = filters.flatMap(([name, text]) => FILTERS[name]?.[1](text) ?? [])
  const order = orderOf(query.get('ordering') ?? 'id')
  const area = query.get('geom_within')
  const search = { where, values, order, page: query.get('page') ?? '1' }
  if (area !== null) return pageOf(db, read, await within(db, read, JSON.parse(area), search), search)
  const [[counted] = []] = await read(db.prepare(`SELECT count(*) AS count FROM event WHERE ${where}`).bind(...values))
  const count = Number(counted?.count)
  const rows = db.prepare(`${ROWS} WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`)
  const [results] = await read(rows.bind(...values, SIZE, offsetOf(search.page, count)))
  return { count, results }
}

const offsetOf = (page: string, count: number): number =>
  (page === 'last' ? Math.max(0, Math.ceil(count / SIZE) - 1) : Number(page) - 1) * SIZE

const orderOf = (ordering: string): string => {
  const column = ordering.replace('-', '').replace('timestamp_', '')
  const way = ordering.startsWith('-') ? 'DESC' : 'ASC'
  return column === 'id' ? `event.id ${way}` : `event."${column}" ${way}, event.id`
}

interface Search {
  readonly where: string
  readonly values: readonly Value[]
  readonly order: string
  /** A number, or `last`. */
  readonly page: string
}

const within = async (
  db: D1Database,
  read: Read,
  area: Polygon | MultiPolygon,
  { where, values, order }: Search,
): Promise<Row[]> => {
  const positions: Position[] = area.type === 'Polygon' ? area.coordinates.flat() : area.coordinates.flat(2)
  const range = (i: 0 | 1) => {
    const numbers = positions.map((position) => position[i] ?? 0)
    const best = (pick: (a: number, b: number) => number) => numbers.reduce((a, b) => pick(a, b))
    return [best(Math.min), best(Math.max)]
  }
  const bounds = 'event.x BETWEEN ? AND ? AND event.y BETWEEN ? AND ?'
  const text = `SELECT event.id, event.start, event.x, event.y FROM event WHERE ${where} AND ${bounds} ORDER BY ${order}`
  const [candidates = []] = await read(db.prepare(text).bind(...values, ...range(0), ...range(1)))
  return candidates.filter(({ x, y }) => booleanPointInPolygon([Number(x), Number(y)], area, { ignoreBoundary: true }))
}

const pageOf = async (
  db: D1Database,
  read: Read,
  hits: readonly Row[],
  { order, page: pageName }: Search,
): Promise<object> => {
  const offset = offsetOf(pageName, hits.length)
  const ids = JSON.stringify(hits.slice(offset, offset + SIZE).map(({ id }) => id))
  const page = `${ROWS} WHERE event.id IN (SELECT value FROM json_each(?)) ORDER BY ${order}`
  const [results] = await read(db.prepare(page).bind(ids))
  return { count: hits.length, results }
}
