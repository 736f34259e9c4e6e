import { readFileSync } from 'node:fs'
import type { Workload } from './workloads.ts'

/** The cost of one request. The numbers are medians of its repetitions. */
export interface Measured {
  readonly milliseconds: number
  /** NaN if the answer does not show it. */
  readonly rowsRead: number
  readonly roundTrips: number
  /** The number of matching rows. `ids` has the ids on the page, and none for a summary. */
  readonly count: number
  readonly ids: readonly (number | string)[]
}

interface Answer extends Measured {
  readonly next: string | null
}

/**
 * Measures a workload with the Worker. It follows the links to the page, then repeats that request. Returns null if the
 * list has no such page.
 */
export const measure = async (address: string, workload: Workload, repetitions: number): Promise<Measured | null> => {
  let url = address + (workload.item ?? workload.to)
  for (let turn = 0; turn < workload.turns; turn++) {
    const { next } = await send(url, workload)
    if (next === null) return null
    url = next
  }
  return repeat(() => send(url, workload), repetitions)
}

/** Measures a workload with the plain implementation, which finds a page by its number. */
export const measurePlain = (address: string, workload: Workload, repetitions: number): Promise<Measured> => {
  const { query, turns, to } = workload
  const { page = '1' } = query
  const request = { ...workload, query: { ...query, page: page === 'last' ? page : String(Number(page) + turns) } }
  return repeat(() => send(address + to, request), repetitions)
}

/** Sends the request of a workload once. It bypasses the cache. Throws Refused. */
export const send = async (url: string, { item, query }: Pick<Workload, 'item' | 'query'>): Promise<Answer> => {
  const started = performance.now()
  const response = await fetch(url, {
    headers: { 'Cache-Control': 'no-cache' },
    ...(item === undefined ? { method: 'POST', body: new URLSearchParams(query) } : {}),
  })
  const text = await response.text()
  const milliseconds = performance.now() - started
  if (!response.ok) throw new Refused(response.status, url, text)
  const body = JSON.parse(text)
  const timing = response.headers.get('Server-Timing') ?? ''
  const figureOf = (name: string) => Number(new RegExp(`${name};desc="(\\d+)"`).exec(timing)?.[1] ?? Number.NaN)
  const results: { id: number; uuid?: string }[] = body.results ?? [body]
  return {
    milliseconds,
    rowsRead: figureOf('rows_read'),
    roundTrips: figureOf('round_trips'),
    count: body.count ?? 1,
    ids: results.map(({ id, uuid }) => uuid ?? id),
    next: body.next ?? null,
  }
}

export class Refused extends Error {
  readonly status: number
  constructor(status: number, url: string, text: string) {
    super(`${status} at ${url}: ${text.slice(0, 500)}`)
    this.status = status
  }
}

const repeat = async (ask: () => Promise<Answer>, repetitions: number): Promise<Measured> => {
  const { count, ids } = await ask()
  const answers: Answer[] = []
  for (let i = 0; i < repetitions; i++) answers.push(await ask())
  const medianOf = (name: 'milliseconds' | 'rowsRead' | 'roundTrips') => median(answers.map((answer) => answer[name]))
  return {
    milliseconds: medianOf('milliseconds'),
    rowsRead: medianOf('rowsRead'),
    roundTrips: medianOf('roundTrips'),
    count,
    ids,
  }
}

/** Returns the median. It is the upper of two middle numbers. */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

/** Returns the peak memory of the child processes so far, in MB. Null if the system is not Linux. */
export const peakMemory = (): number | null => {
  try {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
    const peaks = children.map((pid) => /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    return Math.round(Math.max(...peaks.map(Number)) / 1024)
  } catch {
    return null
  }
}
