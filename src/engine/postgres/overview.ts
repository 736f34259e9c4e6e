import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { storedJson } from '../../base/json.ts'
import { UUID_LENGTH } from '../../base/schema.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { FoundItem, Key, Overview, Reader, SeriesExtent } from '../engine.ts'
import { type BoundsRow, type ExtentRow, extentOf } from '../shared/extents.ts'
import { idOf } from './context.ts'
import { shownIn } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { all, integer, named } from './sql.ts'

/** Reads the row with a key. Null: the level sees no such row, or several. */
export const readItem = async (
  { views, level, read }: Snapshot,
  list: ListName,
  key: Key,
  fields: readonly FieldName[],
): Promise<FoundItem | null> => {
  const columns = named(shownIn(views, list, fields))
  const condition = hasKey(key, list)
  const query = selectFrom(sourceOf(views, level, list, fields, idsOf(condition)), columns, condition)
  const [rows] = await read(sql`${query} LIMIT 2`)
  const [row] = rows
  return row === undefined || rows.length > 1 ? null : { row, tag: null }
}

const idsOf = (condition: SQL): SQL => sql`SELECT s.id FROM event_series AS s WHERE ${condition}`

const hasKey = (key: Key, list: ListName): SQL => {
  if ('uuid' in key)
    return key.uuid.length === UUID_LENGTH
      ? sql`s.uuid::text = ${key.uuid}`
      : sql`starts_with(s.uuid::text, ${key.uuid})`
  const { id, series } = key
  const ofSeries = series === undefined ? null : sql`e.event_series_id = ${integer(series)}`
  return all([sql`${idOf(list)} = ${integer(id)}`, ofSeries])
}

const SIDES = ['west', 'south', 'east', 'north'] as const

/** The fields of a series that its extent has. */
const EXTENT = ['event_count', ...SIDES, 'start', 'end'] as const

/** Reads the bounds of the events of the series with a uuid. Null reads the bounds of all series. */
export const readExtent = async ({ views, level, read }: Snapshot, uuid: string | null): Promise<SeriesExtent> => {
  const isNamed = uuid === null ? null : sql`s.uuid::text = ${uuid}`
  const source = sourceOf(views, level, 'series', EXTENT, isNamed && idsOf(isNamed))
  const series = selectFrom(source, named(shownIn(views, 'series', EXTENT)), isNamed)
  const [rows] = await read(sql<ExtentRow>`${WHOLE_EXTENT} FROM (${series}) AS listed`)
  return extentOf(uuid, at(rows, 0))
}

/** Selects the extent of some series together. */
const WHOLE_EXTENT = sql`SELECT ${named({
  series: sql`count(*)`,
  events: sql`coalesce(sum(event_count), 0)::bigint`,
  ...Object.fromEntries(SIDES.map((side, i) => [side, sql`${i < 2 ? sql`min` : sql`max`}(${sql.identifier(side)})`])),
  start: sql`min(start)`,
  end: sql`max("end")`,
})}`

const LISTED = ['id', 'uuid', 'name', 'description', 'metadata', ...EXTENT] as const

/**
 * Reads the bounds of all series together, and of the series in a slice. One statement has both, so the events are read once. A
 * slice beyond the last series is one row without an id.
 */
export const readOverview = async (
  { views, level, read }: Snapshot,
  { offset, limit }: Parameters<Reader['overview']>[0],
): Promise<Overview> => {
  const listed = selectFrom(sourceOf(views, level, 'series', LISTED), named(shownIn(views, 'series', LISTED)), null)
  const order = sql`ORDER BY name COLLATE "C", uuid::text COLLATE "C"`
  const [rows] = await read(
    sql<BoundsRow & ListedSeries>`WITH listed AS MATERIALIZED (${listed}), whole AS (${WHOLE_EXTENT} FROM listed),
      slice AS (SELECT * FROM listed ${order} LIMIT ${integer(limit)} OFFSET ${integer(offset)})
    SELECT to_json(whole) AS whole, slice.* FROM whole LEFT JOIN slice ON true ${order}`,
  )
  return {
    all: extentOf(null, at(rows, 0).whole),
    series: rows
      .filter(({ id }) => id !== null)
      .map(({ whole, ...row }) => ({
        row: { ...row, metadata: withoutFields(row.metadata) },
        extent: extentOf(row.uuid, { ...row, series: 1, events: row.event_count }),
      })),
  }
}

interface ListedSeries {
  readonly whole: ExtentRow
  readonly id: number | null
  readonly uuid: string
  readonly metadata: string | null
  readonly event_count: number
  readonly start: number | null
  readonly end: number | null
}

/** Returns the description of a series without its columns. */
const withoutFields = (metadata: string | null): string => {
  const { license = null, source = null, source_url = null } = Object(metadata && storedJson(metadata))
  return JSON.stringify({ license, source, source_url })
}

/** Reads the uuids of at most so many series that the caller sees, in the order of their ids. */
export const readUuids = async ({ views, level, read }: Snapshot, most: number): Promise<readonly string[]> => {
  const query = selectFrom(sourceOf(views, level, 'series', []), sql`s.uuid::text AS uuid`, null)
  const [rows] = await read(sql<{ readonly uuid: string }>`${query} ORDER BY s.id LIMIT ${integer(most)}`)
  return rows.map(({ uuid }) => uuid)
}
