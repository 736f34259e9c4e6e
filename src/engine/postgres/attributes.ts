import { type SQL, sql } from 'drizzle-orm'
import { badRequest } from '../../base/errors.ts'
import { SECOND, TICKS } from '../../question/range.ts'
import { keyOf, keyOfText } from './instants.ts'
import { doubleOfText, finite, ofReal } from './numbers.ts'
import { listOf } from './sql.ts'
import { describedType, type OwnType, ownColumns, type Views } from './views.ts'

/** The forms of an attribute. Each is null for a value of another type. None is an error, whatever the value is. */
export interface Attribute {
  readonly text: SQL
  /** The nearest double. */
  readonly number: SQL
  /** All digits of a number that may have more of them than a double. */
  readonly exact?: SQL
  readonly boolean: SQL
  /** The key of an instant (`keyOfInstant`). */
  readonly instant: SQL
  /** The value as JSON. It is null if the event has none. */
  readonly json: SQL
}

const NONE: Attribute = {
  text: sql`NULL::text`,
  number: sql`NULL::float8`,
  boolean: sql`NULL::boolean`,
  instant: sql`NULL::text`,
  json: sql`NULL::json`,
}

/**
 * Returns the attribute with a name: a column of the view of events, or a member of its column `attributes`. Throws a 400
 * for a name that the view cannot have.
 */
export const attributeIn = (views: Views, name: string): Attribute => {
  const { event } = views.columns
  const own = ownColumns(views).get(name)
  if (own !== undefined) return ofColumn(name, own)
  const type = event.get('attributes')
  if (type !== undefined) return ofJson(sql`(${readable(sql`e.attributes`, type)} -> ${name}::text)`, type)
  if (event.has(name)) return NONE
  throw badRequest(unknownAttribute(views, name))
}

/** The most names in a message. */
const MOST_NAMED = 20

const unknownAttribute = (views: Views, unknown: string): string => {
  const names = [...ownColumns(views).keys()].slice(0, MOST_NAMED).map((name) => `attributes__${name}`)
  const known = names.length === 0 ? 'Leave it out.' : `Enter one of these: ${names.join(', ')}.`
  return `No event has the attribute ${unknown}. ${known}`
}

/**
 * Writes JSON that PostgreSQL can read. It has an error for each text with NUL or with half a surrogate, and for the whole
 * value around it. Such a character becomes U+FFFD, as in decoders of UTF-8. A value of `jsonb` has none of them.
 */
const readable = (value: SQL, type: string): SQL => {
  if (type === 'jsonb') return value
  // Without escaped backslashes, each backslash starts an escape.
  const escapes = sql`replace(${value}::text, ${'\\\\'}, ${'\\u005c'})`
  const [high, low] = ['\\\\u[dD][89abAB]..', '\\\\u[dD][c-fC-F]..']
  const unread = `\\\\u0000|${high}(?!${low})|(?<!${high})${low}`
  const replaced = sql`regexp_replace(${escapes}, ${unread}, ${'\u{FFFD}'}, 'g')`
  return sql`CASE WHEN ${value}::text LIKE ${'%\\\\u%'} THEN ${replaced}::json ELSE ${value} END`
}

const kindOf = (value: SQL, type: string): SQL =>
  type === 'jsonb' ? sql`jsonb_typeof(${value})` : sql`json_typeof(${value})`

/** Returns the forms of a value of JSON that PostgreSQL can read. */
const ofJson = (value: SQL, type: string): Attribute => {
  const kind = kindOf(value, type)
  const inside = sql`(${value} #>> '{}')`
  const text = sql`(CASE WHEN ${kind} = 'string' THEN ${inside} END COLLATE "C")`
  return {
    text,
    number: sql`CASE WHEN ${kind} = 'number' THEN ${doubleOfText(inside)} END`,
    boolean: sql`CASE WHEN ${kind} = 'boolean' THEN ${inside}::boolean END`,
    instant: keyOfText(text),
    json: sql`CASE WHEN ${kind} <> 'null' THEN ${value} END`,
  }
}

const ofText = (text: SQL): Attribute => ({ ...NONE, text, instant: keyOfText(text), json: sql`to_json(${text})` })

