import { effect } from '@preact/signals'
import type { LngLat, Map as MapLibre, MapMouseEvent, Popup } from 'maplibre-gl'
import { type ComponentChild, render } from 'preact'
import { pointed } from '../state/pointed.ts'
import { texts } from '../state/text.ts'
import type { Library } from './library.ts'
import type { MapProps, MapView } from './mapView.ts'
import { EventList, type MarkedEvent, Tip } from './popup.tsx'
import { CELLS, EVENTS, POINTS, TILES } from './style.ts'
import { mapTexts } from './text.ts'

/** The distance from the pointer at which an event is still found, in pixels. */
const REACH = 3

interface Pointed extends Pick<MapView, 'map' | 'marks' | 'isDrawing'> {
  readonly shown: () => MapProps | null
}

/** Shows a tip under the pointer, a popup for a clicked event, and zooms to a clicked cell. */
export const followPointer = ({ Popup }: Library, view: Pointed, ended: AbortSignal) => {
  const { map, isDrawing } = view
  const tip = makeBox(map, new Popup({ closeButton: false, closeOnClick: false, className: 'tip', offset: 10 }), '')
  const popup = makeBox(map, new Popup({ focusAfterOpen: true }), 'popup')
  const hide = () => {
    tip.hide()
    popup.hide()
  }
  markPointed(map, ended)
  ended.addEventListener('abort', hide)
  map.on('mousemove', ({ point, lngLat }) => {
    const found = foundAt(view, point)
    map.getCanvas().classList.toggle('pointing', found.count > 0 || found.events.length > 0)
    pointed.value = found.events[0]?.id ?? null
    if (found.count > 0) tip.show(countOf(found.count, view), lngLat)
    else if (found.events.length === 0) tip.hide()
    else tip.show(<Tip key={found.events.map(({ id }) => id).join()} events={found.events} />, lngLat)
  })
  map.on('mouseout', () => {
    tip.hide()
    pointed.value = null
  })
  map.on('click', ({ point, lngLat, originalEvent }) => {
    popup.hide()
    const { count, events } = foundAt(view, point)
    if (isDrawing.value || (count === 0 && events.length === 0)) return
    tip.hide()
    if (count > 0) map.easeTo({ center: lngLat, zoom: map.getZoom() + 2 }, { originalEvent })
    else popup.show(<EventList events={events} moved={popup.moved} />, lngLat)
  })
  map.getContainer().addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && popup.hide()) map.getCanvas().focus()
  })
  return { hide }
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

/** Marks the event under the pointer, which is on the map or in the table. */
const markPointed = (map: MapLibre, ended: AbortSignal): void => {
  let marked: number | null = null
  const mark = (id: number | null, isPointed: boolean) => {
    if (id === null) return
    map.setFeatureState({ source: EVENTS, id }, { pointed: isPointed })
    if (map.getLayer(POINTS) !== undefined)
      map.setFeatureState({ source: TILES, sourceLayer: 'events', id }, { pointed: isPointed })
  }
  const stop = effect(() => {
    mark(marked, false)
    marked = pointed.value
    mark(marked, true)
  })
  ended.addEventListener('abort', stop)
}

/** Returns the count of the cell at a point, or each event near it once. The rows of the page know more than tiles. */
const foundAt = ({ map, marks }: Pointed, { x, y }: MapMouseEvent['point']) => {
  const isCells = marks.value === 'cells'
  const layers = (isCells ? [CELLS] : [EVENTS, POINTS]).filter((id) => map.getLayer(id) !== undefined)
  const reach = isCells ? 0 : REACH
  const found = map.queryRenderedFeatures(
    [
      [x - reach, y - reach],
      [x + reach, y + reach],
    ],
    { layers },
  )
  if (isCells) return { count: Number(found[0]?.properties.count ?? 0), events: [] }
  const events = new Map<number, MarkedEvent>()
  for (const { id, properties } of found)
    if (!events.has(Number(id))) events.set(Number(id), { ...(properties as MarkedEvent), id: Number(id) })
  return { count: 0, events: [...events.values()] }
}

const countOf = (count: number, { shown }: Pointed): string => {
  const events = texts().list.counted('events', count)
  return shown()?.area ? mapTexts().inArea(events) : events
}
