import { signal } from '@preact/signals'
import type { Map as MapLibre } from 'maplibre-gl'
import { isEvent } from '../state/event.ts'
import { PAPER } from '../state/picture.ts'
import { prefix } from '../state/store.ts'
import { geometryOf } from './area.ts'
import {
  addLayers,
  areaFeatures,
  boundsFeatures,
  cellFeatures,
  eventFeatures,
  put,
  showAll,
  showMarks,
} from './layers.ts'
import { type Library, loadMapLibre } from './library.ts'
import type { MapProps, MapView, Marks, Moves } from './mapView.ts'
import { followPointer } from './pointing.tsx'
import { baseStyle, CELLS, EVENTS, followLight, loadLand, ownStyle, TILES } from './style.ts'
import { mapTexts } from './text.ts'
import { tilesOf, withKey } from './tiles.ts'
import { makeFit, wholeWorld } from './view.ts'

/** Makes a map in an element. It frees its WebGL context when `ended` aborts, because browsers have few. */
export const makeMap = async (canvas: HTMLElement, ended: AbortSignal): Promise<MapView> => {
  const maplibre = await loadMapLibre(prefix)
  ended.throwIfAborted()
  const map = new maplibre.Map({
    container: canvas,
    style: baseStyle(),
    center: [0, 25],
    zoom: 0.6,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    renderWorldCopies: false,
    transformConstrain: wholeWorld(maplibre, canvas),
    transformRequest: withKey,
    trackResize: false,
    cooperativeGestures: matchMedia('(pointer: coarse)').matches,
    locale: mapTexts().maplibre,
  })
  ended.addEventListener('abort', () => map.remove(), { once: true })
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right')
  // The sources of the style name who made them. The licences of most map data demand that.
  map.addControl(new maplibre.AttributionControl({ compact: false, customAttribution: 'MapLibre' }), 'bottom-right')
  map.addControl(new maplibre.ScaleControl({}), 'bottom-right')
  await styled(map)
  ended.throwIfAborted()
  addLayers(map)
  followLight(map, ended)
  followPaper(map, ended)
  return viewOf(map, maplibre, ended)
}

/** Waits for the style. If the style in MAP_STYLE cannot be loaded, the map uses its own. */
const styled = async (map: MapLibre): Promise<void> => {
  // The list shows the faults of filters.
  map.on('error', ({ error }) => console.warn(error.message))
  const useOwn = () => map.setStyle(ownStyle())
  map.once('error', useOwn)
  await new Promise((resolve) => map.once('style.load', resolve))
  map.off('error', useOwn)
}

/** Copies the map while the browser prints. It prints no WebGL, unless the map keeps each frame a second time. */
const followPaper = (map: MapLibre, ended: AbortSignal): void => {
  const copy = Object.assign(document.createElement('canvas'), { className: 'copy' })
  const add = () => {
    const frame = map.getContainer()
    const { width, height } = map.redraw().getCanvas()
    Object.assign(copy, { width, height })
    copy.style.width = `${frame.clientWidth}px`
    copy.getContext('2d')?.drawImage(map.getCanvas(), 0, 0)
    // The scale stays true, because it shrinks with the map.
    frame.style.setProperty('zoom', String(Math.min(1, PAPER / frame.clientWidth)))
    frame.append(copy)
  }
  const remove = () => {
    copy.remove()
    map.getContainer().style.removeProperty('zoom')
  }
  addEventListener('beforeprint', add, { signal: ended })
  addEventListener('afterprint', remove, { signal: ended })
}

/** Every tile shows at least this many events one by one, see src/ogc/tiles.ts. */
const LEAST_IN_TILE = 3000

/**
 * Shows what the page tells. Tiles with many events have cells only. So a view with such a tile shows cells, and any
 * other view shows events.
 */
const viewOf = (map: MapLibre, maplibre: Library, ended: AbortSignal): MapView => {
  let shown: MapProps | null = null
  let tiles: string | null = null
  let isFew = false
  const marks = signal<Marks | null>(null)
  const moves = signal<Moves>('auto')
  const isPartial = signal(false)
  const fit = makeFit(map, moves, ended)
  const show = () => showMarks(map, marks.value ?? (isFew ? 'points' : 'cells'))
  const look = () => {
    if (tiles === null || map.getSource(TILES) === undefined) return
    const many = map.querySourceFeatures(TILES, { sourceLayer: CELLS, filter: ['!', ['has', 'has_events']] })
    marks.value = isFew || many.length === 0 ? 'points' : 'cells'
    show()
  }
  const reload = () => {
    isPartial.value = false
    marks.value = null
    showAll(map, tiles, [])
    show()
  }
  const update = (props: MapProps) => {
    if (ended.aborted) return
    const { rows, summary, filters } = props
    const before = { tiles, isFirst: shown === null }
    shown = props
    tiles = filters === undefined ? null : tilesOf(filters)
    const cells = tiles === null ? cellFeatures(summary, rows) : []
    isFew = tiles === null ? cells.length === 0 : summary !== null && summary.count <= LEAST_IN_TILE
    if (tiles === null) {
      showAll(map, null, cells)
      marks.value = !isFew ? 'cells' : rows.some(isEvent) ? 'points' : null
    } else if (tiles !== before.tiles) reload()
    show()
    put(map, 'bounds', boundsFeatures(rows))
    put(map, EVENTS, eventFeatures(props))
    const area = props.area === null ? null : geometryOf(props.area)
    put(map, 'area', areaFeatures(area))
    if (before.isFirst) map.once('idle', () => loadLand(map, prefix))
    fit.update(props, area)
  }
  // The land and the names may load later.
  map.on('sourcedata', ({ sourceId, tile }) => {
    if (sourceId === TILES && tile !== undefined && map.isSourceLoaded(TILES)) look()
  })
  map.on('idle', look)
  map.on('error', (event) => {
    if ('sourceId' in event && event.sourceId === TILES) isPartial.value = true
  })
  const isDrawing = signal(false)
  const pointer = followPointer(maplibre, { map, marks, isDrawing, shown: () => shown }, ended)
  return { map, update, rest: pointer.hide, reload, marks, moves, isPartial, isDrawing, choose: fit.choose }
}
