import type { Caller } from './caller.ts'
import { ApiError } from './errors.ts'
import { FIELDS, LIST_PARAMETERS, LOCALE, SUMMARY_PARAMETERS } from './request/page.ts'
import { EXPLAIN } from './request/query.ts'
import type { Timing } from './request/route.ts'
import type { Resource } from './resource.ts'
import type { SendEnd } from './transfers.ts'

/** The data of one log line. */
export interface Logged {
  readonly id: string
  /** The version of the Worker. */
  readonly version: string
  /** The data centre of the Worker. Absent outside Cloudflare. */
  readonly place: string | undefined
  readonly method: string
  readonly route: string
  readonly status: number
  /** Milliseconds on one clock. On Cloudflare the clock advances only when the Worker reads or writes. */
  readonly started: number
  readonly ended: number
  /** The client of a write, as `clientName` writes it. */
  readonly client?: string | undefined
  /** The kind and key of the item that a request wrote or tried to write, or the number of items. */
  readonly kind?: string
  readonly item?: string
  readonly items?: number
  /** The caller and the names of its parameters. Absent if the request was refused before they were read. */
  readonly asked: LoggedCaller | undefined
  /** The error that was thrown, if any. */
  readonly error: unknown
  /** Absent if the request read nothing. */
  readonly timing: Timing | undefined
  /** The end of a stream. Other answers have none. */
  readonly sent?: SendEnd
}

/** The caller of a request. `parameters` has the names of parameters in the address and in the body. */
export interface LoggedCaller {
  readonly caller: Caller
  readonly parameters: readonly string[]
}

/** Replaces an unknown name, because it may be a value that a client put in the wrong place. */
const OTHER = '?'

/**
 * Returns all names of parameters and body fields that a request may have. `others` has more names, which no resource
 * declares.
 */
export const namesOf = (resources: readonly Resource[], others: readonly string[]): ReadonlySet<string> =>
  new Set([
    ...others,
    ...LIST_PARAMETERS,
    EXPLAIN,
    FIELDS,
    LOCALE,
    ...SUMMARY_PARAMETERS,
    ...resources.flatMap(({ filters, writable }) => [
      ...filters.keys(),
      ...Object.keys(writable?.fields ?? {}),
      ...Object.keys(writable?.removing ?? {}),
    ]),
  ])

/**
 * Returns the same 8 digits for all requests of a client on one day (UTC). `seal` hashes with a secret of the service,
 * so nobody else can find the address.
 */
export const clientName = async (client: string, seal: (text: string) => Promise<string>, now: Date): Promise<string> =>
  (await seal(`${now.toISOString().slice(0, 10)} ${client}`)).slice(0, 8)

/** Writes one log line in JSON: the request, its outcome and its cost. The line holds no value that a client sent. */
export const lineOf = (
  { asked, error, timing, started, ended, sent, ...request }: Logged,
  names: ReadonlySet<string>,
): string => {
  const { plan, roundTrips = 0, rowsRead = 0, milliseconds = 0, region } = timing?.cost ?? {}
  return JSON.stringify({
    ...request,
    ms: Math.round(ended - started),
    caller: callerName(asked?.caller),
    parameters: known(asked?.parameters ?? [], names),
    fault: faultOf(error, names),
    ...(timing && stagesOf(started, ended, timing)),
    d1: Math.round(milliseconds),
    plan_path: plan ?? undefined,
    rows_read: rowsRead,
    round_trips: roundTrips,
    region: region ?? undefined,
    cache: timing?.cacheUse ?? 'none',
    cache_hit: request.status === 304 || ['isolate', 'hit'].includes(timing?.cacheUse ?? ''),
    age: timing?.age,
    sent,
  })
}

/** Returns the name of a key, or the first 8 digits of its digest if it has no name. Null without a key. */
const callerName = (caller: Caller | undefined): string | null =>
  caller?.key ? caller.key.name || caller.key.id.slice(0, 8) : null

/** Returns each known name once, sorted. It writes one `?` for all unknown names, and no names of attributes. */
const known = (given: readonly string[], names: ReadonlySet<string>): string[] =>
  [
    ...new Set(given.map((name) => (names.has(name) ? name : name.startsWith('attributes__') ? 'attributes' : OTHER))),
  ].sort()

/**
 * Returns the faulty parameters, or the start of the error message, which holds no value. Undefined without an error.
 */
const faultOf = (error: unknown, names: ReadonlySet<string>): string | string[] | undefined => {
  if (error === undefined) return undefined
  if (!(error instanceof ApiError)) return error instanceof Error ? error.name : 'thrown'
  const { detail, ...faults } = error.body
  if (typeof detail === 'string') return detail.replace(/[.:"].*$/s, '').trim()
  // With several items, a fault has a path such as `[3].properties.value`.
  return known(
    Object.keys(faults).map((path) => path.replace(/^\[\d+\]\.?/, '')),
    names,
  )
}

/** Returns the milliseconds of each stage of a request. */
const stagesOf = (started: number, ended: number, { planned, paged }: Timing): Record<string, number> => {
  const stages = { plan: planned - started, page: paged - planned, render: ended - paged }
  return Object.fromEntries(Object.entries(stages).map(([name, duration]) => [name, Math.round(Math.max(0, duration))]))
}

/** Writes the header `Server-Timing`, with the stages of a request and the work of D1. */
export const serverTiming = (started: number, ended: number, timing: Timing): string => {
  const { cost, cacheUse } = timing
  const stages = Object.entries(stagesOf(started, ended, timing)).map(([name, took]) => `${name};dur=${took}`)
  const { milliseconds, rowsRead, roundTrips, region } = cost
  const figures = [
    `d1;dur=${milliseconds.toFixed(1)}`,
    `rows_read;desc="${rowsRead}"`,
    `round_trips;desc="${roundTrips}"`,
    `cache;desc="${cacheUse}"`,
    ...(region === null ? [] : [`region;desc="${region}"`]),
  ]
  return [...stages, ...figures].join(', ')
}
