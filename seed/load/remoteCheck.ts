import type { ObservationTypeRecord, SeriesRecord } from '../../src/store/records.ts'
import { type FileEvent, NO_ID } from '../read/event.ts'
import { createBits } from './bits.ts'
import { type Check, noTotals } from './check.ts'
import { differing, fateOf } from './drafts.ts'
import { createFaults, type OnFault } from './faults.ts'
import { createNames, NAMELESS, type NamedRow, nameOf } from './names.ts'
import { MAX_IDS, readNamed, readStored, type Service, seriesNamed } from './service.ts'

interface Pending {
  readonly index: number
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
  readonly onMerged: ((row: NamedRow) => void) | null
  readonly onFault?: OnFault | undefined
}

/**
 * Checks records before they are posted. An event is stored already if the key can read an equal event with its id. An
 * unequal one is a fault, unless the external ids are equal. The service checks other fields.
 */
export function createRemoteCheck(service: Service, { byId, onMerged, onFault }: Identity): RemoteCheck {
  const [selected, totals, stored, faults] = [createBits(), noTotals(), noTotals(), createFaults(onFault)]
  const [uuids, newSeries, names] = [new Set<string>(), new Set<number>(), createNames()]
  const placeless = new Set<number>()
  let pending: Pending[] = []
  let partialRows: (Pending & { readonly entry: NamedRow; readonly needsPlace: boolean })[] = []
  const leave = (index: number) => selected.set(index, false)
  const checkPending = async () => {
    if (pending.length === 0) return
    const events = pending.map(({ event }) => event)
    const storedEvents = await readStored(service, events)
    for (const { index, event, place } of pending) {
      const storedEvent = storedEvents.get(event.id)
      const field = storedEvent && differing(event, storedEvent)
      const isNamed =
        storedEvent?.external_id && event.external_id === storedEvent.external_id && event.series === storedEvent.series
      if (storedEvent !== undefined && field === undefined) {
        stored.event += 1
        leave(index)
      } else if (storedEvent !== undefined && !isNamed) {
        faults.add(otherContent(service, event.id, field ?? ''), place)
        leave(index)
      } else totals.event += 1
    }
    pending = []
  }
  // Only these rows need a query before the post. They lack a start or a position, which the service requires for new
  // events.
  const checkPartial = async () => {
    const rows = partialRows.filter(({ event, index }) => names.isLast(event, index))
    partialRows = []
    const events = rows.map(({ event }) => event)
    const storedEvents = await readNamed(service, events)
    for (const { index, event, place, needsPlace, entry } of rows) {
      const storedEvent = storedEvents.get(nameOf(event))
      entry.fate = fateOf(event, storedEvent, needsPlace, (reason) => faults.add(reason, place))
      if (entry.fate === 'new') placeless.add(index)
      if (entry.fate === 'new' || entry.fate === 'changed') continue
      totals.event -= 1
      if (entry.fate === 'same') stored.event += 1
      leave(index)
    }
  }
  const addNamed = (event: FileEvent, index: number, place: () => string, needsPlace: boolean) => {
    const added = event.external_id ? names.add(event, index) : { fault: NAMELESS }
    if ('fault' in added) {
      faults.add(added.fault, place)
      leave(index)
      return
    }
    const { entry, before } = added
    if (before === undefined || before.fate === 'same' || before.fate === 'faulty') totals.event += 1
    if (before?.fate === 'same') stored.event -= 1
    if (before !== undefined) {
      leave(before.index)
      onMerged?.(before)
    }
    if (event.start === undefined || event.coordinates === undefined)
      partialRows.push({ index, event, place, needsPlace, entry })
    return partialRows.length === MAX_IDS ? checkPartial() : undefined
  }
  const addType = ({ code }: ObservationTypeRecord) => {
    if (service.typeIds.has(code)) stored.observation_type += 1
    else totals.observation_type += 1
  }
  const addSeries = (series: SeriesRecord) => {
    const isThere = seriesNamed(service, series)
    if (isThere) stored.event_series += 1
    else if (!uuids.has(series.uuid)) totals.event_series += 1
    if (!isThere) newSeries.add(series.id)
    uuids.add(series.uuid)
  }
  return {
    placeless,
    record: (record, place, needsPlace = false) => {
      selected.push(true)
      const index = selected.length() - 1
      if (record.kind === 'observation_type') addType(record)
      else if (record.kind === 'event_series') addSeries(record)
      else if (onMerged !== null) return addNamed(record, index, place, needsPlace)
      else if (!byId || record.id === NO_ID || newSeries.has(record.series)) totals.event += 1
      else if (pending.push({ index, event: record, place }) === MAX_IDS) return checkPending()
      return undefined
    },
    fault: (reason, place) => {
      selected.push(false)
      faults.add(reason, place)
    },
    leaveOut: () => selected.push(false),
    end: async () => {
      await checkPending()
      await checkPartial()
      const report = { faults: faults.lines(), faultCount: faults.count() }
      return { selected, totals, stored, ...report, changed: 0, ids: new Map() }
    },
  }
}

const otherContent = ({ api }: Service, id: number, field: string): string =>
  `event id ${id} exists already in the service, with another "${field}": send PATCH ${api.address}/api/v3/events/${id}/, or use --new-ids to add it as a new event`
