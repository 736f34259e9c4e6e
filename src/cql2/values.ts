import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { caseFold } from '../filters/caseFold.ts'
import type { Dictionary } from '../filters/filter.ts'
import { DAY, exactInstantOf, TICKS } from '../filters/temporal.ts'
import type { Area } from '../geometry/within.ts'
import { EXAMPLES } from './examples.ts'
import { type Expression, fault } from './expression.ts'
import { foldedFor } from './folding.ts'

/** A property that filters can name. `canonical` converts a text to the stored form, such as the form of a uuid. */
export type Property =
  | {
      readonly kind: 'text'
      readonly column: SQLWrapper
      /** The column that has the text in the folding of CASEI. */
      readonly caseFolded?: SQLWrapper
      readonly dictionary?: Dictionary
      readonly canonical?: (text: string) => string
    }
  | { readonly kind: 'integer'; readonly column: SQLWrapper }
  /** `unit` is the unit of the column, in microseconds. */
  | { readonly kind: 'instant'; readonly column: SQLWrapper; readonly unit: bigint }
  | { readonly kind: 'place'; readonly x: SQLWrapper; readonly y: SQLWrapper }

export type Properties = Readonly<Record<string, Property>>

/** The properties of a collection, and the SQL for its areas. */
export interface Queryables {
  readonly properties: Properties
  /** Writes SQL for the rows in an area that SQL alone cannot decide. Absent: such an area is an error. */
  readonly within?: (area: Area) => SQL
}

/** An operand of a comparison. */
export type Value = TextValue | NumberValue | InstantValue

export interface TextValue {
  readonly type: 'text'
  /** A column of the row. A text with a dictionary is a column of the dictionary. */
  readonly sql: SQLWrapper
  readonly dictionary?: Dictionary | undefined
  readonly constant?: string
  readonly canonical?: ((text: string) => string) | undefined
  /**
   * For CASEI of a column without a folded copy. Writes SQL that folds the text and compares it with `texts`. `sqlFor`
   * writes the comparison.
   */
  readonly foldedFor?: (texts: readonly string[], exact: boolean, sqlFor: (folded: SQL) => SQL) => SQL
}

export interface NumberValue {
  readonly type: 'number'
  readonly sql: SQL
  readonly constant?: number
  /** The column itself, if the value is an integer column. */
  readonly column?: SQLWrapper
}

/** A column and its unit, or a constant instant, in ticks. For a day, `first` and `last` differ. */
export interface InstantValue {
  readonly type: 'instant'
  readonly column?: SQLWrapper
  readonly unit: bigint
  readonly first: bigint
  readonly last: bigint
}

/** Returns the value of an expression. Throws ValueError if the expression has no value. */
export const scalarOf = (names: Queryables, expression: Expression): Value => {
  const { kind, at } = expression
  if (kind === 'text') return textValue(expression.value)
  if (kind === 'number') return numberValue(expression.value)
  if (kind === 'instant') return instantValue(expression.value, at)
  if (kind === 'property') return propertyValue(names, expression.name, at)
  if (kind === 'operation' && expression.op === 'casei') return folded(names, expression.args[0] ?? expression, at)
  if (kind === 'operation' && Object.hasOwn(ARITHMETIC, expression.op))
    return computed(names, expression.op, expression.args, at)
  throw fault(at, 'expected a value. Enter a property, a text, a number or an instant')
}

/** Returns the property with a name. Throws ValueError if there is none. */
export const propertyOf = ({ properties }: Queryables, name: string, at: string): Property => {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (property !== undefined) return property
  throw fault(
    at,
    `there is no property ${JSON.stringify(name.slice(0, 40))}. Enter one of ${Object.keys(properties).join(', ')}, or a text in single quotes`,
  )
}

const propertyValue = (names: Queryables, name: string, at: string): Value => {
  const property = propertyOf(names, name, at)
  const { kind } = property
  if (kind === 'place')
    throw fault(
      at,
      `${name} is a geometry. Enter a spatial function, such as S_INTERSECTS(${name}, BBOX(4, 51, 6, 53))`,
    )
  const { column } = property
  if (kind === 'integer') return { type: 'number', sql: sql`${column}`, column }
  if (kind === 'instant') return { type: 'instant', column, unit: property.unit * TICKS, first: 0n, last: 0n }
  return { type: 'text', sql: column, dictionary: property.dictionary, canonical: property.canonical }
}

