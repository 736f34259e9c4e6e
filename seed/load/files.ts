import { sridNamed } from '../../src/geometry/srid.ts'
import type { SeriesRecord } from '../../src/store/records.ts'
import { sridAhead } from '../read/collection.ts'
import { crsOf } from '../read/crs.ts'
import type { EventOptions } from '../read/event.ts'
import { REASON } from '../read/fields.ts'
import { type FormOptions, recognise, type SourceFile } from '../read/items.ts'
import { ColumnStatistics } from '../read/statistics.ts'
import { Check } from './check.ts'
import { databaseTarget } from './database.ts'
import { type DescriptionOptions, describing } from './description.ts'
import { LoadError, oneLine, optionError } from './error.ts'
import { rejectsOf } from './faults.ts'
import type { StoreOptions } from './insert.ts'
import { counter, type Report, readAll, type ScannedFile, selectedOf } from './reading.ts'
import type { Db } from './rows.ts'
import { type Chosen, chooseSeries, type SeriesOptions } from './series.ts'
import { Survey } from './survey.ts'
import { type Deletions, deletionsOf, NO_DELETIONS } from './sync.ts'
import type { Counts, Target } from './target.ts'
import { Widening } from './widening.ts'

type FileOptions = Partial<Pick<EventOptions, 'attributes' | 'times' | 'decimal' | 'thousands' | 'marks' | 'comment'>> &
  FormOptions

export interface LoadOptions extends SeriesOptions, FileOptions, DescriptionOptions {
  /** The EPSG code of the coordinates. Absent: they are degrees, or GeoJSON names the system. */
  readonly crs?: string | undefined
  /** True: if events in the files are equal, only the first is stored. */
  readonly dropDuplicates?: boolean
  /** The column of external ids. A row changes the stored event with the same external id. */
  readonly key?: string | undefined
  /** True: stored events of the series that the files do not have are deleted. */
  readonly sync?: boolean
  /** The most events that `sync` may delete. Absent: a tenth of the events of a series. */
  readonly allowDeletions?: number | undefined
  /** True: events get new ids, even if the file has ids. */
  readonly newIds?: boolean | undefined
  readonly skipInvalid?: boolean
  /** The file for records that cannot be stored. All others are loaded. */
  readonly rejects?: string | undefined
  readonly dryRun?: boolean
  /** True: a column may become one of texts. */
  readonly allowTypes?: boolean
  /** Stops the load between two batches. */
  readonly signal?: AbortSignal
}

/** The result of a load: the numbers of records that were stored, were stored before, or were left out. */
export interface Outcome {
  readonly totals: Counts
  readonly stored: Counts
  /** The number of stored events that were changed because a row had their external id. */
  readonly changed: number
  /** The stored events that were deleted because the files do not have them. */
  readonly deletions: Deletions
  readonly faults: readonly string[]
  readonly faultCount: number
  /** Lines that describe the events in the files, such as their period and bounds. */
  readonly survey: readonly string[]
  /** The address of the events in the target. Null: the load only checked them. */
  readonly address: string | null
  /** The form and the columns of a table as options, and the names of columns that are not loaded. */
  readonly found: { readonly options: ReadonlyMap<string, string>; readonly unread: readonly string[] }
  /** Lines about columns whose type the load makes wider. */
  readonly widened: readonly string[]
  /** True: a column becomes one of texts, and no option allows it. */
  readonly isDrifting: boolean
  readonly finished: boolean
}

export const loadFiles = async (
  db: Db,
  files: readonly string[],
  options: LoadOptions & StoreOptions = {},
  report?: Report,
): Promise<Outcome> => load(await databaseTarget(db, options), files, options, report)

/**
 * Adds the records of files to a target. It reads and checks all records before it stores the first. It skips records
 * that are stored already, so an interrupted load can be repeated. Deletions come last. Throws LoadError with file, line
 * and reason.
 */
