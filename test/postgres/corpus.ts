import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { brotliDecompressSync } from 'node:zlib'
import { DEADLINES } from '../../src/engine/postgres/connection.ts'
import type { Env } from '../../src/http/env.ts'
import { writes } from '../../src/http/route.ts'
import d1 from '../../src/index.ts'
import postgres from '../../src/postgres.ts'
import { fileDatabase } from '../database.ts'
import { namesIn } from '../files.ts'
import { ORIGIN } from '../service.ts'
import { type Binding, send } from './faulty.ts'

const FOLDER = 'test/recorded/sequences'

/** A recorded request that reads, with the variables of its Worker. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | { readonly base64: string } | null
  readonly vars: Readonly<Record<string, string>>
}

/** Reads the recorded requests that read, without those that follow from an earlier answer. */
export const recordedReads = async (): Promise<Asked[]> => {
  const asked: Asked[] = []
  for (const name of (await namesIn(FOLDER)).sort()) {
    const response = await env.TEST_FILES.fetch(`http://files/?path=${FOLDER}/${name}`)
    const text = brotliDecompressSync(new Uint8Array(await response.arrayBuffer())).toString()
    const [vars, ...exchanges] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const { request } of exchanges) {
      const type = Object.entries(request.headers).find(([header]) => header.toLowerCase() === 'content-type')?.[1]
      const isWrite = writes(request.method, (type as string | undefined) ?? null)
      if (!isWrite && request.path.startsWith('/')) asked.push({ ...request, vars })
    }
  }
  return asked
}

/** An answer without what differs between two requests in any case. */
export interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Headers that tell of the state, of the cost, or of writes. */
const LEFT_OUT = /^(allow|x-request-id|x-d1-bookmark|etag|server-timing|last-modified|date|content-length)$/
const HINT = /hint=[^&">\s\\]*(?:&amp;|&)?/g

/** Asks one service. */
type Ask = (request: Request, vars: Partial<Env>) => Promise<Response>

/** Returns how each service is asked on the same data. `binding` has the address of PostgreSQL. */
export const servicesOn = (binding: Binding): Readonly<Record<'d1' | 'postgres' | 'node', Ask>> => {
  const within =
    (worker: typeof d1, bindings: object): Ask =>
    async (request, vars) => {
      const context = createExecutionContext()
      const response = await worker.fetch(request, { ...vars, ...bindings } as never, context) // both have their database
      const body = await response.arrayBuffer()
      await waitOnExecutionContext(context)
      return new Response([101, 204, 205, 304].includes(response.status) ? null : body, response)
    }
  return {
    d1: within(d1, { DB: fileDatabase() }),
    postgres: within(postgres as never, { HYPERDRIVE: binding }),
    node: async ({ url, method, headers, body }, vars) => {
      const own = { BASE_URL: '', ...vars }
      const init = {
        method,
        headers,
        body,
        redirect: 'manual',
        runtime: 'node',
        deadlines: DEADLINES,
        vars: own,
      } as const
      return send(binding, url.slice(ORIGIN.length), init)
    },
  }
}

/** The HTML page shows the headers and the methods of an address. The facts of a tool have an ETag. */
const plain = (value: string): string =>
  value
    .replace(HINT, '')
    .replace(/\\"state\\":.*?(?=\\"count)/g, '')
    .replace(/[?&](?=[">])/g, '')
    .replace(/"parses":\[[^\]]*\]/g, '')
    .replace(/,?\["(Allow|ETag|Last-Modified)","(?:[^"\\]|\\.)*"\]/g, '')

export const tell = async (ask: Ask, { path, method, headers, body, vars }: Asked): Promise<Told> => {
  const bytes =
    body === null ? null : typeof body === 'string' ? body : Uint8Array.from(atob(body.base64), (c) => c.charCodeAt(0))
  const request = new Request(`${ORIGIN}${path}`, { method, headers, body: bytes, redirect: 'manual' })
  const response = await ask(request, { ...vars, STATE_SECONDS: '0' })
  const text = await response.text()
  const kept = [...response.headers].filter(([name]) => !LEFT_OUT.test(name))
  return {
    status: response.status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, plain(value)])),
    body: plain(text),
  }
}
