import { type SQL, sql } from 'drizzle-orm'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Order, RowPosition } from '../../question/question.ts'
import { TICKS } from '../../question/range.ts'
import { POSITION_CHARACTERS } from '../limits.ts'
import { attributeOrder, attributePosition } from './attributes.ts'
import { idOf } from './context.ts'
import { fieldsOf, type StoredField, whole } from './fields.ts'
import { double, integer } from './sql.ts'
import { instantOf } from './times.ts'
import type { Views } from './views.ts'

/** An order of a list in SQL. */
export interface Ordering {
  /** The value that sorts the rows. Null: the id alone. */
  readonly key: SQL | null
  /** The value of a position. */
  readonly shown: SQL
  /** Writes the value of a position like the key. */
  readonly boundOf: (value: number | string) => SQL
  readonly id: SQL
  readonly isDown: boolean
  /** Where the rows without a value stand. Null: all rows have one. */
  readonly nulls: 'first' | 'last' | null
  /** The column of events with instants that may have parts of a millisecond. Null: there are none. */
  readonly fine: string | null
  /** The field of the key, whose view is joined. Null: the row itself has it. */
  readonly field: FieldName | null
}

const INTEGERS: readonly string[] = ['integer']

/** Returns an order, or its reverse. `exact`: instants that answers show as equal stand in the order of their ids. */
export const orderingOf = (views: Views, list: ListName, order: Order, reverse: boolean, exact: boolean): Ordering => {
  const { by, descending, nulls } = order
  const isDown = descending !== reverse
  const least = isDown ? 'last' : 'first'
  const last = reverse ? 'first' : 'last'
  const placed = { id: idOf(list), isDown, nulls: nulls === 'last' ? last : least } as const
  if (by === 'id' || by === 'distance')
    return { ...placed, key: null, shown: sql`NULL`, boundOf: () => sql`NULL`, nulls: null, fine: null, field: null }
  if (typeof by === 'object') {
    const key = attributeOrder(views, by.attribute)
    return { ...placed, key, shown: sql`to_json(${key})::text`, boundOf: attributePosition, fine: null, field: null }
  }
  const field = fieldsOf(views)(list, by)
  return {
    ...placed,
    ...keyOf(field, exact),
    nulls: field.isNullable || field.view !== null ? placed.nulls : null,
    fine: field.isFine && list === 'events' && !exact ? `timestamp_${by}` : null,
    field: by,
  }
}

const keyOf = (field: StoredField, exact: boolean): Pick<Ordering, 'key' | 'shown' | 'boundOf'> => {
  const { kind, value, shown, unit } = field
  if (kind === 'text')
    return {
      key: sql`(${value}) COLLATE "C"`,
      shown: sql`left(${value}, ${String(POSITION_CHARACTERS)}::int)`,
      boundOf: (text) => sql`${text}::text`,
    }
  if (kind === 'instant')
    return { key: exact ? whole(field) : value, shown, boundOf: (time) => instantOf(BigInt(time) * (unit / TICKS)) }
  if (kind === 'duration')
    return { key: value, shown, boundOf: (length) => sql`(${double(Number(length))} * interval '1 millisecond')` }
  return {
    key: value,
    shown,
    boundOf: (number) => (INTEGERS.includes(kind) ? integer(BigInt(number)) : double(Number(number))),
  }
}

/** Writes the terms of ORDER BY. `key` and `id` stand for the columns of the ordering. */
export const termsOf = ({ key, id, isDown, nulls }: Ordering): SQL => {
  const direction = isDown ? sql`DESC` : sql`ASC`
  const placed = nulls === null ? sql`` : nulls === 'first' ? sql` NULLS FIRST` : sql` NULLS LAST`
  return key === null ? sql`${id} ${direction}` : sql`${key} ${direction}${placed}, ${id} ${direction}`
}

/** Selects the rows after a position. */
export const beyond = ({ key, id, boundOf, isDown, nulls }: Ordering, { value, id: from }: RowPosition): SQL => {
  const past = isDown ? sql`<` : sql`>`
  const pastId = sql`${id} ${past} ${integer(from)}`
  if (key === null) return pastId
  if (value === null)
    return nulls === 'first' ? sql`(${key} IS NOT NULL OR ${pastId})` : sql`(${key} IS NULL AND ${pastId})`
  // PostgreSQL enters an index of both columns with a comparison of rows.
  const others = sql`(${key}, ${id}) ${past} (${boundOf(value)}, ${integer(from)})`
  return nulls === 'last' ? sql`(${others} OR ${key} IS NULL)` : others
}

/** Writes the order of rows within a part. An index has the order of microseconds, so milliseconds are sorted again. */
export const placeTerms = ({ fine, isDown }: Ordering): SQL => {
  const direction = isDown ? sql`DESC` : sql`ASC`
  return fine === null ? sql`` : sql`ORDER BY date_trunc('milliseconds', key) ${direction}, id ${direction}`
}

/**
 * Tests if an instant beside a part, or at its start, has the same millisecond as another one. The index has the order of
 * microseconds, so the part may then have other rows than those in the order of milliseconds and ids.
 */
export const isUnsure = ({ fine, boundOf }: Ordering, from: RowPosition | null): SQL => {
  if (fine === null) return sql`false`
  const start = typeof from?.value === 'number' ? sql` UNION ALL SELECT ${boundOf(from.value)}` : sql``
  const other = sql`SELECT 1 FROM event AS other WHERE other.${sql.identifier(fine)}`
  const first = sql`date_trunc('milliseconds', edge.at)`
  const isBeside = (condition: SQL) => sql`EXISTS (${other} ${condition} LIMIT 1)`
  return sql`(SELECT bool_or(${isBeside(sql`> edge.at AND other.${sql.identifier(fine)} < ${first} + interval '1 millisecond'`)}
    OR ${isBeside(sql`>= ${first} AND other.${sql.identifier(fine)} < edge.at`)})
    FROM (SELECT min(key) FROM hit UNION ALL SELECT max(key) FROM hit${start}) AS edge(at))`
}
