import { type Column, type SQL, sql } from 'drizzle-orm'
import { countStatements } from '../../schema/counts.ts'
import { listed, NOW, nameOf, sqlText } from '../../schema/sql.ts'
import { eventSeries, events } from '../../schema/tables.ts'
import type { Statement } from '../engine/d1/database.ts'
import { category, model, type TextDictionary } from '../engine/d1/dictionaries.ts'
import { storedField } from '../engine/d1/fields.ts'
import { caseFold, fold } from '../filters/fold.ts'
import { leadingNumber } from '../filters/numbers.ts'
import { cellOf, NOWHERE } from '../geometry/cell.ts'
import type { Fields } from '../model/field.ts'
import { storedIn } from '../model/members.ts'
import type { Coordinates } from '../model/types.ts'
import type { FieldName, ListName } from '../question/fields.ts'
import { noteDescribed, noteEarlier, noteSeries, noteTypes } from './changes.ts'
import { DESCRIBE } from './metadata.ts'
import { KIND_FIELDS, type LoadRecord } from './records.ts'
import { GROW, KIND_TABLES, RAISE_ALL, raiseRevision, STAMP, statement, takeStamp } from './statement.ts'

/** A column of a table that an insert or an update sets. */
interface StoredColumn {
  readonly column: Column
  /** The field with this value. Null: only searches read the column. */
  readonly field: FieldName | null
  /** The dictionary of the text that the column stores. Null: the column stores the value itself. */
  readonly dictionary: TextDictionary | null
  /** True if null means the stamp of the write. */
  readonly stamped: boolean
  /** Returns the value in a record. */
  readonly valueIn: (record: Readonly<Record<string, unknown>>) => unknown
}

/** The list of each kind of record. */
export const LISTS = { event: 'events', event_series: 'series', observation_type: 'types' } as const satisfies Record<
  LoadRecord['kind'],
  ListName
>

/** Columns that are derived from the value of a field, such as the cell of a position. */
const DERIVED: Readonly<Record<LoadRecord['kind'], readonly Derived[]>> = {
  event: [
    { column: events.valueNumber, field: 'value_number', from: 'value', of: leadingNumber },
    {
      column: events.cell,
      field: null,
      from: 'coordinates',
      of: (position: Coordinates | null) => (position === null ? NOWHERE : cellOf(position[0], position[1])),
    },
  ],
  event_series: [
    { column: eventSeries.nameFolded, field: null, from: 'name', of: fold },
    { column: eventSeries.nameCaseFolded, field: null, from: 'name', of: caseFold },
  ],
  observation_type: [],
}

/** TypeScript compares the parameters of methods less strictly, so `of` can say the type of its value. */
interface Derived extends Pick<StoredColumn, 'column' | 'field'> {
  readonly from: string
  of(value: unknown): unknown
}

/** Returns the columns that the fields of a kind of record are stored in. */
export const storedColumnsOf = (kind: LoadRecord['kind'], fields: Fields): StoredColumn[] =>
  storedIn(fields).flatMap(({ name, parts, put, stamped = false }) => [
    ...parts.map((part): StoredColumn => {
      const field = storedField(LISTS[kind], part)
      return {
        column: field.own as Column, // of the table of the list
        field: part,
        dictionary: [category, model].find(({ text }) => text === field.column) ?? null,
        stamped,
        valueIn: (record) => put(record[name])[part],
      }
    }),
    ...DERIVED[kind].flatMap(({ column, field, from, of }): StoredColumn[] =>
      from === name ? [{ column, field, dictionary: null, stamped: false, valueIn: (record) => of(record[name]) }] : [],
    ),
  ])

/** Rows that are stored together. */
interface Batch {
  records: number
  /** The number of characters of JSON. */
  length: number
  /** The rows of each kind of record, each as a JSON array. */
  readonly rows: Readonly<Record<LoadRecord['kind'], string[]>>
  readonly ids: Readonly<Record<LoadRecord['kind'], number[]>>
  /** The new series, and those of the events. */
  readonly series: Set<number>
  /** The texts of the events, for each dictionary of TEXTS. */
  readonly texts: readonly Set<string>[]
  /** The greatest stamp that an event has already, in microseconds since 1970. Later writes get greater ones. */
  stamp: number
}

/** The maximum number of characters of a parameter. They are at most three bytes each, and D1 allows 2 MB. */
const PARAMETER_LENGTH = 600_000

/**
 * Returns the columns of a table, and the statement that inserts rows. Its parameter is a JSON array of rows. `more` has
 * further columns.
 */
const storing = (kind: LoadRecord['kind'], ...more: readonly { column: Column; value: SQL }[]) => {
  const columns = storedColumnsOf(kind, KIND_FIELDS[kind])
  const joins: SQL[] = []
  const stored = columns.map(({ column, dictionary, stamped }, i) => {
    const value = sql`row.value ->> ${i}`
    // Only a row from an export has a stamp.
    if (dictionary === null) return { column, value: stamped ? sql`coalesce(${value}, ${STAMP})` : value }
    const join = column.notNull ? sql`CROSS JOIN` : sql`LEFT JOIN`
    joins.push(sql`${join} ${dictionary.table} ON ${dictionary.text} = ${value}`)
    return { column, value: sql`${dictionary.id}` }
  })
  const all = [...stored, ...more]
  const insert = sqlText(sql`INSERT INTO ${KIND_TABLES[kind]} (${listed(all.map(({ column }) => nameOf(column)))})
    SELECT ${listed(all.map(({ value }) => value))}
    FROM json_each(?1) AS row ${sql.join(joins, sql` `)}`)
  return { columns, insert }
}
const KINDS = {
  observation_type: storing('observation_type'),
  event_series: storing('event_series', { column: eventSeries.changed, value: NOW }),
  event: storing('event'),
}

