import { type Asked, type Ceiling, ceilingsOf, type Kind, workloadOf } from './ceilings.ts'
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
import { smooth, spiky, triangle } from './shapes.ts'
import { LIST, SUMMARY } from './workloads.ts'

export type MakeKind = (name: string, ceiling: Ceiling, trips: number, times: number | null, draw: Draw) => Kind
type Draw = (source: Source) => Asked
export type Ceilings = ReturnType<typeof ceilingsOf>

const REQUESTS = 20

/**
 * Returns the usual combinations of filters, with 20 requests each, drawn from the events. The most expensive requests
 * that are known come last.
 */
export const combinations = (columns: Columns, seed: number): Kind[] => {
  const ceilings = ceilingsOf(columns)
  const source = (name: string): Source => {
    const next = random([...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed))
    return { next, columns, seed, event: () => Math.floor(next() * columns.length) }
  }
  const kind = (name: string, ceiling: Ceiling, trips: number, times: number | null, draw: Draw): Kind => {
    const draws = source(name)
    const requests = Array.from({ length: REQUESTS }, () => workloadOf(name, ceiling, draw(draws)))
    return { name, requests, formula: ceiling.formula, trips, times }
  }
  const lists = [...simple(kind, ceilings), ...timed(kind, ceilings), ...placed(kind, ceilings)]
  const others = [...far(kind, ceilings), ...questions(kind, ceilings)]
  return [...lists, ...others, ...summariesOf(lists, ceilings), ...dearest(columns, ceilings)]
}

const simple = (kind: MakeKind, { fixed }: Ceilings): Kind[] => [
  kind('first page', fixed(60), 1, 2, () => ({})),
  kind('one event', fixed(5), 1, 2, ({ event }) => ({ item: `${LIST}${event() + 1}/` })),
  kind('next, in the middle', fixed(80), 1, 2, (source) => ({ query: { page: String(pageIn(source)) }, turns: 1 })),
  kind('latest first', fixed(80), 1, 2, () => ({ query: { ordering: '-timestamp_start' } })),
  kind('series', fixed(80), 1, 2, (source) => ({ filters: [series(source)] })),
]

const timed = (kind: MakeKind, { kept, narrow }: Ceilings): Kind[] => {
  const times: readonly [string, (source: Source, i: number) => Filter][] = [
    ['period', period],
    ['overlap', overlap],
    ['duration', duration],
  ]
  const narrowKind = (name: string, limit: number | null, ...filters: ((source: Source, i: number) => Filter)[]) =>
    kind(name, narrow, 2, limit, (source) => ({ filters: together(source, filters) }))
  return [
    kind('period', kept, 2, 3, (source) => ({ filters: [period(source, source.event())] })),
    kind('overlap', kept, 2, 3, (source) => ({ filters: [overlap(source, source.event())] })),
    ...times.map(([name, filter]) => narrowKind(`series and ${name}`, name === 'period' ? 3 : null, series, filter)),
    ...times.map(([name, filter]) => narrowKind(`category and ${name}`, null, category, filter)),
    narrowKind('category and month', 3, category, month),
    narrowKind('category icontains and duration', null, categoryPart, duration),
    kind('model and object id', narrow, 2, null, (source) => {
      const i = withObject(source)
      return { filters: [model(source, i), objectId(source, i)] }
    }),
  ]
}

/** Returns filters that all match one event, so that the result is rarely empty. */
const together = (source: Source, filters: readonly ((source: Source, i: number) => Filter)[]): Filter[] => {
  const i = source.event()
  return filters.map((filter) => filter(source, i))
}

const placed = (kind: MakeKind, { area, fixed, spiky: spikes }: Ceilings): Kind[] => {
  const views = [series, category, month].flatMap((filter) =>
    [0.2, 2, 20].map((degrees) =>
      kind(`${filter.name} and view of ${degrees}`, area, 2, filter === month ? 3 : 8, (source) => {
        const i = source.event()
        return { filters: [filter(source, i)], area: view(source, i, degrees) }
      }),
    ),
  )
  const rings = [smooth, spiky].flatMap((shape) =>
    [400, 2000].map((vertices) =>
      kind(
        `${shape.name} ring of ${vertices.toLocaleString('en')} over a town`,
        shape === spiky ? spikes : fixed(6000),
        shape === spiky ? 3 : 2,
        shape === spiky ? 150 : 8,
        (source) => ({ area: ringOf(source, shape, vertices) }),
      ),
    ),
  )
  return [
    ...views,
    kind('series, category, duration and triangle', area, 2, null, (source) => {
      const i = source.event()
      const filters = [series, category, duration].map((filter) => filter(source, i))
      return { filters, area: triangle(source.next, placeOf(source, i), 1 + 9 * source.next()) }
    }),
    ...[0.05, 0.2, 0.5, 2].map((degrees) =>
      kind(`box of ${degrees} in a town`, fixed(3000), 2, 8, (source) => ({ area: boxOf(source, degrees) })),
    ),
    ...rings,
  ]
}

const far = (kind: MakeKind, { farInArea, fixed }: Ceilings): Kind[] => [
  ...['last', '50'].map((page) =>
    kind(`page ${page} of a view of 20`, farInArea, 3, 8, (source) => ({
      area: view(source, source.event(), 20),
      query: { page },
    })),
  ),
  ...['id', '-id', 'timestamp_start', '-timestamp_start', 'timestamp_end', '-timestamp_end'].map((ordering) =>
    kind(`cold page in the middle by ${ordering}`, fixed(400), 1, 3, (source) => ({
      query: { ordering, page: String(pageIn(source)) },
    })),
  ),
]

/** Returns the summaries for the queries of lists. */
const summariesOf = (lists: readonly Kind[], { summary }: Ceilings): Kind[] =>
  lists
    .filter(({ requests }) => requests.every(({ item, turns, query }) => !item && turns === 0 && !query.ordering))
    .map(({ name, requests }) => ({
      name: `summary: ${name === 'first page' ? 'everything' : name}`,
      requests: requests.map(({ query }) => workloadOf(name, summary, { query }, SUMMARY)),
      formula: summary.formula,
      trips: 2,
      times: null,
    }))
