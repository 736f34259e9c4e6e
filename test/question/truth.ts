import { caseFold, fold, foldWords } from '../../src/filters/fold.ts'
import { exactInstantOf } from '../../src/filters/temporal.ts'
import type { Bbox, LonLat } from '../../src/geometry/bbox.ts'
import { distanceBetween } from '../../src/geometry/circle.ts'
import { prepare } from '../../src/geometry/within.ts'
import type { Area, Condition, FieldRef, Operand, Term, TextTest } from '../../src/question/condition.ts'
import { type Extent, keyOfDouble, MILLISECOND } from '../../src/question/range.ts'

/** Null means unknown. */
type Truth = boolean | null
/** Instants and durations are ticks, integers are bigint as well, and doubles are numbers. */
export type Value = string | number | bigint | null

/** A row as the plainest engine holds it. */
export interface Thing {
  readonly id: number
  readonly fields: Readonly<Record<string, Value>>
  readonly attributes: Readonly<Record<string, unknown>>
  readonly point: LonLat | null
  readonly rectangle: Bbox | null
  /** The texts that the search for words reads. */
  readonly texts: readonly string[]
}

/** Decides a condition for one row, by three-valued logic. */
export const truthOf = (condition: Condition, thing: Thing): Truth => {
  const truth = (each: Condition) => truthOf(each, thing)
  switch (condition.kind) {
    case 'all':
      return allOf(condition.of.map(truth))
    case 'any':
      return not(allOf(condition.of.map((each) => not(truth(each)))))
    case 'not':
      return not(truth(condition.of))
    case 'unless':
      return truth(condition.of) !== true
    case 'same': {
      const [one, other] = [truth(condition.one), truth(condition.other)]
      return one === null || other === null ? null : one === other
    }
    case 'known':
      return condition.of.map(truth).find((each) => each !== null) ?? null
    case 'missing':
      return condition.field === 'place'
        ? thing.point === null && thing.rectangle === null
        : fieldValue(condition.field, thing) === null
    case 'range':
      return inExtents(keyOf(condition.field, thing), condition.extents)
    case 'part': {
      const value = fieldValue(condition.field, thing)
      return value === null
        ? null
        : condition.values.includes(partOf(condition, Number((value as bigint) / MILLISECOND)))
    }
    case 'text': {
      const text = textOf(condition.field, thing)
      if (text === null) return null
      const folded = condition.fold === null ? text : FOLDS[condition.fold](text)
      return condition.texts.some((each) => TESTS[condition.test](folded, each))
    }
    case 'match': {
      const text = textOf(condition.field, thing)
      // RE2 writes a code point in another way.
      return text === null
        ? null
        : new RegExp(condition.pattern.replaceAll('\\x{', '\\u{'), condition.ignoreCase ? 'iu' : 'u').test(text)
    }
    case 'equals': {
      const value = thing.attributes[condition.attribute]
      // A value of another type is unknown.
      const isKnown = condition.values.some((each) => typeof each === typeof value)
      return isKnown ? condition.values.includes(value as string) : null
    }
    case 'compare': {
      const [left, right] = [operandOf(condition.left, thing), operandOf(condition.right, thing)]
      return left === null || right === null ? null : SIGNS[condition.operator](order(left, right))
    }
    case 'area': {
      if (condition.of === 'rectangle') return thing.rectangle && meets(thing.rectangle, condition.area)
      return thing.point && contains(condition.area, thing.point)
    }
    case 'words':
      return condition.terms.every((term) => thing.texts.some((text) => hasTerm(text, term)))
  }
}

type OfPart = Extract<Condition, { kind: 'part' }>

