import { readWkt } from '../geometry/wkt.ts'
import { advance, deeper, expected, here, isSign, operation, type ReaderState, takeSign, takeWord } from './cursor.ts'
import { boxOf, type Expression, endOf, fault, finite, geometryOf, OPERATIONS, spend } from './expression.ts'
import { placeOf, tokenAt } from './tokens.ts'

/**
 * Reads CQL2-text. Accepts ILIKE, which GDAL writes. `srid` is the reference system of its geometries, 0 for longitude
 * and latitude. Throws ValueError with the place of the fault.
 */
export const readText = (text: string, srid = 0): Expression => {
  const cursor: ReaderState = { text, srid, token: tokenAt(text, 0), depth: 0, expressions: 0 }
  const expression = readOr(cursor)
  if (cursor.token.kind !== 'end') throw expected(cursor, 'the end, AND or OR')
  return expression
}

type Reader = (cursor: ReaderState) => Expression

/** Returns a reader for a chain of expressions between AND or OR. */
const joined =
  (word: string, next: Reader): Reader =>
  (cursor) => {
    const first = next(cursor)
    const args = [first]
    while (takeWord(cursor, word)) args.push(next(cursor))
    return args.length === 1 ? first : operation(cursor, word.toLowerCase(), args, first.at)
  }

const readNot: Reader = (cursor) => {
  const at = here(cursor)
  if (!takeWord(cursor, 'NOT')) return readComparison(cursor)
  return deeper(cursor, () => operation(cursor, 'not', [readNot(cursor)], at))
}

const readAnd = joined('AND', readNot)
const readOr = joined('OR', readAnd)

const COMPARISONS = ['=', '<>', '<', '>', '<=', '>=']

const readComparison: Reader = (cursor) => {
  const left = readSum(cursor)
  const { at } = left
  const sign = takeSign(cursor, COMPARISONS)
  if (sign !== null) return operation(cursor, sign, [left, readSum(cursor)], at)
  if (takeWord(cursor, 'IS')) {
    const negated = takeWord(cursor, 'NOT')
    if (!takeWord(cursor, 'NULL')) throw expected(cursor, 'NULL')
    return negate(cursor, negated, operation(cursor, 'isNull', [left], at))
  }
  const negated = takeWord(cursor, 'NOT')
  if (takeWord(cursor, 'LIKE')) return negate(cursor, negated, operation(cursor, 'like', [left, readSum(cursor)], at))
  if (takeWord(cursor, 'ILIKE')) {
    const folded = [left, readSum(cursor)].map((each) => operation(cursor, 'casei', [each], each.at))
    return negate(cursor, negated, operation(cursor, 'like', folded, at))
  }
  if (takeWord(cursor, 'IN')) {
    const list: Expression = { kind: 'list', items: readList(cursor, readSum), at }
    return negate(cursor, negated, operation(cursor, 'in', [left, list], at))
  }
  if (takeWord(cursor, 'BETWEEN')) {
    const least = readSum(cursor)
    if (!takeWord(cursor, 'AND')) throw expected(cursor, 'AND')
    return negate(cursor, negated, operation(cursor, 'between', [left, least, readSum(cursor)], at))
  }
  if (negated) throw expected(cursor, 'LIKE, IN or BETWEEN')
  return left
}

const negate = (cursor: ReaderState, negated: boolean, expression: Expression): Expression =>
  negated ? operation(cursor, 'not', [expression], expression.at) : expression

/** Returns a reader for operations of one precedence, from left to right. */
const chained =
  (signs: readonly string[], next: Reader): Reader =>
  (cursor) => {
    let left = next(cursor)
    for (let chain = 0; ; chain++) {
      const sign = takeSign(cursor, signs) ?? (signs.includes('div') && takeWord(cursor, 'DIV') ? 'div' : null)
      if (sign === null) return left
      // Each operation contains the one before it, so a chain adds depth.
      spend(cursor, cursor.depth + chain, left.at)
      left = operation(cursor, sign, [left, next(cursor)], left.at)
    }
  }

const readSigned: Reader = (cursor) => {
  const at = here(cursor)
  const sign = takeSign(cursor, ['-', '+'])
  if (sign === null) return readValue(cursor)
  return deeper(cursor, () => {
    const value = readSigned(cursor)
    if (sign === '+') return value
    return value.kind === 'number' ? { ...value, value: -value.value, at } : operation(cursor, '-', [value], at)
  })
}

