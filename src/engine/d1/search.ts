import type { SQL, SQLWrapper } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { at, type ValueRange } from '../../base/collections.ts'
import type { PreparedArea } from '../../geometry/within.ts'
import type { Selection } from '../../question/question.ts'
import { areaOf } from '../shared/area.ts'
import type { Cut } from '../shared/cut.ts'
import { partsOf } from './conditions.ts'
import { type CountedDictionary, series } from './dictionaries.ts'
import { type Decider, type Entry, entryOf, type InRange, type Part, sqlOf } from './part.ts'
import { ANY, inBoth, isEmpty, NONE, type TimeBounds, timeBounds } from './ranges.ts'
import type { ColumnRange } from './sql.ts'
import type { ColumnOrder, ListTable } from './tables.ts'

/**
 * The rows that a caller asks for and sees: the parts of the outermost `all`, by their kinds. Parts about one column or
 * dictionary are merged.
 */
export interface Search {
  readonly table: ListTable
  readonly level: number
  /** Selects the rows that the caller sees. Null: all rows. */
  readonly visible: SQL | null
  /** Conditions that only SQL tests. */
  readonly plain: readonly SQL[]
  /** The ranges of the values of a column. They are sorted and disjoint. */
  readonly ranges: ReadonlyMap<SQLWrapper, readonly ColumnRange[]>
  /** One for each dictionary. */
  readonly entries: readonly Entry[]
  /** Tests of rows in the Worker, see decide.ts. */
  readonly tests: readonly Decider[]
  /** Only the row of each entry of this dictionary that starts last matches, see decide.ts. Null: all rows. */
  readonly latest: CountedDictionary | null
  /** A match lies in all of these. `orNowhere`: or it has no place. */
  readonly areas: readonly PreparedArea[]
  readonly orNowhere: boolean
  /** Parts with areas under OR or NOT, see decide.ts. */
  readonly lookUps: readonly Part[]
  /** No other rows match. A plan has paths to these rows alone, so `whereOf` does not test it. Null: all rows may match. */
  readonly only: CellsAndIds | null
  /** The matches by ids are those of one page, and others follow. */
  readonly isPart: boolean
}

/**
 * The rows in ranges of finest cells, and those with some ids. The other conditions also hold. After the points of areas
 * were tested, these are the cells inside them, and the ids of the matches in other cells, see decideArea.ts.
 */
export interface CellsAndIds {
  readonly cells: readonly ValueRange[]
  readonly ids: readonly number[]
}

/** A part of the matches of a search in an order. */
export interface List extends Cut {
  readonly search: Search
  readonly order: ColumnOrder
  /** It is a batch of a stream. It may have more than MAX_BYTES of texts, because they are read in parts. */
  readonly isBatch?: boolean
}

/** Returns the search for a selection of a list. Throws ValueError for a condition that the database cannot decide. */
export const searchOf = (table: ListTable, { where, latest }: Selection, level: number): Search => {
  const [plain, tests, lookUps]: [SQL[], Decider[], Part[]] = [[], [], []]
  const ranges = new Map<SQLWrapper, readonly ColumnRange[]>()
  const parts = partsOf(table.list, where)
  for (const part of parts) {
    if (part.kind === 'range') ranges.set(part.column, inBoth(ranges.get(part.column) ?? [ANY], part.extents))
    else if (part.kind === 'decided') tests.push(part.by)
    else if (part.kind !== 'entry' && part.kind !== 'place') {
      const { sql, areas } = sqlOf(part)
      if (areas.length > 0) lookUps.push(part)
      else plain.push(sql)
    }
  }
  const entries = Map.groupBy(ofKind(parts, 'entry'), ({ dictionary }) => dictionary.key)
  const places = ofKind(parts, 'place')
  return {
    table,
    level,
    visible: table.visible(level),
    plain,
    ranges,
    entries: Array.from(entries.values(), (each) => entryOf('all', each)),
    tests,
    latest: latest === null ? null : series,
    areas: places.map(({ area }) => areaOf(area)),
    orNowhere: places.length > 0 && places.every(({ orMissing }) => orMissing),
    lookUps,
    only: null,
    isPart: false,
  }
}

