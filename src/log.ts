import type { Caller } from './caller.ts'
import { ApiError } from './errors.ts'
import type { Sent } from './formats/stream.ts'
import { LIST_PARAMETERS } from './list/request.ts'
import { OWN_PARAMETERS } from './list/summary.ts'
import { stagesOf, type Timing } from './list/timing.ts'
import type { Resource } from './resource.ts'

/** What a line of the log is made of. */
export interface Logged {
  readonly id: string
  /** Of the Worker. */
  readonly version: string
  /** The data centre in which it ran; absent locally. */
  readonly place: string | undefined
  readonly method: string
  readonly route: string
  readonly status: number
  /** In milliseconds, on one clock. Cloudflare's clocks stand still while nothing is read. */
  readonly started: number
  readonly ended: number
  /** Who asked, and with which parameters; absent where the request was refused before. */
  readonly asked: Asked | undefined
  /** What was thrown. */
  readonly error: unknown
  /** Absent where nothing was read. */
  readonly timing: Timing | undefined
  /** How a stream ended; absent for every other answer. */
  readonly sent?: Sent
}

/** Who asked, and the names of the parameters of address and body. */
export interface Asked {
  readonly caller: Caller
  readonly parameters: readonly string[]
}

/** Stands for a name that is not one of the service: it may be a value that somebody put at the wrong place. */
const OTHER = '?'

/** Every name that a request to these resources can have, and others: of parameters, and of fields in a body. */
export const namesOf = (resources: readonly Resource[], others: readonly string[]): ReadonlySet<string> =>
  new Set([
    ...others,
    ...LIST_PARAMETERS,
    ...Object.keys(OWN_PARAMETERS),
    ...resources.flatMap(({ filters, writable }) => [
      ...filters.keys(),
      ...Object.keys(writable.fields),
      ...Object.keys(writable.removing ?? {}),
    ]),
  ])

/** One line of JSON that says what a request was, what came of it and what that took, without any value that was sent. */
export const lineOf = (
  { asked, error, timing, started, ended, sent, ...request }: Logged,
  names: ReadonlySet<string>,
): string => {
  const { roundTrips = 0, rowsRead = 0, milliseconds = 0, remembered = false, region } = timing?.cost ?? {}
  return JSON.stringify({
    ...request,
    ms: Math.round(ended - started),
    caller: callerName(asked?.caller),
    parameters: known(asked?.parameters ?? [], names),
    fault: faultOf(error, names),
    ...(timing && stagesOf(started, ended, timing)),
    d1: Math.round(milliseconds),
    rows_read: rowsRead,
    round_trips: roundTrips,
    region: region ?? undefined,
    cache: timing?.kept ?? 'none',
    cache_hit: request.status === 304 || remembered || timing?.kept === 'hit',
    sent,
  })
}

/** The name of a key or, where it has none, the beginning of its digest; null without a key. */
const callerName = (caller: Caller | undefined): string | null =>
  caller?.key ? caller.key.name || caller.key.id.slice(0, 8) : null

/** Each name once, in order. */
const known = (given: readonly string[], names: ReadonlySet<string>): string[] =>
  [...new Set(given.map((name) => (names.has(name) ? name : OTHER)))].sort()

/** The names of what is wrong, or the beginning of what was answered, which no value stands in; absent without a fault. */
const faultOf = (error: unknown, names: ReadonlySet<string>): string | string[] | undefined => {
  if (error === undefined) return undefined
  if (!(error instanceof ApiError)) return error instanceof Error ? error.name : 'thrown'
  const { detail, ...faults } = error.body
  if (typeof detail === 'string') return detail.replace(/[.:"].*$/s, '').trim()
  // Of several items: [3].properties.value
  return known(
    Object.keys(faults).map((path) => path.replace(/^\[\d+\]\.?/, '')),
    names,
  )
}
