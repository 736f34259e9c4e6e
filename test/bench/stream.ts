import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { runCommand } from '../../seed/commands/command.ts'
import { ROOT } from '../../seed/local/wrangler.ts'
import { type Data, dataOf, storeOf } from './store.ts'
import { CATEGORY, LARGE_AREA, SMALL_AREA } from './workloads.ts'

const EVENTS = '1000000'
const USAGE = `Usage: npm run bench:stream [-- --events N]

Reads whole results of a local database of N events from the built Worker, in each format and for some queries, and prints
as a table in Markdown how fast they came, what they cost the database, and by how much the memory of the Worker grew,
the database in the same process. The database is that of npm run bench.

  --events N   how many events (default ${EVENTS})
  --help       this text`

/** The requests. Each one gets a new Worker. */
const STREAMS: readonly (readonly [name: string, query: Readonly<Record<string, string>>])[] = [
  ['everything as geojson', { format: 'geojson' }],
  ['everything as csv', { format: 'csv' }],
  ['everything as ndjson', { format: 'ndjson' }],
  ['everything as csv, latest first', { format: 'csv', ordering: '-timestamp_start' }],
  ['category__icontains, 5 %, as csv', { format: 'csv', ...CATEGORY }],
  ['polygon of 50 vertices, as geojson', { format: 'geojson', ...SMALL_AREA }],
  ['concave polygon of 2,000 vertices, as geojson', { format: 'geojson', ...LARGE_AREA }],
]

const LINE_FEED = 10
/** The number of lines in each format besides the lines of events. */
const FRAME: Readonly<Record<string, number>> = { geojson: 2, csv: 1, ndjson: 0 }

await runCommand({ name: 'bench:stream', usage: USAGE }, ({ text }) =>
  bench(dataOf({ events: text('events') ?? EVENTS })),
)

async function bench(data: Data): Promise<void> {
  const store = await storeOf(data)
  console.log('| whole result | events | MB | s | events/s | rows read | round trips | memory before, peak, MB |')
  console.log('| --- | --: | --: | --: | --: | --: | --: | --: |')
  for (const [name, query] of STREAMS) console.log(`| ${name} | ${(await measure(store, query)).join(' | ')} |`)
}

/** Measures one request and returns the cells of its row. */
async function measure(folder: string, query: Readonly<Record<string, string>>): Promise<string[]> {
  const args = [join(ROOT, 'seed/commands/serve.ts'), '--port', '0', '--persist-to', folder]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const log = createInterface({ input: child.stdout })
    const [address] = await matchOf(log, /Ready on (\S+)/)
    await (await fetch(`${address}/api/v3/events/`)).arrayBuffer()
    const before = memoryOf(child)
    const logged = matchOf(log, /\{.*"sent".*\}/)
    const started = performance.now()
    const body = new URLSearchParams({ ...query, page_size: 'all' })
    const response = await fetch(`${address}/api/v3/events/`, { method: 'POST', body })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    let [bytes, ends] = [0, 0]
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) ends += 1
    }
    const seconds = (performance.now() - started) / 1000
    const { sent, rows_read, round_trips } = JSON.parse((await logged)[0])
    if (sent !== 'whole') throw new Error(`the stream was ${sent}`)
    const count = Number(response.headers.get('X-Total-Count'))
    const lines = count + (FRAME[query.format ?? ''] ?? 0)
    if (ends !== lines) throw new Error(`${ends} lines came instead of ${lines}`)
    const cells = [count, bytes / 1e6, seconds.toFixed(1), count / seconds, rows_read, round_trips]
    return [...cells.map(textOf), `${before.now}, ${memoryOf(child).peak}`]
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await ended
  }
}

function textOf(cell: string | number): string {
  return typeof cell === 'string' ? cell : Math.round(cell).toLocaleString('en')
}

/** Returns the first group in the first line that matches. Without a group, it returns the whole match. */
function matchOf(lines: ReturnType<typeof createInterface>, pattern: RegExp): Promise<[string]> {
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const match = pattern.exec(line)
      if (match !== null) resolve([match[1] ?? match[0]])
    })
    lines.once('close', () => reject(new Error('the Worker ended')))
  })
}

/** Returns the memory of a process's largest child in MB: the current memory and the peak so far. */
function memoryOf({ pid }: ChildProcess): { now: number; peak: number } {
  const statuses = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statusOf)
    .filter((status) => new RegExp(`^PPid:\\s*${pid}$`, 'm').test(status))
  const most = (name: string) =>
    Math.max(...statuses.map((status) => Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1] ?? 0)))
  return { now: Math.round(most('VmRSS') / 1024), peak: Math.round(most('VmHWM') / 1024) }
}

/** Returns the status of a process from /proc. It is empty if the process has ended. */
function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
