import { fault } from './expression.ts'

/** A part of a CQL2 text. `value` of a word in quotes and of a text is what stands between them. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'text' | 'number' | 'sign' | 'end'
  readonly value: string
  /** Where it starts and ends, counted from 0. */
  readonly from: number
  readonly to: number
}

/** The control characters that a backslash and a letter stand for. */
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
  // A quote is doubled or escaped, a control character escaped. A backslash may be doubled, as QGIS does; else it stands for itself.
  [
    'text',
    /'(?:[^'\\]|''|\\['\\]?)*'/uy,
    (written) => written.slice(1, -1).replaceAll(/''|\\['\\abfnrtv]/g, (two) => CONTROLS[two.slice(1)] ?? two.slice(1)),
  ],
  ['number', /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/uy, (written) => written],
  ['sign', /<>|<=|>=|[=<>+\-*/%^(),]/uy, (written) => written],
]

const BLANKS = /\s*/uy

/** The token that begins at a place, after blanks. Throws ValueError where none does. */
export const tokenAt = (text: string, place: number): Token => {
  BLANKS.lastIndex = place
  const from = place + (BLANKS.exec(text)?.[0].length ?? 0)
  if (from >= text.length) return { kind: 'end', value: '', from, to: from }
  for (const [kind, pattern, unquoted] of KINDS) {
    pattern.lastIndex = from
    const [written] = pattern.exec(text) ?? []
    if (written !== undefined) return { kind, value: unquoted(written), from, to: from + written.length }
  }
  const [open] = text.slice(from)
  if (open === "'" || open === '"') throw fault(placeOf(from), `this ${open} is not closed. Enter another`)
  throw fault(
    placeOf(from),
    `${JSON.stringify(open)} means nothing here. Enter texts in single quotes, such as category = 'hurricane'`,
  )
}

/** A place in a text for people, who count from 1. */
export const placeOf = (from: number): string => `character ${from + 1}`
