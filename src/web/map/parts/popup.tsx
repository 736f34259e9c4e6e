import type { LngLat, Map as MapLibre, Popup } from 'maplibre-gl'
import { type ComponentChild, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Facts } from '../../app/document.tsx'
import { detailFacts } from '../../list/facts.tsx'
import { parameter } from '../../state/address.ts'
import { useDetails } from '../../state/details.ts'
import { type EventItem, isEvent } from '../../state/event.ts'
import { formatCount, formatDuration, formatInstant, formatValue } from '../../state/format.ts'
import { type SeriesById, seriesOf } from '../../state/known.ts'
import { readList, type Series, uuidOf } from '../../state/rows.ts'
import { ask } from '../../state/service.ts'
import { texts } from '../../state/text.ts'
import type { Library, MapProps } from '../mapView.ts'
import { mapTexts } from '../text.ts'

/** The properties of an event in a tile. Tiles have no values. */
export interface TileEvent {
  readonly id: number
  readonly category: string
  readonly event_series: string
  readonly start: number
  readonly end: number
}

export type MapEvent = EventItem | TileEvent

/** Shows a component at a position of the map, and removes it. */
const makeBox = (map: MapLibre, popup: Popup) => {
  const content = document.createElement('div')
  popup.on('close', () => render(null, content))
  return {
    show: (child: ComponentChild, at: LngLat) => {
      render(child, content)
      popup.setLngLat(at).setDOMContent(content).addTo(map)
    },
    hide: () => popup.remove(),
  }
}

/** The most events in a tip. */
const MOST_IN_TIP = 3

/** Makes the tip that follows the pointer. */
export const makeTip = ({ Popup }: Library, map: MapLibre) => {
  const settings = { closeButton: false, closeOnClick: false, className: 'tip', offset: 10, maxWidth: '18rem' }
  const { show, hide } = makeBox(map, new Popup(settings))
  return {
    hide,
    showCount: (count: number, isInArea: boolean, at: LngLat) =>
      show(
        isInArea ? mapTexts().inArea(texts().list.counted('events', count)) : texts().list.counted('events', count),
        at,
      ),
    showEvents: (events: readonly MapEvent[], props: MapProps, at: LngLat) =>
      show(<Tip key={events.map(({ id }) => id).join()} events={events} {...props} />, at),
  }
}

/** A pointer that passes over an event asks for nothing. In milliseconds. */
const REST = 150

const Tip = ({ events, prefix, series }: Omit<ListProps, 'moved'>) => {
  const known = useValues(prefix, events.slice(0, MOST_IN_TIP), series, REST)
  return (
    <>
      {known.events.map((event) => (
        <div key={event.id}>
          {[
            'url' in event && formatValue(event.value),
            event.category,
            periodOf(event),
            seriesOfEvent(event, known.series)?.name,
          ]
            .filter(Boolean)
            .join(' · ')}
        </div>
      ))}
      {events.length > MOST_IN_TIP && <div>{mapTexts().more(formatCount(events.length - MOST_IN_TIP))}</div>}
    </>
  )
}

/** The most events in a popup. */
const MOST = 8

/** Makes the popup of clicked events. It is small enough to stay inside the frame of the map. */
export const makePopup = ({ Popup }: Library, map: MapLibre) => {
  const popup = new Popup({ focusAfterOpen: true })
  const { show, hide } = makeBox(map, popup)
  const frame = map.getContainer()
  frame.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !popup.isOpen()) return
    hide()
    map.getCanvas().focus()
  })
  return {
    hide,
    show: (events: readonly MapEvent[], props: MapProps, at: LngLat) => {
      // MapLibre puts a popup beside its position. Half of the height and two thirds of the width always fit.
      const { clientWidth, clientHeight } = frame
      popup.setMaxWidth(`${Math.min(320, Math.floor(clientWidth * 0.6))}px`)
      const style = { maxHeight: `${Math.floor(clientHeight / 2) - 24}px` }
      show(
        <div class="popup" style={style}>
          <EventList events={events} {...props} moved={() => popup.setLngLat(at)} />
        </div>,
        at,
      )
    },
  }
}

interface ListProps extends Pick<MapProps, 'prefix' | 'series'> {
  readonly events: readonly MapEvent[]
  /** Runs after the size of the list has changed. */
  readonly moved: () => void
}

const EventList = ({ events, prefix, series, moved }: ListProps) => {
  const known = useValues(prefix, events.slice(0, MOST), series, 0)
  const detailed = new Map(useDetails(prefix, known.events.filter(isEvent)).map((event) => [event.id, event]))
  useEffect(moved)
  return (
    <>
      <ul>
        {known.events.map((event) => (
          <Item
            key={event.id}
            event={detailed.get(event.id) ?? event}
            prefix={prefix}
            series={seriesOfEvent(event, known.series)}
          />
        ))}
      </ul>
      {events.length > MOST && <p>{mapTexts().moreHere(formatCount(events.length - MOST))}</p>}
    </>
  )
}

/** Asks for the values and the series that tiles and the page do not have, after a wait in milliseconds. */
const useValues = (prefix: string, events: readonly MapEvent[], series: SeriesById, wait: number) => {
  const [known, setKnown] = useState({ events, series })
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const load = async () => {
      const missing = events.filter((event) => !('url' in event)).map(({ id }) => id)
      if (missing.length === 0) return
      const parameters = [parameter('id__in', missing.join(',')), parameter('page_size', String(MOST))]
      const { body } = await ask({ path: `${prefix}/api/v3/events/`, parameters }, signal)
      const found = new Map((readList(body, '')?.results ?? []).filter(isEvent).map((event) => [event.id, event]))
      const full = events.map((event) => found.get(event.id) ?? event)
      setKnown({ events: full, series })
      const keys = [...found.values()].map((event) => event.series).filter((key) => !series.has(key))
      if (keys.length === 0) return
      setKnown({ events: full, series: new Map([...series, ...(await seriesOf(prefix, new Set(keys), signal))]) })
    }
    const waiting = setTimeout(() => load().catch(() => {}), wait)
    return () => {
      clearTimeout(waiting)
      ended.abort()
    }
  }, [])
  return known
}

interface ItemProps {
  readonly event: MapEvent
  readonly prefix: string
  readonly series: Series | undefined
}

const Item = ({ event, prefix, series }: ItemProps) => {
  const isFull = 'url' in event
  const facts = isFull ? detailFacts(event) : []
  return (
    <li>
      <a href={isFull ? event.url : `${prefix}/api/v3/events/${event.id}/`}>
        {(isFull && formatValue(event.value)) || texts().list.event(event.id)}
      </a>
      {event.category !== '' && <div>{event.category}</div>}
      <div>{periodOf(event)}</div>
      {series !== undefined && (
        <div class="series">
          <span class="swatch" aria-hidden="true" style={{ backgroundColor: series.color }} />
          <a href={series.url}>{series.name}</a>
        </div>
      )}
      {facts.length > 0 && <Facts facts={facts} panel={false} />}
    </li>
  )
}

/** A row names its series by a key of the page, and an event of a tile by the uuid. */
const seriesOfEvent = (event: MapEvent, known: SeriesById): Series | undefined =>
  'url' in event ? known.get(event.series) : [...known.values()].find((each) => uuidOf(each) === event.event_series)

/** Formats a start and a duration. */
const periodOf = ({ start, end }: MapEvent): string =>
  `${formatInstant(start)}${end === start ? '' : ` + ${formatDuration(end - start)}`}`
