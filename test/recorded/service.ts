import { type IncomingHttpHeaders, request as send } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { run } from '../../seed/local/database.ts'
import { setRevisions } from '../revisions.ts'
import { type Answer, normalized, type RawAnswer } from './answer.ts'

/** A recorded request. */
export interface Request {
  readonly method: string
  /**
   * The path and the query, exactly as sent. Or `{next 7}` or `{prev 7}`: the path of this link in the answer to request
   * 7 of the sequence.
   */
  readonly path: string
  /** `{etag 7}` in a value stands for the ETag of the answer to request 7 of the sequence, counted from 0. */
  readonly headers: Readonly<Record<string, string>>
  /** A text, or bytes in base64. Null: no body. */
  readonly body: string | { readonly base64: string } | null
  /** Bytes of each chunk of the body. Absent: it is sent whole, with its length. */
  readonly chunk?: number
}

/** A service on a fresh database, with a clock that advances one second per request. */
export interface FrozenService {
  readonly ask: (request: Request) => Promise<Answer>
  readonly close: () => Promise<void>
}

/** The time of the first request, and of the last write of the default data. */
const STARTED = Date.UTC(2026, 0, 1)

/** Freezes the clock and the random uuids of the Worker. It is imported before the Worker. */
const CLOCK = `
const RealDate = Date
let requests = 0
let uuids = 0
const now = () => ${STARTED} + 1000 * requests
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given))
  }
  static now() {
    return now()
  }
}
const part = (number) => String(number).padStart(6, '0')
crypto.randomUUID = () => '00000000-0000-4000-8000-' + part(requests) + part(uuids++)
const frozenSql = (sql) => sql.replaceAll("unixepoch('subsec')", now() / 1000 + '.0')
/** The time of the last write comes from the clock of SQLite. */
const frozen = (db) => new Proxy(db, {
  get: (_, name) => {
    if (name === 'prepare') return (sql) => db.prepare(frozenSql(sql))
    if (name === 'withSession') return (from) => frozen(db.withSession(from))
    return typeof db[name] === 'function' ? db[name].bind(db) : db[name]
  },
})
let DB
export const nextRequest = (env) => {
  requests += 1
  uuids = 0
  DB ??= frozen(env.DB)
  return { ...env, DB }
}`

/** Also answers how many promises run after the answers, such as a write to the edge cache. */
const ENTRY = `
import { nextRequest } from './clock.js'
import worker from './worker.js'
let running = 0
const counted = (context) => ({
  waitUntil: (promise) => {
    running += 1
    context.waitUntil(promise.finally(() => (running -= 1)))
  },
  passThroughOnException: () => context.passThroughOnException(),
})
export default {
  fetch: (request, env, context) =>
    request.headers.has('X-Running')
      ? new Response(String(running))
      : worker.fetch(request, nextRequest(env), counted(context)),
}`

/** Sets fixed times of the last write in the default data. The loader uses the clock. */
const FREEZE = [
  `UPDATE event SET last_modified = ${1000 * STARTED} - 1000000 * id`,
  `UPDATE event_series SET last_modified = ${1000 * STARTED} - 1000000 * id WHERE last_modified IS NOT NULL`,
  `UPDATE event_series SET revision = 1, changed = ${STARTED}`,
  `UPDATE sequence SET last = ${1000 * STARTED} WHERE name = 'event_modified'`,
  setRevisions(
    () => '1',
    () => String(STARTED),
  ),
]

/** Opens the built Worker on a local database with the default data. Its requests have the host of the examples. */
export async function openService(
  worker: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
): Promise<FrozenService> {
  const modules = { 'clock.js': CLOCK, 'worker.js': worker }
  const miniflare = await run(folder, { script: ENTRY, modules, variables, log: () => {} })
  const { hostname, port } = await miniflare.ready
  const db = await miniflare.getD1Database('DB')
  await db.batch(FREEZE.map((sql) => db.prepare(sql)))
  const before: IncomingHttpHeaders[] = []
  const running = async () => {
    const { body } = await exchange(hostname, port, {
      method: 'GET',
      path: '/',
      headers: { 'X-Running': '' },
      body: null,
    })
    return Number(body)
  }
  const ask = async (request: Request) => {
    const answer = await exchange(hostname, port, request, before)
    before.push(answer.headers)
    // Otherwise the next request may come before the edge cache has stored this answer.
    while (answer.headers['server-timing']?.includes('"miss"') && (await running()) > 0) {}
    return normalized(answer, request.method)
  }
  return { ask, close: () => miniflare.dispose() }
}

/** Returns the path of a link in an answer, or `/` without this link. */
const linkOf = ({ link }: IncomingHttpHeaders, rel: string): string =>
  new RegExp(`<https?://[^/]+([^>]*)>; rel="${rel}"`).exec(String(link))?.[1] ?? '/'

/** Sends a request with these headers only. `fetch` would add some, and would clean the path. */
const exchange = (
  hostname: string,
  port: string,
  { method, path, headers, body, chunk }: Request,
  before: readonly IncomingHttpHeaders[] = [],
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const bytes =
      body === null ? null : typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.base64, 'base64')
    const length = bytes === null || chunk !== undefined ? {} : { 'Content-Length': String(bytes.length) }
    const filled = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace(/\{etag (\d+)\}/g, (_, i) => String(before[Number(i)]?.etag)),
    ])
    const sent = { Host: 'localhost:8787', ...length, ...Object.fromEntries(filled) }
    const followed = path.replace(/^\{(next|prev) (\d+)\}$/, (_, rel, i) => linkOf(before[Number(i)] ?? {}, rel))
    const outgoing = send({ hostname, port, method, path: followed, headers: sent }, (message) => {
      buffer(message)
        .then((body) => resolve({ status: message.statusCode ?? 0, headers: message.headers, body }))
        .catch(reject)
    })
    outgoing.on('error', reject)
    if (bytes !== null && chunk !== undefined)
      for (let at = 0; at < bytes.length; at += chunk) outgoing.write(bytes.subarray(at, at + chunk))
    outgoing.end(chunk === undefined ? bytes : undefined)
  })
