import { effect, untracked } from '@preact/signals'
import type { Feature, Geometry, Point } from 'geojson'
import type { ExpressionSpecification, GeoJSONSource, Map as MapLibre, VectorTileSource } from 'maplibre-gl'
import { numberIn, ONE_ATTRIBUTE, type Values, valueIn } from '../../formats/columns.ts'
import { bboxOf, rectangleOf } from '../../geometry/bbox.ts'
import { isEvent, isSeries } from '../state/rows.ts'
import { classesOf, type DotColumn, dotsOf, placesOf, propertyOf } from './dots.ts'
import {
  area,
  dotClasses,
  dotColumn,
  hasEvents,
  isPartial,
  type MapProps,
  marks,
  positionsOf,
  shown,
  tool,
} from './shown.ts'
import { CLASSES, colorNow, colorOf, densityColors, HALO, INK, ifPointed, STROKE, weightOf } from './style.ts'
import { tilesOf } from './tiles.ts'

/** The source of all events, and its layers. `EVENTS` has those of the page, which are above the others. */
export const TILES = 'tiles'
export const CELLS = 'cells'
export const POINTS = 'points'
export const EVENTS = 'events'
export const DOTS = 'dots'
const DENSITY = 'density'

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
  for (const id of ['bounds', 'area', DENSITY, DOTS, EVENTS])
    map.addSource(id, { type: 'geojson', data: collectionOf([]), promoteId: 'id' })
  for (const source of ['bounds', 'area']) {
    const color = source === 'area' ? ACCENT : (['get', 'color'] as never)
    map.addLayer({ id: `${source}-fill`, type: 'fill', source, paint: { 'fill-color': color, 'fill-opacity': 0.07 } })
    map.addLayer({ id: source, type: 'line', source, paint: { 'line-color': color, 'line-width': 2 } })
  }
  // The names of countries stay legible above densities.
  const above = map.getLayer('name') === undefined ? 'bounds-fill' : 'name'
  const density = { 'heatmap-weight': ['get', 'weight'], 'heatmap-intensity': INTENSITY, 'heatmap-opacity': 0.8 }
  map.addLayer({ id: DENSITY, type: 'heatmap', source: DENSITY, paint: density as object }, above)
  map.addLayer({ id: DOTS, type: 'circle', source: DOTS, layout: LARGE_BELOW, paint: circle(1, ['get', 'size']) })
  map.addLayer({ id: 'counts', type: 'symbol', source: DOTS, minzoom: COUNTED, ...countsIn(map) })
  map.addLayer({ id: EVENTS, type: 'circle', source: EVENTS, paint: circle(ifPointed(1, 0)) })
}

const LARGE_BELOW = { 'circle-sort-key': ['-', ['get', 'size']] as ExpressionSpecification }

/** Dots are closer together at a lower zoom level, where numbers beside them would say nothing. */
const COUNTED = 8

/** The layer of the numbers beside dots of several events. They have the font of another layer of the style. */
const countsIn = (map: MapLibre) => {
  const fonts = map.getStyle().layers.flatMap((layer) => (layer.type === 'symbol' && layer.layout?.['text-font']) || [])
  const [font = 'system-ui'] = fonts.filter((each): each is string => typeof each === 'string' && each !== 'literal')
  return {
    filter: ['>', ['get', 'count'], 1] as ExpressionSpecification,
    layout: {
      'text-field': ['to-string', ['get', 'count']] as ExpressionSpecification,
      'text-font': [font],
      'text-size': 11,
      'text-variable-anchor': ['left', 'right', 'top', 'bottom'] as ('left' | 'right' | 'top' | 'bottom')[],
      'text-radial-offset': ['*', 0.6, ['get', 'size']] as ExpressionSpecification,
      'symbol-sort-key': ['-', ['get', 'count']] as ExpressionSpecification,
    },
    paint: { 'text-color': INK, 'text-halo-color': HALO, 'text-halo-width': 1.5 },
  }
}

