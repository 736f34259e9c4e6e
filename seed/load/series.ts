import { createHash } from 'node:crypto'
import { ACCESS_LEVELS, accessName, levelOf } from '../../src/access.ts'
import type { ObservationTypeRecord } from '../../src/model/observationType.ts'
import type { SeriesRecord } from '../../src/model/series.ts'
import { FIELDS, type LoadRecord } from '../../src/store/records.ts'
import { MAX_GIVEN } from '../../src/store/statement.ts'
import { LoadError } from './error.ts'

/** Options for the series of events that name none. */
export interface SeriesOptions {
  /** The uuid or the name of a stored series, or the name of a new one. */
  readonly series?: string | undefined
  readonly access?: string | undefined
  /** The code or the id of a stored type, or the code of a new one. */
  readonly observationType?: string | undefined
}

/** The stored observation types and series. */
interface Known {
  readonly types: readonly ObservationTypeRecord[]
  readonly series: readonly SeriesRecord[]
}

/** The series of the events, and the new records to store before them. */
export interface Chosen {
  readonly series: SeriesRecord
  readonly isNew: boolean
  readonly records: readonly LoadRecord[]
}

const OBSERVATION_TYPE = 'event'

/**
 * Finds or creates the series that the options name. Returns null if they name none. Throws LoadError for a wrong
 * option.
 */
export function chooseSeries({ types, series }: Known, options: SeriesOptions): Chosen | null {
  const { series: given, access, observationType } = options
  if (given === undefined) {
    if (access === undefined && observationType === undefined) return null
    throw new LoadError('--access and --observation-type describe a new series: name the series with --series NAME')
  }
  const level = access === undefined ? undefined : levelFrom(access)
  const type = observationType === undefined ? undefined : typeOf(types, observationType)
  const stored = find(series, given)
  if (stored === undefined)
    return make(given, level ?? ACCESS_LEVELS.Public, type ?? typeOf(types, OBSERVATION_TYPE), types, series)
  if (level !== undefined && level !== stored.access_modifier)
    throw new LoadError(
      `--access ${accessName(level)} does not match: the series already exists and is ${accessName(stored.access_modifier)}. Remove --access`,
    )
  if (type !== undefined && type.id !== stored.observation_type)
    throw new LoadError(
      `--observation-type ${observationType} does not match: the series already exists and has another type. Remove --observation-type`,
    )
  return { series: stored, isNew: false, records: [] }
}

function levelFrom(access: string): number {
  const level = levelOf(access)
  if (level !== null) return level
  throw new LoadError(`--access is ${JSON.stringify(access)}: enter ${Object.keys(ACCESS_LEVELS).join(', ')}`)
}

/** Finds a type by its code or id, or creates one with this code. */
function typeOf(types: readonly ObservationTypeRecord[], given: string): ObservationTypeRecord {
  const stored = types.find(({ code }) => code === given) ?? types.find(({ id }) => String(id) === given)
  if (stored !== undefined) return stored
  if (/^\d*$/.test(given))
    throw new LoadError(
      `--observation-type is ${JSON.stringify(given)}: enter the id of a stored type, or a code, such as wind_speed`,
    )
  const name = given.charAt(0).toUpperCase() + given.slice(1).replaceAll('_', ' ')
  return { kind: 'observation_type', id: nextId(types), code: text('--observation-type', given), name, unit: null }
}

function find(all: readonly SeriesRecord[], given: string): SeriesRecord | undefined {
  const uuid = FIELDS.event_series.uuid.kind.read(given)
  if (uuid !== undefined) {
    const match = all.find((series) => series.uuid === uuid)
    if (match === undefined)
      throw new LoadError(
        `--series is ${given}: no series has that uuid. Enter the uuid of a stored series, or the name of a new one`,
      )
    return match
  }
  const named = all.filter(({ name }) => name === given)
  if (named.length < 2) return named[0]
  throw new LoadError(
    `--series is ${JSON.stringify(given)}: ${named.length} series have that name. Enter the uuid of one: ${named.map((series) => series.uuid).join(', ')}`,
  )
}

function make(
  name: string,
  level: number,
  type: ObservationTypeRecord,
  types: readonly ObservationTypeRecord[],
  all: readonly SeriesRecord[],
): Chosen {
  const uuid = newUuid(name, all)
  const series: SeriesRecord = {
    ...{ kind: 'event_series', id: nextId(all), uuid, name: text('--series', name), description: '' },
    ...{ observation_type: type.id, statistic: 'raw', color: `#${uuid.slice(-6)}`, access_modifier: level },
    ...{ created: 1000 * Date.now(), last_modified: null },
  }
  return { series, isNew: true, records: types.includes(type) ? [series] : [type, series] }
}

/** The namespace for the uuids of names (RFC 9562, version 5). */
const NAMESPACE = Buffer.from('6f1c8d0e3b5a4c79a2e4d1b7905f3c68', 'hex')

/** Returns a uuid for a name. Each number gives another uuid for the same name. */
export function uuidOfName(name: string, number = 0): string {
  const text = number === 0 ? name : `${name}\0${number}`
  const bytes = createHash('sha1').update(NAMESPACE).update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Returns the first uuid of a name that no series has. A series that was renamed may still have the first uuids. */
function newUuid(name: string, all: readonly SeriesRecord[]): string {
  const taken = new Set(all.map(({ uuid }) => uuid))
  for (let number = 0; ; number++) if (!taken.has(uuidOfName(name, number))) return uuidOfName(name, number)
}

function text(option: string, value: string): string {
  const valid = value.trim() === '' ? undefined : FIELDS.event_series.name.kind.read(value)
  if (valid === undefined) throw new LoadError(`${option} is ${JSON.stringify(value)}: enter a name`)
  return valid
}

const nextId = (records: readonly { readonly id: number }[]): number =>
  1 + records.reduce((greatest, { id }) => (id < MAX_GIVEN ? Math.max(greatest, id) : greatest), 0)
