import type { Feature, Geometry } from 'geojson'
import type { LngLatLike, Map as MapLibre } from 'maplibre-gl'
import { fill, h } from '../app/dom.ts'
import type { AddressParameter } from '../state/address.ts'
import { isEvent } from '../state/event.ts'
import type { SeriesById, SummaryAnswer } from '../state/known.ts'
import { baseStyle, drawNames, followLight, loadMapLibre, ownStyle } from './basemap.ts'
import type { Draw, DrawnShape } from './draw.ts'
import { boxOf, geometryOf, positionsOf } from './geometry.ts'
import { addLayers, CELLS, showTiles, TILES } from './layers.ts'
import { makeLegend } from './legend.ts'
import { featuresAt, followPointer } from './pointing.ts'
import { popupOf, type TileEvent } from './popup.ts'
import { boundsFeatures, densityFeatures, eventFeatures, put } from './sources.ts'
import { type Tiles, tilesOf, unpin, withKey } from './tiles.ts'
import { makeTools } from './tools.ts'
import { showWholeWorld } from './world.ts'

/** The content of the map. */
export interface Shown {
  readonly rows: readonly object[]
  readonly series: SeriesById
  readonly summary: SummaryAnswer | null
  /** The text of `geom_within`. Null if the list has no such filter, or if it is not set. */
  readonly area: string | null
  /** True: the map may move to show everything. */
  readonly fit: boolean
  /** The filters of the events that the tiles show. Absent: the map shows only the rows. */
  readonly filters?: readonly AddressParameter[]
}

export interface MapView {
  readonly update: (shown: Shown) => void
}

/**
 * Makes a map in an element. `onArea` gets the drawn area as WKT, or null when the user clears it. Without `onArea` the
 * map has no tools. The map frees its WebGL context when `ended` aborts, because browsers have few.
 */
export const makeMap = async (
  container: HTMLElement,
  prefix: string,
  onArea: ((wkt: string | null) => void) | null,
  ended: AbortSignal,
): Promise<MapView> => {
  const maplibre = await loadMapLibre(prefix)
  ended.throwIfAborted()
  const canvas = h('div', { class: 'map-canvas' })
  fill(container, canvas, h('small', { class: 'credit' }, 'MapLibre, Natural Earth'))
  const map = new maplibre.Map({
    container: canvas,
    style: baseStyle(prefix),
    center: [0, 25],
    zoom: 0.6,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    transformRequest: withKey(prefix),
    renderWorldCopies: false,
    cooperativeGestures: matchMedia('(pointer: coarse)').matches,
  })
  ended.addEventListener('abort', () => map.remove(), { once: true })
  showWholeWorld(map)
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right')
  map.addControl(new maplibre.ScaleControl({}), 'bottom-right')
  drawNames(map)
  // The list shows the faults of filters.
  map.on('error', ({ error }) => {
    console.warn(error.message)
    unpin(map, TILES, error)
  })
  const noStyle = () => map.setStyle(ownStyle(prefix))
  map.once('error', noStyle)
  await new Promise((resolve) => map.once('style.load', resolve))
  map.off('error', noStyle)
  addLayers(map)
  followLight(map, ended)
  const legend = makeLegend(map)
  container.append(legend.element)
  let shown: Shown = { rows: [], series: new Map(), summary: null, area: null, fit: false }
  let tiles: Tiles | null = null
  const tip = new maplibre.Popup({
    closeButton: false,
    closeOnClick: false,
    className: 'tip',
    offset: 10,
    maxWidth: '18rem',
  })
  followPointer(map, tip, container.closest('.results'), () => shown)
  const tools = onArea === null ? null : drawable(map, container, onArea)
  listen(
    map,
    () => tools?.isDrawing() ?? false,
    (found, at) => {
      const events = found.map(
        ({ id, ...others }) => shown.rows.filter(isEvent).find((row) => row.id === id) ?? { id, ...others },
      )
      tip.remove()
      const popup = new maplibre.Popup({ maxWidth: '20rem', focusAfterOpen: true })
      popup
        .setLngLat(at)
        .setDOMContent(popupOf(events, shown.series, prefix))
        .addTo(map)
    },
  )
  return {
    update: (next) => {
      shown = next
      const area = next.area === null ? null : geometryOf(next.area)
      const found = next.filters === undefined ? null : tilesOf(prefix, next.filters)
      if (found?.template !== tiles?.template) {
        tiles = found
        showTiles(map, tiles)
      }
      legend.update(tiles, next.rows.some(isEvent))
      put(map, 'density', tiles === null ? densityFeatures(next.summary, next.rows.length) : [])
      put(map, 'bounds', boundsFeatures(next.rows))
      put(map, 'events', eventFeatures(next.rows, next.series))
      tools?.update(area, next.area !== null)
      if (next.fit) fitTo(map, next, area)
    },
  }
}