const textValue = (value: string): TextValue => ({ type: 'text', sql: sql`${value}`, constant: value })

const numberValue = (value: number): NumberValue => ({ type: 'number', sql: numeral(value), constant: value })

/** Writes a number as SQL. An integer is part of the SQL, because D1 stores a number in a parameter as a float. */
export const numeral = (value: number): SQL =>
  Number.isSafeInteger(value) ? sql.raw(value < 0 ? `(${value})` : String(value)) : sql`${value}`

/** Reads an instant, or a date as its whole day. */
export const instantValue = (written: string, at: string): InstantValue => {
  try {
    const first = exactInstantOf(written)
    const isDate = /^\s*\d{4}-\d\d-\d\d\s*$/.test(written)
    return { type: 'instant', unit: 1n, first, last: isDate ? first + DAY - 1n : first }
  } catch {
    throw fault(
      at,
      `${JSON.stringify(written.slice(0, 40))} is not an instant. Enter one such as TIMESTAMP('2018-02-05T00:00:00Z') or DATE('2018-02-05')`,
    )
  }
}

/** Reads a text as an instant or a day. A date with a T alone is midnight, as GDAL writes it. */
export const instantOfText = (written: string, at: string): InstantValue => {
  const [, date] = /^\s*(\d{4}-\d\d-\d\d)T\s*$/i.exec(written) ?? []
  if (date === undefined) return instantValue(written, at)
  const midnight = instantValue(date, at)
  return { ...midnight, last: midnight.first }
}

/** Returns a text in the folding of CASEI. */
const folded = (names: Queryables, expression: Expression, at: string): TextValue => {
  if (expression.kind === 'text') return textValue(caseFold(expression.value))
  if (expression.kind === 'operation' && expression.op === 'casei')
    return folded(names, expression.args[0] ?? expression, at)
  if (expression.kind !== 'property')
    throw fault(at, `CASEI takes a text or a text property. Enter one such as ${EXAMPLES.caseFolded}`)
  const property = propertyOf(names, expression.name, at)
  if (property.kind !== 'text')
    throw fault(at, `${expression.name} is not a text. Enter a text property, such as ${EXAMPLES.caseFolded}`)
  if (property.canonical !== undefined) return propertyValue(names, expression.name, at) as TextValue
  const { column, caseFolded, dictionary } = property
  if (caseFolded !== undefined) return { type: 'text', sql: caseFolded, dictionary }
  const folding: TextValue['foldedFor'] = (texts, exact, sqlFor) => {
    const text = foldedFor(column, texts, exact, sqlFor)
    if (text === null)
      throw fault(at, 'the texts compared with CASEI have too many different letters. Enter shorter texts')
    return text
  }
  return { type: 'text', sql: column, foldedFor: folding }
}

const ARITHMETIC: Readonly<Record<string, (a: SQL, b: SQL) => SQL>> = {
  '+': (a, b) => sql`(${a} + ${b})`,
  '-': (a, b) => sql`(${a} - ${b})`,
  '*': (a, b) => sql`(${a} * ${b})`,
  '/': (a, b) => sql`(1.0 * ${a} / ${b})`,
  div: (a, b) => sql`trunc(1.0 * ${a} / ${b})`,
  '%': (a, b) => sql`mod(${a}, ${b})`,
  '^': (a, b) => sql`pow(${a}, ${b})`,
}

const computed = (names: Queryables, op: string, args: readonly Expression[], at: string): NumberValue => {
  const numbers = args.map((each) => {
    const value = scalarOf(names, each)
    if (value.type !== 'number') throw fault(each.at, `${op} takes numbers`)
    return value.sql
  })
  const [first = sql`0`, second] = numbers
  if (second === undefined) return { type: 'number', sql: sql`(- ${first})` }
  const compute = ARITHMETIC[op]
  if (compute === undefined) throw fault(at, `there is no operation ${op}`)
  return { type: 'number', sql: compute(first, second) }
}
