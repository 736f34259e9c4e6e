import { useEffect } from 'preact/hooks'
import { Facts } from '../app/document.tsx'
import { detailFacts } from '../list/facts.tsx'
import { parameter } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import { type EventItem, isEvent } from '../state/event.ts'
import { formatCount, formatDuration, formatInstant, formatValue } from '../state/format.ts'
import { readEvents } from '../state/known.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { mapTexts } from './text.ts'

/** An event as its mark tells it. Marks of tiles have no value, no name of a series and no address. */
export interface MarkedEvent {
  readonly id: number
  readonly category: string
  readonly start: number
  readonly end: number
  readonly color: string
  readonly value?: string
  readonly series?: string
  readonly url?: string
}

/** The most events in a tip and in a popup. */
const [MOST_IN_TIP, MOST] = [3, 8]

/** A pointer that passes over an event asks for nothing. In milliseconds. */
const REST = 150

interface EventsProps {
  readonly events: readonly MarkedEvent[]
}

/** Tells the events under the pointer, each in one line. */
export const Tip = ({ events }: EventsProps) => {
  const some = events.slice(0, MOST_IN_TIP)
  const known = useEvents(some, some.every(({ series }) => series !== undefined) ? null : REST)
  return (
    <>
      {some.map((event) => (
        <div key={event.id}>{lineOf(event, known.get(event.id))}</div>
      ))}
      {events.length > MOST_IN_TIP && <div>{mapTexts().more(formatCount(events.length - MOST_IN_TIP))}</div>}
    </>
  )
}

interface ListProps extends EventsProps {
  /** Runs after the size of the list has changed. */
  readonly moved: () => void
}

/** Tells all that is known of clicked events. */
export const EventList = ({ events, moved }: ListProps) => {
  const some = events.slice(0, MOST)
  const known = useEvents(some, 0)
  useEffect(moved)
  return (
    <>
      <ul>
        {some.map((event) => (
          <Item key={event.id} event={event} known={known.get(event.id)} />
        ))}
      </ul>
      {events.length > MOST && <p>{mapTexts().moreHere(formatCount(events.length - MOST))}</p>}
    </>
  )
}

/** Asks for what marks do not tell, after a wait in milliseconds. Null asks for nothing. */
const useEvents = (events: readonly MarkedEvent[], wait: number | null): ReadonlyMap<number, EventItem> => {
  const ids = events.map(({ id }) => id).join()
  const { value } = useAsked(wait === null ? null : ids, async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, wait ?? 0))
    const parameters = [parameter('id__in', ids), parameter('page_size', String(MOST))]
    return readEvents({ path: `${prefix}/api/v3/events/`, parameters }, signal)
  })
  return new Map(value?.results.filter(isEvent).map((event) => [event.id, event]))
}

/** Tells an event in one line, from its value to its series. */
const lineOf = (event: MarkedEvent, known: EventItem | undefined): string =>
  [formatValue(known?.value ?? event.value ?? ''), event.category, periodOf(event), known?.seriesName ?? event.series]
    .filter(Boolean)
    .join(' · ')

const Item = ({ event, known }: { readonly event: MarkedEvent; readonly known: EventItem | undefined }) => {
  const value = formatValue(known?.value ?? event.value ?? '')
  const facts = known === undefined ? [] : detailFacts(known)
  return (
    <li>
      <a href={event.url ?? `${prefix}/api/v3/events/${event.id}/`}>{value || texts().list.event(event.id)}</a>
      {event.category !== '' && <div>{event.category}</div>}
      <div>{periodOf(event)}</div>
      {known !== undefined && (
        <div class="series">
          <span class="swatch" aria-hidden="true" style={{ backgroundColor: event.color }} />
          <a href={`${prefix}/api/v3/eventseries/${known.series}/`}>{known.seriesName}</a>
        </div>
      )}
      {facts.length > 0 && <Facts facts={facts} panel={false} />}
    </li>
  )
}

/** Formats a start and a duration. */
const periodOf = ({ start, end }: MarkedEvent): string =>
  `${formatInstant(start)}${end === start ? '' : ` + ${formatDuration(end - start)}`}`