export async function load(
  target: Target,
  files: readonly string[],
  options: LoadOptions,
  report: Report = () => {},
): Promise<Outcome> {
  const { key, dropDuplicates: dropEqual = false, sync = false, signal } = options
  const count = counter('Checking', files, report)
  const chosen = chosenIn(target, options)
  const known = { series: target.series, statistics: new ColumnStatistics() }
  const sources = await Promise.all(files.map((file) => sourceOf(file, options, chosen, known)))
  const rejects = rejectsOf(options.rejects, files)
  const survey = new Survey(dropEqual)
  // The ids of series in a file of records mean nothing to a service.
  const widening = new Widening(chosen !== null || target.keepsIds ? target.series : [])
  const check = checkOf(target, options, chosen, count.size, survey, widening, rejects?.onFault)
  if (sync && chosen !== null) await check.read(chosen.series.id)
  const reads = await readAll(sources, { check, survey, dropEqual, salt: saltOf(target, chosen), count })
  await check.lookUp()
  const deletions = sync ? deletionsOf(check, target.series, options.allowDeletions) : NO_DELETIONS
  if (deletions.count === 0) checkReads(reads, files, target.keepsIds) // Otherwise a file may have no rows.
  for (const source of sources) await rejects?.write(source)
  const faults = { faults: check.faults.lines(), faultCount: check.faults.count() }
  if (rejects === null && !options.skipInvalid) refuseFaults(faults)
  // If the series is new, no earlier load can have stored events in it.
  if (key === undefined && chosen?.isNew !== true) await leaveOutPassed(target, reads, check)
  const outcome = {
    totals: check.totals,
    stored: check.stored,
    changed: check.storedIds.size,
    deletions,
    ...faults,
    widened: widening.lines(),
    isDrifting: widening.isText && options.allowTypes !== true,
    survey: [...survey.lines(), ...known.statistics.lines(), ...unaskedLines(chosen, check, options)],
    address: null,
    found: { options: known.statistics.found, unread: [...known.statistics.unread] },
  }
  if (options.dryRun) return { ...outcome, finished: true }
  if (deletions.refusal !== null) throw new LoadError(deletions.refusal)
  const records = selectedOf(chosen?.records ?? [], reads, check, counter('Loading', files, report))
  const storedIds = new Set(check.storedIds.values())
  const plan = { totals: check.totals, storedIds, isNamed: key !== undefined, signal }
  const needsIds = reads.some(({ withIds }) => !withIds)
  const { unchanged, ...counts } = await target.store(records, { ...plan, needsIds })
  check.stored.event += unchanged
  if (chosen !== null && !signal?.aborted) await describe(target, chosen.series, options, known.statistics)
  for (const [series, events] of deletions.events) if (!signal?.aborted) await target.remove(series, events)
  return { ...outcome, ...counts, address: target.addressOf(chosen?.series), finished: !signal?.aborted }
}

/** The same file may be loaded into several series. The posts to a service name their series themselves. */
const saltOf = ({ keepsIds }: Target, chosen: Chosen | null): string => (keepsIds && chosen?.series.uuid) || ''

/** Tells two facts that no option asks for: a new series is Public, and rows cannot change events without an external id. */
const unaskedLines = (chosen: Chosen | null, { unnamed }: Check, { access, sync = false }: LoadOptions): string[] => {
  const lines: string[] = []
  if (chosen?.isNew && access === undefined)
    lines.push(
      `New series ${oneLine(chosen.series.name)}: Public, so everybody can read it. --access names another level`,
    )
  const keys = [...unnamed.values()].flatMap((events) => [...(events?.left.keys() ?? [])])
  const keyless = keys.filter((key) => typeof key === 'number').length
  const events = keyless === 1 ? 'stored event has' : 'stored events have'
  if (keyless > 0 && !sync)
    lines.push(
      `${keyless} ${events} no external id, so no row changes them. --sync deletes all events that the files lack`,
    )
  return lines
}

/**
 * A file with this many bytes for each stored event of a series may name most of them. Then one stream of the series needs
 * fewer requests, and a feed of the last week does not read a series of many years.
 */
const BYTES_PER_EVENT = 10

/** Returns the check of the records of a load. `bytes`: the size of the files. */
function checkOf(
  target: Target,
  { key, newIds = false, sync = false }: LoadOptions,
  chosen: Chosen | null,
  bytes: number,
  survey: Survey,
  widening: Widening,
  onFault: ConstructorParameters<typeof Check>[1]['onFault'],
): Check {
  const check = new Check(target, {
    isNamed: key !== undefined,
    byId: target.keepsIds || !newIds,
    hasSeries: chosen === null,
    most: sync ? Number.POSITIVE_INFINITY : bytes / BYTES_PER_EVENT,
    onMerged: (row, key) => survey.drop(row, key),
    onFault,
    onStored: (event, place) => widening.add(event, place),
  })
  for (const { kind } of chosen?.records ?? []) check.totals[kind] += 1
  return check
}

