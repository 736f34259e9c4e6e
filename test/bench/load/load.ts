import { runCommand } from '../../../seed/commands/command.ts'
import { LoadError } from '../../../seed/load/error.ts'
import { buildWorker } from '../../../seed/serve/build.ts'
import { startWorker } from '../../worker.ts'
import { type Data, dataOf, storeOf } from '../store.ts'
import { type Workload, workloads } from '../workloads.ts'
import { drive } from './drive.ts'
import { errorsOf, type Figures, figuresTable } from './figures.ts'

const EVENTS = 100_000
const CONNECTIONS = [1, 8, 64]
const SECONDS = 3
/** The frequent workloads of the bench, from the cheapest to the most expensive. */
const NAMES = [
  'detail by id',
  'detail by the beginning of a uuid',
  'first page, no filter',
  'latest first',
  'one series and a time range',
  'category__icontains, 5 %',
  'polygon of 50 vertices',
  'concave polygon of 2,000 vertices',
]
const USAGE = `Usage: npm run load-test [-- --events N] [--cached]

Starts the built Worker on this machine with a local database of N events. Sends it the frequent requests of the bench
over ${CONNECTIONS.join(', ')} connections, ${SECONDS} seconds each. Prints a table in Markdown: the answers per second, their times, and the memory
of the Worker. Ends with 1 if a request failed, or if its answers differ. Keeps the database under .wrangler/bench.

  --events N   number of events (default ${EVENTS})
  --cached     lets the service answer from its caches; otherwise each request is computed
  --help       this text`

await runCommand({ name: 'load-test', usage: USAGE }, async ({ text, flag }) =>
  report(await driveAll(dataOf({ events: text('events') ?? String(EVENTS) }), flag('cached'))),
)

async function driveAll(data: Data, cached: boolean): Promise<Figures[]> {
  const store = await storeOf(data)
  const service = await startWorker(buildWorker(), store, {}, true, true)
  const figures: Figures[] = []
  try {
    for (const workload of chosen(workloads(data.events, null))) {
      for (const connections of CONNECTIONS) {
        console.error(`${workload.name}, ${connections} at once`)
        figures.push(await drive(service.address, workload, connections, SECONDS, cached))
      }
    }
  } finally {
    await service.close()
  }
  return figures
}

function chosen(all: readonly Workload[]): Workload[] {
  return NAMES.map((name) => {
    const found = all.find((workload) => workload.name === name)
    if (found === undefined) throw new LoadError(`the bench has no workload ${JSON.stringify(name)}`)
    return found
  })
}

function report(figures: readonly Figures[]): number {
  console.log(`\n${figuresTable(figures)}`)
  const failed = figures.filter((each) => errorsOf(each) > 0)
  for (const { name, concurrency, errors } of failed)
    for (const [error, count] of errors) console.error(`${name}, ${concurrency} at once, ${count} times: ${error}`)
  return failed.length > 0 ? 1 : 0
}
