import { ACCESS_LEVELS } from '../access.ts'
import { ValueError } from '../errors.ts'
import { instantOf } from '../filters/temporal.ts'
import { zeroIfNear } from '../geometry/zero.ts'
import { refuseLong } from './length.ts'

/**
 * The reader of a field: the message with valid values, and a function. The function returns undefined for an invalid
 * value.
 */
export type Expected<T> = readonly [expected: string, read: (value: unknown) => T | undefined]
type Position = readonly [x: number, y: number, z: number]
type ObjectReference = { readonly model: string; readonly id: number }

/**
 * The maximum number of characters in a line of a file. It is enough for the longest texts, as JSON, and all other
 * fields.
 */
export const MAX_LINE = 2_000_000
const MAX_SHOWN = 60
/** The limits of the years 0 to 9999, because a date has four digits for the year. */
const [FIRST_TIME, LAST_TIME] = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]
/** The message with valid starts and ends. */
export const TIME_HINT = `milliseconds since 1970, an integer from ${FIRST_TIME} to ${LAST_TIME} (the years 0 to 9999)`
const UUID = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:?\d\d)$/
const INSTANT_HINT = 'an ISO 8601 instant from 1685 to 2254, such as "2018-02-07T01:49:14.000000Z"'

/** The required fields of each kind of record. */
export const FIELDS = {
  observation_type: {
    id: positive('a positive integer'),
    code: text('a text, such as "wind_speed"'),
    name: text('a text'),
    unit: orNull(text('a text, such as "kn"')),
  },
  event_series: {
    id: positive('a positive integer'),
    uuid: ['a UUID, such as "1f3fd2e4-e4f6-564f-b861-9051626e9eb4"', uuid],
    name: text('a text'),
    description: text('a text, which may be empty'),
    observation_type: positive('the id of an observation type'),
    statistic: text('a text, such as "raw"'),
    color: ['# and six hexadecimal digits, such as "#6e9eb4"', color],
    access_modifier: [`one of ${Object.keys(ACCESS_LEVELS).join(', ')}`, accessLevel],
    created: [INSTANT_HINT, microseconds],
    last_modified: orNull([INSTANT_HINT, microseconds]),
  },
  event: {
    id: positive('a positive integer'),
    series: positive('the id of an event series'),
    category: text('a text, which may be empty'),
    value: text('a text'),
    start: [TIME_HINT, milliseconds],
    end: [TIME_HINT, milliseconds],
    coordinates: orNull(['[longitude, latitude] or [longitude, latitude, z], such as [5.18, 52.1, 0]', position]),
    object: orNull(['a model of a-z, 0-9, _ and an integer id, such as {"model": "storm", "id": 12}', reference]),
  },
} satisfies Record<string, Record<string, Expected<unknown>>>

/** The optional fields of each kind of record. */
export const OPTIONAL = {
  observation_type: {},
  event_series: {},
  event: {
    external_id: orNull(short('a text of 1 to 300 characters, such as "us2000cyfv"')),
    last_modified: orNull([INSTANT_HINT, microseconds]),
  },
} satisfies Record<keyof typeof FIELDS, Record<string, Expected<unknown>>>

type Fields = typeof FIELDS
type Value<F> = F extends Expected<infer T> ? T : never
type RecordOf<K extends keyof Fields> = { readonly kind: K } & {
  readonly [N in keyof Fields[K]]: Value<Fields[K][N]>
} & {
  readonly [N in keyof (typeof OPTIONAL)[K]]?: Value<(typeof OPTIONAL)[K][N]>
}
export type ObservationTypeRecord = RecordOf<'observation_type'>
/** `created` and `last_modified` are in microseconds since 1970. `access_modifier` is the number of the level. */
export type SeriesRecord = RecordOf<'event_series'>
/**
 * `start` and `end` are in milliseconds since 1970, `last_modified` in microseconds. `coordinates` always have a z. The
 * `external_id` is unique within the series.
 */
export type EventRecord = RecordOf<'event'>
export type LoadRecord = ObservationTypeRecord | SeriesRecord | EventRecord

