import { randomUUID } from 'node:crypto'
import { accessName, levelOf } from '../../src/access.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from '../../src/store/records.ts'
import type { FileEvent } from '../read/event.ts'
import { type ApiAccess, type ApiItem, type Ask, asks, listOf, post, Refused } from './api.ts'
import { LoadError } from './error.ts'
import { nameOf } from './names.ts'
import { uuidOfName } from './series.ts'
import { eventOf, type ServiceFeature } from './source.ts'

/** The identity of a series. If a series is deleted and created again, `created` differs. */
export interface SeriesOfService {
  readonly uuid: string
  readonly created: string
}

/** A service with its types and series. */
export interface Service {
  readonly api: ApiAccess
  readonly ask: Ask
  readonly types: readonly ObservationTypeRecord[]
  readonly series: readonly SeriesRecord[]
  /** The series by the ids that the files use for them. */
  readonly seriesOf: Map<number, SeriesOfService>
  /** The ids of observation types by their codes. */
  readonly typeIds: Map<string, number>
}

const TYPES = '/api/v4/observationtypes/'
const SERIES = '/api/v4/eventseries/'
const EVENTS = '/api/v3/events/'
/** The service must read its database and not a cache. */
const NO_CACHE = { 'Cache-Control': 'no-cache' }
const PAGE_SIZE = 1_000

/** Reads the types and series of a service. Throws LoadError if the key cannot write. */
export async function openService(api: ApiAccess): Promise<Service> {
  await checkKey(api)
  const ask = asks(api)
  const types = await readTypes(ask)
  const items = await listOf(ask, `${SERIES}?page_size=${PAGE_SIZE}`)
  const series = items.map(seriesOf)
  return {
    ...{ api, ask, types, series },
    seriesOf: new Map(items.map((item, i) => [idOfUnnumbered(i), identityOf(item)])),
    typeIds: new Map(types.toReversed().map(({ code, id }) => [code, id])),
  }
}

const readTypes = async (ask: Ask): Promise<ObservationTypeRecord[]> =>
  (await listOf(ask, `${TYPES}?page_size=${PAGE_SIZE}`)).map(typeOf)

/**
 * Throws LoadError if the key cannot write. It posts an empty list: the service checks the key before it refuses the
 * list.
 */
async function checkKey(api: ApiAccess): Promise<void> {
  try {
    await post(api, EVENTS, '[]', randomUUID())
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 401 || error.status === 403) throw error
  }
}

/** Returns a placeholder id, because the API does not show the ids of series. No file contains these ids. */
const idOfUnnumbered = (i: number): number => Number.MAX_SAFE_INTEGER - i

const idIn = (address: unknown): number => Number(/(\d+)\/(\?|$)/.exec(String(address))?.[1])

const identityOf = ({ uuid, created }: ApiItem): SeriesOfService => ({ uuid: String(uuid), created: String(created) })

const typeOf = (item: ApiItem): ObservationTypeRecord =>
  ({ ...item, kind: 'observation_type', id: idIn(item.url) }) as ObservationTypeRecord

const seriesOf = (item: ApiItem, i: number): SeriesRecord =>
  ({
    ...item,
    kind: 'event_series',
    id: idOfUnnumbered(i),
    observation_type: idIn(item.observation_type),
    access_modifier: levelOf(String(item.access_modifier)) ?? 0,
  }) as SeriesRecord

/**
 * Creates an observation type, unless the service has its code. Returns true if it did. If another load creates it at
 * the same time, both use the same type.
 */
export async function makeType({ api, ask, typeIds }: Service, type: ObservationTypeRecord): Promise<boolean> {
  const { code, name, unit } = type
  if (typeIds.has(code)) return false
  try {
    const created = await post(api, TYPES, JSON.stringify({ code, name, unit }), randomUUID())
    typeIds.set(code, typeOf(created as ApiItem).id)
    return true
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 409) throw error
    const existing = (await readTypes(ask)).find((each) => each.code === code)
    if (existing === undefined) throw error
    typeIds.set(code, existing.id)
    return false
  }
}

/**
 * Returns true if the service has a series with this uuid. Then it registers that series under the id of the record.
 */
export function seriesNamed({ seriesOf }: Service, { id, uuid }: SeriesRecord): boolean {
  const known = [...seriesOf.values()].find((each) => each.uuid === uuid)
  if (known !== undefined) seriesOf.set(id, known)
  return known !== undefined
}

/**
 * Creates a series unless the service has it. Returns true if it did. `isNamed`: the uuid comes from the name, so
 * parallel loads create one series. If a renamed or invisible series has that uuid, the next one is tried.
 */
