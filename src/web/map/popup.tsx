import { useEffect } from 'preact/hooks'
import type { Schemas } from '../api.d.ts'
import { Facts } from '../app/document.tsx'
import { Swatch } from '../list/cells.tsx'
import { detailFacts } from '../list/facts.tsx'
import { parameter } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import { detailsOf } from '../state/event.ts'
import { formatCount, formatDuration, formatInstant, formatValue } from '../state/format.ts'
import { ask } from '../state/service.ts'
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

/** Tells all that is known of clicked events. `moved` runs after the size of the list has changed. */
export const EventList = ({ events, moved }: EventsProps & { readonly moved: () => void }) => {
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

type Known = Schemas['EventFeature']['properties'] | undefined

/** Asks for what marks do not tell, after a wait in milliseconds. Null asks for nothing. */
const useEvents = (events: readonly MarkedEvent[], wait: number | null): ReadonlyMap<number, Known> => {
  const ids = events.map(({ id }) => id).join()
  const { value } = useAsked(wait === null ? null : ids, async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, wait ?? 0))
    const form = [parameter('page_size', String(MOST)), parameter('format', 'geojson')]
    const { body } = await ask(
      { path: `${prefix}/api/v3/events/`, parameters: [parameter('id__in', ids), ...form] },
      signal,
    )
    const { features } = body as { readonly features: readonly Schemas['EventFeature'][] }
    return new Map(features.map(({ id, properties }) => [id, properties]))
  })
  return value ?? new Map()
}

const valueIn = (event: MarkedEvent, known: Known): string => formatValue(known?.value ?? event.value ?? '')

/** Formats a start and a duration. */
const periodOf = ({ start, end }: MarkedEvent): string =>
  `${formatInstant(start)}${end === start ? '' : ` + ${formatDuration(end - start)}`}`

const lineOf = (event: MarkedEvent, known: Known): string =>
  [valueIn(event, known), event.category, periodOf(event), known?.event_series_name ?? event.series]
    .filter(Boolean)
    .join(' · ')

const Item = ({ event, known }: { readonly event: MarkedEvent; readonly known: Known }) => {
  const { id, url = `${prefix}/api/v3/events/${id}/`, category, color } = event
  const facts = known === undefined ? [] : detailFacts({ details: detailsOf(known) })
  return (
    <li>
      <a href={url}>{valueIn(event, known) || texts().list.event(String(id))}</a>
      {category !== '' && <div>{category}</div>}
      <div>{periodOf(event)}</div>
      {known !== undefined && (
        <div class="series">
          <Swatch color={color} />
          <a href={`${prefix}/api/v3/eventseries/${known.event_series}/`}>{known.event_series_name}</a>
        </div>
      )}
      {facts.length > 0 && <Facts facts={facts} panel={false} />}
    </li>
  )
}