/** Replaces the source of all events by vector tiles, or by the cells of a summary, or by nothing. */
const showAll = (map: MapLibre, tiles: string | null, cells: readonly Feature[]): void => {
  for (const id of [POINTS, CELLS]) if (map.getLayer(id) !== undefined) map.removeLayer(id)
  if (map.getSource(TILES) !== undefined) map.removeSource(TILES)
  if (tiles === null && cells.length === 0) return
  if (tiles === null) map.addSource(TILES, { type: 'geojson', data: collectionOf(cells) })
  else map.addSource(TILES, { type: 'vector', tiles: [tiles], maxzoom: MAX_ZOOM })
  const layerOf = (name: string) => ({ source: TILES, ...(tiles !== null && { 'source-layer': name }) })
  // The pointer finds events and cells here. The layers of dots and densities show them.
  map.addLayer({ id: CELLS, type: 'fill', ...layerOf('cells'), paint: { 'fill-opacity': 0 } }, DENSITY)
  if (tiles !== null)
    map.addLayer({ id: POINTS, type: 'circle', ...layerOf('events'), paint: circle(ifPointed(1, 0)) }, EVENTS)
}

/** Events have the same mark everywhere. It is larger under the pointer. */
const circle = (opacity: number | ExpressionSpecification, size: ExpressionSpecification | number = 1) => {
  const radius = (plain: number, pointed: number): ExpressionSpecification =>
    ifPointed<number | ExpressionSpecification>(pointed, ['*', plain, size])
  return {
    'circle-color': ['to-color', ['get', 'color'], ACCENT] as ExpressionSpecification,
    'circle-radius': [
      'interpolate',
      ['linear'],
      ['zoom'],
      0,
      radius(3.2, 6),
      14,
      radius(6, 9),
    ] as ExpressionSpecification,
    'circle-stroke-color': STROKE,
    'circle-stroke-width': ifPointed(2, 0.7),
    'circle-opacity': opacity,
    'circle-stroke-opacity': opacity,
    'circle-opacity-transition': AT_ONCE,
    'circle-stroke-opacity-transition': AT_ONCE,
  }
}

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

/** Returns the events of a page with the properties for the tip and the dots. */
const eventsIn = ({ rows, series: known, own }: MapProps): Feature[] =>
  rows.filter(isEvent).flatMap(({ geometry, id, url, category, value, start, end, series, seriesName, values }) => {
    const told = { id, url, category, value, start, end, seriesName, color: known.get(series)?.color ?? ACCENT }
    const numbers = (own?.columns ?? []).map((column) => [propertyOf(column), shownOf(values, column)])
    return geometry === null ? [] : [featureOf(geometry, { ...Object.fromEntries(numbers), ...told })]
  })

/** Returns what a row has in a column of dots. */
const shownOf = (values: Values, { name, statistic }: DotColumn): unknown =>
  statistic === null ? valueIn(values, name) : numberIn(values, { name, kind: ONE_ATTRIBUTE })

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

/** More dots lie on each other. Then their density says more, unless the reader chooses a column. */
const MOST_DOTS = 1000

/** Asks for the tiles again. */
export const reloadTiles = (map: MapLibre): void => {
  const source = map.getSource<VectorTileSource>(TILES)
  isPartial.value = false
  source?.setTiles(source.tiles)
}

/** Returns each event once. The last copy counts. Tiles round positions, so a row and a tile would make two dots. */
const unique = (events: readonly Feature[]): Feature[] => [
  ...new Map(events.map((event) => [event.id ?? event.properties?.id, event])).values(),
]

/** A cell adds to the density within this distance of its middle. The unit is the width of a cell. */
const REACH = 1.5
/** Equal cells add up to the density of one cell with this factor. */
const INTENSITY = 1.6

