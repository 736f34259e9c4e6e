import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { at } from '../../base/collections.ts'
import { storedJson } from '../../base/json.ts'
import type { Steps } from '../../base/work.ts'
import { FOLDS, foldingsFor, foldWords } from '../../filters/fold.ts'
import { patternOf } from '../../filters/pattern.ts'
import { finderOf, SEARCHED, textsIn } from '../../filters/words.ts'
import { geometriesOf } from '../../geometry/geometry.ts'
import { type Area, allOf, type Condition, leavesOf, type Term } from '../../question/condition.ts'
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
import { all, either } from './sql.ts'
import { fieldsIn, where } from './where.ts'

/** A condition or an area that the Worker decides for each row. SQL preselects the rows. */
interface RowTest {
  readonly of: Condition | Area
  readonly fields: readonly FieldName[]
  readonly columns: readonly SQL[]
  readonly may: SQL | null
  readonly passes: (values: readonly unknown[]) => boolean
}

/** Decides the parts of a condition that SQL cannot decide, or decides slowly. */
export const decide = async (snapshot: Snapshot, list: ListName, condition: Condition): Promise<Decided> => {
  const leaves = leavesOf(condition)
  const areas = leaves.flatMap((leaf) => (leaf.kind === 'area' && leaf.of === 'point' ? partsOf(leaf.area) : []))
  const polygons = areas.filter(isOfPolygons)
  const named = leaves.filter((leaf) => isOfTexts(snapshot, list, leaf))
  const rows = leaves.filter((leaf) => leaf.kind === 'match' || leaf.kind === 'words')
  const decided = {
    rows: new Map<Condition | Area, readonly number[]>(),
    texts: new Map<Condition, readonly string[]>(),
    ends: leaves.some((leaf) => leaf.kind === 'part' && leaf.clock !== null)
      ? await possibleEnds(snapshot, condition)
      : NO_ENDS,
  }
  if (areas.length + named.length + rows.length === 0) return decided
  const [validity, texts] = await Promise.all([
    snapshot.read(...polygons.map(validityOf)),
    snapshot.read(...named.map((leaf) => textsOf(snapshot, list, leaf))),
  ])
  for (const [i, leaf] of named.entries()) {
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

const testOfWords = ({ views }: Snapshot, leaf: Extract<Condition, { kind: 'words' }>): RowTest => {
  const { terms } = leaf
  const find = finderOf(terms)
  const everything = 2 ** terms.length - 1
  const columns = SEARCHED.map((name) => fieldsOf(views)('events', name).shown)
  const passes = (values: readonly unknown[]) => {
    const texts = values.map((value) => (typeof value === 'string' ? value : ''))
    const document = texts.pop() || '{}'
    return [...texts, ...textsIn(storedJson(document))].reduce((bits, text) => bits | find(text), 0) === everything
  }
  return { of: leaf, fields: SEARCHED, columns, may: mayHave(columns, terms), passes }
}

/**
 * Selects the rows whose texts may have all words. A text with a mark, a ligature, an escape of JSON or an exponent may have
 * any word.
 */
const mayHave = (columns: readonly SQL[], terms: readonly Term[]): SQL => {
  const folded = Map.groupBy(
    foldingsFor(
      foldWords,
      terms.flatMap(({ words }) => words),
    ),
    ([, to]) => to,
  )
  const like = (letters: string) => classOf((folded.get(letters) ?? []).map(([from]) => from))
  const others = [...folded.keys()]
    .filter((to) => [...to].length !== 1)
    .map(like)
    .join('')
  const patterns = terms.flatMap(({ words, open }) =>
    words.map((word, i) => patternOfWord(word, open && i === words.length - 1, like)),
  )
  const text = sql`concat_ws(' ', ${sql.join([...columns], sql`, `)}) COLLATE "C"`
  const has = all(patterns.map((pattern) => sql`lower(${text}) ~ ${pattern}`))
  return either([has, sql`${text} ~ ${`[\\\\${others}${RARE}]|[0-9][eE]`}`])
}

/** Returns a regular expression for a word. A number may have other digits in JSON, such as 1.50 for 1.5. */
const patternOfWord = (word: string, isOpen: boolean, like: (letter: string) => string): string => {
  const letters = Array.from(word, (letter) => `[${letter}${like(letter)}]`).join('')
  return /\d/.test(word) ? letters : `(^|[^a-z0-9])${letters}${isOpen ? '' : '([^a-z0-9]|$)'}`
}

/** The characters from here on are rare, and some of them fold to letters. */
const RARE = '\\U0001f000-\\U0010ffff'

/** Returns characters in the order of their code points as a part of a class of a regular expression. */
const classOf = (characters: readonly string[]): string => {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0)
  const starts = codes.filter((code, i) => code - 1 !== codes[i - 1])
  const ends = codes.filter((code, i) => code + 1 !== codes[i + 1])
  return starts.map((start, i) => `${String.fromCodePoint(start)}-${String.fromCodePoint(at(ends, i))}`).join('')
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
