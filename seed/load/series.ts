import { createHash } from 'node:crypto'
import { ACCESS_LEVELS, accessName, levelOf } from '../../src/base/access.ts'
import { MAX_NAME } from '../../src/model/kinds.ts'
import { KIND_FIELDS, type LoadRecord, type ObservationTypeRecord, type SeriesRecord } from '../../src/store/records.ts'
import { MAX_GIVEN } from '../../src/store/statement.ts'
import { LoadError, optionError } from './error.ts'

/** Options for the series of events that name none. */
export interface SeriesOptions {
  /** The uuid or the name of a stored series, or the name of a new one. */
  readonly series?: string | undefined
  readonly access?: string | undefined
  /** The code or the id of a stored type, or the code of a new one. */
  readonly observationType?: string | undefined
}

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

/** Finds or creates the series that the options name. Null: they name none. Throws LoadError for a wrong option. */
export function chooseSeries(known: Known, { series: given, access, observationType }: SeriesOptions): Chosen | null {
  if (given === undefined) {
    if (access === undefined && observationType === undefined) return null
    throw new LoadError('--access and --observation-type describe a new series: name the series with --series NAME')
  }
  const level = access === undefined ? undefined : levelFrom(access)
  const type = observationType === undefined ? undefined : typeOf(known.types, observationType)
  const stored = find(known.series, given)
  if (stored === undefined)
    return make(known, given, level ?? ACCESS_LEVELS.Public, type ?? typeOf(known.types, OBSERVATION_TYPE))
  const refuse = (option: string, has: string) => {
    throw new LoadError(
      `${option} does not match: the series already exists and ${has}. Remove ${option.split(' ')[0]}`,
    )
  }
  if (level !== undefined && level !== stored.access_modifier)
    refuse(`--access ${accessName(level)}`, `is ${accessName(stored.access_modifier)}`)
  if (type !== undefined && type.id !== stored.observation_type)
    refuse(`--observation-type ${observationType}`, 'has another type')
  return { series: stored, isNew: false, records: [] }
}

function levelFrom(access: string): number {
  const level = levelOf(access)
  if (level !== null) return level
  throw optionError('--access', access, `enter ${Object.keys(ACCESS_LEVELS).join(', ')}`)
}

/** Finds a type by its code or id, or creates one with this code. */
function typeOf(types: readonly ObservationTypeRecord[], given: string): ObservationTypeRecord {
  const stored = types.find(({ code }) => code === given) ?? types.find(({ id }) => String(id) === given)
  if (stored !== undefined) return stored
  if (/^\d*$/.test(given))
    throw optionError('--observation-type', given, 'enter the id of a stored type, or a code, such as wind_speed')
  const name = given.charAt(0).toUpperCase() + given.slice(1).replaceAll('_', ' ')
  return { kind: 'observation_type', id: nextId(types), code: text('--observation-type', given), name, unit: null }
}

function find(all: readonly SeriesRecord[], given: string): SeriesRecord | undefined {
  const uuid = KIND_FIELDS.event_series.uuid.kind.read(given)
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
  const uuids = named.map(({ uuid }) => uuid).join(', ')
  throw optionError('--series', given, `${named.length} series have that name. Enter the uuid of one: ${uuids}`)
}

function make({ types, series: all }: Known, name: string, level: number, type: ObservationTypeRecord): Chosen {
  const uuids = new Set(all.map(({ uuid }) => uuid))
  // A series that was renamed may still have the first uuids of the name.
  let number = 0
  while (uuids.has(uuidOfName(name, number))) number += 1
  const uuid = uuidOfName(name, number)
  const series: SeriesRecord = {
    kind: 'event_series',
    id: nextId(all),
    uuid,
    name: text('--series', name),
    description: '',
    observation_type: type.id,
    statistic: 'raw',
    color: `#${uuid.slice(-6)}`,
    access_modifier: level,
    created: 1000 * Date.now(),
    last_modified: null,
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

function text(option: string, value: string): string {
  const valid =
    value.trim() === '' || value.length > MAX_NAME ? undefined : KIND_FIELDS.event_series.name.kind.read(value)
  if (valid === undefined) throw optionError(option, value, `enter a name of at most ${MAX_NAME} characters`)
  return valid
}

const nextId = (records: readonly { readonly id: number }[]): number =>
  1 + records.reduce((greatest, { id }) => (id < MAX_GIVEN ? Math.max(greatest, id) : greatest), 0)
