import { type Column, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { countStatements } from '../../schema/counts.ts'
import { NOW } from '../../schema/revisions.ts'
import { listed, nameOf, textOf } from '../../schema/sql.ts'
import { eventSeries } from '../../schema/tables.ts'
import type { Statement } from '../engine/run/database.ts'
import { caseFold, fold } from '../filters/fold.ts'
import type { TextDictionary } from '../model/dictionaries.ts'
import { EVENT } from '../model/event.ts'
import type { Fields } from '../model/field.ts'
import { dictionariesOf, type StoredColumn, storedColumnsOf, valuesOf } from '../model/rows.ts'
import { DERIVED, EXTEND } from './derived.ts'
import { FIELDS, type LoadRecord } from './records.ts'
import { type Numbered, RAISE_ALL, raiseRevision, STAMP, statement, TABLES, takeStamp } from './statement.ts'

/** Rows that are stored together. */
export interface Batch {
  records: number
  /** The number of characters of JSON. */
  length: number
  /** The rows of each kind of record, each as a JSON array. */
  readonly rows: Readonly<Record<LoadRecord['kind'], string[]>>
  readonly eventIds: string[]
  /** The new series, and those of the events. */
  readonly series: Set<number>
  /** The texts of the events, for each dictionary of TEXTS. */
  readonly texts: readonly Set<string>[]
  /** The contribution of the events to the derived columns of each series. */
  readonly extents: Map<number, { count: number; extremes: readonly Extreme[] }>
  /** The greatest stamp of the events, in microseconds since 1970. Later writes get greater ones. */
  stamp: number
}
/** Null if no event has a place. */
type Extreme = number | null

/** The maximum number of characters of a parameter. They are at most three bytes each, and D1 allows 2 MB. */
const PARAMETER_LENGTH = 600_000

/** Returns the SQL that an insert stores in a column. `value` is the value in a row. */
const storedAs = ({ dictionary, stamped }: StoredColumn, value: SQL): SQLWrapper => {
  if (dictionary !== null) return dictionary.id
  // Only a row from an export has this value.
  return stamped ? sql`coalesce(${value}, ${STAMP})` : value
}

/** Returns the statement that inserts rows. Its parameter is a JSON array of rows. `more` has further columns. */
const insertInto = (table: SQLWrapper, fields: Fields, more: readonly { column: Column; value: SQL }[]): string => {
  const columns = storedColumnsOf(fields).map((stored, i) => ({ ...stored, value: sql`row.value ->> ${i}` }))
  const joins = columns.flatMap(({ column, dictionary, value }) => {
    if (dictionary === null) return []
    const join = column.notNull ? sql`CROSS JOIN` : sql`LEFT JOIN`
    return [sql`${join} ${dictionary.table} ON ${dictionary.text} = ${value}`]
  })
  const stored = [...columns.map((each) => ({ ...each, value: storedAs(each, each.value) })), ...more]
  return textOf(sql`INSERT INTO ${table} (${listed(stored.map(({ column }) => nameOf(column)))})
    SELECT ${listed(stored.map(({ value }) => value))}
    FROM json_each(?1) AS row ${sql.join(joins, sql` `)}`)
}

const storing = (kind: LoadRecord['kind'], ...more: Parameters<typeof insertInto>[2]) => ({
  insert: insertInto(TABLES[kind], FIELDS[kind], more),
  valuesOf: valuesOf(FIELDS[kind]),
})
const KINDS = {
  observation_type: storing('observation_type'),
  event_series: storing('event_series', { column: eventSeries.changed, value: NOW }),
  event: storing('event'),
}

/** Returns the statement that adds new texts to a dictionary. Its parameter is a JSON array of texts and their folds. */
const insertTexts = ({ table, text, folded, caseFolded }: TextDictionary): string =>
  textOf(sql`INSERT INTO ${table} (${listed([text, folded, caseFolded].map(nameOf))})
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1) WHERE true ON CONFLICT (${nameOf(text)}) DO NOTHING`)

/** Returns the row of a dictionary for a text, as JSON. */
const textColumns = (text: string): string => JSON.stringify([text, fold(text), caseFold(text)])

/** Returns the position of a stored column in the values of an event. */
const positionOf = (fits: (stored: StoredColumn) => boolean): number => storedColumnsOf(EVENT).findIndex(fits)
const STAMPED = positionOf(({ stamped }) => stamped)
const SOURCES = DERIVED.map(({ least, source }) => ({ least, position: positionOf(({ column }) => column === source) }))
/** The dictionaries of events, each with its insert, and the position of its text. */
const TEXTS = dictionariesOf(EVENT).map((each) => ({
  insert: insertTexts(each),
  position: positionOf(({ dictionary }) => dictionary === each),
}))

export const emptyBatch = (): Batch => ({
  records: 0,
  length: 0,
  rows: { observation_type: [], event_series: [], event: [] },
  eventIds: [],
  series: new Set(),
  texts: TEXTS.map(() => new Set()),
  extents: new Map(),
  stamp: 0,
})

export function put(batch: Batch, record: LoadRecord): void {
  const values = KINDS[record.kind].valuesOf(record)
  const json = JSON.stringify(values)
  batch.rows[record.kind].push(json)
  batch.length += json.length
  batch.records += 1
  if (record.kind === 'event_series') batch.series.add(record.id)
  if (record.kind !== 'event') return
  batch.series.add(record.series)
  batch.eventIds.push(String(record.id))
  batch.stamp = Math.max(batch.stamp, Number(values[STAMPED] ?? 0))
  for (const [i, { position }] of TEXTS.entries()) {
    const text = values[position]
    if (typeof text === 'string') batch.texts[i]?.add(text)
  }
  const before = batch.extents.get(record.series)
  const extremes = SOURCES.map(({ least, position }, i): Extreme => {
    const [one = null, other] = [before?.extremes[i], values[position] as Extreme] // times and coordinates
    if (one === null || other === null) return one ?? other
    return least ? Math.min(one, other) : Math.max(one, other)
  })
  batch.extents.set(record.series, { count: 1 + (before?.count ?? 0), extremes })
}

/**
 * Returns the statements that store a batch. The caller runs them in one transaction. `now` is in microseconds since
 * 1970. `counted`: the statements also update the counts.
 */
export function statements(batch: Batch, now: number, counted = true): Statement[] {
  const { rows, texts, eventIds, series, stamp } = batch
  const extents = Array.from(batch.extents, ([id, { count, extremes }]) => JSON.stringify([id, count, ...extremes]))
  const all: [sql: string, rows: string[]][] = [
    [KINDS.observation_type.insert, rows.observation_type],
    [KINDS.event_series.insert, rows.event_series],
    ...TEXTS.map(({ insert }, i): [string, string[]] => [insert, Array.from(texts[i] ?? [], textColumns)]),
    [KINDS.event.insert, rows.event],
    [EXTEND, extents],
    ...(counted ? countStatements(1) : []).map((sql): [string, string[]] => [sql, eventIds]),
  ]
  return [
    ...(eventIds.length > 0 ? [takeStamp(Math.max(now, stamp))] : []),
    ...all.flatMap(([sql, rows]) => chunksOf(rows).map((parameter) => statement(sql, parameter))),
    rows.observation_type.length > 0 ? RAISE_ALL : raiseRevision([...series]),
  ]
}

/** Returns the statements that store new records. */
export const storeAll = (records: readonly LoadRecord[], now: number): Statement[] => {
  const batch = emptyBatch()
  for (const record of records) put(batch, record)
  return statements(batch, now)
}

/** Joins rows to JSON arrays, each short enough for a parameter. */
export function chunksOf(rows: readonly string[]): string[] {
  const chunks: string[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const json of rows) {
    if (length + json.length > PARAMETER_LENGTH) {
      chunks.push([])
      length = 0
    }
    chunks.at(-1)?.push(json)
    length += json.length + 1
  }
  return chunks.map((chunk) => `[${chunk.join(',')}]`)
}

type Values = Readonly<Record<string, unknown>>

const fieldsIn = (kind: Numbered, changes: Values): Fields =>
  Object.fromEntries(Object.entries(FIELDS[kind]).filter(([name]) => name in changes))

/** Returns the columns that store the changes of a row. */
export const changedColumns = (kind: Numbered, changes: Values) =>
  storedColumnsOf(fieldsIn(kind, changes)).map(({ column }) => column)

/** Returns the statements that change a row and set its stamp. They add new texts to their dictionaries. */
export const changeRow = (kind: Numbered, id: number, changes: Values): Statement[] => {
  const fields = fieldsIn(kind, changes)
  const [columns, values] = [storedColumnsOf(fields), valuesOf(fields)(changes)]
  const texts = columns.flatMap(({ dictionary }, i) => {
    const text = values[i]
    if (dictionary === null || typeof text !== 'string') return []
    return [statement(insertTexts(dictionary), `[${textColumns(text)}]`)]
  })
  const assignments = columns.map(({ column, dictionary }, i) => {
    const value = sql`?1 ->> ${i}`
    if (dictionary === null) return sql`${nameOf(column)} = ${value}`
    const entry = sql`SELECT ${dictionary.id} FROM ${dictionary.table} WHERE ${dictionary.text} = ${value}`
    return sql`${nameOf(column)} = (${entry})`
  })
  const stamps = storedColumnsOf(FIELDS[kind]).filter(({ stamped }) => stamped)
  const set = listed([...assignments, ...stamps.map(({ column }) => sql`${nameOf(column)} = ${STAMP}`)])
  const update = sql`UPDATE ${TABLES[kind]} SET ${set} WHERE ${TABLES[kind].id} = CAST(?2 AS INTEGER)`
  return [...texts, statement(update, JSON.stringify(values), String(id))]
}