const readPower = chained(['^'], readSigned)
const readProduct = chained(['*', '/', '%', 'div'], readPower)
const readSum = chained(['+', '-'], readProduct)

const GEOMETRY = /^(?:MULTI)?(?:POINT|LINESTRING|POLYGON)(?:ZM|Z|M)?$|^GEOMETRYCOLLECTION(?:ZM|Z|M)?$/i

const readValue: Reader = (cursor) => {
  const { kind, value, from } = cursor.token
  const at = placeOf(from)
  if (takeSign(cursor, ['(']) !== null) {
    const inner = deeper(cursor, () => readOr(cursor))
    if (takeSign(cursor, [')']) === null) throw expected(cursor, 'a closing parenthesis')
    return inner
  }
  if (kind === 'sign' || kind === 'end') throw expected(cursor, 'a property, a value or an opening parenthesis')
  spend(cursor, cursor.depth, at)
  if (kind === 'word' && GEOMETRY.test(value)) return readGeometry(cursor)
  advance(cursor)
  if (kind === 'text') return { kind, value, at }
  if (kind === 'number') return { kind, value: finite(Number(value), at), at }
  if (kind === 'quoted') return { kind: 'property', name: value, at }
  if (/^(TRUE|FALSE)$/i.test(value)) return { kind: 'boolean', value: value.length === 4, at }
  return isSign(cursor, '(') ? readCall(cursor, value, at) : { kind: 'property', name: value, at }
}

const readCall = (cursor: ReaderState, word: string, at: string): Expression => {
  const name = word.toLowerCase()
  const args = deeper(cursor, () => readList(cursor, readOr))
  if (name === 'date' || name === 'timestamp') return { kind: 'instant', value: onlyText(args, word, at), at }
  if (name === 'bbox') return boxOf(numbersOf(args, at), cursor.srid, at)
  if (name === 'interval')
    return operation(
      cursor,
      name,
      args.map((end) => (end.kind === 'text' ? endOf(end.value, end.at) : end)),
      at,
    )
  const op = Object.keys(OPERATIONS).find((each) => each.toLowerCase() === name)
  if (op === undefined || !/^(casei|[st]_\w+)$/.test(name)) throw fault(at, `there is no function ${word}`)
  return operation(cursor, op, args, at)
}

/** Reads a geometry in WKT up to its last parenthesis. */
const readGeometry = (cursor: ReaderState): Expression => {
  const { text, token } = cursor
  const at = placeOf(token.from)
  const end = endOfGeometry(text, token.from)
  if (end === null) throw fault(at, 'a geometry needs parentheses. Enter one such as POINT(5.1 52.1)')
  const geometry = geometryOf(() => readWkt(text.slice(token.from, end)), cursor.srid, at)
  cursor.token = tokenAt(text, end)
  return geometry
}

const HEAD = /\w+(?:\s+(?:ZM|Z|M))?\s*(\(|EMPTY\b)/iy

const endOfGeometry = (text: string, from: number): number | null => {
  HEAD.lastIndex = from
  const match = HEAD.exec(text)
  if (match === null) return null
  const [head, opening] = match
  if (opening !== '(') return from + head.length
  let open = 1
  for (let end = from + head.length; end < text.length; end++) {
    if (text[end] === '(') open++
    else if (text[end] === ')' && --open === 0) return end + 1
  }
  return null
}

const readList = (cursor: ReaderState, read: Reader): Expression[] => {
  if (takeSign(cursor, ['(']) === null) throw expected(cursor, 'an opening parenthesis')
  const items = [read(cursor)]
  while (takeSign(cursor, [',']) !== null) items.push(read(cursor))
  if (takeSign(cursor, [')']) === null) throw expected(cursor, 'a comma or a closing parenthesis')
  return items
}

const onlyText = ([value, ...others]: readonly Expression[], word: string, at: string): string => {
  if (value?.kind === 'text' && others.length === 0) return value.value
  throw fault(
    at,
    `${word} takes a text. Enter one such as ${word}('2018-02-05${/^date$/i.test(word) ? '' : 'T00:00:00Z'}')`,
  )
}

const numbersOf = (args: readonly Expression[], at: string): number[] =>
  args.map((each) => {
    if (each.kind === 'number') return each.value
    throw fault(at, 'a box takes only numbers. Enter one such as BBOX(4, 51, 6, 53)')
  })
