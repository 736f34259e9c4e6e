import { type Expression, type ExpressionCount, fault, OPERATIONS, spend } from './expression.ts'
import { placeOf, type Token, tokenAt } from './tokens.ts'

/** The state of a reader. `depth` counts the nested expressions around the current token. */
export interface ReaderState extends ExpressionCount {
  readonly text: string
  readonly srid: number
  token: Token
  depth: number
}

export const operation = (cursor: ReaderState, op: string, args: readonly Expression[], at: string): Expression => {
  const [least, most] = OPERATIONS[op] ?? [0, 0]
  if (args.length < least || args.length > most)
    throw fault(at, `${op.toUpperCase()} takes ${least === most ? least : `${least} to ${most}`} values`)
  spend(cursor, cursor.depth, at)
  return { kind: 'operation', op, args, at }
}

export const deeper = <T>(cursor: ReaderState, read: () => T): T => {
  cursor.depth += 1
  spend(cursor, cursor.depth, here(cursor))
  const result = read()
  cursor.depth -= 1
  return result
}

export const here = ({ token }: ReaderState): string => placeOf(token.from)

export const advance = (cursor: ReaderState): void => {
  cursor.token = tokenAt(cursor.text, cursor.token.to)
}

export const isSign = ({ token }: ReaderState, sign: string): boolean => token.kind === 'sign' && token.value === sign

export const takeSign = (cursor: ReaderState, signs: readonly string[]): string | null => {
  const { kind, value } = cursor.token
  if (kind !== 'sign' || !signs.includes(value)) return null
  advance(cursor)
  return value
}

export const takeWord = (cursor: ReaderState, word: string): boolean => {
  const { kind, value } = cursor.token
  if (kind !== 'word' || value.toUpperCase() !== word) return false
  advance(cursor)
  return true
}

export const expected = (cursor: ReaderState, what: string) => {
  const { kind, from, to } = cursor.token
  const actual = kind === 'end' ? 'the end' : JSON.stringify(cursor.text.slice(from, Math.min(to, from + 24)))
  return fault(here(cursor), `expected ${what}, found ${actual}`)
}
