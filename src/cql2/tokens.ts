import { EXAMPLES, type Expression, fault, OPERATIONS, spend } from './expression.ts'

/** A token of a CQL2 text. The `value` of a text or a quoted name has no quotes and no escapes. */
interface Token {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'sign' | 'end'
  readonly value: string
  /** The start of the token and the character after its end, counted from 0. */
  readonly from: number
  readonly to: number
}

/** The control characters, by the letter after the backslash. */
const CONTROLS = new Map(Object.entries({ a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' }))

const KINDS: readonly (readonly [Token['kind'], RegExp, (written: string) => string])[] = [
  ['word', /[\p{L}_:][\p{L}\p{N}_.:]*/uy, (written) => written],
  ['quoted', /"(?:[^"]|"")+"/uy, (written) => written.slice(1, -1).replaceAll('""', '"')],
  // A quote in a text is doubled or has a backslash before it. A control character has a backslash and a letter. A
  // backslash may be doubled, as in QGIS. Any other backslash stands for itself.
  [
    'text',
    /'(?:[^'\\]|''|\\['\\]?)*'/uy,
    (written) =>
      written.slice(1, -1).replaceAll(/''|\\['\\abfnrtv]/g, (two) => CONTROLS.get(two.slice(1)) ?? two.slice(1)),
  ],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy, (written) => written],
  ['sign', /<>|<=|>=|[=<>+\-*/%^(),]/uy, (written) => written],
]

/** Reads a text token by token. `srid` is the reference system of its geometries. */
export class TokenCursor {
  readonly text: string
  readonly srid: number
  /** The next token, after the spaces before it. */
  token: Token
  /** The number of expressions around the current token, and of those that were read. */
  depth = 0
  expressions = 0

  constructor(text: string, srid: number) {
    this.text = text
    this.srid = srid
    this.token = tokenAt(text, 0)
  }

  get place(): string {
    return placeOf(this.token.from)
  }

  /** Continues at a character. By default, it is the one after the token. */
  advance(from = this.token.to): void {
    this.token = tokenAt(this.text, from)
  }

  isSign(sign: string): boolean {
    return this.token.kind === 'sign' && this.token.value === sign
  }

  /** Takes one of these signs. Returns null if the next token is another. */
  takeSign(...signs: readonly string[]): string | null {
    const { value } = this.token
    if (!signs.some((sign) => this.isSign(sign))) return null
    this.advance()
    return value
  }

  takeWord(word: string): boolean {
    const { kind, value } = this.token
    if (kind !== 'word' || value.toUpperCase() !== word) return false
    this.advance()
    return true
  }

  /** Reads one expression inside another. */
  deeper<T>(read: () => T): T {
    this.depth += 1
    spend(this, this.depth, this.place)
    const result = read()
    this.depth -= 1
    return result
  }

  operation(op: string, args: readonly Expression[], at: string): Expression {
    const [least, most] = OPERATIONS.get(op) ?? [0, 0]
    if (args.length < least || args.length > most)
      throw fault(at, `${op.toUpperCase()} takes ${least === most ? least : `${least} to ${most}`} values`)
    spend(this, this.depth, at)
    return { kind: 'operation', op, args, at }
  }

  /** Returns the error for a wrong token. */
  expected(what: string): Error {
    const { kind, from, to } = this.token
    const actual = kind === 'end' ? 'the end' : JSON.stringify(this.text.slice(from, Math.min(to, from + 24)))
    return fault(this.place, `expected ${what}, found ${actual}`)
  }
}

/** Returns the first token after a place. Throws ValueError if the characters are not a token. */
const tokenAt = (text: string, place: number): Token => {
  const from = place + text.slice(place).search(/\S|$/u)
  if (from >= text.length) return { kind: 'end', value: '', from, to: from }
  for (const [kind, pattern, unquoted] of KINDS) {
    pattern.lastIndex = from
    const [written] = pattern.exec(text) ?? []
    if (written !== undefined) return { kind, value: unquoted(written), from, to: from + written.length }
  }
  const [open] = text.slice(from)
  if (open === "'" || open === '"')
    throw fault(placeOf(from), `this ${open} is not closed. Enter another ${open} at the end`)
  throw fault(
    placeOf(from),
    `${JSON.stringify(open)} means nothing here. Enter texts in single quotes, such as ${EXAMPLES.comparison}`,
  )
}

/** Returns the place of a character for messages, which count from 1. */
const placeOf = (from: number): string => `character ${from + 1}`
