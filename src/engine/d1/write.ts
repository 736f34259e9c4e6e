import { type SQL, sql } from 'drizzle-orm'
import { eventSeries, events } from '../../../schema/tables.ts'
import { at } from '../../collections.ts'
import type { Asked } from '../../filters/filter.ts'
import { longitudesOf } from '../../geometry/box.ts'
import type { Area, Condition, Field } from '../../question/condition.ts'
import type { ListName } from '../../question/fields.ts'
import { ceiling, type Extent, floor } from '../../question/range.ts'
import { areaOf } from './area.ts'
import { attributeAmong, attributeInRange, attributeText, attributeValue } from './attributes.ts'
import { complementOf, testOf } from './complement.ts'
import { type Among, entries, type Condition as Own } from './condition.ts'
import { series } from './dictionaries.ts'
import { type StoredText, storedField } from './fields.ts'
import { all, either, inRanges, NOTHING } from './sql.ts'
import { patternOf, textTest } from './texts.ts'
import { haveTerms } from './words.ts'

/** Turns a condition of a question into conditions of the planner, which must all hold. */
export const conditionsFor = (list: ListName, condition: Condition): readonly Own[] => {
  switch (condition.kind) {
    case 'all':
      return condition.of.flatMap((each) => conditionsFor(list, each))
    case 'any':
      return [anyOf(condition.of.map((each) => conditionsFor(list, each)))]
    case 'unless':
      return [complementOf(conditionsFor(list, condition.of))]
    case 'not':
      if (condition.of.kind !== 'missing') break
      return [ofPresence(list, condition.of.field, false)]
    case 'missing':
      return [ofPresence(list, condition.field, true)]
    case 'range':
      return [ofRange(list, condition.field, condition.extents)]
    case 'text':
      return [ofText(list, condition)]
    case 'match':
      return ofPattern(list, condition)
    case 'equals':
      return [{ kind: 'sql', sql: attributeAmong(condition.attribute, condition.values) }]
    case 'area':
      return [ofArea(condition)]
    case 'words':
      return [haveTerms(condition.terms)]
  }
  throw new RangeError(`The planner takes no condition of the kind ${condition.kind}.`)
}

/** Turns the values of parameters into conditions of the planner. */
export const conditionsOfAll = (list: ListName, asked: Asked | readonly Asked[]): Own[] =>
  [asked]
    .flat()
    .flatMap((each) => (each.kind === 'latest' ? [{ kind: 'latest', of: series }] : conditionsFor(list, each)))

/** Joins alternatives. One query finds the entries of one dictionary. */
const anyOf = (parts: readonly (readonly Own[])[]): Own => {
  const among = parts.flatMap(([only, ...others]) => (others.length === 0 && isAmongSql(only) ? [only] : []))
  const [first] = among
  if (
    first === undefined ||
    among.length < parts.length ||
    among.some(({ dictionary }) => dictionary.key !== first.dictionary.key)
  )
    return { kind: 'sql', sql: either(parts.map((each) => all(each.map(testOf)))) }
  return entries(first.dictionary, either(among.map(({ match }) => match)))
}

const isAmongSql = (condition: Own | undefined): condition is Among & { readonly match: SQL } =>
  condition?.kind === 'entries' && typeof condition.match !== 'function'

/** Returns the condition that a row has a value, or that it has none. All entries of a dictionary have stored counts. */
const ofPresence = (list: ListName, field: Field | 'place', isMissing: boolean): Own => {
  const key = keyOf(list, field)
  if (isMissing) return { kind: 'sql', sql: sql`${key} IS NULL` }
  const dictionary = field === 'place' || typeof field === 'object' ? undefined : storedField(list, field).dictionary
  return dictionary === undefined ? { kind: 'sql', sql: sql`${key} IS NOT NULL` } : entries(dictionary, sql`1`)
}

/** Returns the column that is null for a row without the value. */
const keyOf = (list: ListName, field: Field | 'place') => {
  if (field === 'place') return list === 'events' ? events.x : eventSeries.west
  if (typeof field === 'object') return attributeValue(field.attribute)
  const { dictionary, column } = storedField(list, field)
  return dictionary?.key ?? column
}

