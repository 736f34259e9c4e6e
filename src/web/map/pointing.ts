import { effect, type Signal } from '@preact/signals'
import type { MapGeoJSONFeature, Map as MapLibre, MapMouseEvent } from 'maplibre-gl'
import { isEvent } from '../state/event.ts'
import { pointed } from '../state/pointed.ts'
import { CELLS, EVENTS, type Marks, POINTS, TILES } from './layers.ts'
import type { Library, MapProps } from './mapView.ts'
import { makePopup, makeTip, type TileEvent } from './parts/popup.tsx'

interface Settings {
  readonly map: MapLibre
  readonly maplibre: Library
  readonly marks: Signal<Marks | null>
  readonly isDrawing: () => boolean
  readonly shown: () => MapProps | null
  readonly ended: AbortSignal
}

/**
 * Shows a tip under the pointer, a popup for a clicked event, and zooms to a clicked cell. Returns a function that hides
 * the tip and the popup.
 */
export const followPointer = ({ map, maplibre, marks, isDrawing, shown, ended }: Settings): (() => void) => {
  const tip = makeTip(maplibre, map)
  const popup = makePopup(maplibre, map)
  markPointed(map, ended)
  const hide = () => {
    tip.hide()
    popup.hide()
  }
  ended.addEventListener('abort', hide)
  map.on('mousemove', ({ point, lngLat }) => {
    const found = featuresAt(map, marks.value, point)
    map.getCanvas().classList.toggle('pointing', found.length > 0)
    const [first] = found
    pointed.value = first === undefined || first.layer.id === CELLS ? null : Number(first.id)
    const props = shown()
    if (first === undefined || props === null) tip.hide()
    else if (first.layer.id === CELLS) tip.showCount(Number(first.properties.count), props.area !== null, lngLat)
    else tip.showEvents(eventsOf(found, props), props, lngLat)
  })
  map.on('mouseout', () => {
    tip.hide()
    pointed.value = null
  })
  map.on('click', ({ point, lngLat, originalEvent }) => {
    const props = shown()
    if (isDrawing() || props === null) return
    const found = featuresAt(map, marks.value, point)
    const [first] = found
    popup.hide()
    if (first === undefined) return
    tip.hide()
    if (first.layer.id === CELLS) map.easeTo({ center: lngLat, zoom: map.getZoom() + 2 }, { originalEvent })
    else popup.show(eventsOf(found, props), props, lngLat)
  })
  return hide
}

/** Marks the event under the pointer, which is on the map or in the table. */
const markPointed = (map: MapLibre, ended: AbortSignal): void => {
  let marked: number | null = null
  const mark = (id: number, isPointed: boolean) => {
    map.setFeatureState({ source: EVENTS, id }, { pointed: isPointed })
    if (map.getSource(TILES) !== undefined)
      map.setFeatureState({ source: TILES, sourceLayer: 'events', id }, { pointed: isPointed })
  }
  const stop = effect(() => {
    if (marked !== null) mark(marked, false)
    marked = pointed.value
    if (marked !== null) mark(marked, true)
  })
  ended.addEventListener('abort', stop)
}

/** The distance from the pointer at which an event is still found, in pixels. */
const REACH = 3

/** Returns the events near a point, or the cell at it. */
const featuresAt = (
  map: MapLibre,
  marks: Marks | null,
  point: MapMouseEvent['point'],
): readonly MapGeoJSONFeature[] => {
  const { x, y } = point
  if (marks === 'cells')
    return map.getLayer(CELLS) === undefined ? [] : map.queryRenderedFeatures(point, { layers: [CELLS] })
  const layers = [EVENTS, POINTS].filter((id) => map.getLayer(id) !== undefined)
  return map.queryRenderedFeatures(
    [
      [x - REACH, y - REACH],
      [x + REACH, y + REACH],
    ],
    { layers },
  )
}

/** Returns each event once. The rows of the page know more than the tiles. */
const eventsOf = (features: readonly MapGeoJSONFeature[], { rows }: MapProps) => {
  const known = new Map(rows.filter(isEvent).map((row) => [row.id, row]))
  const tiles = new Map(features.map(({ id, properties }) => [Number(id), properties]))
  return Array.from(tiles, ([id, properties]) => known.get(id) ?? ({ ...properties, id } as TileEvent))
}
