import type { Client } from 'pg'
import { SQL_TYPES } from '../../src/engine/postgres/sql.ts'
import { inView, storedOf } from '../../src/engine/stored.ts'
import { isoInstant } from '../../src/filters/temporal.ts'
import { kindOf } from '../../src/question/fields.ts'
import { TICKS } from '../../src/question/range.ts'
import { LISTS, storedColumnsOf } from '../../src/store/batch.ts'
import { type EventRecord, KIND_FIELDS, type LoadRecord } from '../../src/store/records.ts'

/** A column of a table, with the type and the value of a record there. */
interface Column {
  readonly name: string
  readonly type: string
  readonly valueIn: (record: LoadRecord) => unknown
}

/** PostgreSQL makes a place from its text (EWKT). */
const PLACE: Column = {
  name: 'geometry',
  type: 'text',
  valueIn: (record) => {
    const { coordinates } = record as EventRecord // only events have places
    return coordinates && `SRID=4326;POINT Z (${coordinates.join(' ')})`
  },
}

/** Returns the columns of a table that fields have. The table has the name of its kind of record. */
const columnsOf = (kind: LoadRecord['kind']): Column[] =>
  storedColumnsOf(kind, KIND_FIELDS[kind]).flatMap(({ field, valueIn }) => {
    if (field === null) return []
    const stored = storedOf(LISTS[kind], field)
    const { need, unit, isUuid = false } = stored
    if (need === 'computed') return []
    const type = isUuid ? 'uuid' : SQL_TYPES[kindOf(field)]
    const written = (record: LoadRecord) => {
      const value = valueIn(record)
      return unit === undefined ? value : timeOf(value as number | null, unit) // an instant is a number
    }
    return [{ name: inView(stored).column, type, valueIn: written }]
  })

/** Writes an instant for PostgreSQL, where the year before 1 is 1 BC. `unit` is in ticks. */
const timeOf = (instant: number | null, unit: bigint): string | null => {
  const text = isoInstant(instant, unit / TICKS)
  return text?.startsWith('0000') ? `${text.replace('0000', '0001')} BC` : text
}

/** Returns the statement that adds rows, and a function for its parameters. Each parameter is a whole column. */
const inserting = (kind: LoadRecord['kind'], ...more: readonly Column[]) => {
  const columns = [...columnsOf(kind), ...more]
  const names = columns.map(({ name }) => name)
  const arrays = columns.map(({ type }, i) => `$${i + 1}::${type}[]`)
  const sql = `INSERT INTO ${kind} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`
  return { kind, sql, valuesOf: (records: readonly LoadRecord[]) => columns.map(({ valueIn }) => records.map(valueIn)) }
}

/** Types and series come before the events that need them. */
const INSERTS = [inserting('observation_type'), inserting('event_series'), inserting('event', PLACE)]

/** Adds records to the tables. */
export const addRecords = async (client: Client, records: readonly LoadRecord[]): Promise<void> => {
  for (const { kind, sql, valuesOf } of INSERTS) {
    const ofKind = records.filter((record) => record.kind === kind)
    if (ofKind.length > 0) await client.query(sql, valuesOf(ofKind))
  }
}
