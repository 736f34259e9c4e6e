import { lte, type SQL, sql } from 'drizzle-orm'
import { eventSeries, events, observationTypes as types } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../base/access.ts'
import { type Mistakes, mistake } from '../base/errors.ts'
import { select, selectShared, withJoins } from '../engine/d1/columns.ts'
import type { Database, Statement } from '../engine/d1/database.ts'
import { fetchPage } from '../engine/d1/read.ts'
import { wholeRows } from '../engine/d1/rows.ts'
import { integerOf } from '../engine/d1/sql.ts'
import { tableOf } from '../engine/d1/tables.ts'
import type { Row } from '../engine/engine.ts'
import type { NamedRows } from '../model/field.ts'
import { isObject } from '../model/kinds.ts'
import { attributesFault, metadataOf, widenedBy } from '../model/metadata.ts'
import type { Metadata } from '../model/types.ts'
import type { FieldName, ListName } from '../question/fields.ts'
import { BY_ID, type Selection } from '../question/question.ts'
import type { BodyShape, Draft, ItemRead } from './fields.ts'
import { STAMP, STEP, takeIds } from './statement.ts'
import type { NamedRow, Writable } from './writable.ts'

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

/** Reads the ids of the series whose uuids begin like this. If several series have a beginning, it names none of them. */
export const readSeriesBeginning = async (db: Database, beginnings: readonly string[]): Promise<readonly number[]> => {
  const [found] = await db.read(
    sql<{ id: number }>`SELECT min(${eventSeries.id}) AS id FROM json_each(${JSON.stringify(beginnings)}) AS given
      CROSS JOIN ${eventSeries} ON ${eventSeries.uuid} >= given.value AND ${eventSeries.uuid} < given.value || 'g'
      GROUP BY given.key HAVING count(*) = 1`,
  )
  return found.map(({ id }) => id)
}

/** Returns the query for the rows that values name. */
const namedRows = (rows: NamedRows, values: readonly unknown[], level: number): SQL<NamedRow> =>
  QUERIES[rows](JSON.stringify(values), level)

/**
 * Returns the queries for the rows that drafts name, and `resolve` for their answers. It replaces the values in drafts
 * by ids, and notes mistakes.
 */
