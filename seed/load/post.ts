import { randomUUID } from 'node:crypto'
import type { ObservationTypeRecord, SeriesRecord } from '../../src/store/records.ts'
import type { ApiAccess } from './api.ts'
import { noTotals, type Totals } from './check.ts'
import { type LoadOptions, type Outcome, refuseFaults } from './files.ts'
import { createPoster } from './poster.ts'
import { counter, type Report, readAll, wantedOf } from './reading.ts'
import { rejectsOf } from './rejects.ts'
import { createRemoteCheck } from './remoteCheck.ts'
import { chooseSeries } from './series.ts'
import { makeSeries, makeType, openService, type Service } from './service.ts'
import { sourceOf } from './sources.ts'
import { createSurvey } from './survey.ts'

/**
 * Posts the events of files to a service, and the types and series that it lacks. All get new ids. A repeated post
 * within a day adds nothing. Throws LoadError for a fault. Posts before a fault of the service stay.
 */
export async function postFiles(
  api: ApiAccess,
  files: readonly string[],
  options: LoadOptions = {},
  report: Report = () => {},
): Promise<Outcome> {
  const {
    key,
    newIds = false,
    dropDuplicates: dropEqual = false,
    skipInvalid = false,
    dryRun = false,
    signal,
  } = options
  const checking = counter('Checking', files, report)
  const service = await openService(api)
  const chosen = chooseSeries(service, options)
  const sources = await Promise.all(files.map((file) => sourceOf(file, options, chosen, service.series)))
  const unread = new Set<string>()
  const survey = createSurvey(unread, dropEqual)
  const rejects = rejectsOf(options, files)
  const onMerged = key === undefined ? null : survey.drop
  const check = createRemoteCheck(service, { byId: !newIds, onMerged, onFault: rejects?.onFault })
  const pass = { check, survey, unread, dropEqual, salt: '' }
  const reads = await readAll(sources, { ...pass, count: checking })
  const { selected, totals, stored, faults, faultCount } = await check.end()
  await rejects?.write(reads)
  refuseFaults({ faults, faultCount }, reads, rejects !== null || skipInvalid)
  const outcome = { stored, faults, faultCount, survey: survey.lines() }
  if (dryRun) {
    for (const { kind } of chosen?.records ?? []) totals[kind] += 1
    return { ...outcome, totals, changed: 0, finished: true }
  }
  const posted = { totals: noTotals(), stored, numbers: { changed: 0 } }
  const make = makerOf(service, posted.totals)
  for (const record of chosen?.records ?? []) if (record.kind !== 'event') await make(record, true)
  const count = counter('Loading', files, report)
  let first = 0
  for (const read of reads) {
    const poster = createPoster(service, key === undefined ? read.digest : randomUUID(), posted)
    for await (const { record, index, place } of wantedOf(read, first, selected, count)) {
      if (signal?.aborted) break
      if (record.kind !== 'event') await make(record, false)
      else
        await poster.add(check.placeless.has(index) ? { coordinates: null, ...record } : record, index - first, place)
    }
    if (signal?.aborted) break
    await poster.flush()
    first += read.items
  }
  return { ...outcome, totals: posted.totals, changed: posted.numbers.changed, finished: !signal?.aborted }
}

/**
 * Creates a function that adds the types and series of files unless the service has them. A type is found by its code.
 * A series is found by its name if `isNamed` is true, otherwise by its uuid.
 */
function makerOf(service: Service, totals: Totals) {
  const codes = new Map<number, string>()
  return async (record: ObservationTypeRecord | SeriesRecord, isNamed: boolean): Promise<void> => {
    if (record.kind === 'observation_type') {
      codes.set(record.id, record.code)
      if (await makeType(service, record)) totals.observation_type += 1
    } else if (await makeSeries(service, record, typeOf(record), isNamed)) totals.event_series += 1
  }
  function typeOf({ observation_type }: SeriesRecord): number {
    const code = codes.get(observation_type)
    return (code === undefined ? undefined : service.typeIds.get(code)) ?? observation_type
  }
}
