import type { Feature, Geometry } from 'geojson'
import type { GeoJSONSource, LayerSpecification, Map as MapLibre } from 'maplibre-gl'
import { rectangleOf } from '../../geometry/bbox.ts'
import { isEvent } from '../state/event.ts'
import type { SummaryAnswer } from '../state/known.ts'
import { isSeries } from '../state/rows.ts'
import type { MapProps, Marks } from './mapView.ts'
import { CELLS, EVENTS, POINTS, paints, TILES, whenPointed } from './style.ts'

const ACCENT = '#0b6bcb'
const CELL_OPACITY = 0.85
/** The highest zoom level with its own tiles. */
const MAX_ZOOM = 17
const AT_ONCE = { duration: 0 }

/** Adds the sources of the page and their layers. The source of all events comes later, because filters change it. */
export const addLayers = (map: MapLibre): void => {
  const data = { type: 'FeatureCollection' as const, features: [] }
  for (const id of ['bounds', 'area', EVENTS]) map.addSource(id, { type: 'geojson', data, promoteId: 'id' })
  for (const source of ['bounds', 'area']) {
    const color = source === 'area' ? ACCENT : (['get', 'color'] as never)
    map.addLayer({ id: `${source}-fill`, type: 'fill', source, paint: { 'fill-color': color, 'fill-opacity': 0.07 } })
    map.addLayer({ id: source, type: 'line', source, paint: { 'line-color': color, 'line-width': 2 } })
  }
  map.addLayer(circles(EVENTS, { source: EVENTS }))
}

/** Shows the area, or hides it while the drawing tool shows it. */
export const showArea = (map: MapLibre, isShown: boolean): void => {
  for (const id of ['area-fill', 'area']) map.setLayoutProperty(id, 'visibility', isShown ? 'visible' : 'none')
}

/** Replaces the source of all events by vector tiles, or by the cells of a summary, or by nothing. */
export const showAll = (map: MapLibre, tiles: string | null, cells: readonly Feature[]): void => {
  for (const id of [POINTS, CELLS]) if (map.getLayer(id) !== undefined) map.removeLayer(id)
  if (map.getSource(TILES) !== undefined) map.removeSource(TILES)
  if (tiles === null && cells.length === 0) return
  if (tiles === null)
    map.addSource(TILES, { type: 'geojson', data: { type: 'FeatureCollection', features: [...cells] } })
  else map.addSource(TILES, { type: 'vector', tiles: [tiles], maxzoom: MAX_ZOOM })
  const layerOf = (name: string) => (tiles === null ? {} : { 'source-layer': name })
  const fill = { 'fill-opacity': CELL_OPACITY, 'fill-opacity-transition': AT_ONCE, 'fill-antialias': false }
  const paint = { ...paints()[CELLS], ...fill }
  // The names of countries stay legible above cells.
  const above = map.getLayer('name') === undefined ? 'bounds-fill' : 'name'
  map.addLayer({ id: CELLS, type: 'fill', source: TILES, ...layerOf('cells'), paint }, above)
  if (tiles !== null) map.addLayer(circles(POINTS, { source: TILES, ...layerOf('events') }), EVENTS)
}

/** Shows one kind of marks. The other kind stays loaded, so that a change needs no request. */
export const showMarks = (map: MapLibre, marks: Marks): void => {
  const isCells = marks === 'cells'
  if (map.getLayer(CELLS) !== undefined) map.setPaintProperty(CELLS, 'fill-opacity', isCells ? CELL_OPACITY : 0)
  for (const property of ['circle-opacity', 'circle-stroke-opacity']) {
    if (map.getLayer(POINTS) !== undefined) map.setPaintProperty(POINTS, property, isCells ? 0 : 1)
    map.setPaintProperty(EVENTS, property, whenPointed(1, isCells ? 0 : 1))
  }
}

/**
 * Events have the same mark everywhere. It is larger under the pointer. A property stays an expression or a number,
 * because MapLibre fails if a state arrives while it changes from one to the other.
 */
const circles = (id: typeof POINTS | typeof EVENTS, source: { readonly source: string }): LayerSpecification => {
  const hidden = id === EVENTS ? whenPointed(1, 0) : 0
  return {
    id,
    type: 'circle',
    ...source,
    paint: {
      ...paints()[id],
      'circle-color': ['to-color', ['get', 'color'], ACCENT],
      'circle-radius': [
        'interpolate',
        ['linear'],
        ['zoom'],
        ...[0, whenPointed(6, 3.2), 6, whenPointed(7.5, 4.2), 14, whenPointed(9, 6)],
      ],
      'circle-stroke-width': whenPointed(2, 0.7),
      'circle-opacity': hidden,
      'circle-stroke-opacity': hidden,
      'circle-opacity-transition': AT_ONCE,
      'circle-stroke-opacity-transition': AT_ONCE,
    },
  } as LayerSpecification // The types of MapLibre do not know spread expressions.
}

/** Replaces the features of a source. */
export const put = (map: MapLibre, id: 'bounds' | 'area' | typeof EVENTS, features: readonly Feature[]): void => {
  map.getSource<GeoJSONSource>(id)?.setData({ type: 'FeatureCollection', features: [...features] })
}

const featureOf = (geometry: Geometry, properties: object): Feature => ({
  type: 'Feature',
  geometry,
  properties: { ...properties },
})

/** Returns the events of a page, with what the tip tells of them. */
export const eventFeatures = ({ rows, series: known }: Pick<MapProps, 'rows' | 'series'>): Feature[] =>
  rows.filter(isEvent).flatMap(({ geometry, id, url, category, value, start, end, series, seriesName }) => {
    const color = known.get(series)?.color ?? ACCENT
    const told = { id, url, category, value, start, end, color, series: seriesName }
    return geometry === null ? [] : [featureOf(geometry, told)]
  })

/** Returns the bounds of series in their colours. */
export const boundsFeatures = (rows: readonly object[]): Feature[] =>
  rows.filter(isSeries).flatMap(({ spatial_bounds: bounds, color }) => {
    if (bounds === null || bounds === undefined) return []
    const { west, south, east, north } = bounds
    return [featureOf(rectangleOf([west, south, east, north]), { color })]
  })

/** Returns the cells of a summary. Empty if the rows are all events. */
export const cellFeatures = (summary: SummaryAnswer | null, rows: readonly object[]): Feature[] =>
  summary === null || summary.count <= rows.length
    ? []
    : summary.density.cells.map(([west, south, east, north, count]) =>
        featureOf(rectangleOf([west, south, east, north]), { count }),
      )

export const areaFeatures = (area: Geometry | null): Feature[] => (area === null ? [] : [featureOf(area, {})])