const lookUp = (shape: BodyShape, parts: readonly ItemRead[], level: number) => {
  const named = Object.entries(shape.fields).flatMap(([path, { to, lookup }]) => {
    const values = parts.map(({ draft }) => draft[to]).filter((value) => value !== undefined)
    return lookup === undefined || values.length === 0 ? [] : [{ path, to, lookup, values }]
  })
  const resolve = (answers: readonly (readonly NamedRow[])[], mistakes: Mistakes): ItemRead[] => {
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
export const resolveNames = async (db: Database, shape: BodyShape, parts: readonly ItemRead[], mistakes: Mistakes) => {
  const { queries, resolve } = lookUp(shape, parts, db.level)
  return resolve(queries.length === 0 ? [] : await db.read(...queries), mistakes)
}

/** A list that is written, and the fields of its items. */
export interface WritableList {
  readonly list: ListName
  readonly reads: readonly FieldName[]
  readonly writable: Writable
}

/**
 * Reads what a post needs to know. `known` has the stored items with the names of the posted ones, and `rows` those with
 * their external ids. `stamp` is the stamp of the last write. `parts` have ids in place of the names of other rows. `names`
 * has the id, uuid or code of each item, or null. `areNew`: none of them can be stored already, so the first round trip
 * also takes their ids.
 */
export const readForPost = async (
  db: Database,
  list: WritableList,
  parts: readonly ItemRead[],
  names: readonly (number | string | null)[],
  areNew: boolean,
  mistakes: Mistakes,
) => {
  const { writable } = list
  const { queries, resolve } = lookUp(writable, parts, db.level)
  const given = names.filter((name) => name !== null)
  const described = descriptionsOf([...new Set(parts.flatMap(({ draft }) => draft.series ?? []))])
  const named = namedRows(writable.identity.rows, given, db.level)
  const reads = [sql`SELECT ${STAMP} AS stamp`, named, described, ...queries]
  const taken = areNew ? await takeIds(db, writable.table, parts.length, reads) : null
  const [[last] = [], known = [], descriptions = [], ...found] = taken?.answers ?? (await db.read(...reads))
  const resolved = resolve(found, mistakes)
  const fieldsOf = new Map(descriptions.map((row) => [row.id, metadataOf(row).fields]))
  for (const { draft, item } of resolved)
    noteTitles(fieldsOf.get(Number(draft.series)) ?? [], draft.attributes, item.at, mistakes)
  return {
    stamp: Number(last?.stamp ?? 0),
    known: new Map(known.map((row) => [row.given, row])),
    parts: resolved,
    rows: await storedRows(db, list, resolved, mistakes),
    firstId: taken?.first ?? null,
    /** Returns the columns of their series that records make wider. */
    widened: (records: readonly Draft[]) =>
      Array.from(fieldsOf).flatMap(([id, fields]) => {
        const own = records.filter((record) => record.series === id)
        return widenedBy(fields, own)
      }),
  }
}

/** Reads the descriptions of series by their ids and uuids. */
const descriptionsOf = (series: readonly unknown[]) =>
  sql<{ readonly id: number; readonly metadata: string | null }>`
    SELECT ${eventSeries.id} AS id, ${eventSeries.metadata} AS metadata FROM json_each(${JSON.stringify(series)}) AS given
    CROSS JOIN ${eventSeries} ON ${eventSeries.id} = given.value OR ${eventSeries.uuid} = given.value`

const noteTitles = (fields: Metadata['fields'], attributes: unknown, at: string, mistakes: Mistakes): void => {
  const fault = isObject(attributes) ? attributesFault(fields, Object.keys(attributes)) : null
  if (fault !== null) mistake(mistakes, `${at}properties.attributes`, fault)
}

/** Notes as mistakes the new attributes of a changed event whose names are titles of columns of its series. */
export const checkTitles = async (db: Database, stored: Draft, record: Draft, mistakes: Mistakes): Promise<void> => {
  if (!isObject(record.attributes)) return
  const before = record.series === stored.series && isObject(stored.attributes) ? stored.attributes : {}
  if (Object.keys(record.attributes).every((name) => Object.hasOwn(before, name))) return
  const [[described]] = await db.read(descriptionsOf([record.series]))
  if (described !== undefined) noteTitles(metadataOf(described).fields, record.attributes, '', mistakes)
}

/**
 * Finds the stored rows with the external ids of items, and returns one for each item, or null. An external id that
 * occurs twice is a mistake.
 */
export const storedRows = async (
  db: Database,
  list: WritableList,
  parts: readonly ItemRead[],
  mistakes: Mistakes,
): Promise<readonly (Row | null)[]> => {
  const { keyed, recordOf } = list.writable
  const conditions = keyed?.conditions(parts.map(({ draft }) => draft)) ?? []
  if (keyed === undefined || conditions.length === 0) return parts.map(() => null)
  const table = tableOf(list.list, list.reads)
  const most = integerOf(parts.length)
  const answers = await db.read(
    ...conditions.map((where) =>
      selectShared(table.columns, parts.length, sql`FROM ${withJoins(table)} WHERE ${where} LIMIT ${most}`),
    ),
  )
  const stored = new Map<string | null, Row>()
  for await (const rows of wholeRows(db.read, table, ACCESS_LEVELS.Hidden, answers.flat()))
    for (const row of rows) stored.set(keyed.nameOf(recordOf(row)), row)
  const seen = new Set<string>()
  return parts.map(({ draft, item }) => {
    const name = keyed.nameOf(draft)
    if (name === null) return null
    if (seen.has(name))
      mistake(mistakes, item.at + keyed.path, 'This value is given more than once for a series. Give it once.')
    seen.add(name)
    return stored.get(name) ?? null
  })
}

/** Runs statements, then reads the item with an id. Returns null if the database refused them. */
export const changeAndRead = async (
  db: Database,
  { list, reads }: Pick<WritableList, 'list' | 'reads'>,
  id: number,
  statements: readonly Statement[],
): Promise<Row | null> => {
  const table = tableOf(list, reads)
  const item = sql<Row>`${select(table)} WHERE ${table.id} = ${integerOf(id)}`
  const answers = await db.write(statements, item)
  return answers?.[0][0] ?? null
}

/**
 * Reads the ids of the first matching rows of a list, as many as a step of a delete takes. They belong to one state of the
 * data.
 */
export const readStep = async (db: Database, list: ListName, selection: Selection): Promise<readonly number[]> => {
  const question = { ...selection, order: BY_ID, slice: { from: { offset: 0 }, limit: STEP } }
  const { rows } = await db.atOneState(() => fetchPage(db, list, question, { fields: ['id'] }))
  return rows.map(({ id }) => Number(id))
}
