import { type SQL, sql } from 'drizzle-orm'
import { wholeNumber } from '../../filters/numbers.ts'
import {
  type Area,
  type Condition,
  type FieldRef,
  leavesOf,
  type Operand,
  type Range,
} from '../../question/condition.ts'
import type { FieldName } from '../../question/fields.ts'
import { decimalOf, type Extent, exactOf, keyOfInstant, TICKS, unitsIn } from '../../question/range.ts'
import { areaSql, meetsRectangle } from './area.ts'
import { attributeIn } from './attributes.ts'
import { partOf } from './clock.ts'
import { compared } from './compare.ts'
import { type Context, idOf } from './context.ts'
import { fieldsOf, ifKnown, type StoredField, whole } from './fields.ts'
import { instantOf, lengthOf } from './instants.ts'
import { all, doubleOf, either, inExtents, integers, listOf, texts } from './sql.ts'
import { passes } from './texts.ts'
import type { Views } from './views.ts'

/**
 * Writes a condition as SQL that is true, false or null. It is null for a row without the value. `decided` has all that the
 * Worker decides.
 */
export const where = (context: Context, condition: Condition): SQL => {
  const write = (each: Condition) => where(context, each)
  const strictly = (each: Condition) => where({ ...context, isStrict: true }, each)
  switch (condition.kind) {
    case 'all':
      return all(condition.of.map(write))
    case 'any':
      return either(condition.of.map(write))
    case 'not':
      return sql`NOT (${strictly(condition.of)})`
    case 'unless':
      return sql`(${write(condition.of)}) IS NOT TRUE`
    case 'same':
      return sql`(${strictly(condition.one)}) = (${strictly(condition.other)})`
    case 'known':
      return sql`coalesce(${listOf(condition.of.map(strictly))})`
    case 'missing':
      return sql`NOT ${isKnown(context, condition.field)}`
    case 'range':
      return ofRange(context, condition)
    case 'part':
      return ofPart(context, condition)
    case 'text':
    case 'match':
      return ofText(context, condition)
    case 'equals':
      return attributeAmong(context.views, condition)
    case 'compare':
      return compared(context, condition)
    case 'area':
      return condition.of === 'rectangle'
        ? ofRectangle(context, condition.area)
        : areaSql(context.decided, condition.area)
    case 'words':
      return isAmong(context, condition)
  }
}

/** Tests if a row has a value. */
const isKnown = ({ list, views }: Context, field: FieldRef | 'place'): SQL => {
  const known = (name: FieldName) => fieldsOf(views)(list, name).known
  if (field === 'place') return list === 'events' ? all([known('x'), known('y')]) : known('west')
  return typeof field === 'object' ? sql`${attributeIn(views, field.attribute).json} IS NOT NULL` : known(field)
}

const ofRectangle = ({ views }: Context, area: Area): SQL => {
  const side = (name: 'west' | 'south' | 'east' | 'north') => whole(fieldsOf(views)('series', name))
  return meetsRectangle(side('west'), side('south'), side('east'), side('north'), area)
}

/** Tests if the Worker has found a row. */
const isAmong = ({ list, decided }: Context, condition: Condition): SQL => {
  const ids = decided.rows.get(condition)
  if (ids === undefined) throw new RangeError(`Nobody has decided the condition ${condition.kind}.`)
  return sql`${idOf(list)} = ANY(${integers(ids)})`
}

const ofRange = ({ list, views, isStrict }: Context, { field, extents, exact }: Range): SQL => {
  if (typeof field === 'object') return attributeInExtents(views, field, extents, exact)
  const stored = fieldsOf(views)(list, field)
  const test = ofValues(stored, extents)
  if (stored.isTotal) return test
  // Only plain comparisons use an index.
  return isStrict ? sql`CASE WHEN ${stored.known} THEN ${test} END` : all([stored.known, test])
}

