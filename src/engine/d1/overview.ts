import { eq, is, type SQL, sql, Table } from 'drizzle-orm'
import * as tables from '../../../schema/tables.ts'
import { at } from '../../base/collections.ts'
import { beingLoaded } from '../../base/errors.ts'
import type { Overview, Reader, SeriesExtent } from '../engine.ts'
import { type ExtentRow, extentOf } from '../shared/extents.ts'
import type { Ready } from '../state.ts'
import type { Database } from './database.ts'
import { visibleSeries } from './dictionaries.ts'
import { all, integerOf } from './sql.ts'

const { eventSeries: table } = tables

/** Reads the bounds of the events of the series with a uuid. Null means all series that the caller sees. */
export const readExtent = async (db: Database, series: string | null): Promise<SeriesExtent> => {
  const [rows] = await db.read(extentQuery(db.level, series))
  return extentOf(series, at(rows, 0))
}

/** Reads the bounds of all series together, and of the series in a slice. */
export const readOverview = async (
  db: Database,
  { offset, limit }: Parameters<Reader['overview']>[0],
): Promise<Overview> => {
  const slice = sql<
    ExtentRow & { readonly uuid: string }
  >`SELECT ${table.id} AS id, ${table.uuid} AS uuid, ${table.name} AS name,
      ${table.description} AS description, ${SOURCE} AS metadata, 1 AS series, ${table.eventCount} AS events,
      ${table.west} AS west, ${table.south} AS south, ${table.east} AS east, ${table.north} AS north,
      ${table.start} AS start, ${table.end} AS "end"
    FROM ${table} WHERE ${all([visibleSeries(db.level)])} ORDER BY ${table.name}, ${table.uuid}
    LIMIT ${integerOf(limit)} OFFSET ${integerOf(offset)}`
  const [whole, rows] = await db.read(extentQuery(db.level, null), slice)
  return {
    all: extentOf(null, at(whole, 0)),
    series: rows.map((row) => ({ row: { ...row }, extent: extentOf(row.uuid, row) })),
  }
}

/** The description of a series without its columns, which may be long. */
const SOURCE = sql`json_object(${sql.join(
  ['license', 'source', 'source_url'].map((name) => sql`${name}, ${table.metadata} ->> ${`$.${name}`}`),
  sql`, `,
)})`

/** Only series are read, because each stores the number and the bounds of its events. */
export const extentQuery = (level: number, uuid: string | null): SQL<ExtentRow> => {
  const isNamed = uuid === null ? null : eq(table.uuid, uuid)
  return sql`SELECT count(*) AS series, coalesce(sum(${table.eventCount}), 0) AS events,
    min(${table.west}) AS west, min(${table.south}) AS south, max(${table.east}) AS east, max(${table.north}) AS north,
    min(${table.start}) AS start, max(${table.end}) AS "end" FROM ${table} WHERE ${all([visibleSeries(level), isNamed])}`
}

/** Reads the uuids of at most so many series that the caller sees, in the order of their ids. */
export const readUuids = async (db: Database, most: number): Promise<readonly string[]> => {
  const [rows] = await db.read(
    sql<{ readonly uuid: string }>`SELECT ${table.uuid} AS uuid FROM ${table}
      WHERE ${all([visibleSeries(db.level)])} ORDER BY ${table.id} LIMIT ${integerOf(most)}`,
  )
  return rows.map(({ uuid }) => uuid)
}

const isMigrated = sql`SELECT 1 FROM ${sql.join(
  Object.values(tables).flatMap((table) => (is(table, Table) ? [sql`${table}`] : [])),
  sql`, `,
)} LIMIT 0`

/** Returns a row while a first bulk load has dropped the indexes of the events. */
const isLoading = sql`SELECT 1 FROM ${tables.suspendedIndexes} LIMIT 1`

/** The most bytes of a database of D1. */
const MAX_SIZE = 10_000_000_000

/** Tells how the database serves. Throws a 503 if it is not migrated, or if it is being loaded. */
export const readReady = async (db: Database): Promise<Ready> => {
  const [, [load] = []] = await db.read(isMigrated, isLoading)
  if (load !== undefined) throw beingLoaded()
  return {
    revision: db.state()?.revision ?? 0,
    bytes: db.cost.size,
    capacity: MAX_SIZE,
    grade: null,
    faults: [],
    tables: [],
    advice: [],
  }
}
