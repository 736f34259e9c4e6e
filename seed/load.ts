import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import progress from 'cli-progress'
import { openDatabase } from './database.ts'
import { LoadError } from './error.ts'
import { loadFiles, type Report } from './files.ts'

const USAGE = `Usage: npm run load -- FILE... [--persist-to DIR]

Adds the observation types, event series and events of newline-delimited JSON files, plain or .gz, to the local
database. All files are checked first: after a faulty line nothing is loaded. seed/README.md describes the format.

  --persist-to DIR  where the local database is, as for npm start (default .wrangler/state)
  --help            this text`

// Less than half the memory for a fifth more time.
setFlagsFromString('--optimize-for-size')
process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { 'persist-to': { type: 'string' }, help: { type: 'boolean' } },
    })
    if (values.help) {
      console.log(USAGE)
      return 0
    }
    if (positionals.length === 0) return refuse(`no FILE\n\n${USAGE}`)
    await load(positionals, values['persist-to'])
    return 0
  } catch (error) {
    if (error instanceof LoadError) return refuse(error.message)
    if (error instanceof TypeError && 'code' in error) return refuse(`${error.message}\n\n${USAGE}`)
    throw error
  }
}

function refuse(message: string): number {
  console.error(`load: ${message}`)
  return 1
}

async function load(files: string[], persistTo: string | undefined): Promise<void> {
  const started = performance.now()
  const { db, close } = await openDatabase(persistTo)
  const bar = progressBar()
  try {
    const totals = await loadFiles(db, files, bar.report)
    bar.stop()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`Loaded ${totals.event} events and ${totals.event_series} event series in ${seconds} s.`)
  } finally {
    bar.stop()
    await close()
  }
}

/** On a terminal a bar, elsewhere a line every ten seconds. */
function progressBar(): { report: Report; stop: () => void } {
  const format = '{stage} {bar} {percentage}% {duration} s'
  const bar = new progress.SingleBar({ format, clearOnComplete: true, hideCursor: true })
  let stage = ''
  let said = performance.now()
  const onTerminal: Report = (next, bytes, of) => {
    if (next !== stage) bar.start(of, 0, { stage: next })
    stage = next
    bar.update(bytes)
  }
  const elsewhere: Report = (next, bytes, of) => {
    if (performance.now() - said < 10_000) return
    said = performance.now()
    console.error(`${next} ${Math.round((100 * bytes) / of)}%`)
  }
  return { report: process.stderr.isTTY ? onTerminal : elsewhere, stop: () => bar.stop() }
}
