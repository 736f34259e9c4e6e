import { sql } from 'drizzle-orm'
import { at } from '../../collections.ts'
import { badRequest } from '../../errors.ts'
import type { Dictionary, Term, Tested, Words } from '../../filters/filter.ts'
import { all, isIn } from '../../filters/sql.ts'
import { mayHave, spacedOf, textsIn } from '../../filters/words.ts'
import type { Steps } from '../../work.ts'
import type { Group, Search } from '../conditions/search.ts'
import { MAX_DICTIONARIES, MAX_TEXTS } from '../limits.ts'
import { entryTexts, TEXTS_AT_ONCE } from '../sql/texts.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Replaces the tests of the texts of dictionaries by the ids of their entries. */
export const decideGroups = async (read: SnapshotReader, { groups, level }: Search): Promise<readonly Group[]> => {
  const tested = groups.filter(({ tests }) => tests.length > 0)
  const found = new Map(zip(tested, await passingEntries(read, tested, level)))
  return groups.map((group) => {
    const ids = found.get(group)
    return ids === undefined ? group : { ...group, match: isIn(group.dictionary.id, ids), tests: [] }
  })
}

const zip = <A, B>(one: readonly A[], other: readonly B[]): [A, B][] => one.map((each, i) => [each, at(other, i)])

/** Returns the ids of the entries of each group whose texts pass its tests. */
export const passingEntries = async (
  read: SnapshotReader,
  groups: readonly Group[],
  level: number,
): Promise<readonly (readonly number[])[]> => {
  const states = groups.map((group) => ({ group, after: 0, tested: 0, ids: [] as number[] }))
  for (let left = states; left.length > 0; ) {
    const now = left.slice(0, MAX_DICTIONARIES)
    const answers = await read(
      ...now.map(({ group, after, tested }) => entryTexts(group, level, after, MAX_TEXTS + 1 - tested)),
    )
    const unfinished = []
    for (const [state, rows] of zip(now, answers)) {
      state.tested += rows.length
      if (state.tested > MAX_TEXTS)
        throw badRequest(`There are more than ${MAX_TEXTS} texts to match. Use another lookup, such as icontains.`)
      await read.work.run(passing(state.group, rows, state.ids))
      const last = rows.at(-1)
      if (last === undefined || last.total < TEXTS_AT_ONCE) continue
      state.after = last.id
      unfinished.push(state)
    }
    left = [...unfinished, ...left.slice(MAX_DICTIONARIES)]
  }
  return states.map(({ ids }) => ids)
}

function* passing(
  { tests }: Group,
  rows: readonly { readonly id: number; readonly text: string }[],
  ids: number[],
): Steps<void> {
  for (const { id, text } of rows) {
    if (typeof text === 'string' && tests.every((passes) => passes(text))) ids.push(id)
    yield
  }
}

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
    const named = keys.flatMap((key, d) => (at(found, d).length > 0 ? [isIn(key, at(found, d))] : []))
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
