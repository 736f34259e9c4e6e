import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Condition, Dictionary } from '../filters/filter.ts'
import { type ColumnRange, integer, NOTHING } from '../filters/sql.ts'
import { allOf, combine } from '../geometry/combine.ts'
import type { Area } from '../geometry/within.ts'

/** A test that a row passes or fails. NULL in its SQL is a failure. */
export interface RowTest {
  readonly write: () => Nested
  /** True if all rows pass, false if all rows fail. Otherwise absent. */
  readonly constant?: boolean
  /** An equivalent list of conditions. All of them must hold. */
  readonly conditions?: () => readonly Condition[]
  /** An equivalent test of the dictionary's entry. */
  readonly entry?: EntryTest
  /** An equivalent test of the row's place. */
  readonly place?: PlaceTest
}

/** SQL and its depth in operators. D1 limits an expression to 100 levels. */
export interface Nested {
  readonly sql: SQL
  readonly depth: number
}

/** A test of an entry in a dictionary. `namesFewRows`: it matches one entry or a few. */
export interface EntryTest {
  readonly dictionary: Dictionary
  readonly match: Nested
  readonly namesFewRows?: boolean
}

/** A test of the row's place. */
export interface PlaceTest {
  readonly x: SQLWrapper
  /** Writes SQL for the rows in an area. The Worker looks up their ids before the query. */
  readonly within: (area: Area) => SQL
  readonly area: Area
  /** The complement of `area`, if it probably has fewer rows. The SQL then excludes its rows. */
  readonly outside?: Area | undefined
  /** The test in SQL, if the database can decide it without a look-up. */
  readonly text?: (() => Nested) | undefined
}

export const PASSES: RowTest = { constant: true, write: () => leaf(sql`1 = 1`), conditions: () => [] }
export const FAILS: RowTest = {
  constant: false,
  write: () => leaf(NOTHING),
  conditions: () => [{ kind: 'sql', sql: NOTHING }],
}

/** Wraps SQL that has no AND or OR from this file. */
export const leaf = (text: SQL): Nested => ({ sql: text, depth: 1 })

export const sqlTest = (text: SQL): RowTest => ({ write: () => leaf(text) })

