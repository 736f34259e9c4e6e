import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { at } from '../../base/collections.ts'
import type { Steps } from '../../base/work.ts'
import { caseFold, fold } from '../../filters/fold.ts'
import { patternOf } from '../../filters/pattern.ts'
import { finderOf, textsIn } from '../../filters/words.ts'
import { geometriesOf } from '../../geometry/geometry.ts'
import { type Area, allOf, type Condition, leavesOf, type Term } from '../../question/condition.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import { isLikePattern } from '../../question/like.ts'
import { areaOf } from '../area.ts'
import { MAX_TESTED, MAX_TEXTS } from '../limits.ts'
import { around, geometryOf, ringOf } from './area.ts'
import { attributeIn } from './attributes.ts'
import { fieldsOf } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { all, either } from './sql.ts'
import { type Decided, fieldsIn, idOf, where } from './where.ts'

/** A condition or an area that the Worker decides for each row. SQL preselects the rows. */
interface RowTest {
  readonly of: Condition | Area
  readonly fields: readonly FieldName[]
  readonly columns: readonly SQL[]
  readonly may: SQL | null
  readonly passes: (values: readonly unknown[]) => boolean
}

const UNDECIDED: Decided = { rows: new Map(), texts: new Map(), parts: new Set() }

/** Decides the parts of a condition that SQL cannot decide, or decides slowly. */
export const decide = async (snapshot: Snapshot, list: ListName, condition: Condition): Promise<Decided> => {
  const leaves = leavesOf(condition)
  const areas = leaves.flatMap((leaf) => (leaf.kind === 'area' && leaf.of === 'point' ? partsOf(leaf.area) : []))
  const polygons = areas
    .filter((area) => isOfPolygons(area))
    .filter(({ within }) => geometriesOf(within).polygons.length > 0)
  const named = leaves.filter((leaf) => isOfTexts(snapshot, list, leaf))
  const rows = leaves.filter((leaf) => leaf.kind === 'match' || leaf.kind === 'words')
  if (areas.length + named.length + rows.length === 0) return UNDECIDED
  const [validity, texts] = await Promise.all([
    snapshot.read(...polygons.map(validityOf)),
    snapshot.read(...named.map((leaf) => textsOf(snapshot, list, fieldOf(leaf)))),
  ])
  const decided = {
    rows: new Map<Condition | Area, readonly number[]>(),
    texts: new Map<Condition, readonly string[]>(),
    parts: new Set<Area>(),
  }
  for (const [i, leaf] of named.entries()) {
    const found = at(texts, i).map(({ text }) => text)
    if (found.length <= MAX_TEXTS) decided.texts.set(leaf, await snapshot.work.run(passing(leaf, found)))
  }
  const invalid = new Set<Area>()
  for (const [i, area] of polygons.entries()) {
    const [{ whole, parts } = { whole: false, parts: false }] = at(validity, i)
    if (!whole && parts) decided.parts.add(area)
    if (!whole && !parts) invalid.add(area)
  }
  const tests = [
    ...areas.filter((area) => invalid.has(area) || !isOfPolygons(area)).map(testOfArea),
    ...rows.filter((leaf) => !decided.texts.has(leaf)).map((leaf) => testOf(snapshot, list, leaf)),
  ]
  if (tests.length === 0) return decided
  const others = condition.kind === 'all' ? condition.of.filter((each) => isDecided(each, tests)) : []
  for (const test of tests) decided.rows.set(test.of, await idsOf(snapshot, list, allOf(others), decided, test))
  return decided
}

/** Returns the geometries and circles in an area. */
const partsOf = (area: Area): readonly Area[] => {
  if ('all' in area) return area.all.flatMap(partsOf)
  if ('any' in area) return area.any.flatMap(partsOf)
  if ('outside' in area) return partsOf(area.outside)
  return 'within' in area || 'circle' in area ? [area] : []
}