const ofRange = (list: ListName, field: Field, extents: readonly Extent[]): Own => {
  if (typeof field === 'object') return { kind: 'sql', sql: attributeInRange(field.attribute, extents) }
  const stored = storedField(list, field)
  if (stored.kind === 'text') throw new RangeError(`${field} has no ranges.`)
  const { column, dictionary, isUnique = false } = stored
  const ranges = stored.kind === 'integer' ? extents.flatMap((extent) => inUnit(extent, stored.unit)) : extents
  if (dictionary === undefined) return { kind: 'range', column, extents: ranges }
  const isOne = ranges.length === 1 && at(ranges, 0)[0] === at(ranges, 0)[1]
  return entries(dictionary, inRanges(column, ranges), isUnique && isOne)
}

/** Returns the values of a column in an extent. Exact: 1.5 milliseconds are less than 2 and more than 1. */
export const inUnit = ([least, greatest]: Extent, unit: bigint): Extent[] => {
  const first = least === null ? null : ceiling(least, unit)
  const last = greatest === null ? null : floor(greatest, unit)
  return first !== null && last !== null && first > last ? [] : [[first, last]]
}

type Text = Extract<Condition, { kind: 'text' }>

const ofText = (list: ListName, condition: Text): Own => {
  const { field, test, texts } = condition
  if (typeof field === 'object') return { kind: 'sql', sql: attributeText(field.attribute, condition) }
  const stored = textIn(list, field)
  const match = textTest(stored, condition)
  if (stored.dictionary === undefined) return { kind: 'sql', sql: match }
  return entries(stored.dictionary, match, stored.isUnique === true && namesFew(stored, test, texts))
}

/** A prefix of a uuid of at least this length matches one series or a few. A shorter one may match many. */
const FEW_PREFIX = 4

const namesFew = (
  { isUuid = false }: StoredText,
  test: Text['test'],
  [only = '', ...others]: readonly string[],
): boolean => others.length === 0 && (test === 'is' || (test === 'starts' && isUuid && only.length >= FEW_PREFIX))

const textIn = (list: ListName, field: Extract<Field, string>): StoredText => {
  const stored = storedField(list, field)
  if (stored.kind === 'text') return stored
  throw new RangeError(`${field} is not a text.`)
}

/** The Worker tests regular expressions. */
const ofPattern = (list: ListName, condition: Extract<Condition, { kind: 'match' }>): readonly Own[] => {
  const { field, pattern, ignoreCase } = condition
  const test = patternOf(pattern, ignoreCase)
  if (typeof field === 'object') {
    const value = attributeValue(field.attribute)
    const isText = { kind: 'sql', sql: attributeText(field.attribute, null) } as const
    return [isText, { kind: 'rows', columns: [value], test: ([text]) => test(String(text)) }]
  }
  const { dictionary, column } = textIn(list, field)
  if (dictionary !== undefined) return [entries(dictionary, test)]
  return [{ kind: 'rows', columns: [column], test: ([text]) => test(String(text)) }]
}

const ofArea = ({ of, area }: Extract<Condition, { kind: 'area' }>): Own =>
  of === 'point' ? { kind: 'area', area: areaOf(area) } : { kind: 'sql', sql: meetsRectangle(area) }

/** Tests if the rectangle of a series shares a point with a box. It is null for a series without a rectangle. */
const meetsRectangle = (area: Area): SQL => {
  if ('nowhere' in area) return NOTHING
  if (!('box' in area)) throw new RangeError('Only boxes are compared with the rectangles of series.')
  const [, south, , north] = area.box
  const { west, south: least, east, north: greatest } = eventSeries
  const across = longitudesOf(area.box).map(([from, to]) => sql`(${west} <= ${to} AND ${east} >= ${from})`)
  return sql`(${least} <= ${north} AND ${greatest} >= ${south} AND ${either(across)})`
}
