import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { valueError } from '../../base/errors.ts'
import { type Arithmetic, type Condition, isInstant, type Operand } from '../../question/condition.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import { attributeAs, attributeKey } from './attributes.ts'
import type { Dictionary } from './dictionaries.ts'
import { storedField } from './fields.ts'
import { keyOfColumn } from './instants.ts'
import { entry, type Part, plain } from './part.ts'
import { integer, integerOf, OPERATORS } from './sql.ts'

/** An operand as SQL. */
interface Written {
  /** A column of the row. A text with a dictionary is a column of the dictionary. */
  readonly sql: SQLWrapper
  readonly isText: boolean
  readonly dictionary?: Dictionary | undefined
  /** One unit of the SQL is `unit` of the question. */
  readonly unit: bigint
}

/**
 * Returns the part of a comparison. If all its texts belong to one dictionary, the database tests each entry once,
 * instead of each row.
 */
export const compared = (list: ListName, { operator, left, right }: Extract<Condition, { kind: 'compare' }>): Part => {
  const compare = ([a, b]: readonly SQLWrapper[]) => sql`${a} ${OPERATORS[operator]} ${b}`
  const sides = [left, right].map((each) => operandOf(list, each))
  if (isInstant(left) || isInstant(right))
    return plain(compare(sides.map((side) => (side.isText ? side.sql : keyOfColumn(ofRow(side), side.unit)))))
  const least = sides.reduce((unit, side) => (side.unit < unit ? side.unit : unit), at(sides, 0).unit)
  const scaled = (side: Written) =>
    side.unit === least ? ofRow(side) : sql`${ofRow(side)} * ${integer(side.unit / least)}`
  if (!sides.every(({ isText }) => isText)) return plain(compare(sides.map(scaled)))
  const named = sides.flatMap((side, i) => (isConstant(at([left, right], i)) ? [] : [side.dictionary]))
  const [dictionary, ...others] = new Map(named.map((each) => [each?.key, each])).values()
  if (dictionary !== undefined && others.length === 0) return entry(dictionary, compare(sides.map(({ sql }) => sql)))
  return plain(compare(sides.map(ofRow)))
}

const isConstant = (operand: Operand): boolean => typeof operand === 'object' && 'text' in operand

const ofRow = ({ sql: column, dictionary }: Written): SQLWrapper =>
  dictionary === undefined || dictionary.key === dictionary.id
    ? column
    : sql`(SELECT ${column} FROM ${dictionary.table} WHERE ${dictionary.id} = ${dictionary.key})`

const operandOf = (list: ListName, operand: Operand): Written => {
  if (typeof operand === 'string') return fieldOf(list, operand)
  if ('attribute' in operand)
    return { sql: attributeAs(operand.attribute, operand.as), isText: operand.as === 'text', unit: 1n }
  if ('instant' in operand) return { sql: attributeKey(operand.instant), isText: true, unit: 1n }
  if ('text' in operand) return { sql: sql`${operand.text}`, isText: true, unit: 1n }
  if ('number' in operand) return { sql: numeral(operand.number), isText: false, unit: 1n }
  if ('fold' in operand) {
    if (typeof operand.of !== 'string') throw valueError(['notFolded'])
    return foldedOf(list, operand.of, operand.fold)
  }
  const [first, second] = operand.of.map((each) => sql`${ofRow(operandOf(list, each))}`)
  if (first === undefined) throw new RangeError('An operation needs an operand.')
  return { sql: second === undefined ? sql`(- ${first})` : COMPUTE[operand.op](first, second), isText: false, unit: 1n }
}

const fieldOf = (list: ListName, name: FieldName): Written => {
  const { kind, column, dictionary, unit } = storedField(list, name)
  return { sql: column, isText: kind === 'text', dictionary, unit }
}

/** Reads a text from its stored folded form. Throws ValueError for a field without one. */
const foldedOf = (list: ListName, name: FieldName, fold: 'upper' | 'casei'): Written => {
  const stored = storedField(list, name)
  if (stored.kind !== 'text') throw new RangeError(`${name} is not a text.`)
  const column = fold === 'upper' ? stored.folded : stored.caseFolded
  if (column === undefined) throw valueError(['notFolded'])
  return { sql: column, isText: true, dictionary: stored.dictionary, unit: 1n }
}

/** Writes a number. An integer is part of the SQL, because D1 binds a number in a parameter as a double. */
const numeral = (value: number): SQL => (Number.isSafeInteger(value) ? sql`(${integerOf(value)})` : sql`${value}`)

const COMPUTE: Readonly<Record<Arithmetic, (a: SQL, b: SQL) => SQL>> = {
  '+': (a, b) => sql`(${a} + ${b})`,
  '-': (a, b) => sql`(${a} - ${b})`,
  '*': (a, b) => sql`(${a} * ${b})`,
  '/': (a, b) => sql`(1.0 * ${a} / ${b})`,
  div: (a, b) => sql`trunc(1.0 * ${a} / ${b})`,
  '%': (a, b) => sql`mod(${a}, ${b})`,
  '^': (a, b) => sql`pow(${a}, ${b})`,
}
