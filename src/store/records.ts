import { orUndefined, ValueError } from '../base/errors.ts'
import { parseJson } from '../base/json.ts'
import { EVENT } from '../model/event.ts'
import type { Fields } from '../model/field.ts'
import { isObject, LongText, type ValueReader } from '../model/kinds.ts'
import { storedIn, type ValuesOf } from '../model/members.ts'
import { METADATA } from '../model/metadata.ts'
import { OBSERVATION_TYPE } from '../model/observationType.ts'
import { SERIES } from '../model/series.ts'

/** The maximum number of characters in a line of a file. A line may have members that are not loaded. */
export const MAX_LINE = 2_000_000
const MAX_SHOWN = 60

/** The fields of each kind of record. */
export const KIND_FIELDS = {
  observation_type: OBSERVATION_TYPE,
  event_series: { ...SERIES, ...METADATA },
  event: EVENT,
} satisfies Record<LoadRecord['kind'], Fields>

const STORED = new Map(Object.entries(KIND_FIELDS).map(([kind, fields]) => [kind, storedIn(fields)]))

/** A record has the stored values of an item. Times are in milliseconds since 1970, and stamps in microseconds. */
type RecordOf<K extends keyof typeof KIND_FIELDS, F> = { readonly kind: K } & ValuesOf<F>
export type ObservationTypeRecord = RecordOf<'observation_type', typeof OBSERVATION_TYPE>
/** Without metadata: nobody read it. Null: the series had no event. */
export type SeriesRecord = RecordOf<'event_series', typeof SERIES> & Partial<ValuesOf<typeof METADATA>>
export type EventRecord = RecordOf<'event', typeof EVENT>
export type LoadRecord = ObservationTypeRecord | SeriesRecord | EventRecord

/** Parses a line of newline-delimited JSON. Throws ValueError with the field and its valid values. */
export function parseRecord(line: string): LoadRecord {
  if (line.length > MAX_LINE) throw new ValueError(`the line has more than ${MAX_LINE} characters: shorten its texts`)
  const source = parseObject(line)
  const { kind } = source
  const fields = typeof kind === 'string' ? STORED.get(kind) : undefined
  if (fields === undefined)
    throw new ValueError(faultOf('kind', kind, `enter one of "${Object.keys(KIND_FIELDS).join('", "')}"`))
  const record: Record<string, unknown> = { kind }
  for (const { name, kind, otherwise, omittable } of fields) {
    const given = Object.hasOwn(source, name) ? source[name] : undefined
    record[name] = given === undefined && omittable ? otherwise : readField<unknown>(name, given, kind)
  }
  const names = fields.map(({ name }) => name)
  const stray = Object.keys(source).find((name) => name !== 'kind' && !names.includes(name))
  if (stray !== undefined) {
    throw new ValueError(
      `"${stray}" is not a field of kind "${kind}": leave it out, or enter one of ${names.join(', ')}`,
    )
  }
  const checked = record as LoadRecord // the loop above reads every field of this kind
  if (checked.kind === 'event' && checked.end < checked.start) {
    throw new ValueError(`"end" is ${checked.end}, before "start": enter ${checked.start} or a later time`)
  }
  return checked
}

function parseObject(line: string): Record<string, unknown> {
  const value = orUndefined(() => parseJson(line))
  if (value === undefined)
    throw new ValueError('the line is not JSON: enter one whole object, such as {"kind": "event", ...}')
  if (isObject(value)) return value
  throw new ValueError('the line is not a JSON object: enter one, such as {"kind": "event", ...}')
}

/** Reads the value of a field. Throws ValueError that names the field for an invalid value. */
export function readField<T>(name: string, value: unknown, { expected, read }: ValueReader<T>): T {
  try {
    const parsed = read(value)
    if (parsed !== undefined) return parsed
  } catch (error) {
    if (!(error instanceof LongText)) throw error
    const [characters, most] = [error.characters, error.most].map((number) => number.toLocaleString('en'))
    throw new ValueError(`"${name}" has ${characters} characters: enter at most ${most}`)
  }
  throw new ValueError(faultOf(name, value, `enter ${expected}`))
}

/** Returns a message that names a field, its value, and what to enter. */
export function faultOf(name: string, value: unknown, advice: string): string {
  const shown = JSON.stringify(value ?? undefined)
  if (shown === undefined) return `"${name}" is ${value === null ? 'null' : 'missing'}: ${advice}`
  return `"${name}" is ${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}...` : shown}: ${advice}`
}

/** Returns the members of a record that differ from the stored one. */
export const changesIn = <R extends object>(stored: Readonly<Record<string, unknown>>, record: R): Partial<R> =>
  Object.fromEntries(
    Object.entries(record).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(stored[name])),
  ) as Partial<R> // names of record
