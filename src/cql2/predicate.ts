import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../collections.ts'
import { type Among, type Condition, inRange, oneOf } from '../filters/filter.ts'
import { type ColumnRange, isIn, NOTHING, OPERATORS, within } from '../filters/sql.ts'
import { type Area, allOf, combine } from '../geometry/within.ts'

/**
 * A predicate about a row. By three-valued logic it is true, false or NULL. It is NULL if the row does not have the
 * value.
 */
export interface Predicate {
  /** Returns the test that the predicate is true, or that it is false. A row with NULL fails both. */
  readonly test: (truth: boolean) => RowTest
  /** Writes the predicate as SQL with the value 1, 0 or NULL. */
  readonly answer: () => Nested
}

type Word = 'AND' | 'OR'

/** SQL and its depth in operators. D1 limits an expression to 100 levels. */
interface Nested {
  readonly sql: SQL
  readonly depth: number
}

/** A test that a row passes or fails. NULL in its SQL is a failure. All of its conditions must hold. */
interface RowTest {
  readonly write: () => Nested
  readonly conditions?: () => readonly Condition[]
  readonly entry?: EntryTest
  readonly place?: PlaceTest
}

type EntryTest = Pick<Among, 'dictionary' | 'few'> & { readonly match: Nested }

/** A test of the row's place. */
interface PlaceTest {
  readonly x: SQLWrapper
  /** Writes SQL for the rows in an area. The Worker looks up their ids before the query. */
  readonly within: (area: Area) => SQL
  readonly area: Area
  /** The complement of `area`, if it probably has fewer rows. The SQL then excludes its rows. */
  readonly outside: Area | null
  /** The test in SQL. Null: the database cannot decide it without a look-up. */
  readonly text: Nested | null
}

/** Wraps SQL that has no AND or OR from this file. */
const leaf = (text: SQL): Nested => ({ sql: text, depth: 1 })
/** Writes NOT. By default it adds no level, because that would change the order in `join` and the rows read. */
const negated = (inner: Nested, levels = 0): Nested => ({ sql: sql`NOT (${inner.sql})`, depth: inner.depth + levels })

const PASSES: RowTest = { write: () => leaf(sql`1 = 1`), conditions: () => [] }
const FAILS: RowTest = { write: () => leaf(NOTHING), conditions: () => [{ kind: 'sql', sql: NOTHING }] }

const spanTest = (column: SQLWrapper, extent: ColumnRange): RowTest => ({
  conditions: () => [inRange(column, extent)],
  write: () => leaf(within(column, extent)),
})

