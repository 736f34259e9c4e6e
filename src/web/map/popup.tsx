import { useEffect } from 'preact/hooks'
import { Facts } from '../app/document.tsx'
import { SeriesLink } from '../list/cells.tsx'
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
export interface MarkedEvent
  extends Pick<EventItem, 'id' | 'category' | 'start' | 'end'>,
    Partial<Pick<EventItem, 'value' | 'seriesName' | 'url'>> {
  readonly color: string
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
  const told = useEvents(some, some.every(({ seriesName }) => seriesName !== undefined) ? null : REST)
  return (
    <>
      {told.map((event) => {
        const { id, value = '', category, seriesName } = event
        return (
          <div key={id}>{[formatValue(value), category, periodOf(event), seriesName].filter(Boolean).join(' · ')}</div>
        )
      })}
      {events.length > MOST_IN_TIP && <div>{mapTexts().more(formatCount(events.length - MOST_IN_TIP))}</div>}
    </>
  )
}

/** Tells all that is known of clicked events. `moved` runs after the size of the list has changed. */
export const EventList = ({ events, moved }: EventsProps & { readonly moved: () => void }) => {
  const told = useEvents(events.slice(0, MOST), 0)
  useEffect(moved)
  return (
    <>
      <ul>
        {told.map((event) => (
          <Item key={event.id} event={event} />
        ))}
      </ul>
      {events.length > MOST && <p>{mapTexts().moreHere(formatCount(events.length - MOST))}</p>}
    </>
  )
}

/** An event with all that is known of it. */
interface Told extends MarkedEvent {
  readonly known?: EventItem
}

/** Asks for what marks do not tell, after a wait in milliseconds. Null asks for nothing. */
const useEvents = (events: readonly MarkedEvent[], wait: number | null): readonly Told[] => {
  const ids = events.map(({ id }) => id).join()
  const { value } = useAsked(wait === null ? null : ids, async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, wait ?? 0))
    const parameters = [parameter('id__in', ids), parameter('page_size', String(MOST))]
    return readEvents({ path: `${prefix}/api/v3/events/`, parameters }, signal)
  })
  const all = new Map(value?.results.filter(isEvent).map((event) => [event.id, event]))
  return events.map((event) => {
    const known = all.get(event.id)
    return known === undefined ? event : { ...event, ...known, known }
  })
}

const Item = ({ event }: { readonly event: Told }) => {
  const { id, url = `${prefix}/api/v3/events/${id}/`, value = '', category, color, known } = event
  const facts = known === undefined ? [] : detailFacts(known)
  return (
    <li>
      <a href={url}>{formatValue(value) || texts().list.event(String(id))}</a>
      {category !== '' && <div>{category}</div>}
      <div>{periodOf(event)}</div>
      {known !== undefined && (
        <div>
          <SeriesLink url={`${prefix}/api/v3/eventseries/${known.series}/`} name={known.seriesName} color={color} />
        </div>
      )}
      {facts.length > 0 && <Facts facts={facts} panel={false} />}
    </li>
  )
}

/** Formats a start and a duration. */
const periodOf = ({ start, end }: MarkedEvent): string =>
  `${formatInstant(start)}${end === start ? '' : ` + ${formatDuration(end - start)}`}`
