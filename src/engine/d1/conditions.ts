import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { eventSeries, events } from '../../../schema/tables.ts'
import { at, keptFor } from '../../base/collections.ts'
import { isAscii } from '../../filters/fold.ts'
import { patternOf } from '../../filters/pattern.ts'
import { finderOf, SEARCHED, textsIn } from '../../filters/words.ts'
import { longitudesOf } from '../../geometry/box.ts'
import type { Area, Condition, FieldRef, Term } from '../../question/condition.ts'
import type { ListName } from '../../question/fields.ts'
import { type Extent, unitsIn } from '../../question/range.ts'
import { timePart } from '../shared/summary/values.ts'
import { attributeAmong, attributeInRange, attributeIsText, attributeText, attributeValue } from './attributes.ts'
import { compared } from './compare.ts'
import { externalIds } from './dictionaries.ts'
import { type FieldColumn, storedField } from './fields.ts'
import { type Decider, entry, joinedBy, not, type Part, plain, unless } from './part.ts'
import { isEmpty } from './ranges.ts'
import { all, either, inRanges, isIn, NOTHING } from './sql.ts'
import { textTest } from './texts.ts'

/**
 * Returns the parts of a condition which must all hold. A condition of the outermost AND is read once for a request,
 * although it is checked, weighed and read. Throws ValueError for one that the database cannot decide.
 */
export const partsOf = (list: ListName, condition: Condition): readonly Part[] =>
  condition.kind === 'all' ? condition.of.flatMap((each) => partsOf(list, each)) : membersOf(KNOWN[list](condition))

const membersOf = (part: Part): readonly Part[] => (part.kind === 'all' ? part.of.flatMap(membersOf) : [part])

const outermost = (list: ListName, condition: Condition): Part =>
  condition.kind === 'not' && condition.of.kind === 'missing'
    ? isPresent(list, condition.of.field)
    : partOf(list, condition)

const KNOWN = {
  events: keptFor((condition: Condition) => outermost('events', condition)),
  series: keptFor((condition: Condition) => outermost('series', condition)),
  types: keptFor((condition: Condition) => outermost('types', condition)),
}

const partOf = (list: ListName, condition: Condition): Part => {
  switch (condition.kind) {
    case 'all':
      return joinedBy('all', eachOf(list, condition.of))
    case 'any':
      return anyOf(list, condition.of)
    case 'known':
      return { kind: 'known', of: eachOf(list, condition.of) }
    case 'unless':
      return unless(partOf(list, condition.of))
    case 'not':
      return not(partOf(list, condition.of))
    case 'same':
      return { kind: 'same', one: partOf(list, condition.one), other: partOf(list, condition.other) }
    case 'missing':
      return plain(sql`${keyOf(list, condition.field)} IS NULL`)
    case 'range':
      return ofRange(list, condition.field, condition.extents)
    case 'part':
      return ofPart(list, condition)
    case 'text':
      return ofText(list, condition)
    case 'match':
      return ofPattern(list, condition)
    case 'equals':
      return attributeAmong(condition.attribute, condition.values)
    case 'compare':
      return compared(list, condition)
    case 'area':
      return ofArea(condition)
    case 'words':
      return { kind: 'decided', by: haveTerms(condition.terms) }
  }
}

const eachOf = (list: ListName, conditions: readonly Condition[]): readonly Part[] =>
  conditions.map((each) => partOf(list, each))

/** Joins alternatives. Places and a missing place are one area. */
const anyOf = (list: ListName, of: readonly Condition[]): Part => {
  const areas = of.flatMap((each) => (isPlace(each) ? [each.area] : []))
  const orMissing = list === 'events' && areas.length > 0 && of.some(isWithoutPlace)
  if (!orMissing) return joinedBy('any', eachOf(list, of))
  const others = of.filter((each) => !isWithoutPlace(each) && !isPlace(each))
  const area = areas.length === 1 ? at(areas, 0) : { any: areas }
  return joinedBy('any', [...eachOf(list, others), { kind: 'place', area, orMissing }])
}

const isPlace = (condition: Condition): condition is Extract<Condition, { kind: 'area' }> =>
  condition.kind === 'area' && condition.of === 'point'

const isWithoutPlace = (condition: Condition): boolean => condition.kind === 'missing' && condition.field === 'place'

/**
 * Returns the part that a row has a value. It belongs to the outermost AND, which treats unknown as false. So it
 * may be the condition that a row has any entry of its dictionary, whose count is stored.
 */
const isPresent = (list: ListName, field: FieldRef | 'place'): Part => {
  const dictionary = field === 'place' || typeof field === 'object' ? undefined : storedField(list, field).dictionary
  return dictionary === undefined || dictionary.key === dictionary.id
    ? plain(sql`${keyOf(list, field)} IS NOT NULL`)
    : entry(dictionary, null)
}

/** Returns the column that is null for a row without the value. */
const keyOf = (list: ListName, field: FieldRef | 'place'): SQLWrapper => {
  if (field === 'place') return list === 'events' ? events.x : eventSeries.west
  if (typeof field === 'object') return attributeValue(field.attribute)
  return storedField(list, field).own
}

const ofRange = (list: ListName, field: FieldRef, extents: readonly Extent[]): Part => {
  if (typeof field === 'object') return attributeInRange(field, extents)
  const stored = storedField(list, field)
  if (stored.kind === 'text') throw new RangeError(`${field} has no ranges.`)
  const { column, dictionary, isUnique = false } = stored
  const ranges =
    stored.kind === 'integer'
      ? extents.map((each) => unitsIn(each, stored.unit)).filter((each) => !isEmpty(each))
      : extents
  if (dictionary === undefined) return { kind: 'range', column, extents: ranges }
  const isOne = ranges.length === 1 && at(ranges, 0)[0] === at(ranges, 0)[1]
  return entry(dictionary, inRanges(column, ranges), isUnique && isOne)
}

