import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseSource } from '../../seed/load/export.ts'
import { parseRecord } from '../../src/store/records.ts'
import { QUESTIONS } from '../mcp/questions.ts'
import type { LoadRecord } from '../records.ts'
import { beginWithSeed, ORIGIN } from '../service.ts'
import { EXHAUSTIVE, splitRows } from '../tags.ts'
import { type Asked, recordedReads, servicesOn, type Told, tell } from './corpus.ts'
import { hasPostgres, type PostgresDatabase } from './database.ts'
import { loadedPostgres } from './loaded.ts'

beginWithSeed()

/** The differences between the services, by their reasons. */
const DIFFERENCES: Readonly<Record<string, (asked: Asked, d1: Told, postgres: Told) => boolean>> = {
  'a service that only reads offers no writes': ({ method, path }, d1) =>
    method === 'OPTIONS' || d1.status === 405 || /^\/(openapi\.json|ogc\/(api|conformance))/.test(path),
  'PostgreSQL folds every text in an order': (_, d1, postgres) =>
    d1.status === 400 && postgres.status === 200 && d1.body.includes('CASEI of this property'),
  'the cells of a tile with filters come in another order': ({ path }, d1, postgres) =>
    path.includes('/tiles/') && d1.body.length === postgres.body.length,
  'only D1 tells its size and a revision': ({ path }) => path.startsWith('/readyz'),
}

const reads = await recordedReads()
/** The kinds of requests, by their paths. The first one that fits counts. */
const KINDS: readonly (readonly [kind: string, path: RegExp])[] = [
  ['summaries', /summary/],
  ['tiles', /\/tiles/],
  ['OGC', /^\/ogc/],
  ['lists and items', /^\/api/],
  ['others', /^/],
]
const kindOf = ({ path }: Asked) => KINDS.find(([, pattern]) => pattern.test(path))?.[0] ?? ''

describe.runIf(hasPostgres)('a recorded request over both engines', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    const records: LoadRecord[] = []
    for await (const batch of databaseSource(env.DB)())
      records.push(...batch.map((line) => parseRecord(JSON.stringify(line))))
    database = await loadedPostgres(records)
  })

  /** Returns how many answers of each kind are equal, of how many, and the differences without a reason. */
  const compare = async (asked: readonly Asked[]) => {
    const counts = new Map(KINDS.map(([kind]) => [kind, { equal: 0, all: 0 }]))
    const others: object[] = []
    const services = servicesOn(database)
    for (const request of asked) {
      const count = counts.get(kindOf(request)) ?? { equal: 0, all: 0 }
      const [d1, postgres] = [await tell(services.d1, request), await tell(services.postgres, request)]
      const isEqual = JSON.stringify(d1) === JSON.stringify(postgres)
      count.all += 1
      if (isEqual) count.equal += 1
      const isKnown = Object.values(DIFFERENCES).some((isSo) => isSo(request, d1, postgres))
      if (!isEqual && !isKnown) others.push({ request: { ...request, vars: undefined }, d1, postgres })
    }
    return { counts, others }
  }

  it('a question that a tool answers', async () => {
    const asked = QUESTIONS.map(({ tool, given }): Asked => {
      const params = { name: tool, arguments: given }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      return { method: 'POST', path: '/mcp', headers: { 'Content-Type': 'application/json' }, body, vars: {} }
    })
    const { counts, others } = await compare(asked)
    expect([others, counts.get('others')]).toEqual([[], { equal: QUESTIONS.length, all: QUESTIONS.length }])
  })

  const WHOLE = { ...EXHAUSTIVE, timeout: 1_200_000 }
  /** The test compares one of so many requests. `npm test` compares a third of them. */
  const EACH = 12
  const some = (first: number) =>
    splitRows(
      3,
      reads.filter((_, i) => i % EACH === first),
    )

  for (const [options, asked] of some(0))
    it('gets equal answers, but for those with a reason', { ...options, timeout: 300_000 }, async () => {
      const { others } = await compare(asked)
      expect(others).toEqual([])
    })

  /** Headers of a connection, and of the compression that Cloudflare does by itself. */
  const OF_TRANSFER = /^(connection|keep-alive|transfer-encoding|content-encoding|vary)$/
  /** Returns an answer as another runtime gives it: at another address, and with the files of a build. */
  const comparable = ({ status, headers, body }: Told): Told => {
    const written = (text: string) =>
      text
        .replace(/http:\/\/(localhost|127\.0\.0\.1):\d+/g, ORIGIN)
        .replace(/kept\/(?:page|chunk)-\w+\.(css|js)/g, 'page.$1')
    const kept = Object.entries(headers).filter(([name]) => !OF_TRANSFER.test(name))
    return {
      status,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, written(value)])),
      body: written(body),
    }
  }

  for (const [options, asked] of some(1))
    it.each(['gzip', 'identity'])(
      'gets equal answers in both runtimes, in %s',
      { ...options, timeout: 300_000 },
      async (encoding) => {
        const { postgres, node } = servicesOn(database)
        const others: object[] = []
        for (const request of asked) {
          const encoded = { ...request, headers: { ...request.headers, 'Accept-Encoding': encoding } }
          const [one, other] = [await tell(postgres, encoded), await tell(node, encoded)].map(comparable)
          if (JSON.stringify(one) !== JSON.stringify(other)) others.push({ path: request.path, one, other })
        }
        expect(others).toEqual([])
      },
    )

  // All of them take 5 minutes: FUZZ=20000 npm run test:rest
  it.runIf(env.TEST_FUZZ.count >= 20_000)('gets equal answers for 98 % of the lists and items', WHOLE, async () => {
    const { counts, others } = await compare(reads)
    console.log(JSON.stringify([...counts]))
    expect(others.slice(0, 5)).toEqual([])
    const { equal = 0, all = 0 } = counts.get('lists and items') ?? {}
    expect(equal / all).toBeGreaterThan(0.98)
  })
})
