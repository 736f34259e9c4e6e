import type { ObservationTypeRecord, SeriesRecord } from '../../src/store/records.ts'
import { type FileEvent, NO_ID } from '../read/event.ts'
import { createBits } from './bits.ts'
import { type Check, noTotals } from './check.ts'
import { differing, fateOf } from './drafts.ts'
import { createFaults, type OnFault } from './faults.ts'
import { createNames, NAMELESS, type Named, nameOf } from './names.ts'
import { MAX_IDS, readNamed, readStored, type Service, seriesNamed } from './service.ts'

interface Asked {
  readonly at: number
  readonly event: FileEvent
  readonly place: () => string
}

/** The check of records before a post. `placeless` has the numbers of rows with new events that have no position. */
export type RemoteCheck = Check & { readonly placeless: ReadonlySet<number> }

/** Settings that say how events are identified. */
interface Identity {
  /** False: the ids in the file are unrelated to the ids in the service. */
  readonly byId: boolean
  /** Receives each row that a later row replaces. Null: external ids do not identify events. */
  readonly onMerged: ((row: Named) => void) | null
  readonly onFault?: OnFault | undefined
}

/**
 * Checks records before they are posted. An event is stored already if the key can read an equal event with its id. An
 * unequal event with its id is a fault, unless both have the same external id. The service checks all other fields.
 */
export function createRemoteCheck(service: Service, { byId, onMerged, onFault }: Identity): RemoteCheck {
  const [wanted, totals, stored, faults] = [createBits(), noTotals(), noTotals(), createFaults(onFault)]
  const [uuids, made, names] = [new Set<string>(), new Set<number>(), createNames()]
  const placeless = new Set<number>()
  let asked: Asked[] = []
  let partial: (Asked & { readonly entry: Named; readonly needsPlace: boolean })[] = []
  const leave = (at: number) => wanted.set(at, false)
  const look = async () => {
    if (asked.length === 0) return
    const events = asked.map(({ event }) => event)
    const there = await readStored(service, events)
    for (const { at, event, place } of asked) {
      const found = there.get(event.id)
      const field = found && differing(event, found)
      const isNamed = found?.external_id && event.external_id === found.external_id && event.series === found.series
      if (found !== undefined && field === undefined) {
        stored.event += 1
        leave(at)
      } else if (found !== undefined && !isNamed) {
        faults.add(otherContent(service, event.id, field ?? ''), place)
        leave(at)
      } else totals.event += 1
    }
    asked = []
  }
  // Only these rows need a query before the post. They lack a start or a position, which the service requires for new
  // events.
  const lookPartial = async () => {
    const rows = partial.filter(({ event, at }) => names.isLast(event, at))
    partial = []
    const events = rows.map(({ event }) => event)
    const there = await readNamed(service, events)
    for (const { at, event, place, needsPlace, entry } of rows) {
      const found = there.get(nameOf(event))
      entry.fate = fateOf(event, found, needsPlace, (reason) => faults.add(reason, place))
      if (entry.fate === 'new') placeless.add(at)
      if (entry.fate === 'new' || entry.fate === 'changed') continue
      totals.event -= 1
      if (entry.fate === 'same') stored.event += 1
      leave(at)
    }
  }
  const addNamed = (event: FileEvent, at: number, place: () => string, needsPlace: boolean) => {
    const added = event.external_id ? names.add(event, at) : { fault: NAMELESS }
    if ('fault' in added) {
      faults.add(added.fault, place)
      leave(at)
      return
    }
    const { entry, before } = added
    if (before === undefined || before.fate === 'same' || before.fate === 'faulty') totals.event += 1
    if (before?.fate === 'same') stored.event -= 1
    if (before !== undefined) {
      leave(before.at)
      onMerged?.(before)
    }
    if (event.start === undefined || event.coordinates === undefined)
      partial.push({ at, event, place, needsPlace, entry })
    return partial.length === MAX_IDS ? lookPartial() : undefined
  }
  const addType = ({ code }: ObservationTypeRecord) => {
    if (service.typeIds.has(code)) stored.observation_type += 1
    else totals.observation_type += 1
  }
  const addSeries = (series: SeriesRecord) => {
    const isThere = seriesNamed(service, series)
    if (isThere) stored.event_series += 1
    else if (!uuids.has(series.uuid)) totals.event_series += 1
    if (!isThere) made.add(series.id)
    uuids.add(series.uuid)
  }
  return {
    placeless,
    record: (record, place, needsPlace = false) => {
      wanted.push(true)
      const at = wanted.length() - 1
      if (record.kind === 'observation_type') addType(record)
      else if (record.kind === 'event_series') addSeries(record)
      else if (onMerged !== null) return addNamed(record, at, place, needsPlace)
      else if (!byId || record.id === NO_ID || made.has(record.series)) totals.event += 1
      else if (asked.push({ at, event: record, place }) === MAX_IDS) return look()
      return undefined
    },
    fault: (reason, place) => {
      wanted.push(false)
      faults.add(reason, place)
    },
    leaveOut: () => wanted.push(false),
    end: async () => {
      await look()
      await lookPartial()
      const said = { faults: faults.lines(), faultCount: faults.count() }
      return { wanted, totals, stored, ...said, changed: 0, ids: new Map() }
    },
  }
}

const otherContent = ({ api }: Service, id: number, field: string): string =>
  `event id ${id} exists already in the service, with another "${field}": PATCH ${api.address}/api/v3/events/${id}/, or say --new-ids to add it as a new event`