const isOfPolygons = (area: Area): area is Extract<Area, { within: unknown }> => {
  if (!('within' in area)) return false
  const { points, lines } = geometriesOf(area.within)
  return points.length + lines.length === 0
}

/** Tells if PostGIS can decide the polygons of an area together, or else one by one. */
const validityOf = (
  area: Extract<Area, { within: unknown }>,
): SQL<{ readonly whole: boolean; readonly parts: boolean }> =>
  sql`SELECT ST_IsValid(g) AS whole, (SELECT bool_and(ST_IsValid(part.geom)) FROM ST_Dump(g) AS part) AS parts
    FROM (SELECT ${geometryOf(area.within)} AS g OFFSET 0) AS asked`

type OfField = Extract<Condition, { kind: 'text' | 'match' }>

const fieldOf = (leaf: Condition): FieldName => {
  const { field } = leaf as OfField
  if (typeof field === 'object') throw new RangeError('An attribute has no list of texts.')
  return field
}

/** The fields of the views of events and series whose different texts are few. */
const isOfTexts = ({ views }: Snapshot, list: ListName, leaf: Condition): boolean => {
  if ((leaf.kind !== 'text' && leaf.kind !== 'match') || typeof leaf.field === 'object') return false
  if (leaf.kind === 'text' && leaf.fold === null && leaf.test === 'is') return false
  const isOfOther = list !== 'events' || fieldsOf(views)(list, leaf.field).view !== null
  return leaf.kind === 'match' && isOfOther ? true : views.indexes.has(leaf.field)
}

/** Reads the different texts of a field. An index step finds each text of the events. */
const textsOf = ({ views }: Snapshot, list: ListName, name: FieldName): SQL<{ readonly text: string }> => {
  const { value } = fieldsOf(views)(list, name)
  const most = String(MAX_TEXTS + 1)
  if (views.indexes.has(name)) {
    const next = (condition: SQL) => sql`SELECT ${value} FROM event AS e WHERE ${condition} ORDER BY ${value} LIMIT 1`
    return sql`WITH RECURSIVE found(text) AS ((${next(sql`true`)}) UNION ALL
      SELECT (${next(sql`${value} > found.text`)}) FROM found WHERE found.text IS NOT NULL)
      SELECT text FROM found WHERE text IS NOT NULL LIMIT ${most}`
  }
  // The series and their types have all texts of their events.
  const source = sourceOf(
    views,
    ACCESS_LEVELS.Hidden,
    list === 'types' ? list : 'series',
    list === 'types' ? [] : ['unit'],
  )
  return sql`${selectFrom(source, sql`DISTINCT ${value} AS text`, sql`${value} IS NOT NULL`)} LIMIT ${most}`
}

function* passing(leaf: Condition, texts: readonly string[]): Steps<string[]> {
  const test = testOfText(leaf as OfField)
  const found: string[] = []
  for (const text of texts) {
    if (test(text)) found.push(text)
    yield
  }
  return found
}

const TESTS = {
  is: (text: string, other: string) => text === other,
  has: (text: string, other: string) => text.includes(other),
  starts: (text: string, other: string) => text.startsWith(other),
  ends: (text: string, other: string) => text.endsWith(other),
  like: isLikePattern,
}

const testOfText = (leaf: OfField): ((text: string) => boolean) => {
  if (leaf.kind === 'match') return patternOf(leaf.pattern, leaf.ignoreCase)
  const folding = leaf.fold === null ? (text: string) => text : { upper: fold, casei: caseFold }[leaf.fold]
  return (text) => {
    const folded = folding(text)
    return leaf.texts.some((each) => TESTS[leaf.test](folded, each))
  }
}

