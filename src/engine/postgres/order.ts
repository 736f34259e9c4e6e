import { type SQL, sql } from 'drizzle-orm'
import type { FieldName, ListName } from '../../question/fields.ts'
import type { Order, RowPosition } from '../../question/question.ts'
import { TICKS } from '../../question/range.ts'
import { POSITION_CHARACTERS } from '../limits.ts'
import { attributeIn } from './attributes.ts'
import { idOf } from './context.ts'
import { fieldsOf, type StoredField, whole } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import { instantOf, lengthOf } from './instants.ts'
import { bitsOf } from './numbers.ts'
import type { Snapshot } from './snapshot.ts'
import { all, double, integer, named } from './sql.ts'

/** An order of a list in SQL. */
export interface Ordering {
  /** The value that sorts the rows. Null: the id alone. */
  readonly key: SQL | null
  /** Tests if a row has a value. It is never null. */
  readonly known: SQL
  /** The value of a position. */
  readonly shown: SQL
  /** Writes the value of a position like the key. A client may send any value. */
  readonly boundOf: (value: number | string, id: number) => SQL
  readonly id: SQL
  readonly isDown: boolean
  /** The place of rows without a value. They have the order of their ids. */
  readonly nulls: 'first' | 'last'
  /** The column of events with instants that may have parts of a millisecond. Null: there are none. */
  readonly fine: string | null
  /** The fields of the key, whose views are joined. */
  readonly fields: readonly FieldName[]
}

/** The views of an owner, and the level of the caller. */
type Place = Pick<Snapshot, 'views' | 'level'>

/** Returns an order, or its reverse. `exact`: instants that answers show as equal stand in the order of their ids. */
export const orderingOf = (place: Place, list: ListName, order: Order, reverse: boolean, exact: boolean): Ordering => {
  const { views } = place
  const { by, descending, nulls } = order
  const isDown = descending !== reverse
  const isLast = (nulls === 'last' || descending) !== reverse
  const placed = { id: idOf(list), isDown, nulls: isLast ? 'last' : 'first', fine: null, fields: [] } as const
  if (by === 'id' || by === 'distance')
    return { ...placed, key: null, known: sql`true`, shown: sql`NULL`, boundOf: () => sql`NULL` }
  if (typeof by === 'object') {
    const { exact, text, number, boolean, json } = attributeIn(views, by.attribute)
    if (exact !== undefined) return { ...placed, ...exactly(exact) }
    // True and false sort as the numbers 1 and 0, and other values by their JSON.
    const amount = sql`coalesce(${number}, ${boolean}::int)`
    const letters = sql`coalesce(${text}, ${json}::text)`
    const boundOf = (value: number | string, id: number) =>
      typeof value === 'number'
        ? rankOf(double(value), null)
        : rankOf(null, textAt(place, [], letters, value, id, isDown))
    const shown = sql`coalesce(to_json(${amount}), to_json(${startOf(letters)}))`
    const known = sql`(${amount} IS NOT NULL OR ${letters} IS NOT NULL)`
    return { ...placed, key: rankOf(amount, letters), known, shown, boundOf }
  }
  const field = fieldsOf(views)(list, by)
  const { kind, value, known } = field
  const fine = field.isFine && list === 'events' && !exact ? field.column : null
  const ordering = { ...placed, known, shown: field.shown, fine, fields: [by] }
  if (kind === 'text') {
    const boundOf = (text: number | string, id: number) => textAt(place, [by], value, String(text), id, isDown)
    return { ...ordering, key: sql`(${value}) COLLATE "C"`, shown: startOf(value), boundOf }
  }
  const boundOf = boundIn(field)
  // A position has a whole number as a text, which keeps all digits.
  if (kind === 'integer') return { ...ordering, key: value, shown: sql`${value}::text`, boundOf }
  return { ...ordering, key: kind === 'instant' && exact ? whole(field) : value, boundOf }
}

/** Orders by exact numbers. A position has one as a text with at most 50 decimals. Beyond a double, all are equal. */
const exactly = (exact: SQL): Pick<Ordering, 'key' | 'known' | 'shown' | 'boundOf'> => {
  const key = sql`CASE WHEN abs(${exact}) < 1e308 THEN trunc(${exact}, 50) ELSE sign(${exact}) * 1e308 END`
  const boundOf = (sent: number | string) =>
    sql`${/^-?\d{1,310}(\.\d{1,50})?$/.test(String(sent)) ? sent : 0}::text::numeric`
  return { key, known: sql`${exact} IS NOT NULL`, shown: sql`${key}::text`, boundOf }
}

/** Returns how the value of a position is written in the type of a column. */
const boundIn =
  ({ kind, unit }: StoredField): Ordering['boundOf'] =>
  (sent) => {
    if (kind === 'number') return double(Number(sent) || 0)
    const whole = /^-?\d+$/.test(String(sent)) ? BigInt(sent) : 0n
    if (kind === 'integer') return integer(whole)
    return kind === 'instant' ? instantOf(whole * (unit / TICKS)) : lengthOf(whole)
  }

