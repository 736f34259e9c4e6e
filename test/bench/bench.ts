import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '../../seed/commands/command.ts'
import { ROOT } from '../../seed/local/wrangler.ts'
import { buildWorker } from '../../seed/serve/build.ts'
import { columnsOf } from './columns.ts'
import { combinations } from './combinations.ts'
import { differingKinds, type KindLine, kindsAtWorker } from './kinds.ts'
import { memoryTable } from './memory.ts'
import { growthTable, kindTable, number, replaceSection } from './report.ts'
import { skewedEvents } from './skewed.ts'
import { type Data, dataOf, storeOf } from './store.ts'
import { type Kind, workloads } from './workloads.ts'

const SMALLER = [10_000, 100_000]
const REPETITIONS = 3
const PAPER = join(ROOT, 'docs/performance.md')
const CANADA = join(ROOT, '../shared/data/areas/canada.geojson')
const USAGE = `Usage: npm run bench [-- --events N] [--profile even|skewed] [--seed N] [--only TEXT] [--no-plain] [--memory]
                     [--write]

Starts the built Worker with a local database of N events, and sends it typical requests. Prints the cost of each kind of
request in Markdown. For even events, it also prints how the cost grows with N. For skewed events, it sends 20 requests of
each kind, drawn from the events. Keeps the databases under .wrangler/bench.

  --events N      number of events (default 1000000); fewer even events are measured for comparison
  --profile NAME  even (default), or skewed: crowded in towns, with very different durations
  --seed N        other events and other requests of the profile
  --only TEXT     only requests whose name contains TEXT
  --no-plain      without the plain implementation, which checks counts and rows
  --memory        instead: the heap of an isolate during eight of the most expensive requests at once, on skewed events
  --write         also writes the tables into docs/performance.md
  --help          this text`

await runCommand({ name: 'bench', usage: USAGE }, ({ text, flag }) => {
  const profile = flag('memory') ? 'skewed' : text('profile')
  const data = dataOf({ events: text('events') ?? '1000000', profile, seed: text('seed') })
  if (flag('memory')) return benchMemory(data)
  const options = { only: text('only') ?? '', plain: !flag('no-plain'), write: flag('write') }
  return bench(data, options)
})

interface Options {
  readonly only: string
  /** True: the plain implementation checks some of the answers. */
  readonly plain: boolean
  /** True: the tables are also written into docs/performance.md. */
  readonly write: boolean
}

async function bench(data: Data, { only, plain, write }: Options): Promise<number> {
  const script = buildWorker()
  const smaller = data.profile === 'even' ? SMALLER.filter((events) => events < data.events) : []
  const sizes = new Map<number, readonly KindLine[]>()
  for (const events of [...smaller, data.events]) {
    const kinds = kindsOf({ ...data, events }).filter(({ name }) => name.includes(only))
    sizes.set(events, await kindsAtWorker(script, await storeOf({ ...data, events }), kinds))
  }
  const lines = sizes.get(data.events) ?? []
  report(data, [kindTable(lines), ...(sizes.size > 1 ? [growthTable(sizes)] : [])], write)
  for (const { kind, refused } of lines) if (refused[0] !== undefined) console.log(`${kind.name}: ${refused[0]}`)
  const wrong = plain ? await differingKinds(await storeOf(data), lines) : []
  if (wrong.length > 0) console.error(`\nThe plain way answers otherwise: ${wrong.join('; ')}.`)
  return wrong.length > 0 ? 1 : 0
}

async function benchMemory(data: Data): Promise<void> {
  console.log(`\n${await memoryTable(buildWorker(), await storeOf(data), kindsOf(data))}`)
}

/** Prints tables. With `write`, it also stores them in docs/performance.md, with the day and the data. */
function report({ profile, events, seed }: Data, tables: readonly string[], write: boolean): void {
  const text = tables.join('\n\n')
  console.log(`\n${text}\n`)
  if (!write) return
  const day = new Date().toISOString().slice(0, 10)
  const caption = `${day}: ${number(events)} ${profile} events of seed ${seed}.`
  writeFileSync(PAPER, replaceSection(readFileSync(PAPER, 'utf8'), profile, `${caption}\n\n${text}`))
}

function kindsOf({ profile, events, seed }: Data): Kind[] {
  if (profile === 'skewed') return combinations(columnsOf(skewedEvents(events, seed), events), seed)
  const canada = existsSync(CANADA) ? JSON.stringify(JSON.parse(readFileSync(CANADA, 'utf8')).geometry) : null
  if (canada === null) console.error(`Without Canada: there is no ${CANADA}.`)
  return workloads(events, canada).map((each) => ({ name: each.name, requests: new Array(REPETITIONS).fill(each) }))
}
