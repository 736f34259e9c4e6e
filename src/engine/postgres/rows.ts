import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Row } from '../engine.ts'
import { MAX_BYTES } from '../limits.ts'
import { firstRows } from '../shared/page.ts'
import { idOf } from './context.ts'
import { fieldsOf, shownIn } from './fields.ts'
import { sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { all, integers, literal, named } from './sql.ts'
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

/** Selects fields of rows that were found. */
const selectHits = (views: Views, list: ListName, fields: readonly FieldName[], hits: Hits): SQL => {
  const { from, columns, names = [], level = ACCESS_LEVELS.Hidden } = hits
  const { table, joins, visible } = sourceOf(views, level, list, [...fields, ...names], sql`SELECT hit.id FROM ${from}`)
  return sql`SELECT ${named({ ...shownIn(views, list, fields), ...columns })} FROM ${from} JOIN ${table} ON ${idOf(list)} = hit.id${joins}
    WHERE ${all([visible])}`
}

/** Selects fields of the first rows that have MAX_BYTES of texts, and of one more if there are others. */
export const selectFirst = (views: Views, list: ListName, fields: readonly FieldName[], hits: Hits): SQL<Row> => {
  const isText = (name: FieldName) => ['text', 'json'].includes(fieldsOf(views)(list, name).kind)
  const lengths = fields
    .filter(isText)
    .map((name) => sql`coalesce(octet_length(${fieldsOf(views)(list, name).shown}), 0)`)
  const columns = { ...hits.columns, place: sql`hit.place`, bytes: sql.join([sql`0`, ...lengths], sql` + `) }
  const found = selectHits(views, list, fields, { ...hits, columns })
  return sql`SELECT * FROM (SELECT *, sum(bytes) OVER (ORDER BY place) AS total FROM (${found}) AS found) AS summed
    WHERE total - bytes <= ${literal(MAX_BYTES)} ORDER BY place`
}

/** The rows with some ids, in the order of the ids. */
const withIds = (ids: readonly number[], columns: Hits['columns'], level: number = ACCESS_LEVELS.Hidden): Hits => ({
  from: sql`unnest(${integers(ids)}) WITH ORDINALITY AS hit(id, place)`,
  columns: { rowId: sql`hit.id`, ...columns },
  level,
})

/** Reads rows by id, in the order of the ids. Those after MAX_BYTES of texts do not come. */
export const rowsById = async (
  { views, read }: Snapshot,
  list: ListName,
  fields: readonly FieldName[],
  ids: readonly number[],
  columns: Hits['columns'] = {},
  level?: number,
): Promise<readonly Row[]> =>
  ids.length === 0 ? [] : (await read(selectFirst(views, list, fields, withIds(ids, columns, level))))[0]

/** Reads rows by id in batches of at most MAX_BYTES of texts. `most` returns the most rows of the next batch. */
export async function* batchesById(
  ids: Float64Array,
  most: () => number,
  read: (ids: readonly number[]) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  for (let start = 0; start === 0 || start < ids.length; ) {
    const end = start + most()
    const found = await read([...ids.slice(start, end)])
    const rows = firstRows(found)
    yield rows
    start = rows.length < found.length ? ids.indexOf(Number(rows.at(-1)?.rowId), start) + 1 : end
  }
}
