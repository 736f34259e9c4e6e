import { setFlagsFromString } from 'node:v8'
import { addressOf } from '../load/api.ts'
import { LoadError } from '../load/error.ts'
import { type LoadOptions, loadFiles, type Outcome } from '../load/files.ts'
import { postFiles } from '../load/post.ts'
import type { Report } from '../load/reading.ts'
import { showProgress } from '../load/report.ts'
import { openDatabase, openRemote } from '../local/database.ts'
import { readDeployment } from '../local/deployment.ts'
import { interruption, runCommand } from './command.ts'

const USAGE = `Usage: npm run load -- FILE... [OPTION...]

Adds the observation types, event series and events of files to the local database. A file is newline-delimited JSON as
docs/loading.md describes it, GeoJSON (a FeatureCollection, features a line, or a text sequence) or CSV, plain or gzip.
All files are checked first: of a faulty one nothing is loaded. What is there already is not loaded again, so what was
interrupted goes on when it is started again.

  --persist-to DIR         where the local database is, as for npm start (default .wrangler/state)
  --remote                 the deployed database instead, see docs/operating.md
  --to URL --key KEY       a service instead, through its API: events get new ids; a repetition within a day adds nothing
  --key-column COLUMN      the column of external ids: a row changes the event with its id, or adds one. Stored events keep
                           the fields that the file lacks. The last row with an id counts. Without --to also --key COLUMN
  --dry-run                checks everything, stores nothing, and says what would be stored
  --skip-invalid           leaves out what cannot be stored, and loads the rest
  --rejects FILE           the same, and writes what is left out to FILE with the reasons, in the format of the file loaded
  --format FORMAT          ndjson, objects, geojson, geojsonl, geojsonseq or csv; by default it is recognised

  --drop-duplicates        of events that are equal, but for their ids, loads the first

Of GeoJSON, CSV and plain objects a line, whose events belong to one series:

  --series NAME            its uuid or name; with a new name a new series is made
  --access MODIFIER        of a new series: Public (the default), Common, Private or Hidden
  --observation-type CODE  of a new series: the code or id of one there is, or the code of a new one (default event)
  --new-ids                gives all events new ids; without, those that have none
  --x, --y, --z, --start, --end, --category, --value, --id, --object-type, --object-id NAME
                           what the columns or properties are called, where it is not a usual name
  --time-unit UNIT         of times that are numbers: s, ms or us since 1970, or days-1900 as in spreadsheets
  --date-format FORMAT     of dates that are not ISO 8601: of YYYY, MM, DD, HH, mm, ss and Z, such as "DD-MM-YYYY HH:mm"
  --timezone NAME          of times without a zone, such as Europe/Amsterdam; by default UTC
  --crs CODE               of coordinates that are not degrees: 28992, 3857, or UTM, such as 32631; of GeoJSON it is read
  --decimal MARK           the decimal mark of numbers in CSV, "," or "."; by default it is recognised where ";" separates
  --encoding NAME          of files that are not UTF-8, such as windows-1252, iso-8859-15 or utf-16le

  --help                   this text`

/** A deployed database also serves other clients. So its batches are short, and its indexes are not suspended. */
const REMOTELY = { batchRecords: 2_000, bulkEvents: Number.POSITIVE_INFINITY }

/** The target of a load: a local database, a deployed database or a service. */
interface Target {
  readonly load: (files: readonly string[], options: LoadOptions, report: Report) => Promise<Outcome>
  readonly close: () => Promise<void>
}

const column = { type: 'string' } as const

// It saves more than half of the memory and costs a fifth more time.
setFlagsFromString('--optimize-for-size')

