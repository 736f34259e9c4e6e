import { caseFold } from '../../src/filters/fold.ts'
import { computed } from '../question/truth.ts'
import type { EventRecord } from '../records.ts'
import type { Json } from './filters.ts'

/** The value of a predicate. Null is neither true nor false. */
export type Truth = boolean | null
/** A time with its first and last millisecond. */
type Time = readonly [first: number, last: number]
type Scalar = string | number | null | Time
type Members = Readonly<Record<string, Json>>

/** Evaluates a filter of CQL2-JSON for one event, by three-valued logic. `series` is the name of its series. */
export const truthOf = (filter: Json, event: EventRecord, series: string): Truth => {
  if (typeof filter === 'boolean') return filter
  const { op, args } = operationOf(filter)
  const [a = '', b = '', c = ''] = args
  const truth = (each: Json) => truthOf(each, event, series)
  const value = (each: Json) => scalarOf(each, event, series)
  const compared = (sign: string, one: Json, other: Json) => compare(sign, value(one), value(other))
  if (op === 'and') return all(args.map(truth))
  if (op === 'or') return not(all(args.map((each) => not(truth(each)))))
  if (op === 'not') return not(truth(a))
  if (op === 'in') return not(all((b as Json[]).map((item) => not(compared('=', a, item)))))
  if (op === 'between') return all([compared('>=', a, b), compared('<=', a, c)])
  if (op === 'isNull') return (a as Members).property === 'geom' ? event.coordinates === null : value(a) === null
  if (op === 'like') return like(value(a), value(b))
  if (op.startsWith('s_')) return spatial(op, event.coordinates, b as Members)
  if (!isQuestion(a)) return compared(op, a, b)
  const [one, other] = [truth(a), truth(b)]
  return one === null || other === null ? null : (one === other) === (op === '=')
}

const operationOf = (json: Json): { op: string; args: readonly Json[] } => {
  const { op, args } = json as Members
  return { op: String(op), args: args as readonly Json[] }
}

const isQuestion = (json: Json): boolean =>
  typeof json === 'boolean' ||
  (typeof json === 'object' && 'op' in json && !/^([-+*/%]|div|casei)$/.test(operationOf(json).op))

const not = (truth: Truth): Truth => (truth === null ? null : !truth)

const all = (truths: readonly Truth[]): Truth => (truths.includes(false) ? false : truths.includes(null) ? null : true)

const scalarOf = (json: Json, event: EventRecord, series: string): Scalar => {
  if (typeof json === 'string' || typeof json === 'number') return json
  const { property, timestamp, date } = json as Members
  if (typeof property === 'string') return fieldOf(property, event, series)
  if (typeof timestamp === 'string') return timeOf(timestamp)
  if (typeof date === 'string') return [Date.parse(date), Date.parse(date) + 86_400_000 - 1e-6]
  const { op, args } = operationOf(json)
  const [a, b] = args.map((each) => scalarOf(each, event, series))
  if (op === 'casei') return typeof a === 'string' ? caseFold(a) : null
  return typeof a === 'number' && typeof b === 'number' ? computed(op, a, b) : null
}

/** Reads a time with the decimal digits that Date ignores. */
const timeOf = (text: string): Time => {
  const [, digits = ''] = /\.\d{3}(\d*)/.exec(text) ?? []
  const time = Date.parse(text) + Number(`0.${digits}0`)
  return [time, time]
}

const fieldOf = (name: string, event: EventRecord, series: string): Scalar => {
  const fields: Readonly<Record<string, Scalar>> = {
    id: event.id,
    category: event.category,
    value: event.value,
    event_series_name: series,
    external_id: event.external_id ?? null,
    object_type: event.object?.model ?? null,
    object_id: event.object?.id ?? null,
    timestamp_start: [event.start, event.start],
    timestamp_end: [event.end, event.end],
  }
  return fields[name] ?? null
}

const compare = (op: string, a: Scalar, b: Scalar): Truth => {
  if (a === null || b === null) return null
  const [one, other] = [endsOf(a), endsOf(b)]
  if (op === '<') return order(one.at(-1), other[0]) < 0
  if (op === '>') return order(one[0], other.at(-1)) > 0
  if (op === '<=') return order(one.at(-1), other.at(-1)) <= 0
  if (op === '>=') return order(one[0], other[0]) >= 0
  const inside = order(one[0], other[0]) >= 0 && order(one.at(-1), other.at(-1)) <= 0
  return inside === (op === '=')
}

const endsOf = (value: string | number | Time): readonly (string | number)[] =>
  typeof value === 'object' ? value : [value]

/** Compares two values, texts by code points. The result is negative if the first is less. */
const order = (a: string | number = '', b: string | number = ''): number => {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0
  const [one, other] = [a, b].map((text) => Array.from(String(text), (each) => each.codePointAt(0) ?? 0))
  for (const [i, code] of (one ?? []).entries()) {
    const difference = code - (other?.[i] ?? -1)
    if (difference !== 0) return difference
  }
  return (one?.length ?? 0) - (other?.length ?? 0)
}

/**
 * Compares a text with a pattern of LIKE. It reads the text once and keeps all places in the pattern that match so far.
 */
export const like = (text: Scalar, pattern: Scalar): Truth => {
  if (typeof text !== 'string' || typeof pattern !== 'string') return null
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

const spatial = (op: string, position: readonly number[] | null, shape: Members): Truth => {
  if (position === null) return null
  const [x = 0, y = 0] = position
  const [closed, open] = sides(x, y, shape)
  return op === 's_within' ? open : op === 's_disjoint' ? !closed : closed
}

/**
 * Tests if a point is in a box, on a point, or in a triangle with the right angle at its lower right. Returns the
 * answer with the sides and the one without them.
 */
const sides = (x: number, y: number, { bbox, coordinates, type }: Members): [closed: boolean, open: boolean] => {
  if (bbox !== undefined) {
    const [west = 0, south = 0, east = 0, north = 0] = bbox as number[]
    const [closed, open] =
      west <= east ? [x >= west && x <= east, x > west && x < east] : [x >= west || x <= east, x > west || x < east]
    return [closed && y >= south && y <= north, open && y > south && y < north]
  }
  if (type === 'Point') {
    const [a, b] = coordinates as number[]
    return [x === a && y === b, x === a && y === b]
  }
  const [[[west = 0, south = 0] = [], [east = 0] = []] = []] = coordinates as number[][][]
  const height = y - south
  return [x <= east && height >= 0 && height <= x - west, x < east && height > 0 && height < x - west]
}
