import { at } from '../base/collections.ts'
import { ValueError, valueError } from '../base/errors.ts'
import { type Count, checkDepth, count, type Geometry, type ParsedGeometry, type Position, quote } from './geometry.ts'

/**
 * The state of a reader. `at` is the next character. `ordinates` is the count of numbers in each position of this
 * geometry, 0 while unknown.
 */
type Cursor = Count & { text: string; at: number; ordinates: number }

type Item<T> = (cursor: Cursor) => T

/**
 * Reads the geometry of a WKT or EWKT text in one pass, without checks of its shape. Keywords may have any case. Z, M
 * and ZM may be attached or separate. EMPTY may stand at every level. Reads z and m and drops them. Throws
 * ValueError. Sources: OGC 06-103r4, section 7, and the `SRID=n;` of PostGIS.
 */
export const readWkt = (text: string): ParsedGeometry => {
  const cursor: Cursor = { text, at: 0, ordinates: 0, vertices: 0 }
  const srid = readSrid(cursor)
  const geometry = readTagged(cursor, 1)
  skipBlanks(cursor)
  if (cursor.at < text.length) throw expected(cursor, 'nothing more after the geometry')
  return { geometry, srid }
}

const SRID = /\s*SRID\s*=\s*(\d{1,9})\s*;/iy
const WORD = /[A-Za-z]+/y
const TAG = /^([A-Z]+?)(ZM|Z|M)?$/
const ORDINATES: Record<string, number> = { Z: 3, M: 3, ZM: 4 }

const readSrid = (cursor: Cursor): number => {
  skipBlanks(cursor)
  if (peekWord(cursor) !== 'SRID') return 0
  SRID.lastIndex = cursor.at
  const digits = SRID.exec(cursor.text)?.[1]
  if (digits === undefined) throw expected(cursor, 'an SRID such as SRID=28992;')
  cursor.at = SRID.lastIndex
  return Number(digits)
}

const readTagged = (cursor: Cursor, depth: number): Geometry => {
  skipBlanks(cursor)
  const match = TAG.exec(peekWord(cursor))
  const name = match === null ? '' : at(match, 1)
  const read = SHAPES.get(name)
  if (match === null || read === undefined)
    throw valueError(['noGeometryType', cursor.at + 1, [...SHAPES.keys()].join(', '), foundAt(cursor)])
  if (name === 'GEOMETRYCOLLECTION') checkDepth(depth, `at character ${cursor.at + 1}`)
  cursor.at += match[0].length
  cursor.ordinates = ORDINATES[match[2] ?? readFlag(cursor)] ?? 0
  return read(cursor, depth)
}

const readFlag = (cursor: Cursor): string => {
  skipBlanks(cursor)
  const flag = peekWord(cursor)
  if (!(flag in ORDINATES)) return ''
  cursor.at += flag.length
  return flag
}

// Reads EMPTY or a list in parentheses. Every level of every type is one of these two.
const readList = <T>(cursor: Cursor, item: Item<T>): T[] => {
  if (skipEmpty(cursor)) return []
  expect(cursor, OPEN, "'(' or EMPTY")
  const items = [item(cursor)]
  while (skip(cursor, COMMA)) items.push(item(cursor))
  expect(cursor, CLOSE, "',' or ')'")
  return items
}

const readPosition = (cursor: Cursor): Position => {
  count(cursor, 1)
  const position = [readNumber(cursor), readNumber(cursor)]
  let ordinates = 2
  while (ordinates < 4 && atNumber(cursor)) {
    readNumber(cursor)
    ordinates += 1
  }
  cursor.ordinates ||= ordinates
  if (ordinates !== cursor.ordinates)
    throw expected(cursor, `positions of ${cursor.ordinates} numbers, not ${ordinates}`)
  return position
}

const readPoint = (cursor: Cursor): Position => {
  if (skipEmpty(cursor)) return []
  expect(cursor, OPEN, "'(' or EMPTY")
  const position = readPosition(cursor)
  expect(cursor, CLOSE, "')'")
  return position
}

// Accepts both spellings: MULTIPOINT ((1 2), (3 4)) of the standard, and the common MULTIPOINT (1 2, 3 4).
const readPart = (cursor: Cursor): Position => (atNumber(cursor) ? readPosition(cursor) : readPoint(cursor))

const readLine: Item<Position[]> = (cursor) => readList(cursor, readPosition)
const readLines: Item<Position[][]> = (cursor) => readList(cursor, readLine)

const SHAPES = new Map<string, (cursor: Cursor, depth: number) => Geometry>([
  ['POINT', (cursor) => ({ type: 'Point', coordinates: readPoint(cursor) })],
  ['LINESTRING', (cursor) => ({ type: 'LineString', coordinates: readLine(cursor) })],
  ['POLYGON', (cursor) => ({ type: 'Polygon', coordinates: readLines(cursor) })],
  ['MULTIPOINT', (cursor) => ({ type: 'MultiPoint', coordinates: readList(cursor, readPart) })],
  ['MULTILINESTRING', (cursor) => ({ type: 'MultiLineString', coordinates: readLines(cursor) })],
  ['MULTIPOLYGON', (cursor) => ({ type: 'MultiPolygon', coordinates: readList(cursor, readLines) })],
  [
    'GEOMETRYCOLLECTION',
    (cursor, depth) => ({
      type: 'GeometryCollection',
      geometries: readList(cursor, () => readTagged(cursor, depth + 1)),
    }),
  ],
])

const [OPEN, CLOSE, COMMA] = [0x28, 0x29, 0x2c]

// Takes all characters of a number, in any order. Number() then rejects a wrong order.
const NUMERAL = /[-+.\deE]*/y

const readNumber = (cursor: Cursor): number => {
  skipBlanks(cursor)
  NUMERAL.lastIndex = cursor.at
  NUMERAL.test(cursor.text)
  const written = cursor.text.slice(cursor.at, NUMERAL.lastIndex)
  const value = Number(written)
  if (written === '' || Number.isNaN(value)) throw expected(cursor, 'a number')
  if (!Number.isFinite(value)) throw expected(cursor, 'a number of at most 1.7e308')
  cursor.at += written.length
  return value
}

const atNumber = (cursor: Cursor): boolean => {
  skipBlanks(cursor)
  return /[-+.\d]/.test(cursor.text.charAt(cursor.at))
}

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)

const skipBlanks = (cursor: Cursor): void => {
  while (isBlank(cursor.text.charCodeAt(cursor.at))) cursor.at += 1
}

const skip = (cursor: Cursor, code: number): boolean => {
  skipBlanks(cursor)
  if (cursor.text.charCodeAt(cursor.at) !== code) return false
  cursor.at += 1
  return true
}

const skipEmpty = (cursor: Cursor): boolean => {
  skipBlanks(cursor)
  if (peekWord(cursor) !== 'EMPTY') return false
  cursor.at += 'EMPTY'.length
  return true
}

const expect = (cursor: Cursor, code: number, what: string): void => {
  if (!skip(cursor, code)) throw expected(cursor, what)
}

const peekWord = (cursor: Cursor): string => {
  WORD.lastIndex = cursor.at
  const match = WORD.exec(cursor.text)
  return match === null ? '' : match[0].toUpperCase()
}

const expected = (cursor: Cursor, what: string): ValueError =>
  new ValueError(`at character ${cursor.at + 1}: expected ${what}, found ${foundAt(cursor)}`)

const foundAt = ({ text, at: from }: Cursor): string => {
  const rest = text.slice(from, from + 25)
  return rest ? quote(rest) : 'the end'
}
