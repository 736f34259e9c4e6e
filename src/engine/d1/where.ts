import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { events } from '../../../schema/tables.ts'
import type { AreaBounds } from '../../geometry/within.ts'
import type { RowPosition } from '../../question/question.ts'
import { POSITION_CHARACTERS } from '../limits.ts'
import { isDown, positionOf } from './columns.ts'
import type { Entry } from './part.ts'
import { isPossible, type List, type Search } from './search.ts'
import { all, inRanges, integerOf, NOTHING } from './sql.ts'

/** Writes all conditions of a search, except the entry with which a path is entered. */
export const whereOf = (search: Search, entered?: Entry | null): SQL => {
  const { visible, plain, ranges, entries, tests, lookUps } = search
  if (tests.length + lookUps.length > 0) throw new RangeError('The Worker has not tested the rows yet.')
  return all([
    isPossible(search) ? null : NOTHING,
    visible,
    ...plain,
    ...Array.from(ranges, ([column, extents]) => inRanges(column, extents, withoutIndex(column))),
    ...entries.filter((entry) => entry !== entered).map(isEntry),
    inAreas(search),
  ])
}

/** Tests if a row lies in the areas. It decides rectangles exactly. The Worker tests the points in other areas. */
const inAreas = ({ areas, orNowhere }: Search): SQL | null => {
  if (areas.length === 0) return null
  const isIn = all(areas.flatMap(({ bounds }) => bounds.map(inRectangles)))
  return orNowhere ? sql`(${events.x} IS NULL OR ${isIn})` : isIn
}

/** Writes a column as `+column`. SQLite then enters no index with it, because the plan names the index. */
const withoutIndex = (column: SQLWrapper): SQL => sql`+${column}`

/** Tests the entry of a row. */
const isEntry = ({ dictionary: { key, id, table }, match }: Entry): SQL =>
  key === id ? sql`(${match.sql})` : sql`${withoutIndex(key)} IN (SELECT ${id} FROM ${table} WHERE ${match.sql})`

/** Selects the visible entries that match as `id`. */
export const entriesOf = ({ dictionary: { id, table, counts }, match }: Entry, level: number): SQL =>
  sql`SELECT ${id} AS id FROM ${table} WHERE ${all([match.sql, counts ? sql`${counts(level)} > 0` : null])}`

/** Tests if a row lies in the rectangles of an area. For an area of another shape, it tests the bbox with its sides. */
const inRectangles = ({ bbox, turns, rectangles, closed }: AreaBounds): SQL => {
  if (bbox === null) return NOTHING
  const { x, y } = events
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

/** Selects the rows after the start of a list. Null if it starts after a number of rows. */
export const beyondStart = (list: List): SQL | null => {
  const { search, order, backward, after } = list
  if (after === null) return null
  const { value, id } = after
  const { column, nullsLast = false } = order
  const down = isDown(list)
  const past = (expression: SQLWrapper, bound: SQLWrapper, orEqual = '') =>
    sql`${expression} ${sql.raw((down ? '<' : '>') + orEqual)} ${bound}`
  const pastId = past(search.table.id, integerOf(id))
  if (column === null) return pastId
  if (value === null)
    return backward ? sql`(${column} IS NOT NULL OR ${pastId})` : sql`(${column} IS NULL AND ${pastId})`
  const bound = boundOf(list, after, down)
  // In this form SQLite enters an index on the column at the value.
  const others = sql`(${past(column, bound, '=')} AND (${past(column, bound)} OR ${pastId}))`
  return nullsLast && !backward ? sql`(${others} OR ${column} IS NULL)` : others
}

/**
 * Writes the value of a position. The position has the start of a long text, so the row of the position gives the whole
 * text. If this row was changed or deleted, the page repeats rows whose texts start in the same way. It misses none.
 */
const boundOf = ({ order, search: { table, level } }: List, { value, id }: RowPosition, down: boolean): SQL => {
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
