import { setFlagsFromString } from 'node:v8'
import progress from 'cli-progress'
import { addressOf } from '../load/api.ts'
import { databaseTarget } from '../load/database.ts'
import { LoadError } from '../load/error.ts'
import { type LoadOptions, load, type Outcome } from '../load/files.ts'
import type { Report } from '../load/reading.ts'
import { serviceTarget } from '../load/service.ts'
import { openDatabase, openRemote } from '../local/database.ts'
import { type AttributeNames, attributeNamesOf } from '../read/attributes.ts'
import { counted } from '../read/statistics.ts'
import { interruption, keyIn, type Options, runCommand } from './command.ts'

const USAGE = `Usage: npm run load -- FILE... [OPTION...]

Adds the observation types, event series and events of files to the local database. A file is newline-delimited JSON as
docs/loading.md describes it, GeoJSON (a FeatureCollection, one feature on each line, or a text sequence) or CSV. Each
may be compressed with gzip.
The command checks all files before it loads. If a file has a fault, it loads nothing. It does not load stored records
again. If a load is interrupted, run the same command again to continue.
The exit code is 0 if all records are stored, 2 if some were left out, 1 after a failure and 130 after an interruption.

  --persist-to DIR         load into the local database in DIR, as for npm start (default .wrangler/state)
  --remote                 load into the deployed database, see docs/operating.md
  --to URL --key KEY       load into a service, through its API. Events get new ids. A second run within a day adds
                           nothing. Without --key, the key is in the variable EVENTS_KEY, which does not show in the
                           list of processes
  --key-column COLUMN      the column of external ids: a row changes the event with its id, or adds one. Stored events
                           keep the fields that the file lacks. The last row with an id counts. Without --to, --key
                           COLUMN is the same
  --dry-run                check everything, store nothing, and show what a load would store
  --skip-invalid           leave out faulty records, and load the rest
  --rejects FILE           as --skip-invalid, and write the faulty records to FILE with the reasons, in their own form.
                           Correct FILE, and load it by the same command, with another name after --rejects
  --format FORMAT          ndjson, objects, geojson, geojsonl, geojsonseq or csv; by default it is recognised

  --quiet                  print only faults
  --drop-duplicates        load only the first of several events that differ only in their ids

These options are for GeoJSON, CSV and plain objects (one on each line), if all events belong to one series:

  --series NAME            the uuid or name of the series; a new name makes a new series
  --access MODIFIER        the access level of a new series: Public (the default), Common, Private or Hidden
  --observation-type CODE  the type of a new series: the code or id of a stored type, or a new code (default event)
  --new-ids                give all events new ids; by default only events without an id get one
  --x, --y, --z, --start, --end, --category, --value, --id, --object-type, --object-id NAME
                           the name of a column or property, if it is not a usual name
  --attributes NAMES       the columns or properties that become attributes, with commas between them, or '*' for all
                           that are no fields. "Volume (m³)" becomes Volume_m3, so that filters take it
  --time-unit UNIT         the unit of times that are numbers: s, ms or us since 1970, or days-1900 as in spreadsheets
  --date-format FORMAT     the form of dates, if not ISO 8601, with YYYY, MM, DD, HH, mm, ss and Z: "DD-MM-YYYY HH:mm"
  --timezone NAME          the zone of times without a zone, such as Europe/Amsterdam (default UTC)
  --crs CODE               the system of coordinates, if not degrees: 28992, 3857, or UTM, such as 32631. A GeoJSON file
                           may name it
  --decimal MARK           the decimal mark of all numbers in CSV, "," or "."; by default that of the coordinates, or "."
                           if "," separates
  --encoding NAME          the encoding of files, if not UTF-8, such as windows-1252, iso-8859-15 or utf-16le

  --help                   show this text`

/** A deployed database also serves other clients. So its batches are short, and its indexes are not suspended. */
const REMOTELY = { batchRecords: 2_000, bulkEvents: Number.POSITIVE_INFINITY }

interface Progress {
  readonly report: Report
  readonly stop: () => void
}

const NO_PROGRESS: Progress = { report: () => {}, stop: () => {} }

/** The time between two lines of progress. */
const EVERY = 10_000 // milliseconds

/** The options that name the column of a field. */
const COLUMNS = {
  x: 'x',
  y: 'y',
  z: 'z',
  start: 'start',
  end: 'end',
  category: 'category',
  value: 'value',
  id: 'id',
  model: 'object-type',
  object_id: 'object-id',
}

// It saves more than half of the memory and costs a fifth more time.
setFlagsFromString('--optimize-for-size')