/** Adds the drawing tools. The drawing library loads when the user chooses a tool. */
const drawable = (map: MapLibre, container: HTMLElement, onArea: (wkt: string | null) => void) => {
  let area: Geometry | null = null
  let draw: Draw | null = null
  const showArea = () => put(map, 'area', area === null || draw?.isEditing() ? [] : [featureOf(area)])
  const load = async (): Promise<Draw> => {
    const { makeDraw } = await import('./draw.ts')
    draw ??= makeDraw(map, onArea, () => {
      tools.ended()
      showArea()
    })
    return draw
  }
  const tools = makeTools({
    draw: async (shape: DrawnShape) => (await load()).start(shape),
    edit: async () => {
      if (area?.type !== 'Polygon') return
      const loaded = await load()
      loaded.edit(area)
      showArea()
    },
    stop: () => draw?.stop(),
    clear: () => {
      draw?.stop()
      onArea(null)
    },
  })
  container.append(tools.element)
  return {
    isDrawing: () => draw?.isActive() ?? false,
    update: (next: Geometry | null, isSet: boolean) => {
      area = next
      if (!isSet && draw?.isEditing()) draw.stop()
      tools.update(isSet, area?.type === 'Polygon' && area.coordinates.length === 1)
      showArea()
    },
  }
}

const featureOf = (geometry: Geometry): Feature => ({ type: 'Feature', geometry, properties: {} })

/** Shows a popup for clicked events, and zooms to a clicked cell. */
const listen = (
  map: MapLibre,
  isDrawing: () => boolean,
  show: (events: readonly TileEvent[], at: LngLatLike) => void,
): void => {
  map.on('click', ({ point, lngLat }) => {
    if (isDrawing()) return
    const found = featuresAt(map, point)
    const [first] = found
    if (first === undefined) return
    if (first.layer.id === CELLS) return map.easeTo({ center: lngLat, zoom: map.getZoom() + 2 }) && undefined
    const events = new Map(
      found.map(({ id, properties }) => [Number(id), { ...properties, id: Number(id) } as TileEvent]),
    )
    show([...events.values()], lngLat)
  })
}

/** The margins around the shown features, in pixels. The tools need space above, the legend below. */
const PADDING = { top: 60, right: 28, bottom: 60, left: 28 }

/**
 * Moves the map to the area, or else to everything on the map. Without a summary the zoom stays low, to show where it
 * is.
 */
const fitTo = (map: MapLibre, { rows, summary, series }: Shown, area: Geometry | null): void => {
  const features = [...eventFeatures(rows, series), ...boundsFeatures(rows), ...densityFeatures(summary, rows.length)]
  const box = boxOf(positionsOf(area ?? { type: 'FeatureCollection', features }))
  if (box === null) return
  // The map shows one world. A view beyond 180 degrees would continue at the other edge.
  const [west, south, east, north] = box[0] < -180 || box[2] > 180 ? [-180, box[1], 180, box[3]] : box
  const latitude = (value: number) => Math.max(-80, Math.min(80, value))
  const maxZoom = area !== null ? 16 : summary !== null ? 11 : 4
  map.fitBounds([west, latitude(south), east, latitude(north)], { padding: PADDING, maxZoom, animate: false })
}
