import { type SQL, sql } from 'drizzle-orm'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Order, RowPosition } from '../../question/question.ts'
import { TICKS } from '../../question/range.ts'
import { POSITION_CHARACTERS } from '../limits.ts'
import { attributeValues } from './attributes.ts'
import { idOf } from './context.ts'
import { fieldsOf, type StoredField, whole } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { double, integer } from './sql.ts'
import { instantOf } from './times.ts'

/** An order of a list in SQL. */
export interface Ordering {
  /** The value that sorts the rows. Null: the id alone. */
  readonly key: SQL | null
  /** The value of a position. */
  readonly shown: SQL
  /** Writes the value of a position like the key. A client may send any value. */
  readonly boundOf: (value: number | string, id: number) => SQL
  readonly id: SQL
  readonly isDown: boolean
  /** The place of rows without a value. Null: all rows have one. */
  readonly nulls: 'first' | 'last' | null
  /** The column of events with instants that may have parts of a millisecond. Null: there are none. */
  readonly fine: string | null
  /** The field of the key, whose view is joined. Null: the row itself has it. */
  readonly field: FieldName | null
}

/** The views of an owner, and the level of the caller. */
type Place = Pick<Snapshot, 'views' | 'level'>

/** Returns an order, or its reverse. `exact`: instants that answers show as equal stand in the order of their ids. */
export const orderingOf = (place: Place, list: ListName, order: Order, reverse: boolean, exact: boolean): Ordering => {
  const { views } = place
  const { by, descending, nulls } = order
  const isDown = descending !== reverse
  const least = isDown ? 'last' : 'first'
  const last = reverse ? 'first' : 'last'
  const placed = { id: idOf(list), isDown, nulls: nulls === 'last' ? last : least } as const
  if (by === 'id' || by === 'distance')
    return { ...placed, key: null, shown: sql`NULL`, boundOf: () => sql`NULL`, nulls: null, fine: null, field: null }
  if (typeof by === 'object') {
    const { amount, letters } = attributeValues(views, by.attribute)
    const boundOf = (value: number | string, id: number) =>
      typeof value === 'number' ? rankOf(double(value), null) : rankOf(null, textAt(place, letters, value, id, isDown))
    const shown = sql`coalesce(to_json(${amount}), to_json(${startOf(letters)}))`
    return { ...placed, key: rankOf(amount, letters), shown, boundOf, fine: null, field: null }
  }
  const field = fieldsOf(views)(list, by)
  return {
    ...placed,
    ...keyOf(place, field, isDown, exact),
    nulls: field.isNullable || field.view !== null ? placed.nulls : null,
    fine: field.isFine && list === 'events' && !exact ? `timestamp_${by}` : null,
    field: by,
  }
}

const keyOf = (
  place: Place,
  field: StoredField,
  isDown: boolean,
  exact: boolean,
): Pick<Ordering, 'key' | 'shown' | 'boundOf'> => {
  const { kind, value, shown, unit } = field
  if (kind === 'text')
    return {
      key: sql`(${value}) COLLATE "C"`,
      shown: startOf(value),
      boundOf: (text, id) => textAt(place, value, String(text), id, isDown),
    }
  const boundOf = (sent: number | string): SQL => {
    const number = Number(sent) || 0
    if (kind === 'number') return double(number)
    const integral = BigInt(Math.trunc(Math.min(Math.max(number, -GREATEST), GREATEST)))
    if (kind === 'instant' && Math.abs(number) >= GREATEST)
      return sql`${number < 0 ? '-infinity' : 'infinity'}::timestamptz`
    if (kind === 'instant') return instantOf(integral * (unit / TICKS))
    return kind === 'integer' ? integer(integral) : sql`(${double(Number(integral))} * interval '1 millisecond')`
  }
  if (kind !== 'instant') return { key: value, shown, boundOf }
  return { key: exact ? whole(field) : value, shown: sql`coalesce(${shown}, ${infiniteOf(value)})`, boundOf }
}

/** The greatest integer of a position. It is also a length of time that PostgreSQL has, in milliseconds. */
const GREATEST = 9_000_000_000_000_000

/** Writes the number of an infinite instant in a position. */
const infiniteOf = (instant: SQL): SQL =>
  sql`CASE ${instant} WHEN 'infinity' THEN ${integer(GREATEST)} WHEN '-infinity' THEN ${integer(-GREATEST)} END`

/** Writes the part of a text that a position has. */
const startOf = (text: SQL): SQL => sql`left(${text}, ${String(POSITION_CHARACTERS)}::int)`

/**
 * Writes the text of a position of events. The position has the start of a long text, so its row gives the whole. If that
 * row has changed, the page repeats rows whose texts start in the same way. It misses none.
 */
const textAt = ({ views, level }: Place, text: SQL, sent: string, id: number, isDown: boolean): SQL => {
  const start = sent.replaceAll('\0', '')
  if (start.length < POSITION_CHARACTERS) return sql`${start}::text`
  const isSame = sql`e.id = ${integer(id)} AND ${startOf(text)} = ${start}`
  const found = selectFrom(sourceOf(views, level, 'events', []), text, isSame)
  return sql`coalesce((${found}), ${isDown ? `${start}\u{10FFFF}` : start}::text)`
}

/**
 * Writes the rank of a number or a text, or null for neither. Numbers come before texts. The bytes of UTF-8 have the order
 * of code points.
 */
const rankOf = (amount: SQL | null, letters: SQL | null): SQL => {
  const ofNumber = sql`ROW(0, (${amount})::float8, ''::bytea)`
  const ofText = sql`ROW(1, 0::float8, convert_to(${letters}, 'UTF8'))`
  if (letters === null) return ofNumber
  if (amount === null) return ofText
  return sql`CASE WHEN ${amount} IS NOT NULL THEN ${ofNumber} WHEN ${letters} IS NOT NULL THEN ${ofText} END`
}

/** Writes the terms of ORDER BY. */
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
  const others = sql`(${key}, ${id}) ${past} (${boundOf(value, from)}, ${integer(from)})`
  return nulls === 'last' ? sql`(${others} OR ${key} IS NULL)` : others
}

/** Writes the order of the rows of a part. An index has the order of microseconds, so milliseconds are sorted again. */
export const placeTerms = ({ key, fine, ...ordering }: Ordering): SQL => {
  const shown = fine === null ? sql`key` : sql`date_trunc('milliseconds', key)`
  return termsOf({ ...ordering, fine, key: key === null ? null : shown, id: sql`id` })
}

/**
 * Tests if the part may have wrong rows, because the index has the order of microseconds. The part is right if no instant
 * beside its ends shares a millisecond with them.
 */
export const isUnsure = ({ fine, boundOf }: Ordering, from: RowPosition | null): SQL => {
  if (fine === null) return sql`false`
  const start = typeof from?.value === 'number' ? sql` UNION ALL SELECT ${boundOf(from.value, from.id)}` : sql``
  const other = sql`SELECT 1 FROM event AS other WHERE other.${sql.identifier(fine)}`
  const first = sql`date_trunc('milliseconds', edge.at)`
  const isBeside = (condition: SQL) => sql`EXISTS (${other} ${condition} LIMIT 1)`
  return sql`(SELECT bool_or(${isBeside(sql`> edge.at AND other.${sql.identifier(fine)} < ${first} + interval '1 millisecond'`)}
    OR ${isBeside(sql`>= ${first} AND other.${sql.identifier(fine)} < edge.at`)})
    FROM (SELECT min(key) FROM hit UNION ALL SELECT max(key) FROM hit${start}) AS edge(at))`
}
