import { createHash, randomUUID } from 'node:crypto'
import { accessName, levelOf } from '../../src/access.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from '../../src/store/records.ts'
import { itemsOf, placeOf, type Source } from '../read/items.ts'
import { type Api, asks, listOf, post } from './api.ts'
import { noTotals, type Totals } from './check.ts'
import { LoadError } from './error.ts'
import { createFaults } from './faults.ts'
import { counter, type LoadOptions, type Outcome, type Report, refuseFaults, sizeOf, sourceOf } from './files.ts'
import { NAMELESS, nameOf } from './keyed.ts'
import { chooseSeries } from './series.ts'
import { createSurvey } from './survey.ts'

/** What of a service's own data is needed to post to it. */
interface Known {
  readonly types: readonly ObservationTypeRecord[]
  readonly series: readonly SeriesRecord[]
}

/** What is posted at once: the service takes 10,000 items and 10 MB. */
const POST_EVENTS = 5_000
const POST_LENGTH = 3_000_000 // characters, in UTF-8 at most three times the bytes

/**
 * Adds the records of files to a service, by posting to its API: series that it does not have, and events, which get new
 * ids. Each post has an Idempotency-Key of the file and the place in it, so that for a day the same files add nothing
 * twice. All files are read first; what only the service knows to be wrong ends it between two posts, as LoadError.
 */
export async function postFiles(
  api: Api,
  files: readonly string[],
  options: LoadOptions = {},
  report: Report = () => {},
): Promise<Outcome> {
  const size = files.map(sizeOf).reduce((sum, bytes) => sum + bytes, 0)
  const known = await readKnown(api)
  const chosen = chooseSeries(known, options)
  if (chosen?.records.some(({ kind }) => kind === 'observation_type'))
    throw new LoadError(
      `the service has no such observation type: put --observation-type with one of ${known.types.map(({ code }) => code).join(', ')}`,
    )
  const sources = await Promise.all(files.map((file) => sourceOf(file, options, chosen, known.series)))
  const read = await readAll(sources, options.key !== undefined, counter('Checking', size, report))
  refuseFaults(read, files, read.items === 0, options.skipInvalid ?? false)
  const { faults, faultCount, survey } = read
  const [stored, numbers] = [noTotals(), { changed: 0 }]
  const outcomeOf = () => ({ stored, changed: numbers.changed, faults, faultCount, survey })
  const made = chosen?.records.length ?? 0
  if (options.dryRun)
    return { ...outcomeOf(), totals: { ...read.totals, event_series: read.totals.event_series + made }, finished: true }
  const totals = noTotals()
  const uuids = new Map(
    [...known.series, ...(chosen === null ? [] : [chosen.series])].map(({ id, uuid }) => [id, uuid]),
  )
  if (chosen !== null && made > 0) await postSeries(api, chosen.series, totals)
  const count = counter('Loading', size, report)
  const firsts = createSurvey(new Set(), true)
  let at = 0
  for (const [i, source] of sources.entries()) {
    if (options.signal?.aborted) break
    const once = options.key === undefined ? (read.digests[i] ?? '') : randomUUID()
    const poster = createPoster(api, `${once} ${chosen?.series.uuid ?? ''}`, uuids, { totals, stored, numbers })
    for await (const item of itemsOf(source, (bytes) => count.bytes(bytes.length))) {
      count.record()
      if (options.signal?.aborted) break
      if (!('record' in item)) continue
      const { record } = item
      const equal = record.kind === 'event' && options.dropDuplicates && !firsts.add(record)
      const name = record.kind === 'event' && options.key !== undefined ? nameOf(record) : null
      at += 1
      if (equal || (name !== null && read.lasts.get(name) !== at)) continue
      if (record.kind === 'event') await poster.add(record)
      else if (record.kind === 'observation_type') refuseType(known, record, placeOf(source, item.number))
      else {
        uuids.set(record.id, record.uuid)
        if (!known.series.some(({ uuid }) => uuid === record.uuid)) await postSeries(api, record, totals)
      }
    }
    if (!options.signal?.aborted) await poster.flush()
  }
  return { ...outcomeOf(), totals, finished: !options.signal?.aborted }
}

