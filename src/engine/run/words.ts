import { sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import type { Dictionary, Term, Tested, Words } from '../../filters/filter.ts'
import { all, among } from '../../filters/sql.ts'
import { mayHave, spacedOf, textsIn } from '../../filters/words.ts'
import type { Search } from '../conditions/search.ts'
import { passingEntries } from './entries.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Returns the tests of a search. Words become tests of the texts of a row. */
export const testsOf = async (read: SnapshotReader, { tested, level }: Search): Promise<readonly Tested[]> => {
  const tests: Tested[] = []
  for (const each of tested) tests.push(each.kind === 'words' ? await testOfWords(read, each, level) : each)
  return tests
}

/** Finds the entries that have the terms, and returns the test of the other texts of a row. */
const testOfWords = async (
  read: SnapshotReader,
  { terms, dictionaries, texts, json }: Words,
  level: number,
): Promise<Tested> => {
  const own = [...texts, json]
  const keys = dictionaries.map(({ key }) => key)
  const groups = terms.flatMap((term) => dictionaries.map((dictionary) => entriesWith(dictionary, term)))
  const passing = await passingEntries(read, groups, level)
  const decided = terms.map((term, t) => {
    const found = passing.slice(t * keys.length, (t + 1) * keys.length)
    const named = keys.flatMap((key, d) => (at(found, d).length > 0 ? [among(key, at(found, d))] : []))
    const may = sql`(${sql.join([...named, ...own.map((column) => mayHave(column, term))], sql` OR `)})`
    return { ...term, sets: found.map((ids) => new Set<unknown>(ids)), may }
  })
  return {
    kind: 'tested',
    columns: [...own, ...keys],
    may: all(decided.map(({ may }) => may)),
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

/** Selects the entries whose texts have a term. */
const entriesWith = (dictionary: Dictionary, term: Term) => ({
  dictionary,
  match: mayHave(dictionary.text, term),
  tests: [(text: string) => spacedOf(text).includes(term.spaced)],
  few: false,
})
