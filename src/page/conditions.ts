import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Among, Condition, Dictionary, Listed, Span } from '../filters/filter.ts'
import { type Extent, isIn } from '../filters/lookups.ts'
import type { Area } from '../geometry/within.ts'
import { all, within } from './sql.ts'

/** The conditions of a request, sorted by who decides them; those on one column or one dictionary brought together. */
export interface Sorted {
  readonly plain: readonly SQL[]
  readonly spans: readonly Span[]
  readonly listed: readonly Listed[]
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
  readonly few: boolean
}

/** Sorts conditions. */
export const sortConditions = (conditions: readonly Condition[]): Sorted => {
  const plain: SQL[] = []
  const listed: Listed[] = []
  const spans = new Map<SQLWrapper, Extent>()
  const among = new Map<SQLWrapper, Among[]>()
  let area: Area | null = null
  for (const condition of conditions) {
    if ('sql' in condition) plain.push(condition.sql)
    else if ('values' in condition) listed.push(condition)
    else if ('area' in condition) area = condition.area
    else if ('extent' in condition)
      spans.set(condition.column, intersection(spans.get(condition.column), condition.extent))
    else among.set(condition.dictionary.key, [...(among.get(condition.dictionary.key) ?? []), condition])
  }
  return {
    plain,
    listed,
    spans: Array.from(spans, ([column, extent]) => ({ column, extent })),
    groups: Array.from(among.values(), groupOf).filter((group) => group !== null),
    area,
  }
}

const groupOf = (conditions: readonly Among[]): Group | null => {
  const [first] = conditions
  if (first === undefined) return null
  const matches = conditions.flatMap(({ match }) => (typeof match === 'function' ? [] : [match]))
  const tests = conditions.flatMap(({ match }) => (typeof match === 'function' ? [match] : []))
  const few = conditions.some((condition) => condition.few === true) && tests.length === 0
  return { dictionary: first.dictionary, match: all(matches), tests, few }
}

const intersection = (a: Extent | undefined, b: Extent): Extent => {
  if (a === undefined) return b
  const least = a[0] === null || (b[0] !== null && b[0] > a[0]) ? b[0] : a[0]
  const greatest = a[1] === null || (b[1] !== null && b[1] < a[1]) ? b[1] : a[1]
  return [least, greatest]
}

/** The rows of a dictionary that match and that a caller of this level sees rows of: id, rows, and the text for tests. */
export const matchingRows = ({ dictionary, match, tests }: Group, level: number): SQL => {
  const { id, table, text, tally } = dictionary
  const rows = tally === undefined ? sql`1` : tally(level)
  const column = tests.length === 0 ? sql`NULL` : text
  return sql`SELECT ${id} AS id, ${rows} AS "rows", ${column} AS text FROM ${table} WHERE ${all([match, sql`${rows} > 0`])}`
}

/** A group decided by the database alone; tests have to be applied before. */
export const groupCondition = ({ dictionary: { key, id, table }, match }: Group): SQL =>
  sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${match})`

/** `quiet`: not to enter an index with, where the position of a page is what it is entered with. */
export const spanCondition = ({ column, extent }: Span, quiet = false): SQL =>
  within(quiet ? sql`+${column}` : column, extent)

/** What is asked beside entries of dictionaries and an area. `quiet`: of which column spans are, see spanCondition. */
export const othersOf = ({ plain, spans, listed }: Sorted, quiet: SQLWrapper | null = null): SQL[] => [
  ...plain,
  ...spans.map((span) => spanCondition(span, span.column === quiet)),
  ...listed.map(({ column, values }) => isIn(column, values)),
]