/** Parses a line of newline-delimited JSON. Throws ValueError with the field and its valid values. */
export function parseRecord(line: string): LoadRecord {
  if (line.length > MAX_LINE) throw new ValueError(`the line has more than ${MAX_LINE} characters: shorten its texts`)
  const source = parseObject(line)
  const { kind } = source
  if (typeof kind !== 'string' || !Object.hasOwn(FIELDS, kind)) {
    throw new ValueError(faultOf('kind', kind, `enter one of "${Object.keys(FIELDS).join('", "')}"`))
  }
  const optional: Record<string, Expected<unknown>> = OPTIONAL[kind as keyof Fields]
  const fields: Record<string, Expected<unknown>> = { ...FIELDS[kind as keyof Fields], ...optional }
  const record: Record<string, unknown> = { kind }
  for (const [name, [expected, read]] of Object.entries(fields)) {
    if (Object.hasOwn(optional, name) && !Object.hasOwn(source, name)) continue
    const value = Object.hasOwn(source, name) ? read(source[name]) : undefined
    if (value === undefined) throw new ValueError(faultOf(name, source[name], `enter ${expected}`))
    if (value !== null || !Object.hasOwn(optional, name)) record[name] = value
  }
  const stray = Object.keys(source).find((name) => name !== 'kind' && !Object.hasOwn(fields, name))
  if (stray !== undefined) {
    throw new ValueError(
      `"${stray}" is not a field of kind "${kind}": leave it out, or enter one of ${Object.keys(fields).join(', ')}`,
    )
  }
  const checked = record as LoadRecord // the loop above reads every field of this kind
  if (checked.kind === 'event' && checked.end < checked.start) {
    throw new ValueError(`"end" is ${checked.end}, before "start": enter ${checked.start} or a later time`)
  }
  refuseLong(checked)
  return checked
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw new ValueError('the line is not JSON: enter one whole object, such as {"kind": "event", ...}')
  }
  if (isObject(value)) return value
  throw new ValueError('the line is not a JSON object: enter one, such as {"kind": "event", ...}')
}

/** Returns a message that names a field, its value, and what to enter. */
export function faultOf(name: string, value: unknown, advice: string): string {
  const shown = JSON.stringify(value ?? undefined)
  if (shown === undefined) return `"${name}" is ${value === null ? 'null' : 'missing'}: ${advice}`
  return `"${name}" is ${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}...` : shown}: ${advice}`
}

function orNull<T>([expected, read]: Expected<T>): Expected<T | null> {
  return [`${expected}, or null`, (value) => (value === null ? null : read(value))]
}

function text(expected: string): Expected<string> {
  const fits = (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0')
  return [
    `${expected} (Unicode without NUL or lone surrogates)`,
    (value) => (fits(value) ? (value as string) : undefined),
  ]
}

/** The maximum number of characters in an external id. */
const MAX_SHORT = 300

function short(expected: string): Expected<string> {
  const [description, read] = text(expected)
  const fits = (candidate: string | undefined) =>
    candidate !== undefined && candidate !== '' && candidate.length <= MAX_SHORT
  return [description, (value) => (fits(read(value)) ? read(value) : undefined)]
}

function positive(expected: string): Expected<number> {
  return [`${expected}, such as 1`, (value) => (isInteger(value) && value > 0 ? value : undefined)]
}

function uuid(value: unknown): string | undefined {
  const parts = typeof value === 'string' ? UUID.exec(value) : null
  return parts?.slice(1).join('-').toLowerCase()
}

function color(value: unknown): string | undefined {
  return typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? value : undefined
}

function accessLevel(value: unknown): number | undefined {
  return Object.entries(ACCESS_LEVELS).find(([name]) => name === value)?.[1]
}

/** Limited to the safe integers of JavaScript, which D1 holds exactly. */
function microseconds(value: unknown): number | undefined {
  if (typeof value !== 'string' || !INSTANT.test(value)) return undefined
  try {
    const instant = Number(instantOf(value))
    return Number.isSafeInteger(instant) ? instant : undefined
  } catch {
    return undefined
  }
}

function milliseconds(value: unknown): number | undefined {
  return isInteger(value) && value >= FIRST_TIME && value <= LAST_TIME ? value : undefined
}

function position(value: unknown): Position | undefined {
  if (!Array.isArray(value) || value.length < 2 || value.length > 3 || !value.every(Number.isFinite)) return undefined
  const [x, y, z = 0] = value as [number, number, number?]
  return Math.abs(x) <= 180 && Math.abs(y) <= 90 ? [zeroIfNear(x), zeroIfNear(y), z] : undefined
}

function reference(value: unknown): ObjectReference | undefined {
  if (!isObject(value) || Object.keys(value).length !== 2) return undefined
  const { model, id } = value
  return typeof model === 'string' && /^[a-z0-9_]+$/.test(model) && isInteger(id) ? { model, id } : undefined
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value)
}

/** Tests if a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
