import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { isAscii } from '../../filters/fold.ts'
import { finderOf, SEARCHED, textsIn } from '../../filters/words.ts'
import type { Term } from '../../question/condition.ts'
import { joinedTo, ownColumn, storedField } from './fields.ts'
import type { Decider } from './part.ts'
import { all, either, isIn, NOTHING } from './sql.ts'

// The texts of an event: entries of dictionaries, and columns of the row. The last column is JSON.
const fields = SEARCHED.map((name) => storedField('events', name))
const dictionaries = fields.flatMap((field) => joinedTo(field) ?? [])
const keys = dictionaries.map(({ key }) => key)
const own = fields.flatMap((field) => (joinedTo(field) === null ? ownColumn(field) : []))

/** Returns the condition that each term occurs in a text of a row. */
export const haveTerms = (terms: readonly Term[]): Decider => {
  const everything = 2 ** terms.length - 1
  const termsIn = finderOf(terms)
  return {
    columns: [...own, ...keys],
    sought: dictionaries.map((dictionary) => ({
      dictionary,
      match: either([isBeyondAscii(dictionary.text), ...terms.map((term) => mayHave(dictionary.text, term))]),
      test: termsIn,
    })),
    may: (found) => {
      const places = terms.map((term, t) => {
        const named = keys.flatMap((key, d) => {
          const ids = [...at(found, d)].flatMap(([id, bits]) => (bits & (1 << t) ? [Number(id)] : []))
          return ids.length > 0 ? [isIn(key, ids)] : []
        })
        return either([...named, ...own.map((column) => mayHave(column, term))])
      })
      return either([...own.map(isBeyondAscii), all(places)])
    },
    test: (values, found) => {
      const named = keys.reduce((bits, _, d) => bits | (at(found, d).get(values[own.length + d]) ?? 0), 0)
      if (named === everything) return true
      const columns = values.slice(0, own.length).map((value) => (typeof value === 'string' ? value : ''))
      const document = columns.pop() || '{}'
      const all = [...columns, ...textsIn(JSON.parse(document))]
      return all.reduce((bits, text) => bits | termsIn(text), named) === everything
    },
  }
}

/** Selects the texts that are not in ASCII. Folding may turn other characters into those of a term. */
const isBeyondAscii = (column: SQLWrapper): SQL => sql`octet_length(${column}) > length(${column})`

/** Selects the texts in ASCII that have a term, and more. */
const mayHave = (column: SQLWrapper, { words }: Term): SQL =>
  words.every(isAscii) ? all(words.map((word) => sql`instr(lower(${column}), ${word}) > 0`)) : NOTHING
