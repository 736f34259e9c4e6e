import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import { MAX_BYTES } from '../limits.ts'
import type { ReadWhole, SharedRow } from '../shared/shares.ts'
import { idOf } from './context.ts'
import { fieldsOf, shownIn } from './fields.ts'
import { sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { all, integers, listOf, literal, named } from './sql.ts'
import type { Views } from './views.ts'

/** Rows that were found. `from` has them under the name `hit`, with their ids and their places in order. */
interface Hits {
  readonly from: SQL
  /** More columns of a hit, by their names. */
  readonly columns: Readonly<Record<string, SQL>>
  /** The fields of these columns. */
  readonly names?: readonly FieldName[]
  /** The caller's level, if another transaction found the rows. Without it, they are visible. */
  readonly level?: number
}

/** Selects fields of rows that were found, in order. */
const selectHits = (views: Views, list: ListName, fields: readonly FieldName[], hits: Hits): SQL => {
  const { from, columns, names = [], level = ACCESS_LEVELS.Hidden } = hits
  const { table, joins, visible } = sourceOf(views, level, list, [...fields, ...names])
  return sql`SELECT ${named({ ...shownIn(views, list, fields), ...columns })} FROM ${from} JOIN ${table} ON ${idOf(list)} = hit.id${joins}
    WHERE ${all([visible])} ORDER BY hit.place`
}

/** Selects fields of at most so many rows. A row with more than its share of MAX_BYTES of texts comes without them. */
export const selectShared = (
  views: Views,
  list: ListName,
  fields: readonly FieldName[],
  rows: number,
  found: Hits,
): SQL<SharedRow> => {
  const isText = (name: FieldName) => ['text', 'json'].includes(fieldsOf(views)(list, name).kind)
  const lengths = fields
    .filter(isText)
    .map((name) => sql`coalesce(octet_length(${fieldsOf(views)(list, name).shown}), 0)`)
  const bytes = sql.join([sql`0`, ...lengths], sql` + `)
  const isLong = sql`bytes > ${literal(Math.floor(MAX_BYTES / rows))}`
  const shown = fields.map((name) => {
    const value = sql.identifier(name)
    return isText(name) ? sql`CASE WHEN NOT ${isLong} THEN ${value} END AS ${value}` : sql`${value}`
  })
  const others = Object.keys(found.columns).map((name) => sql.identifier(name))
  const hits = selectHits(views, list, fields, { ...found, columns: { ...found.columns, bytes } })
  const all = listOf([...shown, ...others, sql`bytes`, sql`(${isLong})::int AS "isLong"`])
  return sql`SELECT ${all} FROM (${hits}) AS shared`
}

/** The rows with some ids, in the order of the ids. */
const withIds = (ids: readonly number[], columns: Hits['columns'], level: number = ACCESS_LEVELS.Hidden): Hits => ({
  from: sql`unnest(${integers(ids)}) WITH ORDINALITY AS hit(id, place)`,
  columns,
  level,
})

/** Returns how the texts of long rows are read. */
export const wholeBy =
  ({ views, read }: Snapshot, list: ListName, fields: readonly FieldName[], columns: Hits['columns'] = {}): ReadWhole =>
  async (ids) =>
    (await read(selectHits(views, list, fields, withIds(ids, columns))))[0]

/** Reads rows by id, in the order of the ids. Long rows lack their texts. */
export const rowsById = async (
  { views, read }: Snapshot,
  list: ListName,
  fields: readonly FieldName[],
  ids: readonly number[],
  columns: Hits['columns'] = {},
  level?: number,
): Promise<readonly SharedRow[]> =>
  ids.length === 0 ? [] : (await read(selectShared(views, list, fields, ids.length, withIds(ids, columns, level))))[0]
