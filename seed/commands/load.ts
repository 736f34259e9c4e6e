import { setFlagsFromString } from 'node:v8'
import { addressOf } from '../load/api.ts'
import { databaseTarget } from '../load/database.ts'
import { LoadError, NeedError, printable } from '../load/error.ts'
import { type LoadOptions, load, type Outcome } from '../load/files.ts'
import { serviceTarget } from '../load/service.ts'
import { openDatabase, openRemote } from '../local/database.ts'
import { asArgument } from '../read/missing.ts'
import { counted } from '../read/statistics.ts'
import { interruption, keyIn, type Options, runCommand } from './command.ts'
import { loadOptionsOf, USAGE } from './loadOptions.ts'
import { checkMapping, withMapping, writeMapping } from './mapping.ts'
import { NO_PROGRESS, showProgress } from './progress.ts'

/** A deployed database also serves other clients. So its batches are short, and its indexes are not suspended. */
const REMOTELY = { batchRecords: 2_000, bulkEvents: Number.POSITIVE_INFINITY }

const DRIFT = 'Correct the values and load them again, or accept the change with --allow-types'

// It saves more than half of the memory and costs a fifth more time.
setFlagsFromString('--optimize-for-size')

await runCommand({ name: 'load', usage: USAGE, files: Number.POSITIVE_INFINITY }, (given, files) => {
  const options = withMapping(given)
  const settings = loadOptionsOf(options)
  return run(files, openerOf(options, settings), options, settings).catch((error) => {
    throw error instanceof NeedError ? new LoadError(`${error.message}\n${lineOf(options, error)}`) : error
  })
})

/**
 * Returns the command line with the options that it needs, but without the key of a service. It only checks, because the
 * options are guesses and the report may ask for others.
 */
function lineOf({ text, flag }: Options, { options }: NeedError): string {
  const key = text('to') === undefined ? undefined : text('key')
  const args = process.argv
    .slice(2)
    .map((arg) => (arg === key || arg === `--key=${key}` ? arg.replace(key ?? '', 'KEY') : arg))
  const checked = flag('dry-run') ? options : [...options, '--dry-run']
  const line = [...args, ...checked].map(asArgument).join(' ')
  return `Look at the options at the end of this line, and run it. Without --dry-run, it loads:\nnpm run load -- ${line}`
}

/** Returns a function that opens the target that the options name. Throws LoadError for wrong options. */
function openerOf(options: Options, settings: LoadOptions) {
  const { text, flag, refuseSeveral } = options
  refuseSeveral('target', 'persist-to', 'remote', 'to')
  const [to, key, remote] = [text('to'), keyIn(options), flag('remote')]
  if (to !== undefined) {
    if (key === null) throw new LoadError('--to URL needs a key: add --key KEY, or set EVENTS_KEY')
    const api = { address: addressOf('--to', to), key }
    return async () => ({ target: () => serviceTarget(api, settings), close: async () => {} })
  }
  return async () => {
    const { db, write, close } = await (remote ? openRemote() : openDatabase(text('persist-to'), true))
    return { target: () => databaseTarget(db, remote ? { ...REMOTELY, write } : { write }), close }
  }
}

async function run(
  files: string[],
  open: ReturnType<typeof openerOf>,
  given: Options,
  options: LoadOptions,
): Promise<number> {
  const [isQuiet, mapping] = [given.flag('quiet'), given.text('write-mapping')]
  if (mapping !== undefined) checkMapping(mapping, given)
  const started = performance.now()
  const { target, close } = await open()
  const signal = interruption()
  const progress = isQuiet ? NO_PROGRESS : showProgress()
  try {
    const outcome = await load(await target(), files, { ...options, signal }, progress.report)
    progress.stop()
    // A number of further faults is no fault of its own.
    for (const fault of outcome.faults) console.error(printable(/^ *and \d/.test(fault) ? fault : `Left out: ${fault}`))
    const { widened, isDrifting, deletions } = outcome
    for (const line of [deletions.kept, deletions.refusal]) if (line !== null) console.error(printable(line))
    for (const line of isDrifting ? [...widened, DRIFT] : []) console.error(printable(line))
    const summary = summaryOf(outcome, options, (performance.now() - started) / 1000)
    const code = codeOf(outcome)
    if (mapping !== undefined) writeMapping(mapping, given, outcome)
    const last = outcome.address === null ? [] : [`See ${outcome.address}`]
    const lines = [...outcome.survey, ...(isDrifting ? [] : widened), summary, ...last]
    if (!isQuiet) console.log(printable(lines.join('\n')))
    else if (code !== 0) console.error(summary)
    return code
  } finally {
    progress.stop()
    await close()
  }
}

/** Returns the exit code. If all records are faulty, nothing was loaded, and the load failed. */
function codeOf({ totals, stored, changed, deletions, faultCount, isDrifting, finished }: Outcome): number {
  if (!finished) return 130
  if (deletions.refusal !== null) return 1
  if (faultCount === 0 && !isDrifting) return 0
  return totals.event + stored.event + changed > 0 ? 2 : 1
}

function summaryOf(
  { totals, stored, changed, deletions, faultCount, finished }: Outcome,
  { dryRun = false, sync = false }: LoadOptions,
  seconds: number,
): string {
  const amount = `${counted(totals.event, 'event')} and ${totals.event_series} event series`
  const did = (count: number, noun: string, done: string): string =>
    `${counted(count, noun)} ${dryRun ? 'would be' : count === 1 ? 'was' : 'were'} ${done}.`
  const alreadyStored = stored.event + stored.event_series + stored.observation_type
  const done = dryRun ? `Would load ${amount}` : `Loaded ${amount} in ${seconds.toFixed(1)} s`
  return [
    `${finished ? '' : 'Interrupted. '}${done}.`,
    changed > 0 ? did(changed, 'event', 'changed') : '',
    alreadyStored > 0
      ? `${counted(stored.event, 'event')} and ${stored.event_series} event series were stored already.`
      : '',
    finished && sync ? did(deletions.count, 'event', 'deleted') : '',
    deletions.keyless > 0 && finished ? `Of these, ${deletions.keyless} had no external id.` : '',
    faultCount > 0 ? did(faultCount, 'faulty record', 'left out') : '',
    finished ? '' : 'Run the same command again to continue.',
  ]
    .filter((part) => part !== '')
    .join(' ')
}
