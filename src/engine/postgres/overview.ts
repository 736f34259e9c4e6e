import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { storedJson } from '../../base/json.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { FoundItem, Key, Overview, Reader, SeriesExtent } from '../engine.ts'
import { type Bounds, type ExtentRow, extentOf } from '../shared/extents.ts'
import { idOf } from './context.ts'
import { fieldsOf, shownIn } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { all, integer, named } from './sql.ts'

/** The length of a whole uuid. */
const WHOLE = 36

/** Reads the row with a key. Null: the level sees no such row, or several. */
export const readItem = async (
  { views, level, read }: Snapshot,
  list: ListName,
  key: Key,
  fields: readonly FieldName[],
): Promise<FoundItem | null> => {
  const columns = named(shownIn(views, list, fields))
  const query = selectFrom(sourceOf(views, level, list, fields), columns, hasKey(key, list))
  const [rows] = await read(sql`${query} LIMIT 2`)
  const [row] = rows
  return row === undefined || rows.length > 1 ? null : { row, tag: null }
}

const hasKey = (key: Key, list: ListName): SQL => {
  if ('uuid' in key)
    return key.uuid.length === WHOLE ? sql`s.uuid::text = ${key.uuid}` : sql`starts_with(s.uuid::text, ${key.uuid})`
  const { id, series } = key
  const ofSeries = series === undefined ? null : sql`e.event_series_id = ${integer(series)}`
  return all([sql`${idOf(list)} = ${integer(id)}`, ofSeries])
}

const SIDES = ['west', 'south', 'east', 'north'] as const

/** Reads the bounds of the events of the series with a uuid. Null reads the bounds of all series. */
export const readExtent = async (snapshot: Snapshot, uuid: string | null): Promise<SeriesExtent> => {
  const [rows] = await snapshot.read(extentQuery(snapshot, uuid))
  return extentOf(uuid, at(rows, 0))
}

const extentQuery = ({ views, level }: Snapshot, uuid: string | null): SQL<ExtentRow> => {
  const field = fieldsOf(views)
  const extreme = (name: FieldName, of: SQL) => sql`${of}(${field('series', name).shown})`
  const [min, max] = [sql`min`, sql`max`]
  const columns = {
    series: sql`count(*)`,
    events: sql`coalesce(sum(${field('series', 'event_count').value}), 0)::bigint`,
    ...Object.fromEntries(SIDES.map((side, i) => [side, extreme(side, i < 2 ? min : max)])),
    start: extreme('start', min),
    end: extreme('end', max),
  }
  const isNamed = uuid === null ? null : sql`s.uuid::text = ${uuid}`
  return selectFrom(sourceOf(views, level, 'series', []), named(columns), isNamed) as SQL<ExtentRow>
}

const LISTED = ['id', 'uuid', 'name', 'description', 'metadata', 'event_count', ...SIDES, 'start', 'end'] as const

/** Reads the bounds of all series together, and of the series in a slice. */
export const readOverview = async (
  snapshot: Snapshot,
  { offset, limit }: Parameters<Reader['overview']>[0],
): Promise<Overview> => {
  const { views, level } = snapshot
  const columns = named(shownIn(views, 'series', LISTED))
  const slice = sql`${selectFrom(sourceOf(views, level, 'series', []), columns, null)}
    ORDER BY s.name COLLATE "C", s.uuid::text COLLATE "C" LIMIT ${integer(limit)} OFFSET ${integer(offset)}`
  const [whole, rows] = await snapshot.read(extentQuery(snapshot, null), slice as SQL<Bounds & ListedSeries>)
  return {
    all: extentOf(null, at(whole, 0)),
    series: rows.map((row) => ({
      row: { ...row, metadata: withoutFields(row.metadata) },
      extent: extentOf(row.uuid, { ...row, series: 1, events: row.event_count }),
    })),
  }
}

interface ListedSeries {
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
