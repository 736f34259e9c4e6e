import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { DURATIONS } from '../../schema/durations.ts'
import { TREES, type TreeName } from '../../schema/trees.ts'
import { LEVELS } from '../engine/world.ts'
import { naiveNumber } from '../filters/numbers.ts'
import { type KEYS, type Options, send, withKey } from '../service.ts'

export const EVENTS = '/api/v3/events/'
export const SERIES = '/api/v4/eventseries/'

/** Returns a feature of series 1 of the test data. The arguments replace its properties and other members. */
export const feature = (properties: object = {}, more: object = {}) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [5.5, 52.25, 3] },
  properties: { category: 'flood', value: '1', timestamp_start: 1000, event_series: 1, ...properties },
  ...more,
})

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
  readonly body: any
}

/** Sends JSON with a key that can write. By default the key reads up to Private. */
export const write = async (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  key: keyof typeof KEYS = 'writer',
): Promise<Answer> => {
  const { headers: own, vars } = await withKey(key)
  const sent = typeof body === 'string' || body === undefined ? (body ?? null) : JSON.stringify(body)
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
  const options: Options = { method, body: sent, headers: { ...own, ...type, ...headers }, vars: vars ?? {} }
  const response = await send(path, options)
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

/** Returns the status and the body of a write. */
export const outcome = async (...asked: Parameters<typeof write>) => {
  const { status, body } = await write(...asked)
  return { status, body }
}

export const rows = async (query: string): Promise<Record<string, unknown>[]> =>
  (await env.DB.prepare(query).all()).results

/** The tables that a write can change. */
export const STORED_TABLES = [
  'event',
  'event_series',
  'observation_type',
  'category',
  'object_model',
  'event_count',
  'revision',
]

/** Reads the rows of several queries in one round trip. */
const rowsOf = async (queries: readonly string[]): Promise<Record<string, unknown>[][]> =>
  (await env.DB.batch<Record<string, unknown>>(queries.map((query) => env.DB.prepare(query)))).map(
    ({ results }) => results,
  )

/** Returns all stored data, except the ids and keys that were given out. */
export const stored = async (): Promise<string> =>
  JSON.stringify(await rowsOf(STORED_TABLES.map((table) => `SELECT * FROM ${table}`)))

const columns = Object.keys(LEVELS).map((level) => level.toLowerCase())
const sums = Object.values(LEVELS).map((level, i) => `coalesce(sum(access_modifier = ${level}), 0) AS ${columns[i]}`)
const joined = 'FROM event JOIN event_series ON event_series.id = event_series_id'

interface Node {
  readonly node: number
  readonly [level: string]: number
}

const isAny = (node: Node): boolean => columns.some((level) => node[level] !== 0)

const keptIn = (tree: TreeName, shift: number) =>
  `SELECT node, ${columns} FROM event_count WHERE tree = '${tree}' AND shift = ${shift} ORDER BY node`

/** Counts the durations in each node. */
const countDurations = (events: readonly Record<string, unknown>[]): Node[] => {
  const nodes = new Map<number, Node>()
  for (const { duration, level } of events) {
    const node = DURATIONS.findLast((least) => least <= Number(duration)) ?? 0
    const before = nodes.get(node) ?? { node, ...Object.fromEntries(columns.map((column) => [column, 0])) }
    const column = columns[Object.values<unknown>(LEVELS).indexOf(level)] ?? ''
    nodes.set(node, { ...before, [column]: (before[column] ?? 0) + 1 })
  }
  return [...nodes.values()].sort((a, b) => a.node - b.node)
}

/** Counts the events in each node of a shift. */
const countedIn = (tree: TreeName, shift: number) => {
  if (tree === 'duration') return `SELECT event."end" - event.start AS duration, access_modifier AS level ${joined}`
  const value = `event."${tree}"`
  // A division, not a shift, checks that negative values are rounded down.
  return `SELECT CAST(floor(${value} / ${2 ** shift}.0) AS INTEGER) AS node, ${sums} ${joined} GROUP BY 1 ORDER BY 1`
}

/** The other derived rows and columns, each as it is stored and as it is counted. */
const DERIVED = [
  ...Object.entries({ category: 'category_id', object_model: 'object_model_id' }).map(([table, key]) => [
    `SELECT id, ${columns} FROM ${table} WHERE public + common + private + hidden <> 0 ORDER BY id`,
    `SELECT ${key} AS id, ${sums} ${joined} WHERE ${key} IS NOT NULL GROUP BY 1 ORDER BY 1`,
  ]),
  ['SELECT count(*) AS n FROM event_count WHERE min(public, common, private, hidden) < 0', 'SELECT 0 AS n'],
  [
    'SELECT id, event_count AS n, start, "end", west, east, south, north FROM event_series ORDER BY id',
    `SELECT event_series.id, count(event.id) AS n, min(event.start) AS start, max(event."end") AS "end",
        min(x) AS west, max(x) AS east, min(y) AS south, max(y) AS north
      FROM event_series LEFT JOIN event ON event_series_id = event_series.id GROUP BY 1 ORDER BY 1`,
  ],
]

/** Expects that all stored counts and derived columns equal a new count, and the numbers of values the slowest reading. */
export const expectKept = async (): Promise<void> => {
  const shifts = (Object.keys(TREES) as TreeName[]).flatMap((tree) =>
    TREES[tree].shifts.map((shift) => [tree, shift] as const),
  )
  const nodes = shifts.flatMap((each) => [keptIn(...each), countedIn(...each)])
  const values = 'SELECT value, value_number AS number FROM event'
  const [numbers = [], ...read] = await rowsOf([values, ...nodes, ...DERIVED.flat()])
  for (const { value, number } of numbers) expect(number, String(value)).toBe(naiveNumber(String(value)))
  for (const [i, [tree, shift]] of shifts.entries()) {
    const [kept = [], counted = []] = read.slice(2 * i)
    const expected = tree === 'duration' ? countDurations(counted) : counted
    expect((kept as unknown as Node[]).filter(isAny), `${tree} ${shift}`).toEqual(expected)
  }
  for (const [i, [query]] of DERIVED.entries()) {
    const [kept, counted] = read.slice(nodes.length + 2 * i)
    expect(kept, query).toEqual(counted)
  }
}