/** Tests the point of an event. It comes as its coordinates, which have all their digits. */
const testOfArea = (area: Area): RowTest => {
  const prepared = areaOf(area)
  const may = 'circle' in area ? ringOf(area) : 'within' in area ? around(area.within) : null
  return {
    of: area,
    fields: [],
    columns: [sql`ST_X(e.geometry)`, sql`ST_Y(e.geometry)`],
    may,
    passes: ([x, y]) => prepared.contains(Number(x), Number(y)),
  }
}

const testOf = (snapshot: Snapshot, list: ListName, leaf: Condition): RowTest => {
  if (leaf.kind === 'words') return testOfWords(snapshot, leaf)
  if (leaf.kind !== 'match') throw new RangeError(`SQL decides ${leaf.kind}.`)
  const { field } = leaf
  const test = patternOf(leaf.pattern, leaf.ignoreCase)
  const value =
    typeof field === 'object'
      ? attributeIn(snapshot.views, field.attribute).text
      : fieldsOf(snapshot.views)(list, field).value
  const passes = ([text]: readonly unknown[]) => test(String(text))
  const fields = typeof field === 'object' ? [] : [field]
  return { of: leaf, fields, columns: [value], may: sql`${value} IS NOT NULL`, passes }
}

/** The texts of an event that the search for words reads. The last one is JSON: its values are texts, but its names are not. */
const WORDS = ['category', 'value', 'external_id', 'object_type', 'series_name', 'attributes'] as const

const testOfWords = ({ views }: Snapshot, leaf: Extract<Condition, { kind: 'words' }>): RowTest => {
  const { terms } = leaf
  const find = finderOf(terms)
  const everything = 2 ** terms.length - 1
  const columns = WORDS.map((name) => fieldsOf(views)('events', name).shown)
  const passes = (values: readonly unknown[]) => {
    const texts = values.map((value) => (typeof value === 'string' ? value : ''))
    const document = texts.pop() || '{}'
    return [...texts, ...textsIn(JSON.parse(document))].reduce((bits, text) => bits | find(text), 0) === everything
  }
  return { of: leaf, fields: WORDS, columns, may: mayHave(columns, terms), passes }
}

/** Selects the rows whose texts in ASCII have all words, and more, and those with other characters. */
const mayHave = (columns: readonly SQL[], terms: readonly Term[]): SQL => {
  const text = sql`concat_ws(' ', ${sql.join([...columns], sql`, `)})`
  const words = terms.flatMap((term) => term.words).map((word) => sql`strpos(lower(${text} COLLATE "C"), ${word}) > 0`)
  return either([sql`octet_length(${text}) > char_length(${text})`, all(words)])
}

/** Returns true for a condition without a part that the Worker still decides. */
const isDecided = (condition: Condition, tests: readonly RowTest[]): boolean => {
  const open = tests.map(({ of }) => of)
  return leavesOf(condition).every(
    (leaf) => !open.includes(leaf) && !(leaf.kind === 'area' && partsOf(leaf.area).some((area) => open.includes(area))),
  )
}

/** Returns the ids of the rows that meet the other conditions and pass a test. */
const idsOf = async (
  snapshot: Snapshot,
  list: ListName,
  others: Condition,
  decided: Decided,
  { fields, columns, may, passes }: RowTest,
): Promise<readonly number[]> => {
  const { views, level, work, batches } = snapshot
  const source = sourceOf(views, level, list, [...fieldsIn(others), ...fields])
  const named = columns.map((column, i) => sql`${column} AS ${sql.identifier(`c${i}`)}`)
  const condition = all([where({ list, views, decided }, others), may])
  const query = selectFrom(source, sql.join([sql`${idOf(list)} AS id`, ...named], sql`, `), condition)
  const ids: number[] = []
  for await (const rows of batches(query as SQL<Readonly<Record<string, unknown>>>, () => MAX_TESTED))
    await work.run(
      (function* (): Steps<void> {
        for (const row of rows) {
          if (passes(columns.map((_, i) => row[`c${i}`]))) ids.push(Number(row.id))
          yield
        }
      })(),
    )
  return ids
}