await runCommand({ name: 'load', usage: USAGE, files: Number.POSITIVE_INFINITY }, (options, files) => {
  const { text, flag } = options
  return run(files, openerOf(options), flag('quiet'), {
    format: text('format'),
    rejects: text('rejects'),
    encoding: text('encoding'),
    series: text('series'),
    access: text('access'),
    observationType: text('observation-type'),
    key: keyColumnOf(options),
    crs: text('crs'),
    decimal: text('decimal'),
    attributes: attributesOf(options),
    names: Object.fromEntries(Object.entries(COLUMNS).map(([field, option]) => [field, text(option)])),
    times: { unit: text('time-unit'), format: text('date-format'), zone: text('timezone') },
    newIds: flag('new-ids') || undefined,
    dropDuplicates: flag('drop-duplicates'),
    dryRun: flag('dry-run'),
    skipInvalid: flag('skip-invalid'),
  })
})

/** Returns the column of external ids. Without `--to`, `--key` also names it. */
function keyColumnOf({ text }: Options): string | undefined {
  const [key, column] = [text('key'), text('key-column')]
  if (text('to') !== undefined || key === undefined) return column
  if (column !== undefined) throw new LoadError('--key and --key-column both name a column here: use one of them')
  return key
}

function attributesOf({ text }: Options): AttributeNames | undefined {
  const given = text('attributes')
  return given === undefined ? undefined : attributeNamesOf(given)
}

/** Returns a function that opens the target that the options name. Throws LoadError for wrong options. */
function openerOf(options: Options) {
  const { text, flag, refuseSeveral } = options
  refuseSeveral('target', 'persist-to', 'remote', 'to')
  const [to, key, remote] = [text('to'), keyIn(options), flag('remote')]
  if (to !== undefined) {
    if (key === null) throw new LoadError('--to URL needs a key: add --key KEY, or set EVENTS_KEY')
    const api = { address: addressOf('--to', to), key }
    return async () => ({ target: () => serviceTarget(api), close: async () => {} })
  }
  return async () => {
    const { db, write, close } = await (remote ? openRemote() : openDatabase(text('persist-to'), true))
    return { target: () => databaseTarget(db, remote ? { ...REMOTELY, write } : { write }), close }
  }
}

async function run(
  files: string[],
  open: ReturnType<typeof openerOf>,
  isQuiet: boolean,
  options: LoadOptions,
): Promise<number> {
  const started = performance.now()
  const { target, close } = await open()
  const signal = interruption()
  const progress = isQuiet ? NO_PROGRESS : showProgress()
  try {
    const outcome = await load(await target(), files, { ...options, signal }, progress.report)
    progress.stop()
    for (const fault of outcome.faults) console.error(`Left out: ${fault}`)
    const summary = summaryOf(outcome, options.dryRun ?? false, (performance.now() - started) / 1000)
    const code = codeOf(outcome)
    if (!isQuiet) console.log([...outcome.survey, summary].join('\n'))
    else if (code !== 0) console.error(summary)
    return code
  } finally {
    progress.stop()
    await close()
  }
}

/** Returns the exit code. If all records are faulty, nothing was loaded, and the load failed. */
function codeOf({ totals, stored, changed, faultCount, finished }: Outcome): number {
  if (!finished) return 130
  if (faultCount === 0) return 0
  return totals.event + stored.event + changed > 0 ? 2 : 1
}

function summaryOf(
  { totals, stored, changed, faultCount, finished }: Outcome,
  dryRun: boolean,
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
    faultCount > 0 ? did(faultCount, 'faulty record', 'left out') : '',
    finished ? '' : 'Run the same command again to continue.',
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** Shows the progress of a load: as a bar in a terminal, otherwise as a line every ten seconds. */
function showProgress(): Progress {
  const format = '{stage} {bar} {percentage}%, {records} records, {rate} a second, {eta_formatted} left'
  const bar = new progress.SingleBar({ format, clearOnComplete: true, hideCursor: true, etaBuffer: 50 })
  let [current, started, printed] = ['', 0, performance.now()]
  const report: Report = (stage, bytes, size, records) => {
    const [now, isNew] = [performance.now(), stage !== current]
    if (isNew) [current, started] = [stage, now]
    const rate = isNew ? 0 : Math.round((1000 * records) / Math.max(1, now - started))
    if (process.stderr.isTTY) {
      if (isNew) bar.start(size, 0, { stage, records, rate })
      bar.update(bytes, { stage, records, rate })
    } else if (now - printed >= EVERY) {
      printed = now
      const left = Math.round(((now - started) * (size - bytes)) / Math.max(1, bytes) / 1000)
      console.error(
        `${stage} ${Math.round((100 * bytes) / size)}%, ${records} records, ${rate} a second, ${left} s left`,
      )
    }
  }
  return { report, stop: () => bar.stop() }
}
