import type { SQL, SQLWrapper } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import { eventLength } from '../../../schema/trees.ts'
import { at, type ValueRange } from '../../base/collections.ts'
import type { PreparedArea } from '../../geometry/within.ts'
import type { Among, CountedDictionary, Criterion, Dictionary, LookUp, Range, RowTest } from './criterion.ts'
import { ANY, inBoth, isEmpty, NONE, type TimeBounds, timeBounds } from './ranges.ts'
import { all, type ColumnRange } from './sql.ts'
import type { ListTable } from './table.ts'

/** The conditions of a request on the rows that a caller sees. Conditions on one column or dictionary are merged. */
export interface Search {
  readonly table: ListTable
  readonly level: number
  /** Selects the rows that the caller sees. Null: all rows. */
  readonly visible: SQL | null
  /** Conditions that only SQL tests. */
  readonly plain: readonly SQL[]
  /** The ranges of the values of a column. They are sorted and disjoint. */
  readonly ranges: ReadonlyMap<SQLWrapper, readonly ColumnRange[]>
  /** Conditions on dictionaries. */
  readonly groups: readonly Group[]
  /** Conditions on rows that the Worker tests, see decideTexts.ts. */
  readonly tested: readonly RowTest[]
  /** Only the row of each entry of this dictionary that starts last matches, see latest.ts. Null: all rows. */
  readonly latest: CountedDictionary | null
  /** A match lies in all of these. `orNowhere`: or it has no place. */
  readonly areas: readonly PreparedArea[]
  readonly orNowhere: boolean
  /** SQL that depends on the rows in some areas, see lookUp.ts. */
  readonly lookUps: readonly LookUp[]
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

/** All conditions on one dictionary. */
export interface Group {
  readonly dictionary: Dictionary
  readonly match: SQL
  /** Tests of the text of an entry in the Worker. */
  readonly tests: readonly ((text: string) => boolean)[]
  /** It names one entry or a few, for example by an exact text or a uuid. */
  readonly few: boolean
}

/** Merges conditions by column and dictionary. */
export const searchOf = (table: ListTable, conditions: readonly Criterion[], level: number): Search => {
  const ranges = new Map<SQLWrapper, readonly ColumnRange[]>()
  for (const { column, extents } of ofKind(conditions, 'range'))
    ranges.set(column, inBoth(ranges.get(column) ?? [ANY], extents))
  const groups = Map.groupBy(ofKind(conditions, 'entries'), ({ dictionary }) => dictionary.key)
  const areas = ofKind(conditions, 'area')
  return {
    table,
    level,
    visible: table.visible(level),
    plain: ofKind(conditions, 'sql').map(({ sql }) => sql),
    ranges,
    groups: Array.from(groups.values(), groupOf),
    tested: ofKind(conditions, 'rows'),
    latest: ofKind(conditions, 'latest')[0]?.of ?? null,
    areas: areas.map(({ area }) => area),
    orNowhere: areas.length > 0 && areas.every(({ orMissing }) => orMissing),
    lookUps: ofKind(conditions, 'lookUp'),
    only: null,
    isPart: false,
  }
}

const ofKind = <K extends Criterion['kind']>(conditions: readonly Criterion[], kind: K) =>
  conditions.filter((condition): condition is Extract<Criterion, { kind: K }> => condition.kind === kind)

/** Merges the conditions on one dictionary. There is at least one. */
const groupOf = (conditions: readonly Among[]): Group => {
  const matches = conditions.flatMap(({ match }) => (typeof match === 'function' ? [] : [match]))
  const tests = conditions.flatMap(({ match }) => (typeof match === 'function' ? [match] : []))
  const few = conditions.some((condition) => condition.few === true) && tests.length === 0
  return { dictionary: at(conditions, 0).dictionary, match: all(matches), tests, few }
}

/** Returns the same search with one more condition. */
export const alsoIn = (search: Search, { column, extents }: Range): Search => ({
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
  return { ...search, ranges: new Map(search.ranges).set(search.table.id, values), tested: [] }
}

/** Returns a search for rows by ids that meet all conditions. */
export const onlyIds = (search: Search, ids: readonly number[]): Search =>
  alsoWithIds({ ...search, plain: [], groups: [], ranges: new Map(), areas: [], orNowhere: false, only: null }, ids)

/** Returns the same search for the rows that also lie in an area. */
export const alsoInArea = (search: Search, area: PreparedArea): Search => ({
  ...search,
  areas: [...search.areas, area],
  orNowhere: false,
})

/** Returns true if there is no condition except an area. */
export const asksOnlyArea = ({ plain, ranges, groups, tested, lookUps, latest }: Search): boolean =>
  plain.length + ranges.size + groups.length + tested.length + lookUps.length === 0 && latest === null

export const asksNothing = (search: Search): boolean => asksOnlyArea(search) && hasNoArea(search)

export const hasNoArea = ({ areas, only }: Search): boolean => areas.length === 0 && only === null

/** Returns true if all conditions are a range or two of the order column. */
export const asksOnlyOrder = (search: Search, column: SQLWrapper | null): boolean => {
  const { plain, ranges, groups, tested } = search
  if (plain.length + groups.length + tested.length > 0 || !hasNoArea(search)) return false
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
  const { start, end, duration } = timesOf(search)
  return ![start, end, duration].some(isEmpty) && [...search.ranges.values()].every(({ length }) => length > 0)
}
