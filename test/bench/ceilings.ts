import { boundaryCandidates } from './boundary.ts'
import { type Columns, countOf } from './columns.ts'
import type { Filter } from './draws.ts'
import { polygon, type Ring } from './shapes.ts'
import { LIST, type Workload } from './workloads.ts'

/** Requests of one kind and the limits of their cost. */
export interface Kind {
  readonly name: string
  readonly requests: readonly Workload[]
  /**
   * The formula for the maximum number of rows read. It uses m for the matches and b for the events at the boundary of
   * the area. `once` is the number of rows that the narrowest filter matches.
   */
  readonly formula: string
  /** The maximum number of round trips. */
  readonly trips: number
  /** The maximum time in multiples of a bare round trip. Null: no limit. */
  readonly times: number | null
}

/** The maximum number of rows that a request may read, for a number of matches. */
export interface Ceiling {
  readonly formula: string
  readonly most: (asked: Asked) => (matches: number) => number
}

/** The events that a request selects: all filters match them, and they are inside the ring, if there is one. */
export interface Asked extends Partial<Pick<Workload, 'item' | 'query' | 'turns' | 'to'>> {
  readonly filters?: readonly Filter[]
  readonly area?: Ring
}

const PAGE_SIZE = 10
/** The rows read to look up a page. */
const PAGE = 4 * PAGE_SIZE
/** The maximum numbers of count nodes read for an area, and of cells in its covering. */
const [NODES, CELLS] = [2500, 4000]
/** The maximum number of cells and bins in a summary. */
const GROUPS = 4096 + 256

/** Returns the kinds of ceilings for these events. */
export const ceilingsOf = (columns: Columns) => {
  const once = ({ filters = [] }: Asked) =>
    Math.min(columns.length, ...filters.map(({ holds }) => countOf(columns, holds)))
  const boundary = (area?: Ring) => (area === undefined ? 0 : boundaryCandidates(columns, area, CELLS))
  const fixed = (rows: number, formula = rows.toLocaleString('en')): Ceiling => ({ formula, most: () => () => rows })
  return {
    fixed,
    kept: fixed(PAGE + 200, '4 page_size + 200'),
    /** The database reads either an index or all rows of the narrowest filter. */
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

/** Makes a request for the list or the summary of events. */
export const workloadOf = (name: string, ceiling: Ceiling, asked: Asked, list = LIST): Workload => {
  const { filters = [], area, query, turns = 0, item, to = list } = asked
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