const FORMS: Readonly<Record<OwnType, (column: SQL, type: string) => Attribute>> = {
  integer: (column, type) => ({
    ...NONE,
    number: sql`${column}::float8`,
    ...(type === 'bigint' && { exact: sql`${column}::numeric` }),
    json: sql`to_json(${column})`,
  }),
  number: (column, type) => {
    const exact = finite(column)
    const json = sql`to_json(${exact})`
    if (!type.startsWith('numeric')) return { ...NONE, number: ofReal(column), json }
    return { ...NONE, number: doubleOfText(sql`${column}::text`), exact, json }
  },
  boolean: (column) => ({ ...NONE, boolean: column, json: sql`to_json(${column})` }),
  string: (column) => ofText(sql`(${column}::text COLLATE "C")`),
  date: (column) => {
    // The last dates of PostgreSQL are beyond the keys of instants.
    const days = sql`least(${column}, '294276-12-31') - date '1970-01-01'`
    return { ...ofText(isoOf(column, '')), instant: ofFinite(column, keyOf(sql`(${days})::bigint * 86400`, SECOND)) }
  },
  datetime: (column, type) => {
    const utc = /without/.test(type) ? column : sql`(${column} AT TIME ZONE 'UTC')`
    const micros = sql`round(extract(epoch FROM ${column}) * 1000000)`
    return { ...ofText(isoOf(utc, 'Z')), instant: ofFinite(column, keyOf(micros, TICKS)) }
  },
  object: (column, type) => ofJson(sql`(${readable(column, type)})`, type),
  array: (column) => ofJson(sql`(${readable(sql`to_json(${column})`, 'json')})`, 'json'),
}

/** Returns the forms of a column. The views have no attribute of another type. */
const ofColumn = (name: string, type: string): Attribute => {
  const described = describedType(type)
  return described === undefined ? NONE : FORMS[described](sql`e.${sql.identifier(name)}`, type)
}

const ofFinite = (time: SQL, value: SQL): SQL => sql`CASE WHEN isfinite(${time}) THEN ${value} END`

/**
 * Writes a date or a time in ISO 8601, with a sign before a year that has not four digits. PostgreSQL writes `BC` after a
 * year, and has no year 0. It is null for infinity.
 */
const isoOf = (time: SQL, zone: string): SQL => {
  const written = sql`(to_json(${time}) #>> '{}')`
  const year = sql`extract(year FROM ${time})`
  const isPlain = sql`${time} >= '0001-01-01' AND ${time} < '10000-01-01'`
  const signed = sql`to_char(${year} + CASE WHEN ${year} < 0 THEN 1 ELSE 0 END, 'FMSG000000')
    || substring(${written} FROM '-[^ ]*')`
  const plain = sql`CASE WHEN ${isPlain} THEN ${written} ELSE ${signed} END`
  return sql`(${ofFinite(time, sql`${plain} || ${zone}`)} COLLATE "C")`
}

/** Returns the columns of people's own in the view of events, as a series describes its columns. */
export const describedColumns = (views: Views): readonly object[] =>
  Array.from(ownColumns(views), ([name, type]) => {
    const comment = views.comments.get(name)
    const [, title = comment, unit] = TITLED.exec(comment ?? '') ?? []
    return { name: `attributes__${name}`, type: describedType(type), ...(title && { title }), ...(unit && { unit }) }
  })

/** A title and its unit, such as `Depth (m)`. */
const TITLED = /^(.+?)\s*\(([^()]+)\)$/s

/**
 * Writes the attributes of an event as the text of a JSON object. It is null without attributes. A value of JSON stays as it
 * is stored. A column stands after a member with its name, and so replaces it.
 */
export const attributesText = (views: Views): SQL => {
  const type = views.columns.event.get('attributes')
  const members = Array.from(ownColumns(views), ([name, type]) => memberOf(name, type))
  const document = type === undefined ? sql`NULL::text` : objectOf(sql`e.attributes`, type)
  if (members.length === 0) return document
  const trimmed = (text: SQL) => sql`btrim(${text}, ${' \t\n\r'})`
  const inside = sql`nullif(${trimmed(sql`left(right(${trimmed(document)}, -1), -1)`)}, '')`
  // A function takes at most 100 arguments, and an array any number.
  const joined = sql`array_to_string(ARRAY[${listOf([inside, ...members])}], ',')`
  return sql`('{' || nullif(${joined}, '') || '}')`
}

/** Writes the text of a JSON object. It is null for other JSON. */
const objectOf = (value: SQL, type: string): SQL =>
  sql`(CASE WHEN ${kindOf(value, type)} = 'object' THEN ${value}::text END)`

/** Writes a column as a member of an object. It is null if the column is. */
const memberOf = (name: string, type: string): SQL => {
  const json = /^json/.test(type) ? sql`e.${sql.identifier(name)}` : ofColumn(name, type).json
  return sql`${`${JSON.stringify(name)}:`}::text || ${json}::text`
}
