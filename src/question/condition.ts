import type { Clock, TimePart } from '../base/zone.ts'
import type { Bbox, LonLat } from '../geometry/bbox.ts'
import type { Geometry } from '../geometry/geometry.ts'
import type { FieldName } from './fields.ts'
import { type Extent, unionOf } from './range.ts'

/**
 * A condition selects rows of a list. It is plain data: filters and CQL2 are parsed into it, and only an engine turns it
 * into SQL. It has the three-valued logic of SQL, so it is unknown for a row without the value.
 */
export type Condition =
  /** Without parts, `all` is true and `any` is false. `known` is the first part that is not unknown. */
  | { readonly kind: 'all' | 'any' | 'known'; readonly of: readonly Condition[] }
  /** The opposite. It stays unknown where `of` is unknown. */
  | { readonly kind: 'not'; readonly of: Condition }
  /** True where `of` is false or unknown, as a filter with `__not`. */
  | { readonly kind: 'unless'; readonly of: Condition }
  /** Both are true, or both are false. */
  | { readonly kind: 'same'; readonly one: Condition; readonly other: Condition }
  /**
   * The value is in one of the extents. They are sorted and disjoint. Without extents it is false for each value. `exact` has
   * the extents of numbers with all digits that the client sent (`exactOf`), for an engine whose numbers have as many.
   */
  | Range
  /** A part of a time on a clock is one of these values. Null: UTC. */
  | {
      readonly kind: 'part'
      readonly field: FieldName
      readonly part: TimePart
      readonly clock: Clock
      readonly values: readonly number[]
    }
  /** The text passes a test with one of the texts. `fold` applies to the field: the texts are folded already. */
  | {
      readonly kind: 'text'
      readonly field: FieldRef
      readonly fold: Fold | null
      readonly test: TextTest
      readonly texts: readonly string[]
    }
  /** The text has a match of a regular expression (RE2). */
  | { readonly kind: 'match'; readonly field: FieldRef; readonly pattern: string; readonly ignoreCase: boolean }
  /** An attribute is one of these values. A number differs from the text with its digits. */
  | { readonly kind: 'equals'; readonly attribute: string; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: 'compare'; readonly operator: Operator; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'missing'; readonly field: FieldRef | 'place' }
  /** The point of an event is in an area, or the rectangle of a series shares a point with it. */
  | { readonly kind: 'area'; readonly of: 'point' | 'rectangle'; readonly area: Area }
  /** Each term occurs in a text of the row. */
  | { readonly kind: 'words'; readonly terms: readonly Term[] }

export interface Range {
  readonly kind: 'range'
  readonly field: FieldRef
  readonly extents: readonly Extent[]
  readonly exact?: readonly Extent[]
}

/**
 * A field is named, and an engine finds its column. An attribute is a column that users define. As an instant it is a text in
 * ISO 8601, whose extents are in ticks. Another value is then unknown.
 */
export type FieldRef = FieldName | { readonly attribute: string; readonly as?: 'instant' }

/** `upper` is the folding of the lookups of lists, `casei` that of CQL2. See `fold` and `caseFold`. */
export type Fold = 'upper' | 'casei'

/** `like` takes the patterns of CQL2: `%` stands for any characters and `_` for one. A backslash escapes them. */
export type TextTest = 'is' | 'has' | 'starts' | 'ends' | 'like'

export type Operator = '<' | '>' | '<=' | '>=' | '=' | '<>'
export type Arithmetic = '+' | '-' | '*' | '/' | '%' | 'div' | '^'

/** A value to compare. With one operand, `-` is the sign. */
export type Operand =
  | FieldName
  /** An attribute of another type has no value. */
  | { readonly attribute: string; readonly as: 'text' | 'number' }
  /** The instant in an attribute, which is compared only with instants. Another value is none. */
  | { readonly instant: string }
  | { readonly text: string }
  | { readonly number: number }
  | { readonly fold: Fold; readonly of: Operand }
  | { readonly op: Arithmetic; readonly of: readonly Operand[] }

/**
 * An area in longitude and latitude. A closed one includes its boundary. A box whose west is greater than its east
 * crosses 180 degrees.
 */
export type Area =
  | { readonly within: Geometry; readonly closed: boolean }
  | { readonly box: Bbox; readonly closed: boolean }
  | { readonly circle: LonLat; readonly metres: number }
  | { readonly all: readonly Area[] }
  | { readonly any: readonly Area[] }
  | { readonly outside: Area }
  /** It contains no point. */
  | { readonly nowhere: true }

/** Words that follow each other, folded by `foldWords`. `open`: more letters may follow the last one. */
export interface Term {
  readonly words: readonly string[]
  readonly open: boolean
}

export const ALWAYS: Condition = { kind: 'all', of: [] }
export const NEVER: Condition = { kind: 'any', of: [] }

/** Joins conditions. A single one stays as it is. */
const joined =
  (kind: 'all' | 'any') =>
  (of: readonly Condition[]): Condition => {
    const [only, ...others] = of
    return only !== undefined && others.length === 0 ? only : { kind, of }
  }
export const [allOf, anyOf] = [joined('all'), joined('any')]

/** Tests if an operand is the instant in an attribute. */
export const isInstant = (operand: Operand): boolean => typeof operand === 'object' && 'instant' in operand

/** Returns the conditions that a condition joins, negates or compares. Any other is its only one. */
export const leavesOf = (condition: Condition): readonly Condition[] => {
  if (condition.kind === 'not' || condition.kind === 'unless') return leavesOf(condition.of)
  if (condition.kind === 'same') return [condition.one, condition.other].flatMap(leavesOf)
  return 'of' in condition && condition.kind !== 'area' ? condition.of.flatMap(leavesOf) : [condition]
}

/** Returns the condition that a value is in an extent, which may be empty. */
export const inRange = (field: FieldRef, [least, greatest]: Extent): Range => {
  const isEmpty = least !== null && greatest !== null && least > greatest
  return { kind: 'range', field, extents: isEmpty ? [] : [[least, greatest]] }
}

/** Returns the condition that a value is one of these. */
export const oneOf = (field: FieldRef, values: readonly bigint[]): Condition => ({
  kind: 'range',
  field,
  extents: unionOf(values.map((value) => [value, value])),
})
