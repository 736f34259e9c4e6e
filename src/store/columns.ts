import type { Column } from 'drizzle-orm'
import { eventSeries, events } from '../../schema/tables.ts'
import { category, model, type TextDictionary } from '../engine/d1/dictionaries.ts'
import { ownColumn, storedField } from '../engine/d1/fields.ts'
import { caseFold, fold } from '../filters/fold.ts'
import { leadingNumber } from '../filters/numbers.ts'
import { cellOf, NOWHERE } from '../geometry/cell.ts'
import type { Fields } from '../model/field.ts'
import { storedIn } from '../model/rows.ts'
import type { Coordinates } from '../model/types.ts'
import type { FieldName, ListName } from '../question/fields.ts'
import type { LoadRecord } from './records.ts'

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
        column: ownColumn(field) as Column, // of the table of the list
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