await runCommand(
  {
    name: 'load',
    usage: USAGE,
    files: Number.POSITIVE_INFINITY,
    options: {
      'persist-to': { type: 'string' },
      to: column,
      key: column,
      'key-column': column,
      remote: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      'skip-invalid': { type: 'boolean', default: false },
      format: { type: 'string' },
      series: { type: 'string' },
      access: { type: 'string' },
      'observation-type': { type: 'string' },
      'new-ids': { type: 'boolean', default: false },
      'drop-duplicates': { type: 'boolean', default: false },
      ...{ 'time-unit': column, 'date-format': column, timezone: column, crs: column },
      ...{ decimal: column, encoding: column, rejects: column },
      ...{ x: column, y: column, z: column, start: column, end: column, category: column, value: column, id: column },
      ...{ 'object-type': column, 'object-id': column },
    },
  },
  (values, files) => {
    const { format, series, access, x, y, z, start, end, category, value, id } = values
    const named = {
      x,
      y,
      z,
      start,
      end,
      category,
      value,
      id,
      model: values['object-type'],
      object: values['object-id'],
    }
    const names = Object.fromEntries(Object.entries(named).filter(([, name]) => name !== undefined))
    const options = {
      format,
      series,
      access,
      names,
      observationType: values['observation-type'],
      key: keyColumnOf(values),
      ...(values['new-ids'] && { newIds: true }),
      dropDuplicates: values['drop-duplicates'],
      times: { unit: values['time-unit'], format: values['date-format'], zone: values.timezone },
      crs: values.crs,
      decimal: values.decimal,
      rejects: values.rejects,
      encoding: values.encoding,
    }
    return load(files, targetOf(values), { ...options, dryRun: values['dry-run'], skipInvalid: values['skip-invalid'] })
  },
)

/**
 * Returns the column of external ids. `--key` also names this column, unless `--to` makes it the key of the service.
 */
function keyColumnOf(values: TargetOptions & { readonly 'key-column'?: string }): string | undefined {
  const { to, key, 'key-column': column } = values
  if (to !== undefined || key === undefined) return column
  if (column !== undefined) throw new LoadError('--key and --key-column both name a column here: say one')
  return key
}

interface TargetOptions {
  readonly 'persist-to'?: string
  readonly remote: boolean
  readonly to?: string
  readonly key?: string
}

/** Opens the target that the options name. */
function targetOf({ 'persist-to': persistTo, remote, to, key }: TargetOptions): () => Promise<Target> {
  if ([persistTo !== undefined, remote, to !== undefined].filter(Boolean).length > 1)
    throw new LoadError('--persist-to, --remote and --to each say where to load: say one')
  if (to !== undefined && key === undefined) throw new LoadError('--to URL and --key KEY go together')
  if (to !== undefined && key !== undefined) {
    const api = { address: addressOf('--to', to), key }
    return async () => ({ load: (...args) => postFiles(api, ...args), close: async () => {} })
  }
  return async () => {
    const { db, write, close } = remote ? await openRemote(await readDeployment()) : await openDatabase(persistTo, true)
    const special = remote ? { ...REMOTELY, write } : { write }
    return { load: (files, options, report) => loadFiles(db, files, { ...options, ...special }, report), close }
  }
}

async function load(files: string[], open: () => Promise<Target>, options: LoadOptions): Promise<number> {
  const started = performance.now()
  const target = await open()
  const signal = interruption()
  const progress = showProgress()
  try {
    const outcome = await target.load(files, { ...options, signal }, progress.report)
    progress.stop()
    for (const fault of outcome.faults) console.error(`Left out: ${fault}`)
    for (const line of outcome.survey) console.log(line)
    console.log(summaryOf(outcome, options.dryRun ?? false, (performance.now() - started) / 1000))
    return outcome.finished ? 0 : 130
  } finally {
    progress.stop()
    await target.close()
  }
}

function summaryOf(
  { totals, stored, changed, faultCount, finished }: Outcome,
  dryRun: boolean,
  seconds: number,
): string {
  const amount = `${totals.event} events and ${totals.event_series} event series`
  const alreadyStored = stored.event + stored.event_series + stored.observation_type
  const done = dryRun ? `Would load ${amount}` : `Loaded ${amount} in ${seconds.toFixed(1)} s`
  return [
    `${finished ? '' : 'Interrupted. '}${done}.`,
    changed > 0 ? `${changed} events ${dryRun ? 'would be' : 'were'} changed.` : '',
    alreadyStored > 0 ? `${stored.event} events and ${stored.event_series} event series were there already.` : '',
    faultCount > 0 ? `${faultCount} faulty records ${dryRun ? 'would be' : 'were'} left out.` : '',
    finished ? '' : 'The same command goes on from there.',
  ]
    .filter((part) => part !== '')
    .join(' ')
}
