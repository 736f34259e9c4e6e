import { lte, type SQL, sql } from 'drizzle-orm'
import { eventSeries, events, observationTypes as types } from '../../schema/tables.ts'
import { type Mistakes, mistake } from '../base/errors.ts'
import type { Database } from '../engine/d1/database.ts'
import type { NamedRows } from '../model/field.ts'
import type { BodyShape, Part } from './fields.ts'

/** A row that a value names, and that value. */
export interface NamedRow {
  readonly given?: unknown
  readonly id?: number
  /** The uuid of the series that it is, or belongs to. Types have none. */
  readonly uuid?: string
}

/**
 * The queries for the rows that values name. The values are a JSON array. A query with a level leaves out the rows that
 * the level does not see. A new uuid must also differ from the uuids of hidden series.
 */
const QUERIES: Readonly<Record<NamedRows, (values: string, level: number) => SQL<NamedRow>>> = {
  eventsById: (values, level) =>
    sql`SELECT given.value AS given, ${events.id} AS id, ${eventSeries.uuid} AS uuid
      FROM json_each(${values}) AS given CROSS JOIN ${events} ON ${events.id} = given.value
      CROSS JOIN ${eventSeries} ON ${eventSeries.id} = ${events.eventSeriesId}
      WHERE ${lte(eventSeries.accessModifier, level)}`,
  seriesByUuid: (values) =>
    sql`SELECT given.value AS given, ${eventSeries.id} AS id
      FROM json_each(${values}) AS given JOIN ${eventSeries} ON ${eventSeries.uuid} = given.value`,
  seriesByIdOrUuid: (values, level) =>
    sql`SELECT given.value AS given, ${eventSeries.id} AS id, ${eventSeries.uuid} AS uuid
      FROM json_each(${values}) AS given CROSS JOIN ${eventSeries}
      ON ${eventSeries.id} = given.value OR ${eventSeries.uuid} = given.value
      WHERE ${lte(eventSeries.accessModifier, level)}`,
  typesByCode: (values) =>
    sql`SELECT given.value AS given, min(${types.id}) AS id
      FROM json_each(${values}) AS given JOIN ${types} ON ${types.code} = given.value GROUP BY given.value`,
  // A code that several types have names none of them.
  typesByIdOrCode: (values) =>
    sql`SELECT given.value AS given, min(${types.id}) AS id
      FROM json_each(${values}) AS given JOIN ${types} ON CASE given.type
        WHEN 'integer' THEN ${types.id} = given.value ELSE ${types.code} = given.value END
      GROUP BY given.type, given.value HAVING count(*) = 1`,
}

/** Returns the query for the rows that values name. */
export const namedRows = (rows: NamedRows, values: readonly unknown[], level: number): SQL<NamedRow> =>
  QUERIES[rows](JSON.stringify(values), level)

/**
 * Returns the queries for the rows that drafts name, and `resolve` for their answers. It replaces the values in drafts
 * by ids, and notes mistakes.
 */
export const lookUp = (shape: BodyShape, parts: readonly Part[], level: number) => {
  const named = Object.entries(shape.fields).flatMap(([path, { to, lookup }]) => {
    const values = parts.map(({ draft }) => draft[to]).filter((value) => value !== undefined)
    return lookup === undefined || values.length === 0 ? [] : [{ path, to, lookup, values }]
  })
  const resolve = (answers: readonly (readonly NamedRow[])[], mistakes: Mistakes): Part[] => {
    const resolved = named.map((field, i) => ({
      ...field,
      ids: new Map(answers[i]?.map(({ given, id }) => [JSON.stringify(given), id])),
    }))
    return parts.map((part) => {
      const draft: Record<string, unknown> = { ...part.draft }
      for (const { path, to, lookup, ids } of resolved) {
        const value = draft[to]
        if (value === undefined) continue
        const id = ids.get(JSON.stringify(value))
        if ((id === undefined) !== (lookup.fresh === true)) {
          mistake(mistakes, part.item.at + path, lookup.message(value))
          delete draft[to]
        } else if (lookup.fresh) ids.set(JSON.stringify(value), 0)
        else draft[to] = id
      }
      return { ...part, draft }
    })
  }
  return {
    queries: named.map(({ lookup, values }) => namedRows(lookup.rows, [...new Set(values)], level)),
    resolve,
  }
}

/** Reads the ids of the rows that drafts name, and puts them in place of the names. Notes mistakes. */
export const resolveNames = async (db: Database, shape: BodyShape, parts: readonly Part[], mistakes: Mistakes) => {
  const { queries, resolve } = lookUp(shape, parts, db.level)
  return resolve(queries.length === 0 ? [] : await db.read(...queries), mistakes)
}
