import { sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import type { Tested, Words } from '../../filters/filter.ts'
import { entries } from '../../filters/scalar.ts'
import { all, among } from '../../filters/sql.ts'
import { mayHave, spacedOf, textsIn } from '../../filters/words.ts'
import type { MatchingEntries } from '../candidates/facts.ts'
import { criteriaOf } from '../conditions/criteria.ts'
import type { Search } from '../conditions/search.ts'
import { entriesQueries } from '../sql/facts.ts'
import { matchingEntries } from './facts.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Returns the tests of a search. Words become tests of the texts of a row. */
export const testsOf = async (read: SnapshotReader, { criteria, level }: Search): Promise<readonly Tested[]> => {
  const tests: Tested[] = []
  for (const each of criteria.tested) tests.push(each.kind === 'words' ? await testOfWords(read, each, level) : each)
  return tests
}

/** Finds the entries that have the terms, and returns the test of the other texts of a row. */
const testOfWords = async (
  read: SnapshotReader,
  { terms, dictionaries, texts, json }: Words,
  level: number,
): Promise<Tested> => {
  const groups = terms.flatMap((term) =>
    dictionaries.flatMap(
      (dictionary) =>
        criteriaOf([
          entries(dictionary, mayHave(dictionary.text, term)),
          entries(dictionary, (text) => spacedOf(text).includes(term.spaced)),
        ]).groups,
    ),
  )
  const answers = await read.recalled(...entriesQueries(groups, level))
  const matching = await matchingEntries(read, groups, answers, 0, level)
  const own = [...texts, json]
  const keys = dictionaries.map(({ key }) => key)
  const decided = terms.map((term, t) => {
    const found = keys.map((key, d) => ({ key, ...listed(at(matching, t * keys.length + d)) }))
    const named = found.filter(({ ids }) => ids.length > 0).map(({ key, ids }) => among(key, ids))
    return {
      ...term,
      sets: found.map(({ ids }) => new Set<unknown>(ids)),
      rows: found.reduce((sum, { rows }) => sum + rows, 0),
      may: sql`(${sql.join([...named, ...own.map((column) => mayHave(column, term))], sql` OR `)})`,
    }
  })
  return {
    kind: 'tested',
    columns: [...own, ...keys],
    may: { sql: all(decided.map(({ may }) => may)), rows: Math.min(...decided.map(({ rows }) => rows)) },
    test: (values) => {
      const left = decided.filter(({ sets }) => !sets.some((set, d) => set.has(values[own.length + d])))
      if (left.length === 0) return true
      const columns = values.slice(0, own.length).map((value) => (typeof value === 'string' ? value : ''))
      const document = columns.pop() || '{}'
      const spaced = [...columns, ...textsIn(JSON.parse(document))].map(spacedOf)
      return left.every((term) => spaced.some((text) => text.includes(term.spaced)))
    },
  }
}

const listed = ({ ids, rows }: MatchingEntries) => {
  if (ids === null) throw new RangeError('The texts of all entries were tested, so their ids are known.')
  return { ids, rows }
}
