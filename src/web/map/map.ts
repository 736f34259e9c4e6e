import { computed, effect } from '@preact/signals'
import type { Map as MapLibre, RequestTransformFunction, VectorTileSource } from 'maplibre-gl'
import { type AddressParameter, isLong, type PageAddress, queryOf } from '../state/address.ts'
import { PAPER } from '../state/picture.ts'
import { isEvent } from '../state/rows.ts'
import { keyInUse } from '../state/service.ts'
import { prefix } from '../state/store.ts'
import { addLayers, CELLS, cellsIn, followRows, showAll, TILES } from './layers.ts'
import { loadMapLibre } from './library.ts'
import { followPointer } from './pointing.tsx'
import { isPartial, mapTexts, marks, shown } from './shown.ts'
import { baseStyle, followLight, isOnPaper, loadLand, ownStyle } from './style.ts'
import { followContent, wholeWorld } from './view.ts'

/** Makes a map in an element. The map shows what the signals in `shown.ts` say, until it is removed. */
export const makeMap = async (canvas: HTMLElement): Promise<MapLibre> => {
  const maplibre = await loadMapLibre(prefix)
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
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right')
  // The sources of the style name who made them. The licences of most map data demand that.
  map.addControl(new maplibre.AttributionControl({ compact: false, customAttribution: 'MapLibre' }), 'bottom-right')
  map.addControl(new maplibre.ScaleControl({}), 'bottom-right')
  await styled(map)
  addLayers(map)
  const follow = [followLight, followPaper, followEvents, followRows, followContent, followPointer]
  const stops = follow.map((each) => each(map, maplibre))
  map.once('remove', () => {
    for (const stop of stops) stop()
  })
  map.once('idle', () => loadLand(map, prefix))
  return map
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
const followPaper = (map: MapLibre) =>
  effect(() => {
    if (!isOnPaper.value) return
    const frame = map.getContainer()
    const { width, height } = map.redraw().getCanvas()
    const copy = Object.assign(document.createElement('canvas'), { className: 'copy', width, height })
    copy.style.width = `${frame.clientWidth}px`
    copy.getContext('2d')?.drawImage(map.getCanvas(), 0, 0)
    // The scale stays true, because it shrinks with the map.
    frame.style.setProperty('zoom', String(Math.min(1, PAPER / frame.clientWidth)))
    frame.append(copy)
    return () => {
      copy.remove()
      frame.style.removeProperty('zoom')
    }
  })

/** Every tile shows at least this many events one by one, see src/ogc/tiles.ts. */
const LEAST_IN_TILE = 3000

/** Asks for the tiles again. */
export const reloadTiles = (map: MapLibre): void => {
  const source = map.getSource<VectorTileSource>(TILES)
  isPartial.value = false
  source?.setTiles(source.tiles)
}

/**
 * Shows all events. Tiles with many events have cells only. So a view with such a tile shows cells, and any other view
 * shows events. Returns how to stop.
 */
const followEvents = (map: MapLibre) => {
  let tiles: string | null | undefined
  const isFew = computed(() => (shown.value?.summary?.count ?? Number.POSITIVE_INFINITY) <= LEAST_IN_TILE)
  const stops = [
    effect(() => {
      if (shown.value === null) return
      const { rows, filters } = shown.value
      const before = tiles
      tiles = filters === undefined ? null : tilesOf(filters)
      if (tiles !== null && tiles === before) return
      const cells = tiles === null ? cellsIn(shown.value) : []
      showAll(map, tiles, cells)
      isPartial.value = false
      marks.value = tiles !== null ? null : cells.length > 0 ? 'cells' : rows.some(isEvent) ? 'points' : null
    }),
    effect(() => {
      map.setGlobalStateProperty('cells', marks.value === null ? !isFew.value : marks.value === 'cells')
    }),
  ]
  const look = () => {
    if (!tiles) return
    const crowded = map.querySourceFeatures(TILES, { sourceLayer: CELLS, filter: ['!', ['has', 'has_events']] })
    marks.value = isFew.value || crowded.length === 0 ? 'points' : 'cells'
  }
  // The land and the names may load later.
  map.on('sourcedata', ({ sourceId, tile }) => {
    if (sourceId === TILES && tile !== undefined && map.isSourceLoaded(TILES)) look()
  })
  map.on('idle', look)
  map.on('error', (event) => {
    if ('sourceId' in event && event.sourceId === TILES) isPartial.value = true
  })
  return () => stops.map((stop) => stop())
}

const TILESET = `${prefix}/ogc/collections/events/tiles/WebMercatorQuad`

/** The parameters of lists that tiles do not have, beside those of pages. */
const OF_LISTS = ['after', 'consistent', 'fields', 'include', 'locale']

/**
 * Returns an address below the tiles of the events that match the filters. Null if the filters are too long for an
 * address, because MapLibre requests tiles only by GET.
 */
export const tilesOf = (filters: readonly AddressParameter[], below = '{z}/{y}/{x}'): string | null => {
  const place: PageAddress = { path: TILESET, parameters: filters.filter(({ name }) => !OF_LISTS.includes(name)) }
  return isLong(place) ? null : `${location.origin}${TILESET}/${below}${queryOf(place)}`
}

/** Adds the key of the reader to the requests for tiles of the service. */
export const withKey: RequestTransformFunction = (url) => {
  const key = keyInUse()
  const isOwn = key !== null && url.startsWith(`${location.origin}${TILESET}/`)
  return isOwn ? { url, headers: { Authorization: `Bearer ${key}` } } : { url }
}
