import { signal } from '@preact/signals'
import type { Map as MapLibre } from 'maplibre-gl'
import { PAPER } from '../state/picture.ts'
import { baseStyle, drawNames, followLight, loadLand, ownStyle } from './basemap.ts'
import { geometryOf } from './geometry.ts'
import { addLayers, type Marks, showTiles, TILES } from './layers.ts'
import { loadMapLibre } from './library.ts'
import type { Library, MapProps, MapView } from './mapView.ts'
import { followTiles } from './marks.ts'
import { followPointer } from './pointing.ts'
import { areaFeatures, boundsFeatures, densityFeatures, eventFeatures, put } from './sources.ts'
import { mapTexts } from './text.ts'
import { loadTile, PROTOCOL, type Tiles, tilesOf } from './tiles.ts'
import { makeFit } from './view.ts'
import { showWholeWorld } from './world.ts'

/** Makes a map in an element. It frees its WebGL context when `ended` aborts, because browsers have few. */
export const makeMap = async (canvas: HTMLElement, prefix: string, ended: AbortSignal): Promise<MapView> => {
  const maplibre = await loadMapLibre(prefix)
  ended.throwIfAborted()
  maplibre.addProtocol(PROTOCOL, loadTile)
  const map = new maplibre.Map({
    container: canvas,
    style: baseStyle(),
    center: [0, 25],
    zoom: 0.6,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    renderWorldCopies: false,
    cooperativeGestures: matchMedia('(pointer: coarse)').matches,
    locale: mapTexts().maplibre,
  })
  ended.addEventListener('abort', () => map.remove(), { once: true })
  showWholeWorld(map)
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right')
  // The sources of the style name who made them. The licences of most map data demand that.
  map.addControl(new maplibre.AttributionControl({ compact: false, customAttribution: 'MapLibre' }), 'bottom-right')
  map.addControl(new maplibre.ScaleControl({}), 'bottom-right')
  drawNames(map)
  await styled(map)
  ended.throwIfAborted()
  addLayers(map)
  followLight(map, ended)
  followPaper(map, ended)
  return viewOf(map, maplibre, prefix, ended)
}

/** Copies the map while the browser prints. It prints no WebGL, unless the map keeps each frame a second time. */
const followPaper = (map: MapLibre, ended: AbortSignal): void => {
  const copy = document.createElement('canvas')
  copy.className = 'copy'
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

/** Waits for the style. If the style in MAP_STYLE cannot be loaded, the map uses its own. */
const styled = async (map: MapLibre): Promise<void> => {
  // The list shows the faults of filters.
  map.on('error', ({ error }) => console.warn(error.message))
  const useOwn = () => map.setStyle(ownStyle())
  map.once('error', useOwn)
  await new Promise((resolve) => map.once('style.load', resolve))
  map.off('error', useOwn)
}

const viewOf = (map: MapLibre, maplibre: Library, prefix: string, ended: AbortSignal): MapView => {
  let shown: MapProps | null = null
  let hasLand = false
  const tiles = signal<Tiles | null>(null)
  const marks = signal<Marks | null>(null)
  const isEditing = signal(false)
  const isMoved = signal(false)
  const isPartial = signal(false)
  const draw: MapView['draw'] = { current: null }
  const fit = makeFit(map, isMoved, ended)
  const showArea = () => {
    const area = shown?.area ? geometryOf(shown.area) : null
    put(map, 'area', area === null || isEditing.value ? [] : areaFeatures(area))
    return area
  }
  const useTiles = (next: Tiles | null) => {
    isPartial.value = false
    marks.value = null
    tiles.value = next
    showTiles(map, next)
  }
  map.on('error', (event) => {
    if ('sourceId' in event && event.sourceId === TILES) isPartial.value = true
  })
  const look = followTiles(map, marks, tiles, ended)
  const isDrawing = () => draw.current?.isActive() ?? false
  const hideBoxes = followPointer({ map, maplibre, marks, isDrawing, shown: () => shown, ended })
  ended.addEventListener('abort', isEditing.subscribe(showArea))
  const update = (props: MapProps) => {
    if (ended.aborted) return
    const { rows, series, summary } = props
    shown = props
    const found = props.filters === undefined ? null : tilesOf(prefix, props.filters)
    if (found?.template !== tiles.value?.template) useTiles(found)
    put(map, 'density', found === null ? densityFeatures(summary, rows.length) : [])
    put(map, 'bounds', boundsFeatures(rows))
    put(map, 'events', eventFeatures(rows, series))
    look(props)
    if (!hasLand) map.once('idle', () => loadLand(map, prefix))
    hasLand = true
    fit.update(props, showArea())
  }
  const rest = () => {
    hideBoxes()
    // The next place of the map has its own tool.
    draw.current?.stop()
    draw.current = null
  }
  const reload = () => useTiles(tiles.value)
  return { map, update, rest, reload, marks, tiles, isMoved, isPartial, isEditing, draw, stay: fit.stay }
}
