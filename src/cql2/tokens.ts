import { EXAMPLES } from './examples.ts'
import { fault } from './expression.ts'

/** A token of a CQL2 text. The `value` of a text or a quoted name has no quotes and no escapes. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'sign' | 'end'
  readonly value: string
  /** The start of the token and the character after its end, counted from 0. */
  readonly from: number
  readonly to: number
}

/** The control characters, by the letter after the backslash. */
const CONTROLS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

const KINDS: readonly (readonly [Token['kind'], RegExp, (written: string) => string])[] = [
  ['word', /[\p{L}_:][\p{L}\p{N}_.:]*/uy, (written) => written],
  ['quoted', /"(?:[^"]|"")+"/uy, (written) => written.slice(1, -1).replaceAll('""', '"')],
  // A quote in a text is doubled or has a backslash before it. A control character has a backslash and a letter. A
  // backslash may be doubled, as in QGIS. Any other backslash stands for itself.
  [
    'text',
    /'(?:[^'\\]|''|\\['\\]?)*'/uy,
    (written) => written.slice(1, -1).replaceAll(/''|\\['\\abfnrtv]/g, (two) => CONTROLS[two.slice(1)] ?? two.slice(1)),
  ],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy, (written) => written],
  ['sign', /<>|<=|>=|[=<>+\-*/%^(),]/uy, (written) => written],
]

const BLANKS = /\s*/uy

/**
 * Returns the first token after a place, without the spaces before it. Throws ValueError if the characters are not a
 * token.
 */
export const tokenAt = (text: string, place: number): Token => {
  BLANKS.lastIndex = place
  const blanks = BLANKS.exec(text)
  const from = blanks === null ? place : place + blanks[0].length
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
export const placeOf = (from: number): string => `character ${from + 1}`
