import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { at } from '../../base/collections.ts'
import { storedJson } from '../../base/json.ts'
import type { Steps } from '../../base/work.ts'
import { FOLDS } from '../../filters/fold.ts'
import { patternOf } from '../../filters/pattern.ts'
import { finderOf, SEARCHED, textsIn } from '../../filters/words.ts'
import { geometriesOf } from '../../geometry/geometry.ts'
import { type Area, allOf, type Condition, leavesOf } from '../../question/condition.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import { isLikePattern } from '../../question/like.ts'
import { floor, MILLISECOND } from '../../question/range.ts'
import { MAX_TESTED, MAX_TEXTS } from '../limits.ts'
import { areaOf } from '../shared/area.ts'
import { around, geometryOf, ringOf } from './area.ts'
import { attributeIn } from './attributes.ts'
import { type Ends, NO_ENDS } from './clock.ts'
import { type Decided, idOf } from './context.ts'
import { fieldsOf } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { all, integers, named } from './sql.ts'
import { fieldsIn, where } from './where.ts'
import { testOfWords } from './words.ts'

/** A condition or an area that the Worker decides for each row. SQL preselects the rows. */
interface RowTest {
  readonly of: Condition | Area
  readonly fields: readonly FieldName[]
  readonly columns: readonly SQL[]
  readonly may: SQL | null
  /** SQL may tell that a row passes. The Worker then reads only the ids of such rows. */
  readonly sure?: SQL | null
  readonly passes: (values: readonly unknown[]) => boolean
}

/** Decides the parts of a condition that SQL cannot decide, or decides slowly. */
export const decide = async (snapshot: Snapshot, list: ListName, condition: Condition): Promise<Decided> => {
  const leaves = leavesOf(condition)
  const areas = leaves.flatMap((leaf) => (leaf.kind === 'area' && leaf.of === 'point' ? partsOf(leaf.area) : []))
  const polygons = areas.filter(isOfPolygons)
  const ofTexts = leaves.filter((leaf) => isOfTexts(snapshot, list, leaf))
  const rows = leaves.filter((leaf) => leaf.kind === 'match' || leaf.kind === 'words')
  const decided = {
    rows: new Map<Condition | Area, readonly number[]>(),
    texts: new Map<Condition, readonly string[]>(),
    ends: leaves.some((leaf) => leaf.kind === 'part' && leaf.clock !== null)
      ? await possibleEnds(snapshot, condition)
      : NO_ENDS,
  }
  if (areas.length + ofTexts.length + rows.length === 0) return decided
  const [validity, texts] = await Promise.all([
    snapshot.read(...polygons.map(validityOf)),
    snapshot.read(...ofTexts.map((leaf) => textsOf(snapshot, list, leaf))),
  ])
  for (const [i, leaf] of ofTexts.entries()) {
    const found = at(texts, i).map(({ text }) => text)
    if (found.length <= MAX_TEXTS) decided.texts.set(leaf, await snapshot.work.run(passing(leaf, found)))
  }
  const valid = polygons.filter((_, i) => at(at(validity, i), 0).isValid)
  const tests = [
    ...areas.filter((area) => !valid.some((each) => each === area)).map(testOfArea),
    ...rows.filter((leaf) => !decided.texts.has(leaf)).map((leaf) => testOf(snapshot, list, leaf)),
  ]
  if (tests.length === 0) return decided
  const others = condition.kind === 'all' ? condition.of.filter((each) => isDecided(each, tests)) : []
  for (const test of tests) decided.rows.set(test.of, await idsOf(snapshot, list, allOf(others), decided, test))
  return decided
}

/**
 * Returns the first and the last start that may match, from the condition, or else from all events, visible or not: an index
 * has these. Starts may be infinite.
 */
export const possibleEnds = async ({ views, read }: Snapshot, condition: Condition): Promise<Ends> => {
  const parts = condition.kind === 'all' ? condition.of : [condition]
  const ranges = parts.flatMap((part) => (part.kind === 'range' && part.field === 'start' ? [part.extents] : []))
  const firsts = ranges.flatMap((extents) => extents[0]?.[0] ?? [])
  const lasts = ranges.flatMap((extents) => extents.at(-1)?.[1] ?? [])
  const least = Math.max(...firsts.map((ticks) => Number(floor(ticks, MILLISECOND))))
  const greatest = Math.min(...lasts.map((ticks) => Number(floor(ticks, MILLISECOND))))
  if (Number.isFinite(greatest - least)) return [least, greatest]
  const { value } = fieldsOf(views)('events', 'start')
  const [[row]] = await read(
    sql<Readonly<Record<'least' | 'greatest', number | null>>>`SELECT date_part('epoch', min(${value})) AS least,
      date_part('epoch', max(${value})) AS greatest FROM event AS e`,
  )
  const [first, last] = [Math.floor((row?.least ?? 0) * 1000), Math.ceil((row?.greatest ?? 0) * 1000)]
  return [Math.max(first, least), Math.min(last, greatest)]
}

/** Returns the geometries and circles in an area. */
const partsOf = (area: Area): readonly Area[] => {
  if ('all' in area) return area.all.flatMap(partsOf)
  if ('any' in area) return area.any.flatMap(partsOf)
  if ('outside' in area) return partsOf(area.outside)
  return 'within' in area || 'circle' in area ? [area] : []
}

type Within = Extract<Area, { within: unknown }>