/** Returns a part of an instant in milliseconds, as a clock of JavaScript shows it. */
const partOf = ({ part, clock }: OfPart, instant: number): number => {
  const format = new Intl.DateTimeFormat('en', { timeZone: clock?.name ?? 'UTC', hourCycle: 'h23', [part]: FORM[part] })
  const shown = format.format(instant)
  return part === 'weekday' ? WEEKDAYS.indexOf(shown) : Number(shown)
}
const FORM = { year: 'numeric', month: 'numeric', weekday: 'short', hour: 'numeric' }
const WEEKDAYS = ['', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const not = (truth: Truth): Truth => (truth === null ? null : !truth)

const allOf = (truths: readonly Truth[]): Truth =>
  truths.includes(false) ? false : truths.includes(null) ? null : true

const FOLDS = { upper: fold, casei: caseFold }

const TESTS: Readonly<Record<TextTest, (text: string, other: string) => boolean>> = {
  is: (text, other) => text === other,
  has: (text, other) => text.includes(other),
  starts: (text, other) => text.startsWith(other),
  ends: (text, other) => text.endsWith(other),
  like: (text, other) => like(text, other),
}

/**
 * Compares a text with a pattern of LIKE. It reads the text once and keeps all places in the pattern that match so far.
 */
const like = (text: string, pattern: string): boolean => {
  const steps = pattern.match(/\\.|./gsu) ?? []
  const skips = (places: Set<number>) => {
    for (const place of places) if (steps[place] === '%') places.add(place + 1)
    return places
  }
  let places = skips(new Set([0]))
  for (const character of text) {
    const next = new Set<number>()
    for (const place of places) {
      const step = steps[place]
      if (step === '%') next.add(place)
      else if (step === '_' || step === character || (step !== '\\' && step === `\\${character}`)) next.add(place + 1)
    }
    places = skips(next)
  }
  return places.has(steps.length)
}

const SIGNS = {
  '<': (way: number) => way < 0,
  '>': (way: number) => way > 0,
  '<=': (way: number) => way <= 0,
  '>=': (way: number) => way >= 0,
  '=': (way: number) => way === 0,
  '<>': (way: number) => way !== 0,
}

/** Returns the value of a field. An attribute without a value has null. */
const fieldValue = (field: FieldRef, { fields, attributes }: Thing): unknown =>
  (typeof field === 'string' ? fields[field] : attributes[field.attribute]) ?? null

const textOf = (field: FieldRef, thing: Thing): string | null => {
  const value = fieldValue(field, thing)
  return typeof value === 'string' ? value : null
}

/** Returns the value of a field in the unit of extents. A double has its key. */
const keyOf = (field: FieldRef, thing: Thing): bigint | null => {
  const value = fieldValue(field, thing)
  if (typeof field === 'object' && field.as === 'instant') return instantIn(value)
  return typeof value === 'number' ? keyOfDouble(value) : typeof value === 'bigint' ? value : null
}

const inExtents = (value: bigint | null, extents: readonly Extent[]): Truth =>
  value === null ? null : extents.some(([least, greatest]) => (least ?? value) <= value && value <= (greatest ?? value))

/** Reads a text of an attribute as an instant. Null: it is none. */
const instantIn = (value: unknown): bigint | null => {
  try {
    return typeof value === 'string' && value.trim() === value ? exactInstantOf(value) : null
  } catch {
    return null
  }
}

const operandOf = (operand: Operand, thing: Thing): string | number | bigint | null => {
  if (typeof operand !== 'string' && 'attribute' in operand) {
    const value = thing.attributes[operand.attribute]
    const type = { text: 'string', number: 'number' }[operand.as]
    return typeof value === type ? (value as string | number) : null
  }
  if (typeof operand === 'string') {
    const value = fieldValue(operand, thing)
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? value : null
  }
  if ('instant' in operand) return instantIn(thing.attributes[operand.instant])
  if ('text' in operand) return operand.text
  if ('number' in operand) return operand.number
  if ('fold' in operand) {
    const text = operandOf(operand.of, thing)
    return typeof text === 'string' ? FOLDS[operand.fold](text) : null
  }
  const [a, b] = operand.of.map((each) => {
    const value = operandOf(each, thing)
    return value === null ? null : Number(value)
  })
  if (a === null || a === undefined || b === null) return null
  const result = b === undefined ? -a : computed(operand.op, a, b)
  return Number.isNaN(result) ? null : result
}

export const computed = (op: string, a: number, b: number): number | null => {
  if (op === '+') return a + b
  if (op === '-') return a - b
  if (op === '*') return a * b
  if (op === '^') return a ** b
  if (b === 0) return null
  return op === '/' ? a / b : op === '%' ? a % b : Math.trunc(a / b)
}

/** Compares two values. Texts are in the order of their code points. */
export const order = (a: string | number | bigint, b: string | number | bigint): number => {
  if (typeof a === 'string' && typeof b === 'string') return orderOfTexts(a, b)
  if (typeof a === 'string' || typeof b === 'string') return typeof a === 'string' ? 1 : -1
  return a < b ? -1 : a > b ? 1 : 0
}

const orderOfTexts = (a: string, b: string): number => {
  const [one, other] = [[...a], [...b]]
  const place = one.findIndex((character, i) => character !== other[i])
  if (place < 0) return one.length - other.length
  return (one[place]?.codePointAt(0) ?? 0) - (other[place]?.codePointAt(0) ?? -1)
}

const hasTerm = (text: string, { words, open }: Term): boolean => {
  const spaced = ` ${
    foldWords(text)
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `
  return spaced.includes(` ${words.join(' ')}${open ? '' : ' '}`)
}

const PREPARED = new WeakMap<Area, ReturnType<typeof prepare>>()

/** Tests a point. A box whose west is greater than its east crosses 180 degrees. */
export const contains = (area: Area, point: LonLat): boolean => {
  if ('within' in area) {
    const prepared = PREPARED.get(area) ?? prepare(area.within, area.closed)
    PREPARED.set(area, prepared)
    return prepared.contains(...point)
  }
  if ('circle' in area) return distanceBetween(area.circle, point) <= area.metres
  if ('all' in area) return area.all.every((each) => contains(each, point))
  if ('any' in area) return area.any.some((each) => contains(each, point))
  if ('outside' in area) return !contains(area.outside, point)
  if ('nowhere' in area) return false
  const [west, south, east, north] = area.box
  const [x, y] = point
  const isIn = (value: number, least: number, greatest: number) =>
    area.closed ? least <= value && value <= greatest : least < value && value < greatest
  const wide = stretchesOf(west, east).some(([from, to]) => isIn(x, from, to))
  return wide && isIn(y, south, north)
}

/**
 * Returns the stretches of longitudes from a west to an east. An end beyond 180 degrees is on the other side as well, and so
 * is a west that is greater than its east.
 */
const stretchesOf = (west: number, east: number): readonly (readonly [west: number, east: number])[] => {
  if (west > east)
    return [
      [west, 181],
      [-181, east],
    ]
  const turns = [0, ...(east > 180 ? [360] : []), ...(west < -180 ? [-360] : [])]
  return turns.map((turn) => [west - turn, east - turn])
}

/** Tests if a rectangle shares a point with a box. */
const meets = ([west, south, east, north]: Bbox, area: Area): boolean => {
  if ('any' in area) return area.any.some((each) => meets([west, south, east, north], each))
  if (!('box' in area)) throw new RangeError('Only boxes meet rectangles.')
  const [left, bottom, right, top] = area.box
  return south <= top && north >= bottom && stretchesOf(left, right).some(([from, to]) => west <= to && east >= from)
}
