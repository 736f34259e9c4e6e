import { boundaryCandidates } from './boundary.ts'
import { type Columns, countOf } from './columns.ts'
import type { Filter } from './draws.ts'
import { polygon, type Ring } from './shapes.ts'
import { LIST, type Workload } from './workloads.ts'

/** Requests of one kind, and what each may cost. */
export interface Kind {
  readonly name: string
  readonly requests: readonly Workload[]
  /** How many rows may be read: m that match, b at the boundary of the area, once: those of the narrowest filter. */
  readonly formula: string
  /** Round trips, at most. */
  readonly trips: number
  /** How many times as long as a bare round trip it may take; null: nothing is said. */
  readonly times: number | null
}

/** What rows a request may read, given how many match. */
export interface Ceiling {
  readonly formula: string
  readonly most: (asked: Asked) => (matches: number) => number
}

/** What a request asks for: events of which all filters hold, in a ring, or anywhere. */
export interface Asked extends Partial<Pick<Workload, 'item' | 'query' | 'turns'>> {
  readonly filters?: readonly Filter[]
  readonly area?: Ring
}

const PAGE_SIZE = 10
/** Rows read to look up a page. */
const PAGE = 4 * PAGE_SIZE
/** Nodes of kept counts that an area may read, and cells of its covering. */
const [NODES, CELLS] = [2500, 4000]
/** Cells and bins of a summary, at most. */
const GROUPS = 4096 + 256

/** The kinds of ceilings over some events. */
export const ceilingsOf = (columns: Columns) => {
  const once = ({ filters = [] }: Asked) =>
    Math.min(columns.length, ...filters.map(({ holds }) => countOf(columns, holds)))
  const boundary = (area?: Ring) => (area === undefined ? 0 : boundaryCandidates(columns, area, CELLS))
  const fixed = (rows: number, formula = rows.toLocaleString('en')): Ceiling => ({ formula, most: () => () => rows })
  return {
    fixed,
    kept: fixed(PAGE + 200, '4 page_size + 200'),
    /** Read in an index, or all of the narrowest filter. */
    narrow: {
      formula: 'min(2 m + 500, once + page)',
      most: (asked) => (matches) => Math.min(2 * matches + 500, once(asked) + PAGE),
    },
    area: {
      formula: 'min(once, 2 b + nodes + m) + page',
      most: (asked) => (matches) => Math.min(once(asked), 2 * boundary(asked.area) + NODES + matches) + PAGE,
    },
    spiky: { formula: '2 b + 5,000', most: (asked) => () => 2 * boundary(asked.area) + 5000 },
    farInArea: fixed(3000 + 2 * PAGE_SIZE + 2000, '3,000 + 2 page_size + 2,000'),
    summary: { formula: 'm + nodes', most: () => (matches) => matches + GROUPS },
    all: fixed(columns.length + 5000, 'all events + 5,000'),
  } satisfies Record<string, Ceiling | typeof fixed>
}

/** The request, on the list or the summary of events. */
export const workloadOf = (name: string, ceiling: Ceiling, asked: Asked, to = LIST): Workload => {
  const { filters = [], area, query, turns = 0, item } = asked
  const ring = area && { geom_within: polygon(area) }
  return {
    name,
    to,
    ...(item === undefined ? {} : { item }),
    query: Object.assign({}, ...filters.map((filter) => filter.query), ring, query),
    turns,
    mixed: false,
    most: ceiling.most(asked),
  }
}
