import { at as item } from '../base/collections.ts'
import type { Clock } from '../base/zone.ts'
import { caseFold } from '../filters/fold.ts'
import { spanOf } from '../filters/temporal.ts'
import type { Arithmetic, Condition, FieldRef, Fold, Operand } from '../question/condition.ts'
import { kindOf, type Properties, type Property } from '../question/fields.ts'
import { EXAMPLES, type Expression, fault, located } from './expression.ts'

/** The properties that a filter can name. */
export interface Queryables {
  readonly properties: Properties
  /** Reads dates, and times without an offset. */
  readonly clock: Clock
  /** Says what to enter for a name that is no property. `known` lists the properties. */
  readonly adviceOn?: (name: string, known: string) => string
  /** The places in the filter of the conditions made from it, for messages of an engine. */
  readonly places: Map<Condition, string>
}

/** An operand of a comparison. */
export type Value = TypedValue | AttributeValue
export type TypedValue = TextValue | OrderedValue | BooleanValue

/** An attribute, whose values may have several types. The value beside it says which of them are compared. */
interface AttributeValue {
  readonly type: 'any'
  readonly attribute: string
}

export interface TextValue {
  readonly type: 'text'
  readonly operand: Operand
  /** The property that has the text, and its folding. */
  readonly field?: FieldRef
  readonly fold?: Fold | null
  readonly constant?: string
  readonly canonical?: Property['canonical']
}

/** A number or an instant. */
export interface OrderedValue {
  readonly type: 'number' | 'instant'
  /** Absent for a constant instant, which is compared only with properties. */
  readonly operand?: Operand
  /** The property itself, if it has the value. */
  readonly field?: FieldRef
  /** A number twice, an instant in ticks twice, or the first and the last tick of a day. */
  readonly constant?: Span
  /** A constant number with all its digits (`exactOf`). */
  readonly exact?: bigint
}

/** TRUE or FALSE, or an attribute that is one of them. */
export interface BooleanValue {
  readonly type: 'boolean'
  readonly field?: Exclude<FieldRef, string>
  readonly constant?: boolean
}

/** The first and the last value. They differ for a day. */
export type Span = readonly [first: number | bigint, last: number | bigint]

/** Returns the value of an expression. Throws ValueError if the expression has no value. */
export const scalarOf = (names: Queryables, expression: Expression): Value => {
  const { kind, at } = expression
  if (kind === 'text') return textValue(expression.value)
  if (kind === 'number') {
    const { value, exact } = expression
    return { type: 'number', operand: { number: value }, constant: [value, value], exact }
  }
  if (kind === 'boolean') return { type: 'boolean', constant: expression.value }
  if (kind === 'instant') return instantValue(names, expression.value, at)
  if (kind === 'property') return propertyValue(names, expression.name, at)
  if (kind === 'operation' && expression.op === 'casei') return folded(names, item(expression.args, 0), at)
  if (kind !== 'operation' || !isArithmetic(expression.op))
    throw fault(at, 'expected a value. Enter a property, a text, a number or an instant')
  const { op } = expression
  const numbers = expression.args.map((each) => {
    const value = typedAs(scalarOf(names, each), 'number')
    if (value.type === 'number' && value.operand !== undefined) return value.operand
    throw fault(each.at, `${op} takes numbers`)
  })
  return { type: 'number', operand: { op, of: numbers } }
}

const ARITHMETIC: readonly string[] = ['+', '-', '*', '/', '%', 'div', '^'] satisfies Arithmetic[]
const isArithmetic = (op: string): op is Arithmetic => ARITHMETIC.includes(op)

/** Returns the property with a name. Throws ValueError if there is none. */
export const propertyOf = ({ properties, adviceOn }: Queryables, name: string, at: string): Property => {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (property !== undefined) return property
  const known = `Enter one of ${Object.keys(properties).join(', ')}, or a text in single quotes`
  throw fault(at, `there is no property ${JSON.stringify(name.slice(0, 40))}. ${adviceOn?.(name, known) ?? known}`)
}

const propertyValue = (names: Queryables, name: string, at: string): Value => {
  const { field, canonical } = propertyOf(names, name, at)
  if (typeof field === 'object') return { type: 'any', attribute: field.attribute }
  if (field === 'place')
    throw fault(
      at,
      `${name} is a geometry. Enter a spatial function, such as S_INTERSECTS(${name}, BBOX(4, 51, 6, 53))`,
    )
  const kind = kindOf(field)
  if (kind === 'text') return { type: 'text', operand: field, field, fold: null, canonical }
  return { type: kind === 'instant' ? 'instant' : 'number', operand: field, field }
}

/** Returns a value as one of a type, if it is an attribute. The values of other types are then unknown. */
export const typedAs = (value: Value, type: TypedValue['type']): TypedValue => {
  if (value.type !== 'any') return value
  const { attribute } = value
  if (type === 'boolean') return { type, field: { attribute } }
  if (type === 'text') return { type, operand: { attribute, as: type }, field: { attribute }, fold: null }
  if (type === 'number') return { type, operand: { attribute, as: type }, field: { attribute } }
  return { type, operand: { instant: attribute }, field: { attribute, as: type } }
}

/** Returns the condition that an expression is an attribute with the value true. Null: it is no attribute. */
export const isTrue = (names: Queryables, expression: Expression): Condition | null => {
  const field = fieldNamed(names, expression)
  return typeof field === 'object' ? { kind: 'equals', attribute: field.attribute, values: [true] } : null
}

/** Reads 1 and 0 beside an attribute that is described as a boolean as TRUE and FALSE. GDAL writes them so. */
export const asBoolean = (names: Queryables, expression: Expression, beside: Expression): Expression => {
  const { kind, at } = expression
  const field = fieldNamed(names, beside)
  if (kind !== 'number' || typeof field !== 'object' || field.isBoolean !== true) return expression
  return expression.value === 1 || expression.value === 0
    ? { kind: 'boolean', value: expression.value === 1, at }
    : expression
}

const fieldNamed = ({ properties }: Queryables, expression: Expression): Property['field'] | undefined =>
  expression.kind === 'property' && Object.hasOwn(properties, expression.name)
    ? properties[expression.name]?.field
    : undefined

export const textValue = (value: string): TextValue => ({ type: 'text', operand: { text: value }, constant: value })

/** Reads an instant, or a date as its whole day. Only a text may be a date with a T alone, which is its midnight. */
export const instantValue = ({ clock }: Queryables, written: string, at: string, isText = false): OrderedValue => {
  const constant = isText || !/T\s*$/i.test(written) ? located(at, () => spanOf(written, clock)) : null
  if (constant !== null) return { type: 'instant', constant }
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
  const isPlace = propertyOf(names, expression.name, at).field === 'place'
  const value = isPlace ? null : typedAs(scalarOf(names, expression), 'text')
  if (value?.type !== 'text')
    throw fault(at, `${expression.name} is not a text. Enter a text property, such as ${EXAMPLES.caseFolded}`)
  // A stored form has one case.
  return value.canonical === undefined
    ? { ...value, operand: { fold: 'casei', of: value.operand }, fold: 'casei' }
    : value
}
