import { type SQL, sql } from 'drizzle-orm'
import type { Condition, Field } from '../../question/condition.ts'
import { type Extent, keyOfInstant } from '../../question/range.ts'
import { keyOfText } from './instants.ts'
import { doubleOfText } from './numbers.ts'
import { all, doubleOf, either, ifPresent, inExtents, texts } from './sql.ts'
import { passes } from './texts.ts'
import { ownColumns, type Views } from './views.ts'

/** An attribute of an event. Each form is null for a value of another type. */
interface Attribute {
  readonly text: SQL
  readonly number: SQL
  readonly boolean: SQL
  /** The value as JSON. It is null if the event has none. */
  readonly json: SQL
}

const NUMBERS = /^(smallint|integer|bigint|real|double precision|numeric.*)$/

/** Returns the attribute with a name: a column of the view of events, or a member of its column `attributes`. */
export const attributeIn = (views: Views, name: string): Attribute => {
  const type = ownColumns(views).get(name)
  const document = views.columns.event.get('attributes')
  const column = sql`e.${sql.identifier(name)}`
  if (type === undefined)
    return document === undefined ? NONE : inDocument(sql`(e.attributes -> ${name}::text)`, document)
  if (/^json/.test(type)) return inDocument(column, type)
  const json = sql`to_json(${column})`
  if (type === 'boolean') return { ...NONE, boolean: column, json }
  if (!NUMBERS.test(type)) return { ...NONE, text: sql`(${json} #>> '{}')`, json }
  const number = /^numeric/.test(type) ? doubleOfText(sql`${column}::text`) : sql`${column}::float8`
  return { ...NONE, number, json }
}

const NONE: Attribute = {
  text: sql`NULL::text`,
  number: sql`NULL::float8`,
  boolean: sql`NULL::boolean`,
  json: sql`NULL::json`,
}

/** Returns the forms of a value of JSON. */
const inDocument = (value: SQL, type: string): Attribute => {
  const kind = type === 'jsonb' ? sql`jsonb_typeof(${value})` : sql`json_typeof(${value})`
  const text = sql`(${value} #>> '{}')`
  return {
    text: sql`CASE WHEN ${kind} = 'string' THEN ${text} END`,
    number: sql`CASE WHEN ${kind} = 'number' THEN ${doubleOfText(text)} END`,
    boolean: sql`CASE WHEN ${kind} = 'boolean' THEN ${text}::boolean END`,
    json: sql`CASE WHEN ${kind} <> 'null' THEN ${value} END`,
  }
}

/** Tests if an attribute is one of some texts, numbers and booleans. It is unknown for a value of another type. */
export const attributeAmong = (views: Views, { attribute, values }: Extract<Condition, { kind: 'equals' }>): SQL => {
  const { text, number, boolean } = attributeIn(views, attribute)
  const textValues = values.filter((value) => typeof value === 'string')
  const numbers = values.filter((value) => typeof value === 'number')
  const booleans = values.filter((value) => typeof value === 'boolean')
  const tests = [
    ...(textValues.length > 0 ? [[text, sql`${text} = ANY(${texts(textValues)})`] as const] : []),
    ...(numbers.length > 0
      ? [[number, sql`${number} = ANY(${sql.param(numbers.map(String))}::float8[])`] as const]
      : []),
    ...(booleans.length > 0
      ? [[boolean, sql`${boolean} = ANY(${sql.param(booleans.map(String))}::boolean[])`] as const]
      : []),
  ]
  const isKnown = either(tests.map(([value]) => sql`${value} IS NOT NULL`))
  return sql`CASE WHEN ${isKnown} THEN ${either(tests.map(([value, test]) => all([sql`${value} IS NOT NULL`, test])))} END`
}

/** Tests if an attribute is in one of some extents: of the keys of doubles, or of ticks. */
export const attributeInExtents = (views: Views, field: Exclude<Field, string>, extents: readonly Extent[]): SQL => {
  const { number, text } = attributeIn(views, field.attribute)
  const [value, bound] = field.as === 'instant' ? [keyOfText(text), boundOfInstant] : [number, doubleOf]
  return extents.length === 0 ? ifPresent(value, sql`false`) : inExtents(value, extents, bound)
}

const boundOfInstant = (ticks: bigint): SQL => sql`${keyOfInstant(ticks)}`

export const attributeText = (views: Views, name: string, test: Extract<Condition, { kind: 'text' }>): SQL =>
  passes(attributeIn(views, name).text, test)

/** Returns the forms by which an attribute sorts: true and false are the numbers 1 and 0, and other values are their JSON. */
export const attributeValues = (views: Views, name: string): { readonly amount: SQL; readonly letters: SQL } => {
  const { text, number, boolean, json } = attributeIn(views, name)
  return { amount: sql`coalesce(${number}, ${boolean}::int)`, letters: sql`coalesce(${text}, ${json}::text)` }
}

/** The types of a description of columns (src/model/metadata.ts). A column of another type has texts. */
const DESCRIBED: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['integer', /^(smallint|integer|bigint)$/],
  ['number', NUMBERS],
  ['boolean', /^boolean$/],
  ['object', /^json/],
]

/** A title and its unit, such as `Depth (m)`. */
const TITLED = /^(.+?)\s*\(([^()]+)\)$/s

/** Returns the columns of people's own in the view of events, as a series describes its columns. */
export const describedColumns = (views: Views): readonly object[] =>
  Array.from(ownColumns(views), ([name, type]) => {
    const comment = views.comments.get(name)
    const [, title = comment, unit] = TITLED.exec(comment ?? '') ?? []
    const described = DESCRIBED.find(([, pattern]) => pattern.test(type))?.[0] ?? 'string'
    return { name: `attributes__${name}`, type: described, ...(title && { title }), ...(unit && { unit }) }
  })

/** Writes the attributes of an event as the text of a JSON object. It is null without attributes. */
export const attributesText = (views: Views): SQL => {
  const own = [...ownColumns(views).keys()]
  const document = views.columns.event.has('attributes') ? sql`e.attributes` : null
  if (own.length === 0) return document ?? sql`NULL::text`
  const parts = own.map((name) => sql`${name}::text, e.${sql.identifier(name)}`)
  const columns = sql`json_strip_nulls(json_build_object(${sql.join(parts, sql`, `)}))`
  const joined =
    document === null ? sql`${columns}::jsonb` : sql`coalesce(${document}::jsonb, '{}') || ${columns}::jsonb`
  return document === null ? sql`nullif(${columns}::text, '{}')` : sql`nullif((${joined})::text, '{}')`
}
