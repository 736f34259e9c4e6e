import { Agent, type IncomingMessage, request } from 'node:http'
import { peakMemory } from '../measure.ts'
import { LIST, type Workload } from '../workloads.ts'
import type { Figures } from './figures.ts'

const MAX_ADDRESS = 8000 // characters; a longer query is posted
const PATIENCE = 10_000 // milliseconds until a request fails

/** A request that is sent repeatedly. */
interface Shot {
  readonly url: string
  readonly body: string | null
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Returns the request of a workload. The query is in the address, or in the body if the address would be too long.
 * Unless `cached`, the service answers from no cache.
 */
const shotOf = (address: string, { item, query }: Pick<Workload, 'item' | 'query'>, cached: boolean): Shot => {
  const headers: Record<string, string> = cached ? {} : { 'Cache-Control': 'no-cache' }
  if (item !== undefined) return { url: address + item, body: null, headers }
  const text = new URLSearchParams(query).toString()
  const url = `${address}${LIST}${text === '' ? '' : `?${text}`}`
  if (url.length <= MAX_ADDRESS) return { url, body: null, headers }
  return {
    url: address + LIST,
    body: text,
    headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
  }
}

/**
 * Sends the request of a workload for some seconds. Each of the parallel connections sends its next request after an
 * answer. An answer that differs from the first one is an error.
 */
export const drive = async (
  address: string,
  workload: Workload,
  concurrency: number,
  seconds: number,
  cached: boolean,
): Promise<Figures> => {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const shot = shotOf(address, workload, cached)
  const times: number[] = []
  const errors = new Map<string, number>()
  try {
    const right = await fire(agent, shot)
    const started = performance.now()
    const connection = async () => {
      while (performance.now() < started + seconds * 1000) {
        const sent = performance.now()
        const wrong = await fire(agent, shot).then((answer) => wrongIn(answer, right), String)
        if (wrong === null) times.push(performance.now() - sent)
        else errors.set(wrong, (errors.get(wrong) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, connection))
    const lasted = (performance.now() - started) / 1000
    return { name: workload.name, concurrency, seconds: lasted, times, errors, memory: peakMemory() }
  } finally {
    agent.destroy()
  }
}

interface Answer {
  readonly status: number
  readonly body: Buffer
}

const wrongIn = ({ status, body }: Answer, right: Answer): string | null => {
  if (status !== 200) return `status ${status}: ${body.toString().slice(0, 200)}`
  return body.equals(right.body) ? null : 'an answer other than the first'
}

const fire = (agent: Agent, { url, body, headers }: Shot): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const read = (response: IncomingMessage) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
      response.on('error', reject)
    }
    const sent = request(url, { agent, method: body === null ? 'GET' : 'POST', headers, timeout: PATIENCE }, read)
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${PATIENCE} ms`)))
    sent.on('error', reject)
    sent.end(body ?? undefined)
  })
