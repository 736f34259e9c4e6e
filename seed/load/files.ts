import { type Checked, createCheck } from './check.ts'
import { databaseTarget, type StoreOptions } from './database.ts'
import { LoadError } from './error.ts'
import { counter, type Report, readAll, type ScannedFile, selectedOf } from './reading.ts'
import { rejectsOf } from './rejects.ts'
import type { Db } from './rows.ts'
import { chooseSeries } from './series.ts'
import { type LoadOptions, sourceOf } from './sources.ts'
import { createSurvey } from './survey.ts'
import type { Target, Totals } from './target.ts'

/** The result of a load: the numbers of records that were stored, were stored before, or were left out. */
export interface Outcome {
  readonly totals: Totals
  readonly stored: Totals
  /** The number of stored events that were changed because a row had their external id. */
  readonly changed: number
  readonly faults: readonly string[]
  readonly faultCount: number
  /** Lines that describe the events in the files, such as their period and bounds. */
  readonly survey: readonly string[]
  /** False if the load was interrupted. */
  readonly finished: boolean
}

/** Adds the records of files to a database. See `load`. */
export const loadFiles = async (
  db: Db,
  files: readonly string[],
  options: LoadOptions & StoreOptions = {},
  report?: Report,
): Promise<Outcome> => load(await databaseTarget(db, options), files, options, report)

/**
 * Adds the records of files to a target. It reads and checks all records before it stores the first. It skips records
 * that are stored already, so an interrupted load can be repeated. Throws LoadError with file, line and reason.
 */
export async function load(
  target: Target,
  files: readonly string[],
  options: LoadOptions,
  report: Report = () => {},
): Promise<Outcome> {
  const { key, newIds = false, dropDuplicates: dropEqual = false, signal } = options
  const count = counter('Checking', files, report)
  const chosen = chooseSeries(target, options)
  const sources = await Promise.all(files.map((file) => sourceOf(file, options, chosen, target.series)))
  const rejects = rejectsOf(options, files)
  const survey = createSurvey(dropEqual)
  const check = createCheck(target, {
    isNamed: key !== undefined,
    byId: target.keepsIds || !newIds,
    hasSeries: chosen === null,
    onMerged: survey.drop,
    onFault: rejects?.onFault,
  })
  // The same file may be loaded into several series. The posts to a service name their series themselves.
  const salt = target.keepsIds ? (chosen?.series.uuid ?? '') : ''
  const reads = await readAll(sources, { check, survey, dropEqual, salt, count })
  if (target.keepsIds) refuseMixed(reads)
  const checked = await check.end()
  await rejects?.write(reads)
  refuseFaults(checked, reads, rejects !== null || (options.skipInvalid ?? false))
  for (const { kind } of chosen?.records ?? []) checked.totals[kind] += 1
  // If the series is new, no earlier load can have stored events in it.
  if (key === undefined && chosen?.isNew !== true) await leaveOutPassed(target, reads, checked)
  const { totals, stored, storedIds, faults, faultCount } = checked
  const outcome = { totals, stored, changed: storedIds.size, faults, faultCount, survey: survey.lines() }
  if (options.dryRun) return { ...outcome, finished: true }
  const records = selectedOf(chosen?.records ?? [], reads, checked, counter('Loading', files, report))
  const done = await target.store(records, {
    ...{ totals, storedIds: new Set(storedIds.values()), isNamed: key !== undefined, signal },
    needsIds: reads.some(({ withIds }) => !withIds),
  })
  stored.event += done.unchanged
  return { ...outcome, totals: done.totals, changed: done.changed, finished: !signal?.aborted }
}

function refuseMixed(reads: readonly ScannedFile[]): void {
  for (const { mixedAt } of reads)
    if (mixedAt !== null)
      throw new LoadError(`${mixedAt}: some events have an id and some have none: give each an id, or use --new-ids`)
}

/** Throws LoadError if the files have no records. Throws it for faults unless `skip` is true. */
function refuseFaults({ faults, faultCount }: Checked, reads: readonly ScannedFile[], skip: boolean): void {
  const files = reads.map(({ source }) => source.file)
  if (reads.every(({ items }) => items === 0))
    throw new LoadError(`nothing to load: ${files.join(', ')} has no records`)
  if (faultCount === 0 || skip) return
  if (faultCount === 1) throw new LoadError(faults.join(''))
  throw new LoadError(`${faults.join('\n')}\n${faultCount} faults: nothing was loaded (--skip-invalid loads the rest)`)
}

/** Skips records that an earlier load of the same files stored. Only files without ids need this. */
async function leaveOutPassed(
  target: Target,
  reads: readonly ScannedFile[],
  { selected, totals, stored }: Checked,
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