/** Draws the density of cells: each adds its events around its middle. Two tiles may each have a part of a cell. */
const drawDensity = (map: MapLibre, cells: readonly Feature[]): void => {
  const pixels = 512 * 2 ** map.getZoom()
  let widest = 0
  const middles = Array.from(Map.groupBy(cells, ({ id, geometry }) => id ?? geometry).values(), (parts) => {
    const positions = parts.flatMap(({ geometry }) => positionsOf(geometry))
    const [west, south, east, north] = bboxOf(Float64Array.from(positions.flat())) ?? [0, 0, 0, 0]
    widest = Math.max(widest, ((east - west) / 360) * pixels)
    const middle: Point = { type: 'Point', coordinates: [(west + east) / 2, (south + north) / 2] }
    const count = parts.reduce((sum, { properties }) => sum + Number(properties?.count), 0)
    // A cell of equal degrees is lower than wide at the equator. Lower rows are closer together, and weigh less.
    const height = (north - south) / Math.cos(((south + north) * Math.PI) / 360)
    return featureOf(middle, { weight: (weightOf(count) * height) / (east - west) })
  })
  if (widest > 0) map.setPaintProperty(DENSITY, 'heatmap-radius', REACH * widest)
  map.getSource<GeoJSONSource>(DENSITY)?.setData(collectionOf(middles))
}

/** Draws a dot for each place of events. Once all have loaded, the classes of a column stay until another query. */
const makeDots = (map: MapLibre) => {
  let last = ''
  return (places: ReturnType<typeof placesOf>, query: string, areAll: boolean): void => {
    const column = dotColumn.value
    const key = JSON.stringify([query, column])
    if (column !== null && key !== last) dotClasses.value = classesOf(places, column)
    last = areAll && places.length > 0 ? key : ''
    const dots = dotsOf(places, column, dotClasses.peek(), (found) => (column ? colorOf(column, found) : ACCENT))
    map.getSource<GeoJSONSource>(DOTS)?.setData(collectionOf(dots))
    map.setLayoutProperty('counts', 'visibility', column === null ? 'visible' : 'none')
    map.setPaintProperty(DOTS, 'circle-stroke-color', column?.statistic == null ? STROKE : colorNow(CLASSES[4].color))
  }
}

/**
 * Shows all events. Tiles with many events have cells only. So a view with such a tile shows a density. A view with very
 * many dots does as well, and any other view shows dots. Returns how to stop.
 */
export const followEvents = (map: MapLibre) => {
  let tiles: string | null | undefined
  let isOld = false
  const drawDots = makeDots(map)
  const draw = () => {
    const props = shown.peek()
    if (props === null) return
    const found = (layer: string) => (tiles ? map.querySourceFeatures(TILES, { sourceLayer: layer }) : [])
    const cells = tiles ? found(CELLS) : cellsIn(props)
    const isFew = (props.summary?.count ?? Number.POSITIVE_INFINITY) <= LEAST_IN_TILE
    const isPart = !(tiles && isFew) && cells.some(({ properties }) => properties?.has_events !== true)
    const places = isPart ? [] : placesOf(unique([...eventsIn(props), ...found(EVENTS)]))
    const isCrowded = isPart || (places.length > MOST_DOTS && dotColumn.value === null && cells.length > 0)
    hasEvents.value = !isPart
    drawDensity(map, isCrowded ? cells : [])
    drawDots(isCrowded ? [] : places, props.query, !tiles || map.isSourceLoaded(TILES))
    marks.value = isCrowded ? 'cells' : tiles || places.length > 0 ? 'points' : null
    isOld = false
  }
  const stops = [
    effect(() => {
      if (shown.value === null) return
      const { filters, own } = shown.value
      const before = tiles
      tiles =
        filters === undefined ? null : tilesOf(filters, undefined, dotColumn.value === null ? undefined : own?.uuid)
      if (tiles === null || tiles !== before) showAll(map, tiles, tiles === null ? cellsIn(shown.value) : [])
      if (tiles !== before) isPartial.value = false
      isOld = true
      untracked(draw)
    }),
    effect(() => {
      map.setPaintProperty(DENSITY, 'heatmap-color', densityColors())
      isOld = true
      untracked(draw)
    }),
  ]
  // The land and the names may load later.
  map.on('sourcedata', ({ sourceId, tile }) => {
    if (sourceId === TILES && tile !== undefined && map.isSourceLoaded(TILES)) draw()
  })
  map.on('move', () => {
    isOld = true
  })
  map.on('idle', () => isOld && draw())
  map.on('error', (event) => {
    if ('sourceId' in event && event.sourceId === TILES) isPartial.value = true
  })
  return () => stops.map((stop) => stop())
}
