import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { CONFIGURATION } from '../../seed/local/configuration.ts'
import { ROOT } from '../../seed/local/wrangler.ts'
import { Refused, send } from './measure.ts'
import { number, table } from './report.ts'
import type { Kind, Workload } from './workloads.ts'

/** The memory limit of an isolate at Cloudflare, in MB. */
const LIMIT = 128
/**
 * The limit of the heap in this test, in MB. The rest is for buffers outside the heap. A small heap makes V8 collect
 * garbage earlier.
 */
const HEAP = 64
const AT_ONCE = 8
const ROUNDS = 2
const MB = 2 ** 20

/** The kinds with the most expensive first requests. */
const WORST = [
  'spiky ring of 2,000 over a town',
  'summary: spiky ring of 2,000 over a town',
  'quadrilateral, any duration, last page',
  'quadrilateral, category icontains e, last page by timestamp_end',
  'summary: quadrilateral, level=12',
  'comb of 99,990 vertices',
  'zigzag of 99,990 vertices',
  'box with 5,000 vertices a side, late, category icontains',
]

/**
 * The memory of an isolate in bytes, including buffers outside its heap. `used` also counts garbage that is not
 * collected yet. `taken` is the memory that the isolate has reserved.
 */
interface Heap {
  readonly used: number
  readonly taken: number
}

/**
 * Sends eight expensive requests in parallel to one isolate: all different, or all equal. Returns a table of the peak
 * memory. An isolate ends if its heap exceeds the limit, and its requests fail.
 */
export async function memoryTable(script: string, folder: string, kinds: readonly Kind[]): Promise<string> {
  const worst = WORST.flatMap((name) => kinds.find((kind) => kind.name === name)?.requests[0] ?? [])
  const lots: [string, readonly Workload[]][] = [
    ['one usual request', kinds.find(({ name }) => name === 'series and view of 2')?.requests.slice(0, 1) ?? []],
    [`these ${AT_ONCE}`, worst],
    ...worst.map((each): [string, readonly Workload[]] => [each.name, new Array(AT_ONCE).fill(each)]),
  ]
  const rows: string[][] = []
  for (const [name, requests] of lots) {
    const cells = [name, ...(await hold(script, folder, requests))]
    console.error(cells.join(', '))
    rows.push(cells)
  }
  return table(['at once', 'answered', 'refused', 'failed', 'before, MB', 'at most (taken)', 'within', 's'], rows)
}

/** Measures a new Worker and returns the cells of its row. */
async function hold(script: string, folder: string, requests: readonly Workload[]): Promise<string[]> {
  const miniflare = await inspected(script, folder)
  try {
    const address = (await miniflare.ready).origin
    const inspector = await inspect(await inspectorOf(miniflare))
    await send(`${address}/api/v3/events/`, { query: {} })
    const before = await inspector.heap()
    const started = performance.now()
    const answers: string[] = []
    const watched = inspector.watch()
    for (let round = 0; round < ROUNDS; round++) {
      answers.push(...(await Promise.all(requests.map((request) => outcomeOf(address, request)))))
    }
    const peak = await watched.end()
    const seconds = (performance.now() - started) / 1000
    const counts = ['answered', 'refused', 'failed'].map((of) => number(answers.filter((each) => each === of).length))
    const within = peak.taken <= LIMIT * MB && !answers.includes('failed') ? 'yes' : 'no'
    return [
      ...counts,
      number(before.used / MB),
      `${number(peak.used / MB)} (${number(peak.taken / MB)})`,
      within,
      number(seconds, 1),
    ]
  } finally {
    await miniflare.dispose()
  }
}

/** A limit of the service refuses a request with another status than 500. */
const outcomeOf = async (address: string, request: Workload): Promise<string> => {
  try {
    await send(address + request.to, request)
    return 'answered'
  } catch (error) {
    return error instanceof Refused && error.status !== 500 ? 'refused' : 'failed'
  }
}

/** Starts the Worker on a local database, with an inspector and the limited heap. */
async function inspected(script: string, folder: string): Promise<Miniflare> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = `--max-heap-size=${HEAP}`
  const { Miniflare } = await import('miniflare')
  return new Miniflare({
    port: 0,
    inspectorPort: 0,
    cf: false,
    handleStructuredLogs: () => {},
    resourcePersistencePath: join(folder, 'v3'),
    workers: [
      {
        config: {
          name: 'local',
          compatibilityDate: CONFIGURATION.compatibility_date,
          manifest: {
            mainModule: 'index.js',
            modulesRoot: '/',
            modules: { 'index.js': { type: 'esm', contents: script } },
          },
          env: { DB: { type: 'd1', id: CONFIGURATION.d1_databases[0].database_id } },
        },
        dev: { rootPath: ROOT },
      },
    ],
  })
}

/** Returns the address of the inspector of the Worker's isolate. The database has its own isolate. */
async function inspectorOf(miniflare: Miniflare): Promise<string> {
  const list = new URL('/json', await miniflare.getInspectorURL())
  list.protocol = 'http:'
  const isolates: { id: string; webSocketDebuggerUrl: string }[] = await (await fetch(list)).json()
  const found = isolates.find(({ id }) => id.endsWith(':local'))
  if (found === undefined) throw new Error(`no isolate of the Worker among ${isolates.map(({ id }) => id)}`)
  return found.webSocketDebuggerUrl
}

/** Connects to the inspector of an isolate. */
async function inspect(url: string) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)), { once: true })
  })
  let last = 0
  const waiting = new Map<number, (result: Record<string, number>) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data))
    waiting.get(id)?.(result)
    waiting.delete(id)
  })
  // If the isolate has ended, its answers are empty.
  socket.addEventListener('close', () => {
    for (const resolve of waiting.values()) resolve({})
  })
  const ask = (method: string): Promise<Record<string, number>> =>
    new Promise((resolve) => {
      last += 1
      waiting.set(last, resolve)
      socket.send(JSON.stringify({ id: last, method }))
    })
  const heap = async (): Promise<Heap> => {
    const { usedSize = 0, totalSize = 0, backingStorageSize = 0 } = await ask('Runtime.getHeapUsage')
    return { used: usedSize + backingStorageSize, taken: totalSize + backingStorageSize }
  }
  return { heap, watch: () => watch(heap, () => socket.readyState !== WebSocket.OPEN) }
}

/** Reads the size of the heap repeatedly until the end. */
const watch = (heap: () => Promise<Heap>, isEnded: () => boolean) => {
  const peak = { used: 0, taken: 0 }
  let isOver = false
  const run = async () => {
    while (!isOver && !isEnded()) {
      const { used, taken } = await heap()
      peak.used = Math.max(peak.used, used)
      peak.taken = Math.max(peak.taken, taken)
    }
    return peak
  }
  const running = run()
  return {
    end: () => {
      isOver = true
      return running
    },
  }
}