const entryTest = (entry: EntryTest): RowTest => {
  const { key, id, table } = entry.dictionary
  return { entry, write: () => leaf(sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${entry.match.sql})`) }
}

const placeTest = (place: PlaceTest): RowTest => ({ place, write: () => place.text ?? lookedUp(place) })

const lookedUp = ({ x, within, area, outside }: PlaceTest): Nested =>
  leaf(outside === null ? within(area) : sql`(${x} IS NOT NULL AND NOT ${within(outside)})`)

/** Returns the conditions of a test. Those of the list filters have cheap plans, so SQL is the last resort. */
export const conditionsOf = ({ conditions, entry, place, write }: RowTest): readonly Condition[] => {
  if (conditions !== undefined) return conditions()
  if (entry !== undefined) return [{ kind: 'entries', ...entry, match: entry.match.sql }]
  return [place === undefined ? { kind: 'sql', sql: write().sql } : { kind: 'area', area: place.area }]
}

/** Returns a predicate with one value for all rows. */
export const constant = (truth: boolean): Predicate => ({
  test: (expected) => (truth === expected ? PASSES : FAILS),
  answer: () => leaf(truth ? sql`1` : sql`0`),
})

const decided = (answer: () => Nested): Predicate => ({
  test: (truth) => ({ write: truth ? answer : () => negated(answer()) }),
  answer,
})

/** Returns a predicate that the database decides. The value of the SQL is 1, 0 or NULL. */
export const plain = (text: SQL): Predicate => decided(() => leaf(text))

/** Returns a predicate that is NULL if a column of the row is NULL. */
const present = (column: SQLWrapper, test: Predicate['test']): Predicate => ({
  test,
  answer: () => leaf(sql`CASE WHEN ${column} IS NOT NULL THEN ${test(true).write().sql} END`),
})

/** Returns a predicate about the row's entry in a dictionary. */
export const ofEntry = (dictionary: Among['dictionary'], match: SQL, few: boolean): Predicate =>
  present(dictionary.key, (truth) =>
    entryTest(
      truth ? { dictionary, match: leaf(match), few } : { dictionary, match: negated(leaf(match)), few: false },
    ),
  )

/** Returns the predicate that is false for each value of a column. */
export const never = (column: SQLWrapper): Predicate =>
  present(column, (truth) => (truth ? FAILS : { write: () => leaf(sql`${column} IS NOT NULL`) }))

/** Returns the predicate that an integer column is in a range. */
export const ofRange = (column: SQLWrapper, [least, greatest]: ColumnRange): Predicate => {
  if (least !== null && greatest !== null && least > greatest) return never(column)
  const below = least === null ? [] : [spanTest(column, [null, least - 1n])]
  const above = greatest === null ? [] : [spanTest(column, [greatest + 1n, null])]
  return present(column, (truth) =>
    truth ? spanTest(column, [least, greatest]) : combined([...below, ...above], 'OR'),
  )
}

/** Returns the predicate that an integer column is one of these values. */
export const ofList = (column: SQLWrapper, values: readonly bigint[]): Predicate => {
  const { test, answer } = plain(isIn(column, values))
  const conditions = (): Condition[] => [oneOf(column, values)]
  return { test: (truth) => ({ ...test(truth), ...(truth && { conditions }) }), answer }
}

/** Returns the predicate that a place is in an area. `text` is its SQL, if the database can decide it. */
export const ofArea = ({ x, within }: Pick<PlaceTest, 'x' | 'within'>, area: Area, text: SQL | null): Predicate => {
  const written = text && leaf(text)
  return present(x, (truth) => {
    if (truth) return placeTest({ x, within, area, outside: null, text: written })
    const complement = combine([area], (inside) => !inside(area))
    return placeTest({ x, within, area: complement, outside: area, text: written && negated(written) })
  })
}

export const not = ({ test, answer }: Predicate): Predicate => ({
  test: (truth) => test(!truth),
  answer: () => negated(answer(), 1),
})

const joined =
  (word: Word, opposite: Word) =>
  (parts: readonly Predicate[]): Predicate => ({
    test: (truth) => {
      const tests = parts.map(({ test }) => test(truth))
      return combined(tests, truth ? word : opposite)
    },
    answer: () => join(word, ...parts.map(({ answer }) => answer())),
  })

export const and = joined('AND', 'OR')
export const or = joined('OR', 'AND')

/** Returns the predicate that two predicates have the same value. */
export const same = (one: Predicate, other: Predicate): Predicate =>
  decided(() => {
    const [a, b] = [one.answer(), other.answer()]
    return { sql: sql`(${a.sql}) = (${b.sql})`, depth: Math.max(a.depth, b.depth) + 1 }
  })

const combined = (tests: readonly RowTest[], word: Word): RowTest => {
  const [decisive, neutral] = word === 'OR' ? [PASSES, FAILS] : [FAILS, PASSES]
  if (tests.includes(decisive)) return decisive
  const others = tests.filter((test) => test !== neutral)
  // One look-up finds the rows of all places, and one query the entries of a dictionary.
  const groups = Map.groupBy(others, (test) => (test.place ? 'place' : (test.entry?.dictionary.key ?? test)))
  const parts = Array.from(groups.values(), (group) => (group.length === 1 ? at(group, 0) : merged(group, word)))
  const [only = neutral] = parts
  if (parts.length < 2) return only
  const write = () => join(word, ...parts.map((part) => part.write()))
  return word === 'OR' ? { write } : { write, conditions: () => parts.flatMap(conditionsOf) }
}

/** Returns one test for several tests of places, or of one dictionary. */
const merged = (tests: readonly RowTest[], word: Word): RowTest => {
  const entries = tests.flatMap(({ entry }) => entry ?? [])
  if (entries.length > 0) {
    const few = word === 'AND' && entries.some((entry) => entry.few)
    return entryTest({ ...at(entries, 0), match: join(word, ...entries.map(({ match }) => match)), few })
  }
  const places = tests.flatMap(({ place }) => place ?? [])
  const texts = places.flatMap(({ text }) => text ?? [])
  const others = places.filter(({ text }) => text === null)
  const place = oneArea(places, word)
  if (others.length === 0) return placeTest({ ...place, text: join(word, ...texts) })
  if (texts.length === 0 || word === 'AND') return placeTest(place)
  return { place, write: () => join(word, ...texts, lookedUp(oneArea(others, word))) }
}

/** Returns one test of the combined area. */
const oneArea = (places: readonly PlaceTest[], word: Word): PlaceTest => {
  const place = { ...at(places, 0), text: null }
  if (places.length === 1) return place
  const areas = places.map(({ area }) => area)
  const outsides = places.flatMap(({ outside }) => outside ?? [])
  const union = (members: readonly Area[]) => combine(members, (within) => members.some(within))
  if (word === 'AND')
    return { ...place, area: allOf(areas), outside: outsides.length < places.length ? null : union(outsides) }
  const outside = outsides.length === 0 ? null : combine(areas, (within) => !areas.some(within))
  return { ...place, area: union(areas), outside }
}

/** Joins SQL by AND or OR. Joins the parts of least depth first, because D1 limits an expression to 100 levels. */
const join = (word: Word, ...parts: readonly Nested[]): Nested => {
  const waiting = [...parts].reverse().sort((a, b) => b.depth - a.depth)
  for (;;) {
    const [a, b] = [waiting.pop(), waiting.pop()]
    if (a === undefined) throw new Error('nothing to join')
    if (b === undefined) return a
    const both = { sql: sql`(${a.sql} ${OPERATORS[word]} ${b.sql})`, depth: Math.max(a.depth, b.depth) + 1 }
    const place = waiting.findLastIndex(({ depth }) => depth >= both.depth)
    waiting.splice(place + 1, 0, both)
  }
}
