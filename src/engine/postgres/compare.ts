import { type SQL, sql } from 'drizzle-orm'
import { type Arithmetic, type Condition, isInstant, type Operand } from '../../question/condition.ts'
import { TICKS } from '../../question/range.ts'
import { attributeIn } from './attributes.ts'
import type { Context } from './context.ts'
import { epoch, fieldsOf, whole } from './fields.ts'
import { keyOf } from './instants.ts'
import { bitsOf } from './numbers.ts'
import { double, FENCE, listOf, named } from './sql.ts'
import { folded } from './texts.ts'

type Operation = Extract<Operand, { op: Arithmetic }>

/** An operand as SQL. */
interface Written {
  readonly value: SQL
  readonly isText: boolean
}

/** Writes a comparison. Texts are in the order of code points. */
export const compared = (context: Context, { operator, left, right }: Extract<Condition, { kind: 'compare' }>): SQL => {
  const [one, other] = [operandOf(context, left), operandOf(context, right)]
  if (isInstant(left) || isInstant(right)) return sql`(${instantKey(one)} ${OPERATORS[operator]} ${instantKey(other)})`
  const written = one.isText ? sql`(${other.value}) COLLATE "C"` : other.value
  return sql`(${one.value} ${OPERATORS[operator]} ${written})`
}

/** Writes the key of an instant: that of an attribute is written already, and a field is a time. */
const instantKey = ({ value, isText }: Written): SQL => (isText ? value : keyOf(epoch(value, TICKS), TICKS))

const OPERATORS = { '<': sql`<`, '>': sql`>`, '<=': sql`<=`, '>=': sql`>=`, '=': sql`=`, '<>': sql`<>` }

const number = (value: SQL): Written => ({ value, isText: false })

const operandOf = (context: Context, operand: Operand): Written => {
  if (typeof operand === 'string') {
    const field = fieldsOf(context.views)(context.list, operand)
    return { value: whole(field), isText: field.kind === 'text' }
  }
  if ('attribute' in operand)
    return { value: attributeIn(context.views, operand.attribute)[operand.as], isText: operand.as === 'text' }
  if ('instant' in operand) return { value: attributeIn(context.views, operand.instant).instant, isText: true }
  if ('text' in operand) return { value: sql`${operand.text.replaceAll('\0', '\u{10FFFF}')}::text`, isText: true }
  if ('number' in operand) return number(double(operand.number))
  if ('fold' in operand)
    return { value: folded(operandOf(context, operand.of).value, operand.fold, null), isText: true }
  const [first, second] = operand.of
  if (first === undefined) throw new RangeError('An operation needs an operand.')
  if (second === undefined) return number(sql`(- ${doubleIn(context, first)})`)
  return number(sql`(${resultOf(context, operand)})`)
}

const doubleIn = (context: Context, operand: Operand): SQL => sql`(${operandOf(context, operand).value})::float8`

/**
 * Writes a query of the result of two operands. The names `a` and `b` stand for the operands, so that each is computed once.
 * An inner result stands in FROM, because Citus refuses it elsewhere.
 */
const resultOf = (context: Context, { op, of }: Operation): SQL => {
  const results: SQL[] = []
  const [a, b] = of.map((each, i) => {
    if (!isOperation(each)) return doubleIn(context, each)
    const name = sql.identifier(`result${i}`)
    results.push(sql`(${resultOf(context, each)}) AS ${name}`)
    return sql`${name}.it`
  })
  const from = results.length === 0 ? sql`` : sql` FROM ${listOf(results)}`
  const operands = sql`SELECT ${a} AS a, ${b} AS b${from} ${FENCE}`
  const read = op === '%' ? sql`SELECT *, ${BITS} FROM (${operands}) AS operands ${FENCE}` : operands
  return sql`SELECT nullif(${COMPUTE[op]}, 'NaN') AS it FROM (${read}) AS operands`
}

const isOperation = (operand: Operand): operand is Operation =>
  typeof operand === 'object' && 'op' in operand && operand.of.length === 2

/** The logarithm of the greatest double, and that of the least double with all digits. */
const [GREATEST, LEAST] = [sql`709.78`, sql`-708.39`]

/**
 * Writes a product or a quotient. PostgreSQL has an error for a result beyond a double, and for one that rounds to 0. Here
 * the first is infinite, and the other is 0, as in IEEE 754. `size` is the logarithm of the result.
 */
const bounded = (size: SQL, result: SQL): SQL =>
  sql`CASE WHEN a = 0 OR b = 0 THEN a * b WHEN ${size} > ${GREATEST} THEN 'Infinity'::float8 * sign(a) * sign(b)
    WHEN ${size} < ${LEAST} THEN 0 ELSE ${result} END`

/** A sum is infinite beyond a double. The bound is less than the greatest double, because the difference is rounded. */
const sumOf = (b: SQL): SQL =>
  sql`CASE WHEN sign(a) = sign(${b}) AND abs(a) > 1.7976e308 - abs(${b}) THEN 'Infinity'::float8 * sign(a) ELSE a + ${b} END`

const QUOTIENT = sql`CASE WHEN b <> 0 THEN ${bounded(sql`ln(abs(a)) - ln(abs(b))`, sql`a / b`)} END`

/** The sign of a power with a negative base. A double from 2 to the power of 53 on is even. */
const SIGN = sql`CASE WHEN a < 0 AND abs(b) < 9007199254740992 THEN 1 - 2 * mod(abs(b)::bigint, 2) ELSE 1 END`

/** The logarithm of a power. A power with a greater exponent is no double. */
const SIZE = sql`CASE WHEN abs(b) < 1e300 THEN b ELSE sign(b) * 1e300 END * ln(abs(a))`

/** The bits of both operands without their signs. 12 bits are the exponent of 2, and 52 bits are the mantissa. */
const BITS = named({ one: bitsOf(sql`abs(a)`), other: bitsOf(sql`abs(b)`) })
const exponentIn = (bits: SQL): SQL => sql`greatest(${bits} >> 52, 1)`
const mantissaIn = (bits: SQL): SQL => sql`(${bits} - (${exponentIn(bits)} - 1 << 52))`

/** The rest of a division is exact: both doubles are whole numbers of the last place of `b`. */
const REST = sql`mod(${mantissaIn(sql`one`)} * power(2::numeric, ${exponentIn(sql`one`)} - ${exponentIn(sql`other`)}), ${mantissaIn(sql`other`)})::float8
  * power(2::float8, ${exponentIn(sql`other`)} - 1075)`

/** Computes `a` and `b`, whatever doubles they are. */
const COMPUTE: Readonly<Record<Arithmetic, SQL>> = {
  '+': sumOf(sql`b`),
  '-': sumOf(sql`(- b)`),
  '*': bounded(sql`ln(abs(a)) + ln(abs(b))`, sql`a * b`),
  '/': QUOTIENT,
  div: sql`trunc(${QUOTIENT})`,
  '%': sql`CASE WHEN b = 0 OR abs(a) = 'Infinity' THEN NULL WHEN abs(a) < abs(b) THEN a ELSE sign(a) * ${REST} END`,
  '^': sql`CASE WHEN a = 0 THEN CASE WHEN b > 0 THEN 0 WHEN b = 0 THEN 1 WHEN b < 0 THEN 'Infinity'::float8 END
    WHEN a < 0 AND b <> trunc(b) THEN NULL
    WHEN abs(b) < 1e-200 THEN 1
    WHEN ${SIZE} > ${GREATEST} THEN 'Infinity'::float8 * ${SIGN}
    WHEN ${SIZE} < ${LEAST} THEN 0 ELSE power(a, b) END`,
}
