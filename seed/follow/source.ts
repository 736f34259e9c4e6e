import { isoInstant, MICROSECONDS } from '../../src/filters/temporal.ts'
import type { LoadRecord, SeriesRecord } from '../../src/store/records.ts'
import { type ApiAccess, asks, NO_CACHE } from '../load/api.ts'
import {
  eventOf,
  readSeries,
  readTypes,
  type SeriesItem,
  type ServiceEvent,
  seriesOf,
  type TypeItem,
  typeOf,
} from '../load/conversion.ts'
import { eventsOf } from '../load/export.ts'

/** A change of a copy. A dropped series takes its events with it. */
export type Step =
  | LoadRecord
  | { readonly kind: 'gone'; readonly id: number; readonly external_id: string | null }
  | { readonly kind: 'dropped'; readonly id: number }

/** Some steps, in order. The copy is equal to the service at the mark after them. Null: more steps come before the next mark. */
export interface FeedPart {
  readonly steps: readonly Step[]
  readonly mark: string | null
}

const CHANGES = '/api/v4/changes/'

/** A change, as the service writes it. */
type Change =
  | { readonly kind: 'event'; readonly event: ServiceEvent }
  | { readonly kind: 'gone'; readonly id: number; readonly external_id: string | null }
  | { readonly kind: 'type'; readonly observation_type: TypeItem }
  | { readonly kind: 'series'; readonly id: number; readonly visible: false }
  | {
      readonly kind: 'series'
      readonly id: number
      readonly visible?: undefined
      readonly series: SeriesItem
      readonly metadata: object
      readonly reread: boolean
    }

interface Answer {
  readonly mark: string
  readonly more: boolean
  readonly changes: readonly Change[]
}

/** Converts the answers of a service. It knows the ids of series, because an event of the service has their uuid. */
const converter = () => {
  const ids = new Map<string, number>()
  const note = (uuid: string, id: number): unknown => ids.set(uuid, id)
  /** A series that is new or shown again comes with its events later. */
  const recordsOf = (events: readonly ServiceEvent[]): LoadRecord[] =>
    events.flatMap((event) => {
      const series = ids.get(event.properties.event_series)
      return series === undefined ? [] : [eventOf(event, series)]
    })
  const stepsOf = (change: Change): readonly Step[] => {
    const { kind } = change
    if (kind === 'event') return recordsOf([change.event])
    if (kind === 'gone') return [{ kind, id: change.id, external_id: change.external_id }]
    if (kind === 'type') return [typeOf(change.observation_type)]
    const dropped = { kind: 'dropped', id: change.id } as const
    if (change.visible === false) {
      for (const [uuid, id] of ids) if (id === change.id) ids.delete(uuid)
      return [dropped]
    }
    note(change.series.uuid, change.id)
    const series = seriesOf(change.series, change.id, change.metadata)
    return change.reread ? [dropped, series] : [series]
  }
  /** Gives series of the list the ids of the service. A series that is shown later comes with a change of its own. */
  const numbered = (series: readonly SeriesRecord[]): SeriesRecord[] =>
    series.flatMap((each) => {
      const id = ids.get(each.uuid)
      return id === undefined ? [] : [{ ...each, id }]
    })
  return { note, isEmpty: () => ids.size === 0, recordsOf, stepsOf, numbered }
}

/** Reads a service for a copy: first all data that the key sees, and then the changes. */
export const sourceOf = (api: ApiAccess) => {
  const ask = asks(api)
  const { note, isEmpty, recordsOf, stepsOf, numbered } = converter()
  /** The greatest `last_modified` of the series that were read, in microseconds since 1970. Null: none was read. */
  let newest: number | null = null
  const changesAt = async (query: object): Promise<Answer> =>
    JSON.parse((await ask(`${CHANGES}?${new URLSearchParams({ ...query })}`, { headers: NO_CACHE })).text)
  const readIds = async () => {
    const series = await readSeries(ask)
    for (const { uuid, id } of series) note(uuid, id)
    return series
  }
  /** Reads the series that were written since. A write of events changes their `last_modified`, and is no change of the series. */
  const writtenSeries = async (): Promise<SeriesRecord[]> => {
    const filter = newest === null ? undefined : `last_modified__gte=${isoInstant(newest, MICROSECONDS)}`
    const series = numbered(await readSeries(ask, filter))
    newest = Math.max(newest ?? 0, ...series.map(({ last_modified }) => last_modified ?? 0))
    return series
  }
  async function* eventsIn(filter: string): AsyncGenerator<FeedPart> {
    for await (const events of eventsOf(ask, filter)) yield { steps: recordsOf(events), mark: null }
  }
  /** Reads everything. If others write meanwhile, the changes after the mark contain their writes. */
  async function* whole(): AsyncGenerator<FeedPart> {
    const { mark } = await changesAt({})
    const series = await readIds()
    // The types of these series exist by now.
    yield { steps: [...(await readTypes(ask)), ...series], mark: null }
    yield* eventsIn('')
    yield { steps: [], mark }
  }
  /** Reads the changes of one answer. Returns false in the end if others follow at once. */
  async function* after(mark: string): AsyncGenerator<FeedPart, boolean> {
    if (isEmpty()) await readIds()
    const { changes, mark: next, more } = await changesAt({ after: mark, limit: 10_000 })
    const reread = changes.flatMap((change) =>
      change.kind === 'series' && change.visible === undefined && change.reread ? [change.series.uuid] : [],
    )
    yield { steps: changes.flatMap(stepsOf), mark: null }
    for (const uuid of reread) yield* eventsIn(`&event_series=${uuid}`)
    yield { steps: more || changes.length === 0 ? [] : await writtenSeries(), mark: next }
    return !more
  }
  return { whole, after }
}