async function readAll(sources: readonly Source[], isKeyed: boolean, count: ReturnType<typeof counter>) {
  const [totals, faults, digests] = [noTotals(), createFaults(), [] as string[]]
  const unread = new Set<string>()
  const survey = createSurvey(unread)
  const lasts = new Map<string, number>()
  let [items, records] = [0, 0]
  for (const source of sources) {
    const hash = createHash('sha256')
    const onBytes = (bytes: Buffer) => {
      count.bytes(bytes.length)
      hash.update(bytes)
    }
    for await (const item of itemsOf(source, onBytes)) {
      items += 1
      count.record()
      if ('record' in item) {
        totals[item.record.kind] += 1
        records += 1
        if (item.record.kind !== 'event') continue
        survey.add(item.record, () => placeOf(source, item.number), source.options.crs)
        if (isKeyed && !item.record.external_id) faults.add(NAMELESS, () => placeOf(source, item.number))
        else if (isKeyed) lasts.set(nameOf(item.record), records)
      } else faults.add(item.fault, () => placeOf(source, item.number))
    }
    for (const name of source.unread) unread.add(name)
    digests.push(hash.digest('hex'))
  }
  const said = { faults: faults.lines(), faultCount: faults.count(), survey: survey.lines() }
  return { totals, ...said, digests, items, lasts }
}

async function readKnown(api: Api): Promise<Known> {
  const ask = asks(api)
  const types = await listOf(ask, '/api/v4/observationtypes/?page_size=100')
  const series = await listOf(ask, '/api/v4/eventseries/?page_size=100')
  const idOf = (address: unknown) => Number(/(\d+)\/(\?|$)/.exec(String(address))?.[1])
  return {
    types: types.map((type) => ({ ...type, kind: 'observation_type', id: idOf(type.url) }) as ObservationTypeRecord),
    series: series.map((each, i) => {
      const access_modifier = levelOf(String(each.access_modifier)) ?? 0
      return {
        ...each,
        kind: 'event_series',
        // No id is told: one that stands in no file.
        id: Number.MAX_SAFE_INTEGER - i,
        observation_type: idOf(each.observation_type),
        access_modifier,
      } as SeriesRecord
    }),
  }
}

function refuseType({ types }: Known, { id, code }: ObservationTypeRecord, place: string): void {
  if (types.some((type) => type.id === id && type.code === code)) return
  throw new LoadError(
    `${place}: the service has no observation type ${id} with the code ${JSON.stringify(code)}: load the file there with --remote`,
  )
}

async function postSeries(api: Api, series: SeriesRecord, totals: Totals): Promise<void> {
  const { uuid, name, description, observation_type, statistic, color, access_modifier } = series
  const body = JSON.stringify({
    ...{ uuid, name, description, statistic, color, access_modifier: accessName(access_modifier) },
    observation_type: `/api/v4/observationtypes/${observation_type}/`,
  })
  await post(api, '/api/v4/eventseries/', body, `load-${uuid}`)
  totals.event_series += 1
}

/** What posts the events of a file, many at once. */
function createPoster(
  api: Api,
  name: string,
  uuids: ReadonlyMap<number, string>,
  { totals, stored, numbers }: { totals: Totals; stored: Totals; numbers: { changed: number } },
) {
  let [features, length, posts] = [[] as string[], 0, 0]
  const flush = async () => {
    if (features.length === 0) return
    const body = `{"type":"FeatureCollection","features":[${features.join(',')}]}`
    const key = createHash('sha256').update(`${name} ${posts}`).digest('hex')
    const answer = await post(api, '/api/v3/events/', body, key).catch((cause: Error) => {
      const again = 'Within a day the same command goes on from there, without adding anything twice.'
      throw new LoadError(`${cause.message}\n${totals.event} events before were added. ${again}`, { cause })
    })
    const { created, changed, unchanged } = answer as { created: number; changed: number; unchanged: number }
    totals.event += created
    numbers.changed += changed
    stored.event += unchanged
    posts += 1
    ;[features, length] = [[], 0]
  }
  const add = async (event: EventRecord) => {
    const feature = JSON.stringify(featureOf(event, uuids.get(event.series) ?? event.series))
    if (length + feature.length > POST_LENGTH) await flush()
    features.push(feature)
    length += feature.length
    if (features.length === POST_EVENTS) await flush()
  }
  return { add, flush }
}

const featureOf = (
  { category, value, start, end, coordinates, object, external_id }: EventRecord,
  event_series: number | string,
) => ({
  type: 'Feature',
  geometry: coordinates === null ? null : { type: 'Point', coordinates },
  properties: {
    ...{ category, value, timestamp_start: start, timestamp_end: end, event_series },
    object: object === null ? null : { type: object.model, id: object.id },
    ...(external_id && { external_id }),
  },
})
