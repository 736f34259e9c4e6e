import type { Area, Condition, FieldRef, Operand, Term } from '../../src/question/condition.ts'
import { type FieldName, kindOf, type ValueKind } from '../../src/question/fields.ts'
import type { Order, Question, Slice } from '../../src/question/question.ts'
import { doubleOfKey, type Extent, TICKS } from '../../src/question/range.ts'

/** Writes a question as text, for people. Times are in ISO 8601, and lengths of time in seconds. */
export const print = ({ where, latest, order, slice }: Question): string =>
  [
    `where ${printCondition(where)}`,
    ...(latest === null ? [] : [`only the latest of each ${latest}`]),
    `order by ${printOrder(order)}`,
    printSlice(slice),
  ].join('\n')

export const printCondition = (condition: Condition): string => {
  const { kind } = condition
  switch (kind) {
    case 'all':
    case 'any':
      return printParts(condition.of.map(printCondition), kind)
    case 'not':
    case 'unless':
      return `${kind} (${printCondition(condition.of)})`
    case 'same':
      return `(${printCondition(condition.one)}) is as true as (${printCondition(condition.other)})`
    case 'known':
      return `the first known of ${printParts(condition.of.map(printCondition), 'any')}`
    case 'range':
      return printRange(condition.field, condition.extents)
    case 'part': {
      const { field, part, clock, values } = condition
      return `${part} of ${printField(field)} in ${clock?.name ?? 'UTC'} is ${alternatives(values)}`
    }
    case 'text': {
      const { field, fold, test, texts } = condition
      return `${folded(fold, printField(field))} ${test} ${alternatives(texts)}`
    }
    case 'match':
      return `${printField(condition.field)} matches /${condition.pattern}/${condition.ignoreCase ? 'i' : ''}`
    case 'equals':
      return `${printField(condition)} equals ${alternatives(condition.values)}`
    case 'compare':
      return `${printOperand(condition.left)} ${condition.operator} ${printOperand(condition.right)}`
    case 'missing':
      return `${printField(condition.field)} is missing`
    case 'area':
      return `${condition.of} ${printArea(condition.area)}`
    case 'words':
      return `words ${condition.terms.map(printTerm).join(' and ')}`
  }
}

const EMPTY = { all: 'everything', any: 'nothing' }
const JOINTS = { all: ' and ', any: ' or ' }

const printParts = (parts: readonly string[], kind: 'all' | 'any'): string =>
  parts.length === 0 ? EMPTY[kind] : parts.length === 1 ? parts.join() : `(${parts.join(JOINTS[kind])})`

const printField = (field: FieldName | 'place' | { readonly attribute: string }): string =>
  typeof field === 'string' ? field : `attributes.${field.attribute}`

const folded = (fold: string | null, text: string): string => (fold === null ? text : `${fold}(${text})`)

const alternatives = (values: readonly unknown[]): string => values.map(literal).join(' or ')

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

const printTerm = ({ words, open }: Term): string => literal(`${words.join(' ')}${open ? '*' : ''}`)

const printRange = (field: FieldRef, extents: readonly Extent[]): string => {
  const kind = typeof field === 'string' ? kindOf(field) : (field.as ?? 'number')
  const parts = extents.map((extent) => printExtent(kind, extent))
  return `${printField(field)} ${parts.length === 0 ? 'in no range' : parts.join(' or ')}`
}

const printExtent = (kind: ValueKind, [least, greatest]: Extent): string => {
  if (least !== null && least === greatest) return `is ${printValue(kind, least)}`
  const ends = [
    ...(least === null ? [] : [`from ${printValue(kind, least)}`]),
    ...(greatest === null ? [] : [`to ${printValue(kind, greatest)}`]),
  ]
  return ends.length === 0 ? 'is present' : ends.join(' ')
}

/** Writes a value of an extent. */
const printValue = (kind: ValueKind, value: bigint): string => {
  if (kind === 'instant') return printInstant(value)
  if (kind === 'duration') return `PT${decimalOf(value)}S`
  return String(kind === 'number' ? doubleOfKey(value) : value)
}

const SECOND = 1_000_000n * TICKS
const DIGITS = String(SECOND).length - 1
/** Dates of JavaScript end here, in seconds on both sides of 1970. */
const REACH = 8_640_000_000_000n

/** Writes ticks since 1970 in ISO 8601, with as many digits as they have. Seconds beyond all dates are a number. */
const printInstant = (ticks: bigint): string => {
  const part = ((ticks % SECOND) + SECOND) % SECOND
  const seconds = (ticks - part) / SECOND
  if (seconds < -REACH || seconds >= REACH) return `${decimalOf(ticks)} s`
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -'.000Z'.length)}${fractionOf(part)}Z`
}

/** Writes ticks as a decimal number of seconds. */
const decimalOf = (ticks: bigint): string => {
  const size = ticks < 0n ? -ticks : ticks
  return `${ticks < 0n ? '-' : ''}${size / SECOND}${fractionOf(size % SECOND)}`
}

const fractionOf = (ticks: bigint): string =>
  ticks === 0n ? '' : `.${String(ticks).padStart(DIGITS, '0').replace(/0+$/, '')}`

const printOperand = (operand: Operand): string => {
  if (typeof operand === 'string' || 'attribute' in operand) return printField(operand)
  if ('instant' in operand) return `the instant ${printField({ attribute: operand.instant })}`
  if ('text' in operand) return literal(operand.text)
  if ('number' in operand) return String(operand.number)
  if ('fold' in operand) return folded(operand.fold, printOperand(operand.of))
  const parts = operand.of.map(printOperand)
  return parts.length === 1 ? `${operand.op}${parts.join()}` : `(${parts.join(` ${operand.op} `)})`
}

const printArea = (area: Area): string => {
  if ('within' in area) return `${area.closed ? 'in or on' : 'within'} ${shortened(area.within)}`
  if ('box' in area) return `${area.closed ? 'in or on' : 'within'} the box ${area.box.join(' ')}`
  if ('circle' in area) return `at most ${area.metres} m from ${area.circle.join(' ')}`
  if ('outside' in area) return `outside (${printArea(area.outside)})`
  if ('nowhere' in area) return 'nowhere'
  const isAll = 'all' in area
  return printParts((isAll ? area.all : area.any).map(printArea), isAll ? 'all' : 'any')
}

/** The most characters of a geometry in print. */
const MOST = 200

const shortened = (geometry: object): string => {
  const text = JSON.stringify(geometry)
  return text.length <= MOST ? text : `${text.slice(0, MOST)}... (${text.length} characters)`
}

const printOrder = ({ by, from, descending }: Order): string =>
  `${by === 'distance' ? `distance from ${from?.join(' ')}` : printField(by)}${descending ? ', descending' : ''}`

const printSlice = ({ from, limit }: Slice): string => {
  if (from === 'end') return `the last slice of ${limit} rows`
  if ('offset' in from) return `${limit} rows after the first ${from.offset}`
  return `${limit} rows after ${literal(from.after.value)}, id ${from.after.id}`
}
