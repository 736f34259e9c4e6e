import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Condition, Dictionary } from '../filters/filter.ts'
import { type Extent, integer, NOTHING } from '../filters/lookups.ts'
import { allOf, combine } from '../geometry/combine.ts'
import type { Area } from '../geometry/within.ts'

/** A test of a row that passes or fails. In its SQL, NULL counts as a failure. */
export interface RowTest {
  readonly write: () => Nested
  /** Set if every row passes, or every row fails. */
  readonly constant?: boolean
  /** The same test as conditions that all hold. */
  readonly conditions?: () => readonly Condition[]
  /** The same test of the dictionary's entry. */
  readonly entry?: Entry
  /** The same test of the row's place. */
  readonly place?: PlaceTest
}

/** SQL with its depth in operators. D1 takes expressions of 100 levels. */
export interface Nested {
  readonly sql: SQL
  readonly depth: number
}

/** A test of a dictionary's entry. `few`: it names one entry or a few. */
export interface Entry {
  readonly dictionary: Dictionary
  readonly match: Nested
  readonly few?: boolean
}

/** A test of a place. */
export interface PlaceTest {
  readonly x: SQLWrapper
  /** Writes SQL for the rows in an area. Their ids are looked up before. */
  readonly within: (area: Area) => SQL
  readonly area: Area
  /** The complement of the area, if fewer rows are likely to be in it. */
  readonly outside?: Area | undefined
  /** The test in SQL, if the database can decide it alone. */
  readonly text?: (() => Nested) | undefined
}

export const PASSES: RowTest = { constant: true, write: () => leaf(sql`1 = 1`), conditions: () => [] }
export const FAILS: RowTest = { constant: false, write: () => leaf(NOTHING), conditions: () => [{ sql: NOTHING }] }

/** SQL without AND and OR of ours. */
export const leaf = (text: SQL): Nested => ({ sql: text, depth: 1 })

export const sqlTest = (text: SQL): RowTest => ({ write: () => leaf(text) })

export const entryTest = (entry: Entry): RowTest => {
  const { key, id, table } = entry.dictionary
  return { entry, write: () => leaf(sql`${key} IN (SELECT ${id} FROM ${table} WHERE ${entry.match.sql})`) }
}

/** Tests a column of integers against an extent. */
export const spanTest = (column: SQLWrapper, extent: Extent): RowTest => {
  const [least, greatest] = extent
  if (least !== null && greatest !== null && least > greatest) return FAILS
  const parts = [
    ...(least === null ? [] : [sql`${column} >= ${integer(least)}`]),
    ...(greatest === null ? [] : [sql`${column} <= ${integer(greatest)}`]),
  ]
  return { conditions: () => [{ column, extent }], write: () => leaf(sql`(${sql.join(parts, sql` AND `)})`) }
}

export const placeTest = (place: PlaceTest): RowTest => ({ place, write: place.text ?? (() => lookedUp(place)) })

const lookedUp = ({ x, within, area, outside }: PlaceTest): Nested =>
  leaf(outside === undefined ? within(area) : sql`(${x} IS NOT NULL AND NOT ${within(outside)})`)

/** The conditions of the rows that pass. The filters' own conditions are preferred, as they have cheap plans. */
export const conditionsOf = ({ conditions, entry, place, write }: RowTest): readonly Condition[] => {
  if (conditions !== undefined) return conditions()
  if (entry !== undefined) return [{ ...entry, match: entry.match.sql }]
  return [place === undefined ? { sql: write().sql } : { area: place.area }]
}

type Word = 'AND' | 'OR'

/** Passes if all tests pass. */
export const every = (tests: readonly RowTest[]): RowTest => combined(tests, 'AND')

/** Passes if a test passes. */
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

/** Merges the tests of places into one, so that one look-up finds their rows, and the tests of each dictionary. */
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

const mergedEntries = (entries: readonly Entry[], word: Word): RowTest => {
  const [{ dictionary }] = entries as [Entry]
  const match = join(
    entries.map(({ match }) => match),
    word,
  )
  return entryTest({ dictionary, match, few: word === 'AND' && entries.some(({ few }) => few === true) })
}

const mergedPlaces = (places: readonly PlaceTest[], word: Word): RowTest => {
  const texts = places.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const whole = oneOf(places, word)
  const text = () =>
    join(
      texts.map((write) => write()),
      word,
    )
  if (texts.length === places.length) return placeTest({ ...whole, text })
  if (texts.length === 0 || word === 'AND') return placeTest(whole)
  const others = oneOf(
    places.filter(({ text }) => text === undefined),
    word,
  )
  return { place: whole, write: () => join([text(), lookedUp(others)], word) }
}

/** One test of the combined area. */
const oneOf = (places: readonly PlaceTest[], word: Word): PlaceTest => {
  const [place] = places as [PlaceTest]
  const areas = places.map(({ area }) => area)
  const outsides = places.flatMap(({ outside }) => (outside === undefined ? [] : [outside]))
  const union = (of: readonly Area[]) => combine(of, (within) => of.some(within))
  const text = undefined
  if (places.length === 1) return { ...place, text }
  if (word === 'OR') {
    const outside = outsides.length === 0 ? undefined : combine(areas, (within) => !areas.some(within))
    return { ...place, text, area: union(areas), outside }
  }
  const outside = outsides.length < places.length ? undefined : union(outsides)
  return { ...place, text, area: allOf(areas), outside }
}

/** Joins SQL by a word. The shallowest parts are joined first, as D1 takes expressions of 100 levels. */
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