const ofValues = ({ kind, value, unit }: StoredField, extents: readonly Extent[]): SQL => {
  if (kind === 'number') return inExtents(value, extents, doubleOf)
  if (kind === 'integer') return inExtents(value, extents)
  const units = extents.map((extent) => unitsIn(extent, unit))
  if (kind === 'duration') return inExtents(value, units, lengthOf)
  // An instant with more digits belongs to its unit: answers show it so. The column stands alone, for its index.
  const size = unit / TICKS
  const micros = units.map(
    ([first, last]): Extent => [first && first * size, last === null ? null : (last + 1n) * size - 1n],
  )
  return inExtents(value, micros, instantOf)
}

const ofPart = ({ list, views, decided }: Context, condition: Extract<Condition, { kind: 'part' }>): SQL => {
  const { field, part, clock, values } = condition
  const value = partOf(ifKnown(fieldsOf(views)(list, field)), part, clock, decided.ends)
  return sql`${value} = ANY(${integers(values)})`
}

/** Tests a text. The Worker may have decided the texts of the field, or for a regular expression each row. */
const ofText = (context: Context, condition: Extract<Condition, { kind: 'text' | 'match' }>): SQL => {
  const found = context.decided.texts.get(condition)
  const test = found === undefined ? condition : ({ kind: 'text', fold: null, test: 'is', texts: found } as const)
  if (test.kind === 'match') return isAmong(context, condition)
  const { field } = condition
  const value =
    typeof field === 'object'
      ? attributeIn(context.views, field.attribute).text
      : fieldsOf(context.views)(context.list, field).value
  return passes(value, test)
}

/** Tests if an attribute is one of some texts, numbers and booleans. It is unknown for a value of another type. */
const attributeAmong = (views: Views, { attribute, values }: Extract<Condition, { kind: 'equals' }>): SQL => {
  const { text, number, exact, boolean } = attributeIn(views, attribute)
  const textValues = values.filter((value) => typeof value === 'string')
  const doubles = values.filter((value) => typeof value === 'number').map(String)
  const decimals = textValues.filter((value) => wholeNumber(value) !== null).map((value) => decimalOf(exactOf(value)))
  const booleans = values.filter((value) => typeof value === 'boolean').map(String)
  const tests = [
    { value: text, given: textValues, type: sql`text` },
    exact
      ? { value: exact, given: decimals, type: sql`numeric` }
      : { value: number, given: doubles, type: sql`float8` },
    { value: boolean, given: booleans, type: sql`boolean` },
  ]
  const asked = tests
    .filter(({ given }) => given.length > 0)
    .map(({ value, given, type }) => sql`${value} = ANY(${texts(given)}::${type}[])`)
  return sql`coalesce(${listOf([...asked, sql`NULL::boolean`])})`
}

/** Tests if an attribute is in one of some extents. They have keys of doubles, exact numbers or ticks. */
const attributeInExtents = (
  views: Views,
  { attribute, as }: Exclude<FieldRef, string>,
  extents: readonly Extent[],
  exactExtents?: readonly Extent[],
): SQL => {
  const { number, exact, instant } = attributeIn(views, attribute)
  if (as === 'instant') return inExtents(instant, extents, (ticks) => sql`${keyOfInstant(ticks)}`)
  if (exact === undefined || exactExtents === undefined) return inExtents(number, extents, doubleOf)
  return inExtents(exact, exactExtents, (key) => sql`${decimalOf(key)}::numeric`)
}

/** Returns all fields that a condition names. */
export const fieldsIn = (condition: Condition): readonly FieldName[] =>
  leavesOf(condition).flatMap((leaf) => {
    if (leaf.kind === 'compare') return [leaf.left, leaf.right].flatMap(operandFields)
    return 'field' in leaf && typeof leaf.field === 'string' && leaf.field !== 'place' ? [leaf.field] : []
  })

const operandFields = (operand: Operand): readonly FieldName[] => {
  if (typeof operand === 'string') return [operand]
  if ('fold' in operand) return operandFields(operand.of)
  return 'op' in operand ? operand.of.flatMap(operandFields) : []
}