export const entryTest = (entry: EntryTest): RowTest => {
  const { key, id, table } = entry.dictionary
  return { entry, write: () => leaf(sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${entry.match.sql})`) }
}

/** Returns the test that an integer column is in a range. */
export const spanTest = (column: SQLWrapper, extent: ColumnRange): RowTest => {
  const [least, greatest] = extent
  if (least !== null && greatest !== null && least > greatest) return FAILS
  const parts = [
    ...(least === null ? [] : [sql`${column} >= ${integer(least)}`]),
    ...(greatest === null ? [] : [sql`${column} <= ${integer(greatest)}`]),
  ]
  return {
    conditions: () => [{ kind: 'span', column, extent }],
    write: () => leaf(sql`(${sql.join(parts, sql` AND `)})`),
  }
}

export const placeTest = (place: PlaceTest): RowTest => ({ place, write: place.text ?? (() => lookedUp(place)) })

const lookedUp = ({ x, within, area, outside }: PlaceTest): Nested =>
  leaf(outside === undefined ? within(area) : sql`(${x} IS NOT NULL AND NOT ${within(outside)})`)

/**
 * Returns the conditions of a test. Uses the conditions of the list filters if possible, because they have cheap plans.
 */
export const conditionsOf = ({ conditions, entry, place, write }: RowTest): readonly Condition[] => {
  if (conditions !== undefined) return conditions()
  if (entry !== undefined) return [{ kind: 'entries', ...entry, match: entry.match.sql }]
  return [place === undefined ? { kind: 'sql', sql: write().sql } : { kind: 'area', area: place.area }]
}

type Word = 'AND' | 'OR'

/** Returns the test that a row passes all of these tests. */
export const every = (tests: readonly RowTest[]): RowTest => combined(tests, 'AND')

/** Returns the test that a row passes at least one of these tests. */
export const some = (tests: readonly RowTest[]): RowTest => combined(tests, 'OR')

const combined = (tests: readonly RowTest[], word: Word): RowTest => {
  const [decisive, neutral] = word === 'OR' ? [PASSES, FAILS] : [FAILS, PASSES]
  if (tests.some(({ constant }) => constant === decisive.constant)) return decisive
  const parts = merged(
    tests.filter(({ constant }) => constant === undefined),
    word,
  )
  const [only = neutral] = parts
  if (parts.length < 2) return only
  const write = () =>
    join(
      parts.map((part) => part.write()),
      word,
    )
  return word === 'OR' ? { write } : { write, conditions: () => parts.flatMap(conditionsOf) }
}

/**
 * Merges all tests of places into one, so that one look-up finds their rows. Merges the tests of each dictionary in the
 * same way.
 */
const merged = (tests: readonly RowTest[], word: Word): RowTest[] => {
  const groups = new Map<unknown, [RowTest, ...RowTest[]]>()
  for (const test of tests) {
    const key = test.place === undefined ? (test.entry?.dictionary.key ?? test) : 'place'
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [test])
    else group.push(test)
  }
  return Array.from(groups.values(), (group) => {
    const places = group.flatMap(({ place }) => (place === undefined ? [] : [place]))
    const entries = group.flatMap(({ entry }) => (entry === undefined ? [] : [entry]))
    if (places.length > 1) return mergedPlaces(places, word)
    return entries.length > 1 ? mergedEntries(entries, word) : group[0]
  })
}

const mergedEntries = (entries: readonly EntryTest[], word: Word): RowTest => {
  const [{ dictionary }] = entries as [EntryTest]
  const match = join(
    entries.map(({ match }) => match),
    word,
  )
  const namesFewRows = word === 'AND' && entries.some((entry) => entry.namesFewRows === true)
  return entryTest({ dictionary, match, namesFewRows })
}

const mergedPlaces = (places: readonly PlaceTest[], word: Word): RowTest => {
  const texts = places.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const combinedPlace = oneOf(places, word)
  const text = () =>
    join(
      texts.map((write) => write()),
      word,
    )
  if (texts.length === places.length) return placeTest({ ...combinedPlace, text })
  if (texts.length === 0 || word === 'AND') return placeTest(combinedPlace)
  const others = oneOf(
    places.filter(({ text }) => text === undefined),
    word,
  )
  return { place: combinedPlace, write: () => join([text(), lookedUp(others)], word) }
}

/** Returns one test of the combined area. */
const oneOf = (places: readonly PlaceTest[], word: Word): PlaceTest => {
  const [place] = places as [PlaceTest]
  const areas = places.map(({ area }) => area)
  const outsides = places.flatMap(({ outside }) => (outside === undefined ? [] : [outside]))
  const union = (members: readonly Area[]) => combine(members, (within) => members.some(within))
  const text = undefined
  if (places.length === 1) return { ...place, text }
  if (word === 'OR') {
    const outside = outsides.length === 0 ? undefined : combine(areas, (within) => !areas.some(within))
    return { ...place, text, area: union(areas), outside }
  }
  const outside = outsides.length < places.length ? undefined : union(outsides)
  return { ...place, text, area: allOf(areas), outside }
}

/** Joins SQL by AND or OR. Joins the parts of least depth first, because D1 limits an expression to 100 levels. */
export const join = (parts: readonly Nested[], word: Word): Nested => {
  const waiting = [...parts].reverse().sort((a, b) => b.depth - a.depth)
  for (;;) {
    const [a, b] = [waiting.pop(), waiting.pop()]
    if (a === undefined) throw new Error('nothing to join')
    if (b === undefined) return a
    const both = { sql: sql`(${a.sql} ${sql.raw(word)} ${b.sql})`, depth: Math.max(a.depth, b.depth) + 1 }
    const place = waiting.findLastIndex(({ depth }) => depth >= both.depth)
    waiting.splice(place + 1, 0, both)
  }
}
