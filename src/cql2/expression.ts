import { ValueError } from '../base/errors.ts'
import { type Bbox, bboxFrom, rectangleOf } from '../geometry/bbox.ts'
import { toLonLat } from '../geometry/crs.ts'
import { checkShape, type Geometry, type ParsedGeometry, zeroIfNear } from '../geometry/geometry.ts'
import { isDegrees } from '../geometry/srid.ts'

/** The examples in messages. All name properties of events, so a renamed property is changed here. */
export const EXAMPLES = {
  comparison: "category = 'hurricane'",
  like: "category LIKE 'tropical%'",
  isNull: 'category IS NULL',
  caseFolded: 'CASEI(category)',
  json: '{"op":"=","args":[{"property":"category"},"hurricane"]}',
  /** The properties with a stored folded form. */
  foldable: 'a category, a name or object_type',
}

/** An expression of CQL2 (OGC 21-065r2), from text or JSON. `at` is its place in the input, for messages. */
export type Expression =
  | { readonly kind: 'operation'; readonly op: string; readonly args: readonly Expression[]; readonly at: string }
  | { readonly kind: 'property'; readonly name: string; readonly at: string }
  | { readonly kind: 'text'; readonly value: string; readonly at: string }
  /** `exact` has all digits of the input (`exactOf`). */
  | { readonly kind: 'number'; readonly value: number; readonly exact: bigint; readonly at: string }
  | { readonly kind: 'boolean'; readonly value: boolean; readonly at: string }
  /** A date or an instant as in the input: `2018-02-05` or `2018-02-05T00:00:00Z`. */
  | { readonly kind: 'instant'; readonly value: string; readonly at: string }
  /** The open end of an interval. */
  | { readonly kind: 'open'; readonly at: string }
  | { readonly kind: 'list'; readonly items: readonly Expression[]; readonly at: string }
  | { readonly kind: 'geometry'; readonly geometry: Geometry; readonly at: string }
  | { readonly kind: 'bbox'; readonly bounds: Bbox; readonly at: string }

const operations = (names: string, least: number, most = least) =>
  names.split(' ').map((name) => [name, [least, most]] as const)

/** The minimum and maximum number of arguments of each operation, by its name in CQL2-JSON. */
export const OPERATIONS: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ...operations('and or', 2, 1000),
  ...operations('not isNull casei', 1),
  ...operations('-', 1, 2),
  ...operations('= <> < > <= >= like in + * / % div ^ interval', 2),
  ...operations('between', 3),
  ...operations('s_contains s_crosses s_disjoint s_equals s_intersects s_overlaps s_touches s_within', 2),
  ...operations('t_after t_before t_contains t_disjoint t_during t_equals t_finishedBy t_finishes t_intersects', 2),
  ...operations('t_meets t_metBy t_overlappedBy t_overlaps t_startedBy t_starts', 2),
])

/**
 * The maximum depth and the maximum number of expressions in a filter. D1 limits the SQL of a filter to a depth of 100.
 */
const MAX_DEPTH = 24
const MAX_EXPRESSIONS = 2000

/** Counts one more expression. Throws ValueError if there are too many, or if they are nested too deep. */
export const spend = (budget: { expressions: number }, depth: number, at: string): void => {
  budget.expressions += 1
  if (depth > MAX_DEPTH) throw fault(at, `expressions are nested more than ${MAX_DEPTH} deep. Enter a flatter filter`)
  if (budget.expressions > MAX_EXPRESSIONS)
    throw fault(
      at,
      `the filter has more than ${MAX_EXPRESSIONS} expressions. Enter a shorter filter, with IN for lists`,
    )
}

/** Returns the error for a faulty filter. `at` is the place of the fault. */
export const fault = (at: string, message: string): ValueError => new ValueError(`At ${at}: ${message}.`)

/** Adds the place of a faulty value to its message. */
export const located = <T>(at: string, read: () => T): T => {
  try {
    return read()
  } catch (error) {
    throw error instanceof ValueError ? fault(at, error.message.replace(/\.$/, '')) : error
  }
}

/** Returns a number. Throws ValueError if it is infinite: JSON and text can contain numbers that no double can hold. */
export const finite = (value: number, at: string): number => {
  if (Number.isFinite(value)) return value
  throw fault(at, 'the number is too large. Enter one below 1.7e308')
}

/**
 * Reads a geometry and transforms it to longitude and latitude. `srid` is its reference system if the geometry names
 * none.
 */
export const geometryOf = (read: () => ParsedGeometry, srid: number, at: string): Expression =>
  located(at, () => {
    const { geometry, srid: own } = read()
    return { kind: 'geometry', geometry: toLonLat(checkShape(geometry), own || srid), at }
  })

/**
 * Returns a box from four numbers, or from six with heights, which it ignores. A box in another reference system
 * becomes a polygon.
 */
export const boxOf = (numbers: readonly number[], srid: number, at: string): Expression => {
  const bounds = bboxFrom(numbers.map(zeroIfNear))
  if (bounds === null)
    throw fault(at, 'a box takes four numbers, or six. Enter west, south, east and north, such as BBOX(4, 51, 6, 53)')
  const [, south, , north] = bounds
  if (south > north)
    throw fault(
      at,
      'the south of the box is greater than its north. Enter west, south, east and north, such as BBOX(4, 51, 6, 53)',
    )
  if (isDegrees(srid)) return { kind: 'bbox', bounds, at }
  return geometryOf(() => ({ geometry: rectangleOf(bounds), srid }), srid, at)
}

/** Returns an end of an interval from a text. `..` and the empty text are an open end. */
export const endOf = (value: string, at: string): Expression =>
  value === '..' || value === '' ? { kind: 'open', at } : { kind: 'instant', value, at }
