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

/** Returns all stored data, except the ids and keys that were given out. */
export const stored = async (): Promise<string> =>
  JSON.stringify(await Promise.all(STORED_TABLES.map((table) => rows(`SELECT * FROM ${table}`))))

/** Expects the number of each stored value as the slowest way reads it. */
const expectNumbers = async () => {
  const stored = await rows('SELECT value, value_number AS number FROM event')
  for (const { value, number } of stored) expect(number, String(value)).toBe(naiveNumber(String(value)))
}

const columns = Object.keys(LEVELS).map((level) => level.toLowerCase())
const sums = Object.values(LEVELS).map((level, i) => `coalesce(sum(access_modifier = ${level}), 0) AS ${columns[i]}`)
const joined = 'FROM event JOIN event_series ON event_series.id = event_series_id'

interface Node {
  readonly node: number
  readonly [level: string]: number
}

const isAny = (node: Node): boolean => columns.some((level) => node[level] !== 0)

const keptIn = async (tree: TreeName, shift: number) =>
  (await rows(
    `SELECT node, ${columns} FROM event_count WHERE tree = '${tree}' AND shift = ${shift} ORDER BY node`,
  )) as unknown as Node[]

/** Counts the durations in each node. */
const countedByDuration = async (): Promise<Node[]> => {
  const nodes = new Map<number, Node>()
  const events = await rows(`SELECT event."end" - event.start AS duration, access_modifier AS level ${joined}`)
  for (const { duration, level } of events) {
    const node = DURATIONS.findLast((least) => least <= Number(duration)) ?? 0
    const before = nodes.get(node) ?? { node, ...Object.fromEntries(columns.map((column) => [column, 0])) }
    const column = columns[Object.values<unknown>(LEVELS).indexOf(level)] ?? ''
    nodes.set(node, { ...before, [column]: (before[column] ?? 0) + 1 })
  }
  return [...nodes.values()].sort((a, b) => a.node - b.node)
}

/** Counts the events in each node of a shift. */
const countedIn = async (tree: TreeName, shift: number) => {
  if (tree === 'duration') return countedByDuration()
  const value = `event."${tree}"`
  // A division, not a shift, checks that negative values are rounded down.
  return (await rows(
    `SELECT CAST(floor(${value} / ${2 ** shift}.0) AS INTEGER) AS node, ${sums} ${joined} GROUP BY 1 ORDER BY 1`,
  )) as unknown as Node[]
}

/** Expects that all stored counts and derived columns equal a new count. */
export const expectKept = async (): Promise<void> => {
  await expectNumbers()
  const shifts = (Object.keys(TREES) as TreeName[]).flatMap((tree) =>
    TREES[tree].shifts.map((shift) => [tree, shift] as const),
  )
  const read = await Promise.all(shifts.map((each) => Promise.all([keptIn(...each), countedIn(...each)])))
  for (const [i, [kept, counted]] of read.entries()) expect(kept.filter(isAny), `${shifts[i]}`).toEqual(counted)
  for (const [table, key] of [
    ['category', 'category_id'],
    ['object_model', 'object_model_id'],
  ] as const) {
    const counted = await rows(`SELECT ${key} AS id, ${sums} ${joined} WHERE ${key} IS NOT NULL GROUP BY 1 ORDER BY 1`)
    const kept = `SELECT id, ${columns} FROM ${table} WHERE public + common + private + hidden <> 0 ORDER BY id`
    expect(await rows(kept), table).toEqual(counted)
  }
  expect(await rows('SELECT count(*) AS n FROM event_count WHERE min(public, common, private, hidden) < 0')).toEqual([
    { n: 0 },
  ])
  expect(
    await rows('SELECT id, event_count AS n, start, "end", west, east, south, north FROM event_series ORDER BY id'),
  ).toEqual(
    await rows(`SELECT event_series.id, count(event.id) AS n, min(event.start) AS start, max(event."end") AS "end",
        min(x) AS west, max(x) AS east, min(y) AS south, max(y) AS north
      FROM event_series LEFT JOIN event ON event_series_id = event_series.id GROUP BY 1 ORDER BY 1`),
  )
}
