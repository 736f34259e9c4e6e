import { readWkt } from '../geometry/wkt.ts'
import { exactOf } from '../question/range.ts'
import { boxOf, type Expression, endOf, fault, finite, geometryOf, OPERATIONS, spend } from './expression.ts'
import { TokenCursor } from './tokens.ts'

/**
 * Reads CQL2-text. Accepts ILIKE, which GDAL writes. `srid` is the reference system of its geometries, 0 for longitude
 * and latitude. Throws ValueError with the place of the fault.
 */
export const readText = (text: string, srid = 0): Expression => {
  const cursor = new TokenCursor(text, srid)
  const expression = readOr(cursor)
  if (cursor.token.kind !== 'end') throw cursor.expected('the end, AND or OR')
  return expression
}

type Reader = (cursor: TokenCursor) => Expression

/** Returns a reader for a chain of expressions between AND or OR. */
const joined =
  (word: string, next: Reader): Reader =>
  (cursor) => {
    const first = next(cursor)
    const args = [first]
    while (cursor.takeWord(word)) args.push(next(cursor))
    return args.length === 1 ? first : cursor.operation(word.toLowerCase(), args, first.at)
  }

const readNot: Reader = (cursor) => {
  const at = cursor.place
  if (!cursor.takeWord('NOT')) return readComparison(cursor)
  return cursor.deeper(() => cursor.operation('not', [readNot(cursor)], at))
}

const readAnd = joined('AND', readNot)
const readOr = joined('OR', readAnd)

const COMPARISONS = ['=', '<>', '<', '>', '<=', '>=']

const readComparison: Reader = (cursor) => {
  const left = readSum(cursor)
  const { at } = left
  const sign = cursor.takeSign(...COMPARISONS)
  if (sign !== null) return cursor.operation(sign, [left, readSum(cursor)], at)
  const isNull = cursor.takeWord('IS')
  const negated = cursor.takeWord('NOT')
  const operation = (op: string, args: readonly Expression[]): Expression => {
    const expression = cursor.operation(op, args, at)
    return negated ? cursor.operation('not', [expression], at) : expression
  }
  if (isNull) {
    if (!cursor.takeWord('NULL')) throw cursor.expected('NULL')
    return operation('isNull', [left])
  }
  if (cursor.takeWord('LIKE')) return operation('like', [left, readSum(cursor)])
  if (cursor.takeWord('ILIKE')) {
    const folded = [left, readSum(cursor)].map((each) => cursor.operation('casei', [each], each.at))
    return operation('like', folded)
  }
  if (cursor.takeWord('IN')) return operation('in', [left, { kind: 'list', items: readList(cursor, readSum), at }])
  if (cursor.takeWord('BETWEEN')) {
    const least = readSum(cursor)
    if (!cursor.takeWord('AND')) throw cursor.expected('AND')
    return operation('between', [left, least, readSum(cursor)])
  }
  if (negated) throw cursor.expected('LIKE, IN or BETWEEN')
  return left
}

/** Returns a reader for operations of one precedence, from left to right. */
const chained =
  (signs: readonly string[], next: Reader): Reader =>
  (cursor) => {
    let left = next(cursor)
    for (let chain = 0; ; chain++) {
      const sign = cursor.takeSign(...signs) ?? (signs.includes('div') && cursor.takeWord('DIV') ? 'div' : null)
      if (sign === null) return left
      // Each operation contains the one before it, so a chain adds depth.
      spend(cursor, cursor.depth + chain, left.at)
      left = cursor.operation(sign, [left, next(cursor)], left.at)
    }
  }

const readSigned: Reader = (cursor) => {
  const at = cursor.place
  const sign = cursor.takeSign('-', '+')
  if (sign === null) return readValue(cursor)
  return cursor.deeper(() => {
    const value = readSigned(cursor)
    if (sign === '+') return value
    return value.kind === 'number'
      ? { ...value, value: -value.value, exact: -value.exact, at }
      : cursor.operation('-', [value], at)
  })
}

const readPower = chained(['^'], readSigned)
const readProduct = chained(['*', '/', '%', 'div'], readPower)
const readSum = chained(['+', '-'], readProduct)

const GEOMETRY = /^(?:MULTI)?(?:POINT|LINESTRING|POLYGON)(?:ZM|Z|M)?$|^GEOMETRYCOLLECTION(?:ZM|Z|M)?$/i

const readValue: Reader = (cursor) => {
  const { kind, value } = cursor.token
  const at = cursor.place
  if (cursor.takeSign('(') !== null) {
    const inner = cursor.deeper(() => readOr(cursor))
    if (cursor.takeSign(')') === null) throw cursor.expected('a closing parenthesis')
    return inner
  }
  if (kind === 'sign' || kind === 'end') throw cursor.expected('a property, a value or an opening parenthesis')
  spend(cursor, cursor.depth, at)
  if (kind === 'word' && GEOMETRY.test(value)) return readGeometry(cursor)
  cursor.advance()
  if (kind === 'text') return { kind, value, at }
  if (kind === 'number') return { kind, value: finite(Number(value), at), exact: exactOf(value), at }
  if (kind === 'quoted') return { kind: 'property', name: value, at }
  if (/^(TRUE|FALSE)$/i.test(value)) return { kind: 'boolean', value: value.length === 4, at }
  return cursor.isSign('(') ? readCall(cursor, value, at) : { kind: 'property', name: value, at }
}

const readCall = (cursor: TokenCursor, word: string, at: string): Expression => {
  const name = word.toLowerCase()
  const args = cursor.deeper(() => readList(cursor, readOr))
  if (name === 'date' || name === 'timestamp') return { kind: 'instant', value: onlyText(args, word, at), at }
  if (name === 'bbox') return boxOf(numbersOf(args, at), cursor.srid, at)
  const ends = () => args.map((end) => (end.kind === 'text' ? endOf(end.value, end.at) : end))
  if (name === 'interval') return cursor.operation(name, ends(), at)
  const op = [...OPERATIONS.keys()].find((each) => each.toLowerCase() === name)
  if (op === undefined || !/^(casei|[st]_\w+)$/.test(name)) throw fault(at, `there is no function ${word}`)
  return cursor.operation(op, args, at)
}

/** Reads a geometry in WKT up to its last parenthesis. */
const readGeometry = (cursor: TokenCursor): Expression => {
  const { text, token, place: at } = cursor
  const end = endOfGeometry(text, token.from)
  if (end === null) throw fault(at, 'a geometry needs parentheses. Enter one such as POINT(5.1 52.1)')
  const geometry = geometryOf(() => readWkt(text.slice(token.from, end)), cursor.srid, at)
  cursor.advance(end)
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

const readList = (cursor: TokenCursor, read: Reader): Expression[] => {
  if (cursor.takeSign('(') === null) throw cursor.expected('an opening parenthesis')
  const items = [read(cursor)]
  while (cursor.takeSign(',') !== null) items.push(read(cursor))
  if (cursor.takeSign(')') === null) throw cursor.expected('a comma or a closing parenthesis')
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