/** Adds the titles and units of options and headers to the description of a series. */
function describe(target: Target, series: SeriesRecord, options: LoadOptions, statistics: ColumnStatistics) {
  const { names, key } = options
  const columns = Object.entries({ ...names, external_id: key, ...Object.fromEntries(statistics.found) })
  return target.describe(series, describing(options, new Map(columns), statistics))
}

/** Finds or creates the series that the options name and describe. Null: the files name the series. */
function chosenIn(target: Target, options: LoadOptions): Chosen | null {
  const chosen = chooseSeries(target, options)
  const { title, unit, source, license } = options
  if (chosen === null && [title, unit, source, license].some((each) => each !== undefined))
    throw new LoadError('--title, --unit, --source and --license describe one series: name it with --series NAME')
  return chosen
}

/** Throws LoadError for files without records. `keepsIds`: also for files in which only some events have an id. */
function checkReads(reads: readonly ScannedFile[], files: readonly string[], keepsIds: boolean): void {
  if (reads.every(({ items }) => items === 0))
    throw new LoadError(`nothing to load: ${files.join(', ')} has no records`)
  if (!keepsIds) return
  for (const { mixedAt } of reads)
    if (mixedAt !== null)
      throw new LoadError(`${mixedAt}: some events have an id and some have none: give each an id, or use --new-ids`)
}

function refuseFaults({ faults, faultCount: count }: Pick<Outcome, 'faults' | 'faultCount'>): void {
  if (count === 1) throw new LoadError(faults.join(''))
  if (count > 1)
    throw new LoadError(`${faults.join('\n')}\n${count} faults: nothing was loaded (--skip-invalid loads the rest)`)
}

/** Skips records that an earlier load of the same files stored. Only files without ids need this. */
async function leaveOutPassed(
  target: Target,
  reads: readonly ScannedFile[],
  { selected, totals, stored }: Check,
): Promise<void> {
  for (const { digest, first, items, withIds } of reads) {
    const passed = withIds ? 0 : await target.passed(digest)
    for (let index = first; index < first + Math.min(passed, items); index++) {
      if (!selected.delete(index)) continue
      totals.event -= 1
      stored.event += 1
    }
  }
}

/** The value of `--place` for events without a place. */
const NO_PLACE = 'none'

/** Decides how a file is read. Throws LoadError for options that contradict each other. */
async function sourceOf(
  file: string,
  options: LoadOptions,
  chosen: Chosen | null,
  { series, statistics }: { readonly series: readonly SeriesRecord[]; readonly statistics: ColumnStatistics },
): Promise<SourceFile> {
  const { key, newIds = key !== undefined, times = {}, crs, decimal, thousands } = options
  const placeless = options.names?.place === NO_PLACE
  const names = {
    ...options.names,
    ...(key !== undefined && { external_id: key }),
    ...(placeless && { place: undefined }),
  }
  const recognised = await recognise(file, { ...options, names })
  if (options.sync && key === undefined)
    throw new LoadError('--sync compares external ids: name their column with --key-column COLUMN')
  if (options.sync && recognised.table?.header.at(-1) === REASON)
    throw new LoadError(`${file} has rejected rows only, and --sync would delete all others: load it without --sync`)
  if (chosen !== null && recognised.format === 'ndjson')
    throw new LoadError(`${file} names the series of its events: remove --series`)
  if (key !== undefined && recognised.format === 'ndjson')
    throw new LoadError(`${file} has the ids of its events: remove --key-column`)
  if (options.attributes !== undefined && recognised.format === 'ndjson')
    throw new LoadError(`${file} has the attributes of its events: remove --attributes`)
  const named = recognised.format === 'geojson' ? sridAhead(file, recognised.head) : null
  const srid = crs === undefined ? named : codeOf(crs)
  const read = {
    attributes: options.attributes,
    marks: options.marks,
    comment: options.comment,
    names,
    placeless,
    series: chosen?.series.id ?? null,
    described: chosen?.series.metadata?.fields,
    seriesIds: new Map(series.map(({ uuid, id }) => [uuid, id])),
    ...{ newIds, partial: key !== undefined, times, decimal, thousands },
    ...(srid !== null && { crs: await crsOf(srid, crs === undefined ? `${file}: its "crs"` : '--crs') }),
  }
  return { ...recognised, file, options: read, statistics }
}

function codeOf(crs: string): number {
  const srid = /^\d{4,6}$/.test(crs) ? Number(crs) : sridNamed(crs)
  if (srid === null) throw optionError('--crs', crs, 'enter an EPSG code, such as 28992')
  return srid || 4326
}