const ofKind = <K extends Part['kind']>(parts: readonly Part[], kind: K) =>
  parts.filter((part): part is Extract<Part, { kind: K }> => part.kind === kind)

/** Returns the same search with one more condition. */
export const alsoIn = (search: Search, { column, extents }: InRange): Search => ({
  ...search,
  ranges: new Map(search.ranges).set(column, inBoth(search.ranges.get(column) ?? [ANY], extents)),
})

/** Returns the same search for the rows in some cells, and for those with some ids. */
export const onlyIn = (search: Search, cells: readonly ValueRange[], ids: readonly number[] = []): Search => ({
  ...search,
  only: { cells, ids },
})

/** Returns the same search for the rows with some ids. Their texts were tested. */
export const alsoWithIds = (search: Search, ids: readonly number[]): Search => {
  const values = [...ids].sort((a, b) => a - b).map((id): ColumnRange => [BigInt(id), BigInt(id)])
  return { ...search, ranges: new Map(search.ranges).set(search.table.id, values), tests: [] }
}

/** Returns a search for rows by ids that meet all conditions. Chunks of it share no ids. */
export const onlyIds = (search: Search, ids: readonly number[]): Search =>
  onlyIn(
    { ...search, plain: [], entries: [], ranges: new Map(), tests: [], areas: [], orNowhere: false },
    [],
    [...ids].sort((a, b) => a - b),
  )

/** Returns the same search for the rows that also lie in an area. */
export const alsoInArea = (search: Search, area: PreparedArea): Search => ({
  ...search,
  areas: [...search.areas, area],
  orNowhere: false,
})

/** Returns the number of conditions. Those on one column or dictionary are one. */
const countConditions = (search: Search): number => {
  const { plain, ranges, entries, tests, lookUps, areas, latest } = search
  const ofRows = plain.length + ranges.size + entries.length + tests.length + lookUps.length
  return ofRows + areas.length + Number(latest !== null)
}

/** Returns true if there is no condition except an area. */
export const asksOnlyArea = (search: Search): boolean => countConditions(search) === search.areas.length

export const asksNothing = (search: Search): boolean => countConditions(search) === 0 && search.only === null

export const hasNoArea = ({ areas, only }: Search): boolean => areas.length === 0 && only === null

/** Returns true if all conditions are a range or two of the order column. */
export const asksOnlyOrder = (search: Search, column: SQLWrapper | null): boolean => {
  const { plain, ranges, entries, tests } = search
  if (plain.length + entries.length + tests.length > 0 || !hasNoArea(search)) return false
  const ordered = column === events.duration ? eventLength : (column ?? events.id)
  return [...ranges].every(([each, extents]) => each === ordered && extents.length <= 2)
}

/** Returns the least range that has all ranges of a column. */
export const extentOf = ({ ranges }: Search, column: SQLWrapper): ColumnRange => {
  const extents = ranges.get(column)
  if (extents === undefined) return ANY
  return extents.length === 0 ? NONE : [at(extents, 0)[0], at(extents, -1)[1]]
}

/**
 * Returns true if the Worker has to test points. SQL alone decides rectangles: its comparisons with their sides are as
 * exact as the tests in the Worker.
 */
export const hasAreaToTest = ({ areas }: Search): boolean =>
  areas.some(({ bounds }) => bounds.length === 0 || bounds.some(({ rectangles }) => rectangles === null))

/** Returns the time bounds of a search. They come from its conditions, and from each other. */
export const timesOf = (search: Search): TimeBounds =>
  timeBounds(extentOf(search, events.start), extentOf(search, events.end), extentOf(search, eventLength))

/** Returns false if no row can meet the conditions. */
export const isPossible = (search: Search): boolean => {
  if (search.ranges.size === 0) return true
  const { start, end, duration } = timesOf(search)
  return ![start, end, duration].some(isEmpty) && [...search.ranges.values()].every(({ length }) => length > 0)
}
