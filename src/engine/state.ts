import { revisions } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../base/access.ts'
import { at } from '../base/collections.ts'

/**
 * The state of the data that callers of one access level see. Each write that they can see raises `revision`.
 * `changed` is the time of the last one, in milliseconds since 1970. A rebuilt or restored database may reach the same
 * revision, but not at the same time.
 */
export interface State {
  readonly revision: number
  readonly changed: number
}

export interface LevelState extends State {
  readonly level: number
}

/** The state before the first write. The database has no row for it. */
export const NO_STATE: State = { revision: 0, changed: 0 }

/** The columns of the revision of each access level, and of the time of its last write. The lowest level comes first. */
export const REVISIONS = [
  { level: ACCESS_LEVELS.Public, revision: revisions.publicRevision, changed: revisions.publicChanged },
  { level: ACCESS_LEVELS.Common, revision: revisions.commonRevision, changed: revisions.commonChanged },
  { level: ACCESS_LEVELS.Private, revision: revisions.privateRevision, changed: revisions.privateChanged },
  { level: ACCESS_LEVELS.Hidden, revision: revisions.revision, changed: revisions.changed },
] as const

/** Returns the state of a level from a row with the states of all levels. A database without a write has no row. */
export const stateIn = (row: Readonly<Record<string, unknown>> | undefined, level: number): State =>
  row === undefined ? NO_STATE : { revision: Number(row[`revision${level}`]), changed: Number(row[`changed${level}`]) }

/** Writes a state for an entity tag: the revision, and the time in base 36. */
export const formatState = ({ revision, changed }: State): string => `${revision}-${changed.toString(36)}`

/** Reads a state from such a text. It is null for any other text. */
export const parseState = (text: string): State | null => {
  const match = /^(\d{1,16})-([0-9a-z]{1,11})$/.exec(text)
  if (match === null) return null
  const state = { revision: Number(at(match, 1)), changed: Number.parseInt(at(match, 2), 36) }
  return formatState(state) === text ? state : null
}

/** Returns true if two states are equal. A rebuilt database may reach the same revision, but not at the same time. */
export const isSame = (a: State | null, b: State | null): boolean =>
  a !== null && a.revision === b?.revision && a.changed === b.changed

/** How much a database of PostgreSQL has: A has views, B also indexes, and C also its state and counts. */
export type Grade = 'A' | 'B' | 'C'

/**
 * How a database serves at the moment. `bytes` of `capacity` are used. Both are null if the engine has no limit. The grade
 * is null if the engine has none, or if the database has faults. With faults it does not serve. The views of an
 * owner read `tables`. The sentences of `advice` tell him how to improve them.
 */
export interface Ready {
  readonly revision: number
  readonly bytes: number | null
  readonly capacity: number | null
  readonly grade: Grade | null
  readonly faults: readonly string[]
  readonly tables: readonly string[]
  readonly advice: readonly string[]
}
