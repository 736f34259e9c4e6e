import { readFileSync } from 'node:fs'
import type { Workload } from './workloads.ts'

/** What one request cost: medians of its repetitions. */
export interface Measured {
  readonly milliseconds: number
  /** NaN where the answer does not tell. */
  readonly rowsRead: number
  readonly roundTrips: number
  /** How many rows match in all, and which ids are on the page, or which groups in the summary. */
  readonly count: number
  readonly ids: readonly (number | string)[]
}

interface Answer extends Measured {
  readonly next: string | null
}

/** Measures a workload at the Worker: walks to its page, then asks for it time and again; null where the list ends before. */
export const measure = async (address: string, workload: Workload, repetitions: number): Promise<Measured | null> => {
  let url = address + (workload.item ?? workload.to)
  for (let turn = 0; turn < workload.turns; turn++) {
    const { next } = await send(url, workload)
    if (next === null) return null
    url = next
  }
  return repeat(() => send(url, workload), repetitions)
}

/** Measures a workload at the plain way, which finds a page by its number. */
export const measurePlain = (address: string, workload: Workload, repetitions: number): Promise<Measured> => {
  const page = String(Number(workload.query.page ?? 1) + workload.turns)
  const asked = { ...workload, query: { ...workload.query, page } }
  return repeat(() => send(address + (workload.item ?? workload.to), asked), repetitions)
}

/** Sends the request of a workload once, as if it were the first time unless `again`. Throws Refused. */
export const send = async (
  url: string,
  { item, query }: Pick<Workload, 'item' | 'query'>,
  again = false,
): Promise<Answer> => {
  const started = performance.now()
  const response = await fetch(url, {
    headers: again ? {} : { 'Cache-Control': 'no-cache' },
    ...(item === undefined ? { method: 'POST', body: new URLSearchParams(query) } : {}),
  })
  const text = await response.text()
  const milliseconds = performance.now() - started
  if (!response.ok) throw new Refused(response.status, url, text)
  const body = JSON.parse(text)
  const timing = response.headers.get('Server-Timing') ?? ''
  const told = (name: string) => Number(new RegExp(`${name};desc="(\\d+)"`).exec(timing)?.[1] ?? Number.NaN)
  const results: { id: number; uuid?: string }[] = body.results ?? [body]
  return {
    milliseconds,
    rowsRead: told('rows_read'),
    roundTrips: told('round_trips'),
    count: body.count ?? 1,
    ids: body.time === undefined ? results.map(({ id, uuid }) => uuid ?? id) : groupsOf(body),
    next: body.next ?? null,
  }
}

/** An answer other than a success. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, url: string, text: string) {
    super(`${status} at ${url}: ${text.slice(0, 500)}`)
    this.status = status
  }
}

const groupsOf = ({ time, density }: { time: { bins: number[][] }; density: { cells: number[][] } }): string[] =>
  [...time.bins, ...density.cells].map(String)

const repeat = async (ask: () => Promise<Answer>, repetitions: number): Promise<Measured> => {
  const { count, ids } = await ask()
  const answers: Answer[] = []
  for (let i = 0; i < repetitions; i++) answers.push(await ask())
  const of = (name: 'milliseconds' | 'rowsRead' | 'roundTrips') => median(answers.map((answer) => answer[name]))
  return { milliseconds: of('milliseconds'), rowsRead: of('rowsRead'), roundTrips: of('roundTrips'), count, ids }
}

/** The middle one, the upper of two. */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

/** The greatest resident memory, in MB, that the processes started by this one had so far; null where Linux is not there to tell. */
export const peakMemory = (): number | null => {
  try {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ')
    const peaks = children.map((pid) => /VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
    return Math.round(Math.max(...peaks.map(Number)) / 1024)
  } catch {
    return null
  }
}
