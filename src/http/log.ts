import { routePath } from 'hono/route'
import { ApiError } from '../base/errors.ts'
import type { SendEnd } from '../base/transfers.ts'
import type { Resource } from '../lists/resource.ts'
import { clientOf } from './caller.ts'
import { LIST_PARAMETERS, MORE_PARAMETERS, SUMMARY_PARAMETERS } from './page.ts'
import { sealOf } from './query.ts'
import { versionOf } from './read.ts'
import { isWrite, type RequestContext } from './route.ts'
import { seesCost } from './session.ts'

type Trace = RequestContext['var']['trace']

/** Replaces an unknown name, because it may be a value that a client put in the wrong place. */
const OTHER = '?'

/**
 * Writes one log line in JSON for each request, and the header `Server-Timing`. The line holds no value that a client
 * sent, because a query may hold private values. `resources` and `others` have the names that it may show.
 */
export const logged = (resources: readonly Resource[], others: readonly string[]) => {
  const names = namesOf(resources, others)
  return async (c: RequestContext, next: () => Promise<void>): Promise<void> => {
    // On Cloudflare the clock advances only when the Worker reads or writes.
    const started = performance.now()
    const trace: Trace = {}
    c.set('trace', trace)
    await next()
    const { cost, caller, sent } = trace
    if (cost && caller && seesCost(c, caller.level)) c.header('Server-Timing', serverTiming(started, cost, trace))
    const client = isWrite(c) ? await clientName(c) : undefined
    const write = c.env.LOG ?? console.log
    const log = async (): Promise<void> => write(lineOf(c, { started, client, sent: await sent }, names))
    // The cost of a stream is known at its end. `waitUntil` lets the Worker run until then, even if the client leaves.
    if (sent === undefined) await log()
    else c.executionCtx.waitUntil(log())
  }
}

/**
 * Returns all names of parameters and body fields that a request may have. `others` has more names, which no resource
 * declares.
 */
const namesOf = (resources: readonly Resource[], others: readonly string[]): ReadonlySet<string> => {
  const own = resources.flatMap(({ filters, writable }) => [
    ...filters.keys(),
    ...Object.keys({ ...writable?.fields, ...writable?.removing }),
  ])
  return new Set([...others, ...LIST_PARAMETERS, ...MORE_PARAMETERS, ...SUMMARY_PARAMETERS, ...own])
}

/**
 * Returns the same 8 digits for all requests of a client on one day (UTC). They are hashed with a secret of the
 * service, so nobody else can find the address.
 */
const clientName = async (c: RequestContext): Promise<string | undefined> => {
  const address = clientOf(c.req.header('CF-Connecting-IP') ?? null)
  if (address === null) return undefined
  return (await sealOf(c.env, `${new Date().toISOString().slice(0, 10)} ${address}`)).slice(0, 8)
}

const lineOf = (
  c: RequestContext,
  { started, ...known }: { started: number; client: string | undefined; sent: SendEnd | undefined },
  names: ReadonlySet<string>,
): string => {
  const { route, trace, requestId } = c.var
  const { caller, parameters = [], wrote, cost, cache = 'none', age } = trace
  const ended = performance.now()
  const { status } = c.res
  return JSON.stringify({
    id: requestId,
    version: versionOf(c.env),
    place: c.req.raw.cf?.colo,
    method: c.req.method,
    route: route?.path.replace(/\{.*?\}/g, '') ?? routePath(c, -1),
    status,
    ...wrote,
    ms: Math.round(ended - started),
    caller: caller?.key ? caller.key.name || caller.key.id.slice(0, 8) : null,
    parameters: shown(parameters, names),
    fault: faultOf(c.error, names),
    ...(cost && stagesOf(started, ended, trace)),
    d1: Math.round(cost?.milliseconds ?? 0),
    plan_path: cost?.plan ?? undefined,
    rows_read: cost?.rowsRead ?? 0,
    estimate_rows: cost?.estimateRows || undefined,
    round_trips: cost?.roundTrips ?? 0,
    region: cost?.region ?? undefined,
    cache,
    cache_hit: status === 304 || cache === 'isolate' || cache === 'hit',
    age,
    ...known,
  })
}

/** Returns each known name once, sorted. It writes one `?` for all unknown names, and no names of attributes. */
const shown = (given: readonly string[], names: ReadonlySet<string>): string[] => {
  const nameOf = (name: string) => (name.startsWith('attributes__') ? 'attributes' : OTHER)
  return [...new Set(given.map((name) => (names.has(name) ? name : nameOf(name))))].sort()
}

/**
 * Returns the faulty parameters, or the start of the error message, which holds no value. Undefined without an error.
 */
const faultOf = (error: unknown, names: ReadonlySet<string>): string | string[] | undefined => {
  if (error === undefined) return undefined
  if (!(error instanceof ApiError)) return error instanceof Error ? error.name : 'thrown'
  const { detail, ...faults } = error.body
  if (typeof detail === 'string') return detail.replace(/[.:"].*$/s, '').trim()
  // With several items, a fault has a path such as `[3].properties.value`.
  const paths = Object.keys(faults).map((path) => path.replace(/^\[\d+\]\.?/, ''))
  return shown(paths, names)
}

const stagesOf = (started: number, ended: number, { asked = ended, read = ended }: Trace): Record<string, number> => {
  const stages = { ask: asked - started, read: read - asked, write: ended - read }
  return Object.fromEntries(Object.entries(stages).map(([name, duration]) => [name, Math.round(Math.max(0, duration))]))
}

const serverTiming = (started: number, cost: NonNullable<Trace['cost']>, trace: Trace): string => {
  const stages = Object.entries(stagesOf(started, performance.now(), trace))
  const { milliseconds, rowsRead, roundTrips, region } = cost
  const figures = { rows_read: rowsRead, round_trips: roundTrips, cache: trace.cache ?? 'none', region }
  return [
    ...stages.map(([name, took]) => `${name};dur=${took}`),
    `d1;dur=${milliseconds.toFixed(1)}`,
    ...Object.entries(figures).flatMap(([name, figure]) => (figure === null ? [] : [`${name};desc="${figure}"`])),
  ].join(', ')
}
