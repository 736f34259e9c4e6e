import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { all, integerOf, isIn, NOTHING, namedColumns, numbersTable, within } from '../../filters/sql.ts'
import type { Area } from '../../geometry/within.ts'
import type { Kept, MatchingEntries } from '../candidates/facts.ts'
import { type Criteria, type Group, isEmpty } from '../conditions/criteria.ts'
import { isDown, POSITION_CHARACTERS, type RowPosition, type Slice } from '../conditions/page.ts'
import type { Search } from '../conditions/search.ts'
import type { Access, Row } from '../conditions/table.ts'
import type { Plan } from '../plan/plan.ts'
import { positionOf } from './columns.ts'

/** Writes all conditions of a plan, except the one on the entries that a path is entered with. */
export const whereOf = (search: Search, plan: Pick<Plan, 'entries' | 'region'>, entered?: MatchingEntries): SQL =>
  all([
    search.bounds.possible ? null : NOTHING,
    search.visible,
    ...otherConditions(search.criteria),
    ...plan.entries.filter((entries) => entries !== entered).map(entriesCondition),
    plan.region && areaCondition(search.access, plan.region.area),
  ])

/** Writes the conditions other than dictionaries and areas. */
export const otherConditions = ({ plain, spans, lists, tested }: Criteria): SQL[] => {
  if (tested.length > 0) throw new RangeError('The Worker has not tested the texts yet.')
  return [
    ...plain,
    ...spans.map(({ column, extent }) => (isEmpty(extent) ? NOTHING : within(column, extent, withoutIndex(column)))),
    ...lists.map(({ column, values }) => isIn(withoutIndex(column), values)),
  ]
}

/** Writes a column as `+column`. SQLite then enters no index with it, because the plan names the index. */
const withoutIndex = (column: SQLWrapper): SQL => sql`+${column}`

const entriesCondition = ({ group, ids }: MatchingEntries): SQL =>
  ids === null ? groupCondition(group) : sql`${withoutIndex(group.dictionary.key)} IN (${numbersTable(ids)})`

/** Writes the condition of a group, without its tests. */
export const groupCondition = ({ dictionary: { key, id, table }, match }: Group): SQL =>
  sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${match})`

/** An entry of a dictionary with its visible rows. They are 0 without stored counts. */
export interface EntryRow extends Row, Partial<Kept> {
  readonly id: number
  readonly rows: number
  /** Its text, if the Worker tests it. Null: it is too long for this read. */
  readonly text?: string | null
  readonly uuid?: string
  readonly longBytes?: number | null
}

/**
 * Reads the matching entries of a dictionary that have rows visible at this level. `rows` is their number, or 0
 * without stored counts. The tests are not applied. `more` are further columns.
 */
export const entriesQuery = (
  group: Group,
  level: number,
  more: Readonly<Record<string, SQLWrapper>> = {},
): SQL<EntryRow> => {
  const { id, table, kept = {} } = group.dictionary
  const columns = namedColumns({ id, rows: rowsOfEntry(group, level), ...kept, ...more })
  return sql`SELECT ${columns} FROM ${table} WHERE ${entryCondition(group, level)}`
}

/** Selects the number of visible rows of an entry. It is 0 without stored counts. */
export const rowsOfEntry = ({ dictionary }: Group, level: number): SQL => dictionary.counts?.(level) ?? sql`0`

/** Writes the condition for the entries of `entriesQuery`. */
export const entryCondition = ({ dictionary: { counts }, match }: Group, level: number): SQL =>
  all([match, counts === undefined ? null : sql`${counts(level)} > 0`])

/** Selects the ids of the entries of a group. */
export const idsOfGroup = (group: Group, level: number): SQL => sql`SELECT id FROM (${entriesQuery(group, level)})`

/**
 * Tests if a row lies in the rectangles of an area. This decides an area of rectangles exactly. For other shapes it
 * tests the bbox with its sides, and the Worker tests the rest.
 */
export const areaCondition = (access: Access, area: Area): SQL =>
  all(area.parts.map((part) => inRectangles(access, part)))

const inRectangles = ({ place: { x, y } }: Access, { bbox, turns, rectangles, closed }: Area): SQL => {
  if (bbox === null) return NOTHING
  const [more, less] = rectangles === null || closed ? [sql`>=`, sql`<=`] : [sql`>`, sql`<`]
  const between = (column: SQLWrapper, least: number, greatest: number) =>
    sql`(${column} ${more} ${least} AND ${column} ${less} ${greatest})`
  const boxes = (rectangles ?? [bbox]).flatMap(([west, south, east, north]) =>
    turns.map((turn) => {
      const longitude = turn === 0 ? x : sql`(${x} + ${turn})`
      return sql`(${between(longitude, west, east)} AND ${between(y, south, north)})`
    }),
  )
  return sql`(${sql.join(boxes, sql` OR `)})`
}

/** Selects the rows after the start of a slice. Null if it starts after a number of rows. */
export const beyondStart = (search: Search, slice: Slice): SQL | null => {
  const { order, table } = search
  if (slice.from === null) return null
  const { value, id } = slice.from
  const { column, nullsLast = false } = order
  const { backward } = slice
  const past = (expression: SQLWrapper, bound: SQLWrapper, isLess: boolean, orEqual = '') =>
    sql`${expression} ${sql.raw((isLess ? '<' : '>') + orEqual)} ${bound}`
  const down = isDown(order, slice)
  if (column === null) return past(table.id, integerOf(id), down)
  const pastId = past(table.id, integerOf(id), backward)
  if (value === null)
    return backward ? sql`(${column} IS NOT NULL OR ${pastId})` : sql`(${column} IS NULL AND ${pastId})`
  const bound = boundOf(search, slice.from, down)
  // In this form SQLite enters an index on the column at the value.
  const others = sql`(${past(column, bound, down, '=')} AND (${past(column, bound, down)} OR ${pastId}))`
  return nullsLast && !backward ? sql`(${others} OR ${column} IS NULL)` : others
}

/**
 * Writes the value of a position. The position has the start of a long text, so the row of the position gives the whole
 * text. If this row was changed or deleted, the page repeats rows whose texts start in the same way. It misses none.
 */
export const boundOf = (search: Search, { value, id }: RowPosition, down: boolean): SQL => {
  const { order, table, level } = search
  if (typeof value === 'number') return Number.isSafeInteger(value) ? integerOf(value) : sql`${value}`
  if (value === null || value.length < POSITION_CHARACTERS) return sql`${value}`
  const isSame = all([
    sql`${table.id} = ${integerOf(id)}`,
    table.visible(level, true),
    sql`${positionOf(order)} = ${value}`,
  ])
  const [text, greatest] = [sql`(SELECT ${order.column} FROM ${table.table} WHERE ${isSame})`, '\u{10FFFF}']
  return sql`coalesce(${text}, ${down ? value + greatest : value})`
}