/** Writes the part of a text that a position has. */
const startOf = (text: SQL): SQL => sql`left(${text}, ${String(POSITION_CHARACTERS)}::int)`

/**
 * Writes the text of a position of events. The position has the start of a long text, so its row gives the whole. If that
 * row has changed, the page repeats rows whose texts start in the same way. It misses none.
 */
const textAt = (
  { views, level }: Place,
  fields: readonly FieldName[],
  text: SQL,
  sent: string,
  id: number,
  isDown: boolean,
): SQL => {
  const start = sent.replaceAll('\0', '')
  if (start.length < POSITION_CHARACTERS) return sql`${start}::text`
  const isSame = sql`e.id = ${integer(id)} AND ${startOf(text)} = ${start}`
  const found = selectFrom(sourceOf(views, level, 'events', fields), text, isSame)
  return sql`coalesce((${found}), ${isDown ? `${start}\u{10FFFF}` : start}::text)`
}

/**
 * Writes the rank of a number or a text as bytes, or null for neither. Numbers come before texts. The bytes of UTF-8 have the
 * order of code points. The bits of a double have its order if the sign is turned, and below zero all bits. 0 has no sign.
 */
const rankOf = (amount: SQL | null, letters: SQL | null): SQL => {
  const value = sql`((${amount})::float8 + 0)`
  const bits = bitsOf(value)
  const ofNumber = sql`'\\x00'::bytea || int8send(CASE WHEN ${value} < 0 THEN ~${bits} ELSE ${bits} # (1::bigint << 63) END)`
  const ofText = sql`'\\x01'::bytea || convert_to(${letters}, 'UTF8')`
  if (letters === null) return ofNumber
  return amount === null ? ofText : sql`coalesce(${ofNumber}, ${ofText})`
}

/** Rows that follow each other in an order. Either all of them have a value, or none has. */
interface Run {
  readonly condition: SQL | null
  /** The value that sorts the rows. It is null for a row without one. */
  readonly key: SQL
  readonly terms: SQL
}

/**
 * Returns the runs after a position, in their order. An index has the order of each run, but it has nulls in another place
 * than answers. Without a position, they begin at the first row.
 */
export const runsOf = (ordering: Ordering, from: RowPosition | null): readonly Run[] => {
  const { key, known, id, boundOf, isDown, nulls } = ordering
  const [direction, past] = isDown ? [sql`DESC`, sql`<`] : [sql`ASC`, sql`>`]
  const byId = sql`${id} ${direction}`
  const pastId = from && sql`${id} ${past} ${integer(from.id)}`
  if (key === null) return [{ condition: pastId, key: sql`NULL`, terms: byId }]
  const value = from?.value ?? null
  // PostgreSQL enters an index of both columns with a comparison of rows.
  const pastBoth =
    from && value !== null && sql`(${key}, ${id}) ${past} (${boundOf(value, from.id)}, ${integer(from.id)})`
  const valued = { condition: all([known, pastBoth || null]), key, terms: sql`${key} ${direction}, ${byId}` }
  const condition = all([sql`NOT ${known}`, value === null ? pastId : null])
  const others = { condition, key: sql`CASE WHEN false THEN ${key} END`, terms: byId }
  const runs = nulls === 'last' ? [valued, others] : [others, valued]
  return from === null ? runs : runs.slice(runs.indexOf(value === null ? others : valued))
}

/** Writes the order of the rows of a part. An index has the order of microseconds, so milliseconds are sorted again. */
export const placeTerms = ({ key, fine, isDown, nulls }: Ordering): SQL => {
  const direction = isDown ? sql`DESC` : sql`ASC`
  const shown = fine === null ? sql`key` : sql`date_trunc('milliseconds', key)`
  const placed = sql`${shown} ${direction} ${nulls === 'last' ? sql`NULLS LAST` : sql`NULLS FIRST`}, `
  return sql`${key === null ? sql`` : placed}id ${direction}`
}

/**
 * Counts the instants that may make a part wrong, because the index has the order of microseconds. The part is right if no
 * instant beside its ends shares a millisecond with them. Citus can count them, and refuses EXISTS here.
 */
export const doubtsOf = ({ fine, boundOf }: Ordering, from: RowPosition | null): SQL => {
  if (fine === null) return sql`SELECT 0 AS count`
  const start = typeof from?.value === 'number' ? sql` UNION ALL SELECT ${boundOf(from.value, from.id)}` : sql``
  const first = sql`date_trunc('milliseconds', at)`
  const beside = named({
    least: sql`unnest(ARRAY[at + interval '1 microsecond', ${first}])`,
    below: sql`unnest(ARRAY[${first} + interval '1 millisecond', at])`,
  })
  const other = sql`other.${sql.identifier(fine)}`
  return sql`SELECT count(*) FROM event AS other JOIN (SELECT ${beside} FROM (
    SELECT min(key) FROM hit UNION ALL SELECT max(key) FROM hit${start}) AS edge(at)) AS beside
    ON ${other} >= least AND ${other} < below`
}
