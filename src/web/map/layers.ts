import { computed, effect } from '@preact/signals'
import type { Feature, Geometry } from 'geojson'
import type {
  ExpressionSpecification,
  GeoJSONSource,
  Map as MapLibre,
  RequestTransformFunction,
  VectorTileSource,
} from 'maplibre-gl'
import { rectangleOf } from '../../geometry/bbox.ts'
import { type AddressParameter, isLong, type PageAddress, queryOf } from '../state/address.ts'
import { isEvent, isSeries } from '../state/rows.ts'
import { keyInUse } from '../state/service.ts'
import { prefix } from '../state/store.ts'
import { area, isPartial, type MapProps, marks, shown, tool } from './shown.ts'
import { CELL_COLOR, ifPointed, ifState, STROKE } from './style.ts'

/** The source of all events, and its layers. `EVENTS` has those of the page, which are above the others. */
export const TILES = 'tiles'
export const CELLS = 'cells'
export const POINTS = 'points'
export const EVENTS = 'events'

const ACCENT = '#0b6bcb'
/** The highest zoom level with its own tiles. */
const MAX_ZOOM = 17
const AT_ONCE = { duration: 0 }

const collectionOf = (features: readonly Feature[]) => ({
  type: 'FeatureCollection' as const,
  features: [...features],
})

/** Adds the sources of the page and their layers. The source of all events comes later, because filters change it. */
export const addLayers = (map: MapLibre): void => {
  for (const id of ['bounds', 'area', EVENTS])
    map.addSource(id, { type: 'geojson', data: collectionOf([]), promoteId: 'id' })
  for (const source of ['bounds', 'area']) {
    const color = source === 'area' ? ACCENT : (['get', 'color'] as never)
    map.addLayer({ id: `${source}-fill`, type: 'fill', source, paint: { 'fill-color': color, 'fill-opacity': 0.07 } })
    map.addLayer({ id: source, type: 'line', source, paint: { 'line-color': color, 'line-width': 2 } })
  }
  // An event of the page is seen while the reader points at its row.
  const opacity = ifPointed<number | ExpressionSpecification>(1, ifState('cells', 0, 1))
  map.addLayer({ id: EVENTS, type: 'circle', source: EVENTS, paint: circle(opacity) })
}

/** Replaces the source of all events by vector tiles, or by the cells of a summary, or by nothing. */
const showAll = (map: MapLibre, tiles: string | null, cells: readonly Feature[]): void => {
  for (const id of [POINTS, CELLS]) if (map.getLayer(id) !== undefined) map.removeLayer(id)
  if (map.getSource(TILES) !== undefined) map.removeSource(TILES)
  if (tiles === null && cells.length === 0) return
  if (tiles === null) map.addSource(TILES, { type: 'geojson', data: collectionOf(cells) })
  else map.addSource(TILES, { type: 'vector', tiles: [tiles], maxzoom: MAX_ZOOM })
  const layerOf = (name: string) => ({ source: TILES, ...(tiles !== null && { 'source-layer': name }) })
  const paint = {
    'fill-color': CELL_COLOR,
    'fill-opacity': ifState('cells', 0.85, 0),
    'fill-opacity-transition': AT_ONCE,
    'fill-antialias': false,
  }
  // The names of countries stay legible above cells.
  const above = map.getLayer('name') === undefined ? 'bounds-fill' : 'name'
  map.addLayer({ id: CELLS, type: 'fill', ...layerOf('cells'), paint }, above)
  if (tiles !== null)
    map.addLayer({ id: POINTS, type: 'circle', ...layerOf('events'), paint: circle(ifState('cells', 0, 1)) }, EVENTS)
}

/** Events have the same mark everywhere. It is larger under the pointer. */
const circle = (opacity: ExpressionSpecification) => ({
  'circle-color': ['to-color', ['get', 'color'], ACCENT] as ExpressionSpecification,
  'circle-radius': [
    'interpolate',
    ['linear'],
    ['zoom'],
    0,
    ifPointed(6, 3.2),
    14,
    ifPointed(9, 6),
  ] as ExpressionSpecification,
  'circle-stroke-color': STROKE,
  'circle-stroke-width': ifPointed(2, 0.7),
  'circle-opacity': opacity,
  'circle-stroke-opacity': opacity,
  'circle-opacity-transition': AT_ONCE,
  'circle-stroke-opacity-transition': AT_ONCE,
})

/** Shows the rows of the page and the area. Returns how to stop. */
export const followRows = (map: MapLibre) => {
  const put = (id: string, features: readonly Feature[]) =>
    map.getSource<GeoJSONSource>(id)?.setData(collectionOf(features))
  const stops = [
    effect(() => {
      if (shown.value === null) return
      put('bounds', boundsIn(shown.value))
      put(EVENTS, eventsIn(shown.value))
    }),
    // The tool shows the area that it edits.
    effect(() => {
      put('area', area.value === null || tool.value === 'edit' ? [] : [featureOf(area.value, {})])
    }),
  ]
  return () => stops.map((stop) => stop())
}

const featureOf = (geometry: Geometry, properties: object): Feature => ({
  type: 'Feature',
  geometry,
  properties: { ...properties },
})

/** Returns the events of a page, with what the tip tells of them. */
const eventsIn = ({ rows, series: known }: MapProps): Feature[] =>
  rows.filter(isEvent).flatMap(({ geometry, id, url, category, value, start, end, series, seriesName }) => {
    const told = { id, url, category, value, start, end, seriesName, color: known.get(series)?.color ?? ACCENT }
    return geometry === null ? [] : [featureOf(geometry, told)]
  })

/** Returns the bounds of series in their colours. */
const boundsIn = ({ rows }: MapProps): Feature[] =>
  rows.filter(isSeries).flatMap(({ spatial_bounds: bounds, color }) => {
    if (bounds === null || bounds === undefined) return []
    const { west, south, east, north } = bounds
    return [featureOf(rectangleOf([west, south, east, north]), { color })]
  })

/** Returns the cells of a summary. Empty if the rows are all events. */
const cellsIn = ({ summary, rows }: MapProps): Feature[] =>
  summary === null || summary.count <= rows.length
    ? []
    : summary.density.cells.map(([west, south, east, north, count]) =>
        featureOf(rectangleOf([west, south, east, north]), { count }),
      )

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
export const followEvents = (map: MapLibre) => {
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

/** Lists have these parameters, and tiles have not. The parameters of pages are no filters. */
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
