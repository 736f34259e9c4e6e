import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import type { Steps } from '../../base/work.ts'
import { patternOf } from '../../filters/pattern.ts'
import type { Condition } from '../../question/condition.ts'
import type { FieldName, ListName } from '../../question/fields.ts'
import { isLikePattern } from '../../question/like.ts'
import { MAX_TEXTS } from '../limits.ts'
import { fieldsOf } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { FOLDS } from './texts.ts'

/** A test of a text that a field has. An attribute is no field. */
type OfField = Extract<Condition, { kind: 'text' | 'match' }> & { readonly field: FieldName }

/** The fields of the views of events and series whose different texts are few. */
export const isOfTexts = ({ views }: Snapshot, list: ListName, leaf: Condition): leaf is OfField => {
  if ((leaf.kind !== 'text' && leaf.kind !== 'match') || typeof leaf.field === 'object') return false
  if (leaf.kind === 'text' && leaf.fold === null && leaf.test === 'is') return false
  const isOfOther = list !== 'events' || fieldsOf(views)(list, leaf.field).view !== null
  return leaf.kind === 'match' && isOfOther ? true : views.indexes.has(leaf.field)
}

/** Reads the different texts of a field. An index step finds each text of the events. */
export const textsOf = (
  { views }: Snapshot,
  list: ListName,
  { field: name }: OfField,
): SQL<{ readonly text: string }> => {
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
export function* passing(leaf: OfField, texts: readonly string[]): Steps<string[]> {
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
