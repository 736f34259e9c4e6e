import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at as item } from '../collections.ts'
import type { Dictionary, Properties, Property } from '../engine/d1/condition.ts'
import { foldedFor } from '../engine/d1/fold.ts'
import { integerOf } from '../engine/d1/sql.ts'
import { caseFold } from '../filters/fold.ts'
import { spanOf } from '../filters/temporal.ts'
import type { Area } from '../geometry/within.ts'
import { TICKS } from '../question/range.ts'
import { EXAMPLES, type Expression, fault } from './expression.ts'

/** The properties of a collection, and the SQL for its areas. */
export interface Queryables {
  readonly properties: Properties
  /** Writes SQL for the rows in an area that SQL alone cannot decide. */
  readonly within: (area: Area) => SQL
  /** Says what to enter for a name that is no property. `known` lists the properties. */
  readonly adviceOn?: (name: string, known: string) => string
}

/** An operand of a comparison. */
export type Value = TextValue | OrderedValue

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

/** A number or an instant. */
export interface OrderedValue {
  readonly type: 'number' | 'instant'
  /** Absent for a constant instant, which is compared only with columns. */
  readonly sql?: SQLWrapper
  /** The column itself, if the value is an integer column. One unit of it is `unit` of a constant. */
  readonly column?: SQLWrapper
  readonly unit: bigint
  /** A number twice, an instant in ticks twice, or the first and the last tick of a day. */
  readonly constant?: Span
}

/** The first and the last value. They differ for a day. */
export type Span = readonly [first: number | bigint, last: number | bigint]

/** Returns the value of an expression. Throws ValueError if the expression has no value. */
export const scalarOf = (names: Queryables, expression: Expression): Value => {
  const { kind, at } = expression
  if (kind === 'text') return textValue(expression.value)
  if (kind === 'number')
    return { type: 'number', sql: numeral(expression.value), unit: 1n, constant: [expression.value, expression.value] }
  if (kind === 'instant') return instantValue(expression.value, at)
  if (kind === 'property') return propertyValue(names, expression.name, at)
  if (kind === 'operation' && expression.op === 'casei') return folded(names, item(expression.args, 0), at)
  const compute = kind === 'operation' ? ARITHMETIC.get(expression.op) : undefined
  if (kind !== 'operation' || compute === undefined)
    throw fault(at, 'expected a value. Enter a property, a text, a number or an instant')
  const numbers = expression.args.map((each) => {
    const value = scalarOf(names, each)
    if (value.type === 'number') return sql`${value.sql}`
    throw fault(each.at, `${expression.op} takes numbers`)
  })
  const [first, second] = [item(numbers, 0), numbers[1]]
  return { type: 'number', sql: second === undefined ? sql`(- ${first})` : compute(first, second), unit: 1n }
}

const ARITHMETIC = new Map<string, (a: SQL, b: SQL) => SQL>([
  ['+', (a, b) => sql`(${a} + ${b})`],
  ['-', (a, b) => sql`(${a} - ${b})`],
  ['*', (a, b) => sql`(${a} * ${b})`],
  ['/', (a, b) => sql`(1.0 * ${a} / ${b})`],
  ['div', (a, b) => sql`trunc(1.0 * ${a} / ${b})`],
  ['%', (a, b) => sql`mod(${a}, ${b})`],
  ['^', (a, b) => sql`pow(${a}, ${b})`],
])

/** Returns the property with a name. Throws ValueError if there is none. */
export const propertyOf = ({ properties, adviceOn }: Queryables, name: string, at: string): Property => {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (property !== undefined) return property
  const known = `Enter one of ${Object.keys(properties).join(', ')}, or a text in single quotes`
  throw fault(at, `there is no property ${JSON.stringify(name.slice(0, 40))}. ${adviceOn?.(name, known) ?? known}`)
}

const propertyValue = (names: Queryables, name: string, at: string): Value => {
  const property = propertyOf(names, name, at)
  if (property.kind === 'place')
    throw fault(
      at,
      `${name} is a geometry. Enter a spatial function, such as S_INTERSECTS(${name}, BBOX(4, 51, 6, 53))`,
    )
  const { kind, column } = property
  if (kind === 'integer') return { type: 'number', sql: column, column, unit: 1n }
  if (kind === 'instant') return { type: 'instant', sql: column, column, unit: property.unit * TICKS }
  return { type: 'text', sql: column, dictionary: property.dictionary, canonical: property.canonical }
}

export const textValue = (value: string): TextValue => ({ type: 'text', sql: sql`${value}`, constant: value })

/** Writes a number as SQL. An integer is part of the SQL, because D1 stores a number in a parameter as a float. */
const numeral = (value: number): SQL => (Number.isSafeInteger(value) ? sql`(${integerOf(value)})` : sql`${value}`)

/** Reads an instant, or a date as its whole day. Only a text may be a date with a T alone, which is its midnight. */
export const instantValue = (written: string, at: string, isText = false): OrderedValue => {
  try {
    if (isText || !/T\s*$/i.test(written)) return { type: 'instant', unit: 1n, constant: spanOf(written) }
  } catch {}
  throw fault(
    at,
    `${JSON.stringify(written.slice(0, 40))} is not an instant. Enter one such as TIMESTAMP('2018-02-05T00:00:00Z') or DATE('2018-02-05')`,
  )
}

/** Returns a text in the folding of CASEI. */
const folded = (names: Queryables, expression: Expression, at: string): TextValue => {
  if (expression.kind === 'text') return textValue(caseFold(expression.value))
  if (expression.kind === 'operation' && expression.op === 'casei') return folded(names, item(expression.args, 0), at)
  if (expression.kind !== 'property')
    throw fault(at, `CASEI takes a text or a text property. Enter one such as ${EXAMPLES.caseFolded}`)
  const property = propertyOf(names, expression.name, at)
  if (property.kind !== 'text')
    throw fault(at, `${expression.name} is not a text. Enter a text property, such as ${EXAMPLES.caseFolded}`)
  const { column, caseFolded, dictionary, canonical } = property
  if (canonical !== undefined) return { type: 'text', sql: column, dictionary, canonical }
  if (caseFolded !== undefined) return { type: 'text', sql: caseFolded, dictionary }
  const folding: TextValue['foldedFor'] = (texts, exact, sqlFor) => {
    const text = foldedFor(caseFold, column, texts, exact, sqlFor)
    if (text !== null) return text
    throw fault(at, 'the texts compared with CASEI have too many different letters. Enter shorter texts')
  }
  return { type: 'text', sql: column, foldedFor: folding }
}
