import type { Columns } from './columns.ts'
import { dearest } from './dearest.ts'
import {
  boxOf,
  category,
  categoryPart,
  duration,
  type Filter,
  model,
  month,
  objectId,
  overlap,
  pageIn,
  period,
  placeOf,
  ringOf,
  type Source,
  series,
  view,
  withObject,
} from './draws.ts'
import { random } from './events.ts'
import { questions } from './questions.ts'
import { inside, smooth, spiky, triangle } from './shapes.ts'
import { ask, type Kind, LIST, SUMMARY, type Workload } from './workloads.ts'

/** Draws a request from the events. */
type Draw = (source: Source) => Partial<Workload>
/** Draws a condition that an event meets. */
export type DrawFilter = (source: Source, i: number) => Filter
export type MakeKind = (name: string, draw: Draw) => Kind

const REQUESTS = 20

/**
 * Returns the usual combinations of filters, with 20 requests each, drawn from the events. The most expensive requests
 * that are known come last.
 */
export const combinations = (columns: Columns, seed: number): Kind[] => {
  const sourceOf = (name: string): Source => {
    const next = random([...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed))
    return { next, columns, seed, event: () => Math.floor(next() * columns.length) }
  }
  const kind: MakeKind = (name, draw) => {
    const source = sourceOf(name)
    return { name, requests: Array.from({ length: REQUESTS }, () => ask(name, {}, draw(source))) }
  }
  const lists = [...simple(kind), ...timed(kind), ...placed(kind)]
  return [...lists, ...far(kind), ...questions(kind), ...summariesOf(lists), ...dearest(columns.length)]
}

const simple = (kind: MakeKind): Kind[] => [
  kind('first page', () => ({})),
  kind('one event', ({ event }) => ({ item: `${LIST}${event() + 1}/` })),
  kind('next, in the middle', (source) => ({ query: { page: String(pageIn(source)) }, turns: 1 })),
  kind('latest first', () => ({ query: { ordering: '-timestamp_start' } })),
  kind('series', (source) => ({ query: series(source) })),
]

/** Draws filters that all match one event, so that the result is rarely empty. */
export const together =
  (...filters: DrawFilter[]) =>
  (source: Source, i = source.event()): { query: Filter } => ({
    query: Object.assign({}, ...filters.map((filter) => filter(source, i))),
  })

const timed = (kind: MakeKind): Kind[] => {
  const times = [period, overlap, duration]
  return [
    kind('period', together(period)),
    kind('overlap', together(overlap)),
    ...times.map((time) => kind(`series and ${time.name}`, together(series, time))),
    ...times.map((time) => kind(`category and ${time.name}`, together(category, time))),
    kind('category and month', together(category, month)),
    kind('category icontains and duration', together(categoryPart, duration)),
    kind('model and object id', (source) => together(model, objectId)(source, withObject(source))),
  ]
}

const placed = (kind: MakeKind): Kind[] => {
  const viewed =
    (degrees: number): DrawFilter =>
    (source, i) =>
      inside(view(source, i, degrees))
  const views = [series, category, month].flatMap((filter) =>
    [0.2, 2, 20].map((degrees) => kind(`${filter.name} and view of ${degrees}`, together(filter, viewed(degrees)))),
  )
  const triangles: DrawFilter = (source, i) => inside(triangle(source.next, placeOf(source, i), 1 + 9 * source.next()))
  const rings = [smooth, spiky].flatMap((shape) =>
    [400, 2000].map((vertices) =>
      kind(`${shape.name} ring of ${vertices.toLocaleString('en')} over a town`, (source) => ({
        query: inside(ringOf(source, shape, vertices)),
      })),
    ),
  )
  return [
    ...views,
    kind('series, category, duration and triangle', together(series, category, duration, triangles)),
    ...[0.05, 0.2, 0.5, 2].map((degrees) =>
      kind(`box of ${degrees} in a town`, (source) => ({ query: inside(boxOf(source, degrees)) })),
    ),
    ...rings,
  ]
}

const far = (kind: MakeKind): Kind[] => [
  ...['last', '50'].map((page) =>
    kind(`page ${page} of a view of 20`, (source) => ({
      query: { ...inside(view(source, source.event(), 20)), page },
    })),
  ),
  ...['id', '-id', 'timestamp_start', '-timestamp_start', 'timestamp_end', '-timestamp_end'].map((ordering) =>
    kind(`cold page in the middle by ${ordering}`, (source) => ({
      query: { ordering, page: String(pageIn(source)) },
    })),
  ),
]

/** Returns the summaries for the queries of lists. */
const summariesOf = (lists: readonly Kind[]): Kind[] =>
  lists
    .filter(({ requests }) => requests.every(({ item, turns, query }) => !item && turns === 0 && !query.ordering))
    .map(({ name, requests }) => ({
      name: `summary: ${name === 'first page' ? 'everything' : name}`,
      requests: requests.map(({ query }) => ask(name, query, { to: SUMMARY })),
    }))
