import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Among, Condition, Dictionary, Listed, Span } from '../../filters/filter.ts'
import { type Extent, isIn } from '../../filters/lookups.ts'
import { allOf } from '../../geometry/combine.ts'
import type { Area } from '../../geometry/within.ts'
import { all, NOTHING, within } from '../db/sql.ts'
import { ANY, intersection, isEmpty } from './bounds.ts'

/** The conditions of a request, those on one column or one dictionary brought together. */
export interface Criteria {
  /** Decided by the database alone. */
  readonly plain: readonly SQL[]
  /** Columns of integers within an extent. */
  readonly spans: readonly Span[]
  /** Columns of integers that are one of some values, each once. */
  readonly lists: readonly Listed[]
  /** Entries of dictionaries. */
  readonly groups: readonly Group[]
  readonly area: Area | null
}

/** All that is asked of one dictionary. */
export interface Group {
  readonly dictionary: Dictionary
  readonly match: SQL
  /** What regular expressions decide here, after the database. */
  readonly tests: readonly ((text: string) => boolean)[]
  /** It names one entry or a few, as an exact text or a uuid does. */
  readonly namesFewRows: boolean
}

/** Brings conditions together. */
export const criteriaOf = (conditions: readonly Condition[]): Criteria => {
  const plain: SQL[] = []
  const lists = new Map<SQLWrapper, readonly bigint[]>()
  const spans = new Map<SQLWrapper, Extent>()
  const among = new Map<SQLWrapper, Among[]>()
  const areas: Area[] = []
  for (const condition of conditions) {
    if ('sql' in condition) plain.push(condition.sql)
    else if ('values' in condition)
      lists.set(condition.column, inBoth(lists.get(condition.column), [...new Set(condition.values)]))
    else if ('area' in condition) areas.push(condition.area)
    else if ('extent' in condition)
      spans.set(condition.column, intersection(spans.get(condition.column) ?? ANY, condition.extent))
    else among.set(condition.dictionary.key, [...(among.get(condition.dictionary.key) ?? []), condition])
  }
  return {
    plain,
    spans: Array.from(spans, ([column, extent]) => ({ column, extent })),
    lists: Array.from(lists, ([column, values]) => ({ column, values })),
    groups: Array.from(among.values(), groupOf).filter((group) => group !== null),
    area: areas.length === 0 ? null : allOf(areas),
  }
}

/** Whether nothing is asked but the area. */
export const asksOnlyArea = ({ plain, spans, lists, groups }: Criteria): boolean =>
  plain.length + spans.length + lists.length + groups.length === 0

/** The extent that is asked of a column. */
export const extentOf = ({ spans }: Criteria, column: SQLWrapper): Extent =>
  spans.find((span) => span.column === column)?.extent ?? ANY

const inBoth = (a: readonly bigint[] | undefined, b: readonly bigint[]): readonly bigint[] =>
  a === undefined ? b : a.filter((value) => b.includes(value))

const groupOf = (conditions: readonly Among[]): Group | null => {
  const [first] = conditions
  if (first === undefined) return null
  const matches = conditions.flatMap(({ match }) => (typeof match === 'function' ? [] : [match]))
  const tests = conditions.flatMap(({ match }) => (typeof match === 'function' ? [match] : []))
  const namesFewRows = conditions.some(({ few }) => few === true) && tests.length === 0
  return { dictionary: first.dictionary, match: all(matches), tests, namesFewRows }
}

/**
 * The entries of a dictionary that match, and of which a caller of this level sees rows: their ids, how many rows (null
 * where that is not counted), and the text for tests.
 */
export const entriesQuery = ({ dictionary, match, tests }: Group, level: number): SQL => {
  const { id, table, text, counts } = dictionary
  const rows = counts?.(level) ?? sql`NULL`
  const column = tests.length === 0 ? sql`NULL` : text
  return sql`SELECT ${id} AS id, ${rows} AS "rows", ${column} AS text FROM ${table}
    WHERE ${all([match, counts === undefined ? null : sql`${rows} > 0`])}`
}

/** A group decided by the database alone; tests have to be applied before. */
export const groupCondition = ({ dictionary: { key, id, table }, match }: Group): SQL =>
  sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${match})`

/** What is asked beside entries of dictionaries and an area. */
export const otherConditions = ({ plain, spans, lists }: Criteria): SQL[] => [
  ...plain,
  ...spans.map(({ column, extent }) => (isEmpty(extent) ? NOTHING : within(withoutIndex(column), extent))),
  ...lists.map(({ column, values }) => isIn(withoutIndex(column), values)),
]

/** A column that no index is entered with: which one is, is for the plan to say. */
export const withoutIndex = (column: SQLWrapper): SQL => sql`+${column}`