/** The Worker has the clocks of all zones. */
const ofPart = (list: ListName, { field, part, clock, values }: Extract<Condition, { kind: 'part' }>): Part => {
  const [partIn, among] = [timePart(part, clock), new Set(values)]
  const test = ([start]: readonly unknown[]) => start !== null && among.has(partIn(Number(start)))
  return { kind: 'decided', by: { columns: [storedField(list, field).column], isNumeric: true, test } }
}

type Text = Extract<Condition, { kind: 'text' }>

const ofText = (list: ListName, condition: Text): Part => {
  const { field, fold, test, texts } = condition
  if (typeof field === 'object') return attributeText(field.attribute, condition)
  const stored = textIn(list, field)
  const { dictionary, isUnique = false } = stored
  const match = textTest(stored, condition)
  // The index of these ids finds only a whole text.
  const isFound = dictionary !== externalIds || (fold === null && test === 'is')
  if (dictionary === undefined || !isFound) return plain(match)
  return entry(dictionary, match, isUnique && namesFew(stored, test, texts))
}

/** A prefix of a uuid of at least this length matches one series or a few. A shorter one may match many. */
const FEW_PREFIX = 4

const namesFew = ({ isUuid }: FieldColumn, test: Text['test'], [only = '', ...others]: readonly string[]): boolean =>
  others.length === 0 && (test === 'is' || (test === 'starts' && isUuid && only.length >= FEW_PREFIX))

const textIn = (list: ListName, field: Extract<FieldRef, string>): FieldColumn => {
  const stored = storedField(list, field)
  if (stored.kind === 'text') return stored
  throw new RangeError(`${field} is not a text.`)
}

/** The Worker tests regular expressions. */
const ofPattern = (list: ListName, condition: Extract<Condition, { kind: 'match' }>): Part => {
  const { field, pattern, ignoreCase } = condition
  const test = patternOf(pattern, ignoreCase)
  const tested = (column: SQLWrapper): Part => ({
    kind: 'decided',
    by: { columns: [column], test: ([text]) => text !== null && test(String(text)) },
  })
  if (typeof field === 'object')
    return joinedBy('all', [plain(attributeIsText(field.attribute)), tested(attributeValue(field.attribute))])
  const { dictionary, column } = textIn(list, field)
  return dictionary === undefined ? tested(column) : { ...entry(dictionary, null), test }
}

const ofArea = ({ of, area }: Extract<Condition, { kind: 'area' }>): Part => {
  if (of === 'rectangle') return plain(meetsRectangle(area))
  // It is false for each place.
  if ('nowhere' in area) return { kind: 'range', column: events.x, extents: [] }
  return { kind: 'place', area, orMissing: false }
}

/** Tests if the rectangle of a series shares a point with a box. It is null for a series without a rectangle. */
const meetsRectangle = (area: Area): SQL => {
  if ('nowhere' in area) return NOTHING
  if (!('box' in area)) throw new RangeError('Only boxes are compared with the rectangles of series.')
  const [, south, , north] = area.box
  const { west, south: least, east, north: greatest } = eventSeries
  const across = longitudesOf(area.box).map(([from, to]) => sql`(${west} <= ${to} AND ${east} >= ${from})`)
  return sql`(${least} <= ${north} AND ${greatest} >= ${south} AND ${either(across)})`
}

// The texts of an event: entries of dictionaries, and columns of the row. The last column is JSON.
const fields = SEARCHED.map((name) => storedField('events', name))
const dictionaries = fields.flatMap(({ joined }) => joined ?? [])
const keys = dictionaries.map(({ key }) => key)
const own = fields.flatMap(({ joined, own }) => (joined === null ? own : []))

/** Returns the condition that each term occurs in a text of a row. */
const haveTerms = (terms: readonly Term[]): Decider => {
  const everything = 2 ** terms.length - 1
  const termsIn = finderOf(terms)
  return {
    columns: [...own, ...keys],
    sought: dictionaries.map((dictionary) => ({
      dictionary,
      match: either([isBeyondAscii(dictionary.text), ...terms.map((term) => mayHave(dictionary.text, term))]),
      test: termsIn,
    })),
    may: (found) => {
      const places = terms.map((term, t) => {
        const named = keys.flatMap((key, d) => {
          const ids = [...at(found, d)].flatMap(([id, bits]) => (bits & (1 << t) ? [Number(id)] : []))
          return ids.length > 0 ? [isIn(key, ids)] : []
        })
        return either([...named, ...own.map((column) => mayHave(column, term))])
      })
      return either([...own.map(isBeyondAscii), all(places)])
    },
    test: (values, found) => {
      const named = keys.reduce((bits, _, d) => bits | (at(found, d).get(values[own.length + d]) ?? 0), 0)
      if (named === everything) return true
      const columns = values.slice(0, own.length).map((value) => (typeof value === 'string' ? value : ''))
      const document = columns.pop() || '{}'
      const all = [...columns, ...textsIn(JSON.parse(document))]
      return all.reduce((bits, text) => bits | termsIn(text), named) === everything
    },
  }
}

/** Selects the texts that are not in ASCII. Folding may turn other characters into those of a term. */
const isBeyondAscii = (column: SQLWrapper): SQL => sql`octet_length(${column}) > length(${column})`

/** Selects the texts in ASCII that have a term, and more. */
const mayHave = (column: SQLWrapper, { words }: Term): SQL =>
  words.every(isAscii) ? all(words.map((word) => sql`instr(lower(${column}), ${word}) > 0`)) : NOTHING
