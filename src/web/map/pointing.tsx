import { computed, effect } from '@preact/signals'
import type { LngLat, Map as MapLibre, MapMouseEvent, Point, Popup } from 'maplibre-gl'
import { type ComponentChild, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { detailFacts, Facts } from '../app/facts.tsx'
import { headlineOf, SeriesLink } from '../list/cells.tsx'
import { useDescribed } from '../list/listContext.ts'
import { parameter } from '../state/address.ts'
import type { DescribedField } from '../state/fields.ts'
import { formatCount, formatDuration, formatterOf, formatValue } from '../state/format.ts'
import { readEvents } from '../state/known.ts'
import { type EventItem, isEvent } from '../state/rows.ts'
import { useAsked } from '../state/service.ts'
import { pointed, prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { CELLS, DOTS, EVENTS, POINTS, TILES } from './layers.ts'
import type { Library } from './library.ts'
import { mapTexts, marks, shown, tool } from './shown.ts'

/** The distance from the pointer at which an event is still found, in pixels. */
const REACH = 3

/** Shows a tip under the pointer, a popup for a clicked event, and zooms to a clicked cell. Returns how to stop. */
export const followPointer = (map: MapLibre, { Popup }: Library) => {
  const tip = makeBox(map, new Popup({ closeButton: false, closeOnClick: false, className: 'tip', offset: 10 }), '')
  const popup = makeBox(map, new Popup({ focusAfterOpen: true }), 'popup')
  map.on('mousemove', ({ point, lngLat }) => {
    const { count, events, said } = foundAt(map, point)
    map.getCanvas().classList.toggle('pointing', count > 0 || events.length > 0)
    pointed.value = events[0] ?? null
    if (count > 0) tip.show(countText(count), lngLat)
    else if (events.length === 0) tip.hide()
    else tip.show(<Tip key={events.map(({ id }) => id).join()} events={events} said={said} />, lngLat)
  })
  map.on('mouseout', () => {
    tip.hide()
    pointed.value = null
  })
  map.on('click', ({ point, lngLat, originalEvent }) => {
    popup.hide()
    const { count, events } = foundAt(map, point)
    if (tool.value !== null || (count === 0 && events.length === 0)) return
    tip.hide()
    if (count > 0) map.easeTo({ center: lngLat, zoom: map.getZoom() + 2 }, { originalEvent })
    else popup.show(<EventList events={events} moved={popup.moved} />, lngLat)
  })
  map.getContainer().addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && popup.hide()) map.getCanvas().focus()
  })
  const query = computed(() => shown.value?.query)
  const stops = [
    // Another query has other events.
    query.subscribe(() => {
      tip.hide()
      popup.hide()
    }),
    // Marks the event under the pointer, which is on the map or in the table.
    effect(() => {
      const id = pointed.value?.id
      if (id === undefined) return
      setPointed(map, id, true)
      return () => setPointed(map, id, false)
    }),
  ]
  return () => stops.map((stop) => stop())
}

const setPointed = (map: MapLibre, id: number, pointed: boolean): void => {
  map.setFeatureState({ source: EVENTS, id }, { pointed })
  if (map.getLayer(POINTS) !== undefined) map.setFeatureState({ source: TILES, sourceLayer: 'events', id }, { pointed })
}

/** Shows a component at a position of the map, and removes it. */
const makeBox = (map: MapLibre, popup: Popup, className: string) => {
  const content = Object.assign(document.createElement('div'), { className })
  popup.on('close', () => render(null, content))
  return {
    show: (child: ComponentChild, at: LngLat) => {
      // MapLibre puts a popup beside its position. Half of the height and two thirds of the width always fit.
      const { clientWidth, clientHeight } = map.getContainer()
      popup.setMaxWidth(`${Math.min(320, Math.floor(clientWidth * 0.6))}px`)
      content.style.maxHeight = `${Math.floor(clientHeight / 2) - 24}px`
      render(child, content)
      popup.setLngLat(at).setDOMContent(content).addTo(map)
    },
    /** Finds the place of the popup again, after its size has changed. */
    moved: () => popup.setLngLat(popup.getLngLat()),
    /** Returns true if it was open. */
    hide: () => {
      const wasOpen = popup.isOpen()
      popup.remove()
      return wasOpen
    },
  }
}

/** Returns the count of the cell at a point, or each event near it once. The rows of the page know more than tiles. */
const foundAt = (map: MapLibre, point: MapMouseEvent['point']) => {
  const drawn = (at: Point, reach: number, layers: readonly string[]) => {
    const { x, y } = at
    const box: [[number, number], [number, number]] = [
      [x - reach, y - reach],
      [x + reach, y + reach],
    ]
    return map.queryRenderedFeatures(box, { layers: layers.filter((id) => map.getLayer(id) !== undefined) })
  }
  if (marks.value === 'cells') return { count: Number(drawn(point, 0, [CELLS])[0]?.properties.count ?? 0), events: [] }
  // A dot may be larger than the marks of its events, which are in its middle.
  const [dot] = drawn(point, REACH, [DOTS])
  const middle = dot?.geometry.type === 'Point' ? map.project(dot.geometry.coordinates as [number, number]) : point
  const found = drawn(middle, REACH, [EVENTS, POINTS])
  const events = new Map<number, MarkedEvent>()
  for (const { id, properties } of found)
    if (!events.has(Number(id))) events.set(Number(id), { ...(properties as MarkedEvent), id: Number(id) })
  // The dot says the value of a place that has several events.
  const said: unknown = dot?.properties.count > 1 ? dot?.properties.said : undefined
  return { count: 0, events: [...events.values()], ...(typeof said === 'string' && { said }) }
}

const countText = (count: number): string => {
  const events = texts().list.counted('events', count)
  return shown.value?.area ? mapTexts().inArea(events) : events
}

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

/** Shows the value of the place under the pointer, and its events, each in one line. */
export const Tip = ({ events, said }: EventsProps & { readonly said?: string | undefined }) => {
  const some = events.slice(0, MOST_IN_TIP)
  const told = useEvents(some, some.every(({ seriesName }) => seriesName !== undefined) ? null : REST)
  return (
    <>
      {said !== undefined && <b>{said}</b>}
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
  const series = told[0]?.known?.series ?? null
  const { fields } = useDescribed(series)
  useEffect(moved)
  return (
    <>
      <ul>
        {told.map((event) => (
          <Item key={event.id} event={event} described={event.known?.series === series ? fields : []} />
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

const Item = ({ event, described }: { readonly event: Told; readonly described: readonly DescribedField[] }) => {
  const { id, url = `${prefix}/api/v3/events/${id}/`, category, color, known } = event
  const facts = known === undefined ? [] : detailFacts(known)
  return (
    <li>
      <a href={url}>{known ? headlineOf(known, described) : category || texts().list.event(String(id))}</a>
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
  `${formatterOf([start, end])(start)}${end === start ? '' : ` + ${formatDuration(end - start)}`}`
