import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Among, Condition, Dictionary, Listed, Span } from '../../filters/filter.ts'
import { all, type ColumnRange, isIn, NOTHING, within } from '../../filters/sql.ts'
import { allOf } from '../../geometry/combine.ts'
import type { Area } from '../../geometry/within.ts'
import { ANY, intersection, isEmpty } from './bounds.ts'

/** The conditions of a request. Conditions on the same column or dictionary are merged. */
export interface Criteria {
  /** Conditions that SQL alone decides. */
  readonly plain: readonly SQL[]
  /** Integer columns with an extent. */
  readonly spans: readonly Span[]
  /** Integer columns with a list of allowed values, each value once. */
  readonly lists: readonly Listed[]
  /** Conditions on dictionaries. */
  readonly groups: readonly Group[]
  readonly area: Area | null
}

/** All conditions on one dictionary. */
export interface Group {
  readonly dictionary: Dictionary
  readonly match: SQL
  /** Regular expressions. The Worker tests them after the database query. */
  readonly tests: readonly ((text: string) => boolean)[]
  /** It names one entry or a few, for example by an exact text or a uuid. */
  readonly namesFewRows: boolean
}

/** Merges conditions by column and dictionary. */
export const criteriaOf = (conditions: readonly Condition[]): Criteria => {
  const plain: SQL[] = []
  const lists = new Map<SQLWrapper, readonly bigint[]>()
  const spans = new Map<SQLWrapper, ColumnRange>()
  const among = new Map<SQLWrapper, Among[]>()
  const areas: Area[] = []
  for (const condition of conditions) {
    switch (condition.kind) {
      case 'sql':
        plain.push(condition.sql)
        break
      case 'span':
        spans.set(condition.column, intersection(spans.get(condition.column) ?? ANY, condition.extent))
        break
      case 'listed':
        lists.set(condition.column, inBoth(lists.get(condition.column), [...new Set(condition.values)]))
        break
      case 'entries':
        among.set(condition.dictionary.key, [...(among.get(condition.dictionary.key) ?? []), condition])
        break
      case 'area':
        areas.push(condition.area)
        break
      default:
        condition satisfies never
    }
  }
  return {
    plain,
    spans: Array.from(spans, ([column, extent]) => ({ kind: 'span', column, extent })),
    lists: Array.from(lists, ([column, values]) => ({ kind: 'listed', column, values })),
    groups: Array.from(among.values(), groupOf).filter((group) => group !== null),
    area: areas.length === 0 ? null : allOf(areas),
  }
}

/** Returns true if there is no condition except an area. */
export const asksOnlyArea = ({ plain, spans, lists, groups }: Criteria): boolean =>
  plain.length + spans.length + lists.length + groups.length === 0

/** Returns the extent of a column. */
export const extentOf = ({ spans }: Criteria, column: SQLWrapper): ColumnRange =>
  spans.find((span) => span.column === column)?.extent ?? ANY

const inBoth = (a: readonly bigint[] | undefined, b: readonly bigint[]): readonly bigint[] =>
  a === undefined ? b : a.filter((value) => b.includes(value))

const groupOf = (conditions: readonly Among[]): Group | null => {
  const [first] = conditions
  if (first === undefined) return null
  const matches = conditions.flatMap(({ match }) => (typeof match === 'function' ? [] : [match]))
  const tests = conditions.flatMap(({ match }) => (typeof match === 'function' ? [match] : []))
  const namesFewRows = conditions.some((condition) => condition.namesFewRows === true) && tests.length === 0
  return { dictionary: first.dictionary, match: all(matches), tests, namesFewRows }
}

/**
 * Reads the matching entries of a dictionary that have rows visible at this level. `rows` is their number, or null
 * without stored counts. The tests are not applied.
 */
export const entriesQuery = (group: Group, level: number): SQL => {
  const { id, table } = group.dictionary
  return sql`SELECT ${id} AS id, ${rowsOf(group, level)} AS "rows" FROM ${table} WHERE ${entryCondition(group, level)}`
}

/** Selects the number of visible rows of an entry. */
export const rowsOf = ({ dictionary }: Group, level: number): SQL => dictionary.counts?.(level) ?? sql`NULL`

/** Returns the condition for the entries of `entriesQuery`. */
export const entryCondition = ({ dictionary: { counts }, match }: Group, level: number): SQL =>
  all([match, counts === undefined ? null : sql`${counts(level)} > 0`])

/** Returns the SQL condition of a group. The caller must apply the tests first. */
export const groupCondition = ({ dictionary: { key, id, table }, match }: Group): SQL =>
  sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${match})`

/** Returns the conditions other than dictionaries and areas. */
export const otherConditions = ({ plain, spans, lists }: Criteria): SQL[] => [
  ...plain,
  ...spans.map(({ column, extent }) => (isEmpty(extent) ? NOTHING : within(withoutIndex(column), extent))),
  ...lists.map(({ column, values }) => isIn(withoutIndex(column), values)),
]

/** Writes a column as `+column`. SQLite then enters no index with it, because the plan names the index. */
export const withoutIndex = (column: SQLWrapper): SQL => sql`+${column}`