/** Returns the statement that adds new texts to a dictionary. Its parameter is a JSON array of texts and their folds. */
const insertTexts = ({ table, text, folded, caseFolded }: TextDictionary): string =>
  sqlText(sql`INSERT INTO ${table} (${listed([text, folded, caseFolded].map(nameOf))})
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?1) WHERE true ON CONFLICT (${nameOf(text)}) DO NOTHING`)

/** Returns the row of a dictionary for a text, as JSON. */
const textColumns = (text: string): string => JSON.stringify([text, fold(text), caseFold(text)])

/** The inserts of the dictionaries of events, with the text of an event in each. */
const TEXTS = KINDS.event.columns.flatMap(({ dictionary, valueIn }) =>
  dictionary === null ? [] : [{ insert: insertTexts(dictionary), valueIn }],
)

export const emptyBatch = (): Batch => ({
  records: 0,
  length: 0,
  rows: { observation_type: [], event_series: [], event: [] },
  ids: { observation_type: [], event_series: [], event: [] },
  series: new Set(),
  texts: TEXTS.map(() => new Set()),
  stamp: 0,
})

export function put(batch: Batch, record: LoadRecord): void {
  const json = JSON.stringify(KINDS[record.kind].columns.map(({ valueIn }) => valueIn(record)))
  batch.rows[record.kind].push(json)
  batch.ids[record.kind].push(record.id)
  batch.length += json.length
  batch.records += 1
  if (record.kind === 'event_series') batch.series.add(record.id)
  if (record.kind !== 'event') return
  batch.series.add(record.series)
  batch.stamp = Math.max(batch.stamp, record.last_modified ?? 0)
  for (const [i, { valueIn }] of TEXTS.entries()) {
    const text = valueIn(record)
    if (typeof text === 'string') batch.texts[i]?.add(text)
  }
}

/**
 * Returns the statements that store a batch. The caller runs them in one transaction. `now` is in microseconds since
 * 1970. `counted`: the statements also update the counts. `described`: they also add new columns to the descriptions.
 */
export function statements(
  { rows, texts, ids, series, stamp }: Batch,
  now: number,
  { counted = true, described = true } = {},
): Statement[] {
  const inserts: [sql: string, rows: string[]][] = [
    [KINDS.observation_type.insert, rows.observation_type],
    [KINDS.event_series.insert, rows.event_series],
    ...TEXTS.map(({ insert }, i): [string, string[]] => [insert, Array.from(texts[i] ?? [], textColumns)]),
    [KINDS.event.insert, rows.event],
  ]
  const touched = [...series]
  return [
    takeStamp(Math.max(now, stamp)),
    ...inserts.flatMap(([sql, rows]) => parameterTexts(rows).map((parameter) => statement(sql, parameter))),
    ...(rows.observation_type.length > 0 ? [noteTypes(ids.observation_type)] : []),
    ...(rows.event_series.length > 0 ? [noteSeries(ids.event_series)] : []),
    ...parameterTexts(ids.event.map(String)).flatMap((events) => [
      statement(GROW, events),
      ...(described ? [statement(DESCRIBE, events), noteDescribed(touched)] : []),
      ...(counted ? countStatements(1).map((sql) => statement(sql, events)) : []),
    ]),
    ...(stamp > 0 ? [noteEarlier(touched)] : []),
    rows.observation_type.length > 0 ? RAISE_ALL : raiseRevision(touched),
  ]
}

/** Returns the statements that store new records. */
export const storeAll = (records: readonly LoadRecord[], now: number, described = true): Statement[] => {
  const batch = emptyBatch()
  for (const record of records) put(batch, record)
  return statements(batch, now, { described })
}

/** Joins rows to JSON arrays, each short enough for a parameter. */
export function parameterTexts(rows: readonly string[]): string[] {
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

/** Returns the columns that store the changes of a row. */
export const changedColumns = (kind: LoadRecord['kind'], changes: Readonly<Record<string, unknown>>) =>
  storedColumnsOf(kind, Object.fromEntries(Object.entries(KIND_FIELDS[kind]).filter(([name]) => name in changes)))

/** Returns the statements that change a row and set its stamp. They add new texts to their dictionaries. */
export const changeRow = (
  kind: LoadRecord['kind'],
  id: number,
  changes: Readonly<Record<string, unknown>>,
): Statement[] => {
  const changed = changedColumns(kind, changes).map((each) => ({ ...each, value: each.valueIn(changes) }))
  const texts = changed.flatMap(({ dictionary, value }) =>
    dictionary === null || typeof value !== 'string'
      ? []
      : [statement(insertTexts(dictionary), `[${textColumns(value)}]`)],
  )
  const assignments = changed.map(({ column, dictionary }, i) => {
    const value = sql`?1 ->> ${i}`
    if (dictionary === null) return sql`${nameOf(column)} = ${value}`
    const entry = sql`SELECT ${dictionary.id} FROM ${dictionary.table} WHERE ${dictionary.text} = ${value}`
    return sql`${nameOf(column)} = (${entry})`
  })
  const stamps = KINDS[kind].columns.filter(({ stamped }) => stamped)
  const set = listed([...assignments, ...stamps.map(({ column }) => sql`${nameOf(column)} = ${STAMP}`)])
  const update = sql`UPDATE ${KIND_TABLES[kind]} SET ${set} WHERE ${KIND_TABLES[kind].id} = CAST(?2 AS INTEGER)`
  return [...texts, statement(update, JSON.stringify(changed.map(({ value }) => value)), String(id))]
}
