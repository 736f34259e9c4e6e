import { buildWorker, type RunningWorker, startWorker } from '../../seed/local/worker.ts'
import { type Measured, measure, measurePlain, peakMemory, send } from './measure.ts'
import { bar } from './progress.ts'
import type { Line } from './report.ts'
import type { Store } from './store.ts'
import { LARGE_AREA, SMALL_AREA, type Workload } from './workloads.ts'

const REPETITIONS = { worker: 9, plain: 3 }
const NOTABLE = 16 // MB

/** Measures workloads with the Worker. */
export async function atWorker(script: string, store: Store, requested: readonly Workload[]): Promise<Line[]> {
  const measured = new Map<Workload, Measured | null>()
  for (const [folder, some] of partsOf(store, requested)) {
    const service = await startWorker(script, folder, { SHOW_COST: 'true' }, 0, true, true)
    if (folder === store.open) await sayFirst(service)
    await each('the Worker', service, some, async (workload) => {
      measured.set(workload, await measure(service.address, workload, REPETITIONS.worker))
    })
  }
  return requested.map((workload) => ({ workload, worker: measured.get(workload) ?? null, plain: null }))
}

/** Measures the workloads with the plain implementation, except those that the Worker could not answer. */
export async function atPlain(store: Store, lines: readonly Line[]): Promise<Line[]> {
  const script = buildWorker('test/bench/plain.ts')
  const measured = new Map<Workload, Measured>()
  const requested = lines.filter(({ worker }) => worker !== null).map(({ workload }) => workload)
  for (const [folder, some] of partsOf(store, requested)) {
    const service = await startWorker(script, folder, {}, 0, true, true)
    await each('the plain way', service, some, async (workload) => {
      measured.set(workload, await measurePlain(service.address, workload, REPETITIONS.plain))
    })
  }
  return lines.map((line) => ({ ...line, plain: measured.get(line.workload) ?? null }))
}

const partsOf = ({ open, mixed }: Store, requested: readonly Workload[]): [folder: string, some: Workload[]][] => [
  [open, requested.filter((workload) => !workload.mixed)],
  [mixed, requested.filter((workload) => workload.mixed)],
]

async function each(
  name: string,
  service: RunningWorker,
  requested: readonly Workload[],
  run: (workload: Workload) => Promise<void>,
): Promise<void> {
  const progress = bar(name, requested.length)
  const memory: string[] = []
  try {
    for (const workload of requested) {
      const before = peakMemory() ?? 0
      await run(workload)
      const after = peakMemory() ?? 0
      if (after > before + NOTABLE) memory.push(`${after} MB with ${workload.name}`)
      progress.increment()
    }
  } finally {
    progress.stop()
    await service.close()
  }
  if (memory.length > 0) console.log(`Peak memory of the process, ${name}: ${memory.join('; ')}.`)
}

/**
 * Prints the cost of the first request that needs statistics for its plan. A Worker reads them rarely. Then it prints
 * the cost of a request with a cached count.
 */
async function sayFirst({ address }: RunningWorker): Promise<void> {
  const ask = (query: Workload['query'], again = false) => send(`${address}/api/v3/events/`, { query }, again)
  const [first, second] = [await ask(SMALL_AREA), await ask(SMALL_AREA)]
  const memory = peakMemory()
  console.log(
    `First request of an isolate, the small polygon: ${first.rowsRead} rows read in ${first.roundTrips} round trips, ` +
      `afterwards ${second.rowsRead} in ${second.roundTrips}${memory === null ? '' : `; ${memory} MB of memory`}.`,
  )
  const [counted, again] = [await ask(LARGE_AREA, true), await ask(LARGE_AREA, true)]
  console.log(
    `The large polygon, counted: ${counted.rowsRead} rows read in ${counted.roundTrips} round trips; its count remembered: ` +
      `${again.rowsRead} in ${again.roundTrips}.`,
  )
}