export async function makeSeries(
  service: Service,
  series: SeriesRecord,
  observationType: number,
  isNamed: boolean,
): Promise<boolean> {
  if (!isNamed && seriesNamed(service, series)) return false
  for (let i = 0; ; i++) {
    const uuid = isNamed ? uuidOfName(series.name, i) : series.uuid
    const { created, existing } = await postSeries(service, { ...series, uuid }, observationType)
    const item = created ?? (isNamed && existing?.name !== series.name ? undefined : existing)
    if (item !== undefined) {
      service.seriesOf.set(series.id, identityOf(item))
      return created !== undefined
    }
    if (!isNamed)
      throw new LoadError(`the service has a series ${uuid} that this key may not see: use a key that reads Hidden`)
  }
}

/**
 * Posts a series. Returns the new series, or the series that has its uuid. It returns neither if the key cannot read
 * that series.
 */
async function postSeries(
  { api, ask }: Service,
  { uuid, name, description, statistic, color, access_modifier }: SeriesRecord,
  observationType: number,
): Promise<{ readonly created?: ApiItem; readonly existing?: ApiItem }> {
  const body = JSON.stringify({
    ...{ uuid, name, description, statistic, color, access_modifier: accessName(access_modifier) },
    observation_type: `${TYPES}${observationType}/`,
  })
  try {
    return { created: (await post(api, SERIES, body, randomUUID())) as ApiItem }
  } catch (error) {
    if (!(error instanceof Refused) || !error.text.includes('"uuid"')) throw error
    const existing = await findSeries(ask, uuid)
    return existing === undefined ? {} : { existing }
  }
}

const findSeries = async (ask: Ask, uuid: string): Promise<ApiItem | undefined> =>
  (await listOf(ask, `${SERIES}?uuid=${uuid}`))[0]

/** Finds a series by its numeric id. It asks version 3 of the API, where series have these ids. */
export async function readSeriesOf(service: Service, id: number): Promise<SeriesOfService | undefined> {
  const known = service.seriesOf.get(id)
  if (known !== undefined) return known
  const [shown] = await listOf(service.ask, `/api/v3/eventseries/?id=${id}`)
  const uuid = /eventseries\/([^/]+)\//.exec(String(shown?.url))?.[1]
  const item = uuid === undefined ? undefined : await findSeries(service.ask, uuid)
  if (item === undefined) return undefined
  service.seriesOf.set(id, identityOf(item))
  return identityOf(item)
}

/** The maximum number of ids in one query. */
export const MAX_IDS = 1_000

/**
 * Reads the stored events that have the ids of `events` and that the key can read. If a stored event is in another
 * series, its record gets the series 0.
 */
export async function readStored(service: Service, events: readonly FileEvent[]): Promise<Map<number, EventRecord>> {
  const series = new Map(events.map((event) => [event.id, event.series]))
  const uuids = new Map<number, string | undefined>()
  for (const id of new Set(series.values())) uuids.set(id, (await readSeriesOf(service, id))?.uuid)
  const features = await query(service, { id__in: [...series.keys()].join(',') })
  return new Map(
    features.map((feature) => {
      const id = series.get(feature.id) ?? 0
      return [feature.id, eventOf(feature, uuids.get(id) === feature.properties.event_series ? id : 0)]
    }),
  )
}

/**
 * Reads the stored events with the series and external ids of `events`. The keys of the result are their names, see
 * nameOf.
 */
export async function readNamed(service: Service, events: readonly FileEvent[]): Promise<Map<string, EventRecord>> {
  const stored: EventRecord[] = []
  for (const [id, group] of Map.groupBy(events, ({ series }) => series)) {
    const uuid = (await readSeriesOf(service, id))?.uuid
    if (uuid === undefined) continue
    // Commas separate the values of `external_id__in`. An id that has a comma needs its own query.
    const [single, listed] = [new Set<string>(), new Set<string>()]
    for (const { external_id } of group) if (external_id) (external_id.includes(',') ? single : listed).add(external_id)
    const queries = [...single].map((name): Record<string, string> => ({ external_id: name }))
    if (listed.size > 0) queries.push({ external_id__in: [...listed].join(',') })
    for (const each of queries)
      for (const feature of await query(service, { event_series: uuid, ...each })) stored.push(eventOf(feature, id))
  }
  return new Map(stored.map((event) => [nameOf(event), event]))
}

async function query({ ask }: Service, filters: Readonly<Record<string, string>>): Promise<readonly ServiceFeature[]> {
  const form = new URLSearchParams({ ...filters, format: 'geojson', page_size: String(MAX_IDS) })
  return JSON.parse((await ask(EVENTS, NO_CACHE, form)).text).features
}
