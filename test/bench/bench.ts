import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../../seed/command.ts'
import { ROOT } from '../../seed/database.ts'
import { buildWorker } from '../../seed/worker.ts'
import { costTable, differing, growthTable, type Line } from './report.ts'
import { atPlain, atWorker } from './run.ts'
import { DATA_OPTIONS, type Data, dataOf, storeOf } from './store.ts'
import { workloads } from './workloads.ts'

const SMALLER = [10_000, 100_000]
const CANADA = join(ROOT, '../shared/data/areas/canada.geojson')
const USAGE = `Usage: npm run bench [-- --events N] [--profile even|skewed] [--seed N]

Asks the built Worker, on a local database of N events, what an API is asked, and prints as tables in Markdown what each
request costs, next to the same request answered the plain way, and how that grows with the events. The databases are
kept under .wrangler/bench.

  --events N      how many events (default 1000000); fewer are measured for comparison
  --profile NAME  what they are like: even (the default), or skewed, as real ones
  --seed N        of their numbers
  --help          this text`

await runCommand({ name: 'bench', usage: USAGE, options: DATA_OPTIONS }, (values) => bench(dataOf(values)))

async function bench(data: Data): Promise<number> {
  const { events } = data
  const canada = existsSync(CANADA) ? JSON.stringify(JSON.parse(readFileSync(CANADA, 'utf8')).geometry) : null
  if (canada === null) console.error(`Without Canada: there is no ${CANADA}.`)
  const script = buildWorker()
  const sizes = new Map<number, readonly Line[]>()
  for (const size of [...SMALLER.filter((smaller) => smaller < events), events]) {
    sizes.set(size, await atWorker(script, await storeOf({ ...data, events: size }), workloads(size, canada)))
  }
  const lines = await atPlain(await storeOf(data), sizes.get(events) ?? [])
  console.log(`\n${costTable(lines)}`)
  if (sizes.size > 1) console.log(`\n${growthTable(sizes)}`)
  const wrong = differing(lines)
  if (wrong.length > 0) console.error(`\nThe plain way answers otherwise: ${wrong.join('; ')}.`)
  return wrong.length > 0 ? 1 : 0
}