/** Tests if an area consists of polygons alone. */
const isOfPolygons = (area: Area): area is Within => {
  if (!('within' in area)) return false
  const { points, lines, polygons } = geometriesOf(area.within)
  return points.length + lines.length === 0 && polygons.some((rings) => rings.length > 0)
}

/** Tells if PostGIS can decide the polygons of an area. */
const validityOf = (area: Within): SQL<{ readonly isValid: boolean }> =>
  sql`SELECT ST_IsValid(${geometryOf(area.within)}) AS "isValid"`

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
  if (leaf.kind === 'words') return rowTestOfWords(snapshot, leaf)
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

const rowTestOfWords = ({ views }: Snapshot, leaf: Extract<Condition, { kind: 'words' }>): RowTest => {
  const { terms } = leaf
  const find = finderOf(terms)
  const everything = 2 ** terms.length - 1
  const columns = SEARCHED.map((name) => fieldsOf(views)('events', name).shown)
  const passes = (values: readonly unknown[]) => {
    const texts = values.map((value) => (typeof value === 'string' ? value : ''))
    const document = texts.pop() || '{}'
    return [...texts, ...textsIn(storedJson(document))].reduce((bits, text) => bits | find(text), 0) === everything
  }
  return { of: leaf, fields: SEARCHED, columns, ...testOfWords(columns, terms), passes }
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
  test: RowTest,
): Promise<readonly number[]> => {
  const { fields, columns, may, sure = null } = test
  const source = sourceOf(snapshot.views, snapshot.level, list, [...fieldsIn(others), ...fields])
  const condition = all([where({ list, views: snapshot.views, decided }, others), may])
  const read = Object.fromEntries(columns.map((column, i) => [`c${i}`, column]))
  const rowsOf = (among: SQL) => selectFrom(source, named({ id: idOf(list), ...read }), among)
  const ids: number[] = []
  if (sure === null) {
    await addPassing(snapshot, rowsOf(condition), test, ids)
    return ids
  }
  // Only unsure texts come. Without this setting, one process searches, because many ids may come.
  await snapshot.read(sql`SELECT set_config('parallel_tuple_cost', '0', true)`)
  const unsure: number[] = []
  const found = selectFrom(source, named({ id: idOf(list), sure }), condition)
  await snapshot.each(found as SQL<{ readonly id: number; readonly sure: boolean }>, (row) => {
    ;(row.sure ? ids : unsure).push(row.id)
  })
  if (unsure.length > 0) await addPassing(snapshot, rowsOf(sql`${idOf(list)} = ANY(${integers(unsure)})`), test, ids)
  return ids
}

/** Reads rows with the columns of a test, and adds the ids of those that pass. */
const addPassing = async ({ batches, work }: Snapshot, rows: SQL, { columns, passes }: RowTest, ids: number[]) => {
  for await (const batch of batches(rows as SQL<Readonly<Record<string, unknown>>>, () => MAX_TESTED))
    await work.run(
      (function* (): Steps<void> {
        for (const row of batch) {
          if (passes(columns.map((_, i) => row[`c${i}`]))) ids.push(Number(row.id))
          yield
        }
      })(),
    )
}

/** A test of a text that a field has. An attribute is no field. */
type OfField = Extract<Condition, { kind: 'text' | 'match' }> & { readonly field: FieldName }

/** The fields of the views of events and series whose different texts are few. */
const isOfTexts = ({ views }: Snapshot, list: ListName, leaf: Condition): leaf is OfField => {
  if ((leaf.kind !== 'text' && leaf.kind !== 'match') || typeof leaf.field === 'object') return false
  if (leaf.kind === 'text' && leaf.fold === null && leaf.test === 'is') return false
  const isOfOther = list !== 'events' || fieldsOf(views)(list, leaf.field).view !== null
  return leaf.kind === 'match' && isOfOther ? true : views.indexes.has(leaf.field)
}

/** Reads the different texts of a field. An index step finds each text of the events. */
const textsOf = ({ views }: Snapshot, list: ListName, { field: name }: OfField): SQL<{ readonly text: string }> => {
  const { value } = fieldsOf(views)(list, name)
  const most = String(MAX_TEXTS + 1)
  if (views.indexes.has(name)) {
    const next = (condition: SQL) => sql`SELECT ${value} FROM event AS e WHERE ${condition} ORDER BY ${value} LIMIT 1`
    return sql`WITH RECURSIVE found(text) AS ((${next(sql`true`)}) UNION ALL
      SELECT (${next(sql`${value} > found.text`)}) FROM found WHERE found.text IS NOT NULL)
      SELECT text FROM found WHERE text IS NOT NULL LIMIT ${most}`
  }
  // The series and their types have all texts of their events.
  const source = sourceOf(views, ACCESS_LEVELS.Hidden, list === 'types' ? list : 'series', ['unit'])
  return sql`${selectFrom(source, sql`DISTINCT ${value} AS text`, sql`${value} IS NOT NULL`)} LIMIT ${most}`
}

/** Returns the texts that pass a test. */
function* passing(leaf: OfField, texts: readonly string[]): Steps<string[]> {
  const test = testOfText(leaf)
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
  const folding = leaf.fold === null ? (text: string) => text : FOLDS[leaf.fold]
  return (text) => {
    const folded = folding(text)
    return leaf.texts.some((each) => TESTS[leaf.test](folded, each))
  }
}
