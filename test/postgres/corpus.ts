import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { brotliDecompressSync } from 'node:zlib'
import { writes } from '../../src/http/route.ts'
import d1 from '../../src/index.ts'
import postgres from '../../src/postgres.ts'
import { fileDatabase } from '../database.ts'
import { namesIn } from '../files.ts'

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

const ORIGIN = 'http://localhost:8787'
/** Headers that tell of the state or the cost. */
const LEFT_OUT = /^(x-request-id|x-d1-bookmark|etag|server-timing|last-modified|date|content-length)$/
const HINT = /hint=[^&">\s\\]*(?:&amp;|&)?/g

/** Asks both services on the same data. `binding` has the address of PostgreSQL. */
export const askBoth = async (binding: { readonly connectionString: string }, asked: Asked): Promise<[Told, Told]> => {
  const { path, method, headers, body, vars } = asked
  const bytes =
    body === null ? null : typeof body === 'string' ? body : Uint8Array.from(atob(body.base64), (c) => c.charCodeAt(0))
  const own = { ...vars, STATE_SECONDS: '0' }
  const ask = async (worker: typeof d1, bindings: object): Promise<Told> => {
    const context = createExecutionContext()
    const request = new Request(`${ORIGIN}${path}`, { method, headers, body: bytes, redirect: 'manual' })
    const response = await worker.fetch(request, { ...own, ...bindings } as never, context) // both have their database
    const text = await response.text()
    await waitOnExecutionContext(context)
    const kept = [...response.headers].filter(([name]) => !LEFT_OUT.test(name))
    // The HTML page shows the headers of an answer.
    const plain = (value: string) =>
      value
        .replace(HINT, '')
        .replace(/[?&](?=[">])/g, '')
        .replace(/,?\["(ETag|Last-Modified)","(?:[^"\\]|\\.)*"\]/g, '')
    return {
      status: response.status,
      headers: Object.fromEntries(kept.map(([name, value]) => [name, plain(value)])),
      body: plain(text),
    }
  }
  return [await ask(d1, { DB: fileDatabase() }), await ask(postgres as never, { HYPERDRIVE: binding })]
}
