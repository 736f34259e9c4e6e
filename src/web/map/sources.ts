import type { Feature, Geometry, Position } from 'geojson'
import type { GeoJSONSource, Map as MapLibre } from 'maplibre-gl'
import { rectangleOf } from '../../geometry/bbox.ts'
import { type EventItem, isEvent } from '../state/event.ts'
import type { SeriesById, SummaryAnswer } from '../state/known.ts'
import { isSeries, type Series } from '../state/rows.ts'

/** The sources of the page on the map, from bottom to top. The rows of the page are above them. */
export const SOURCES = ['density', 'bounds', 'area'] as const
type Source = (typeof SOURCES)[number] | 'events'

/** Replaces the features of a source. */
export const put = (map: MapLibre, id: Source, features: readonly Feature[]): void => {
  map.getSource<GeoJSONSource>(id)?.setData({ type: 'FeatureCollection', features: [...features] })
}

/** Returns the events of a page in the colours of their series. */
export const eventFeatures = (rows: readonly object[], series: SeriesById): Feature[] =>
  rows.filter(isEvent).flatMap((event) => (event.geometry === null ? [] : [coloured(event, series)]))

const coloured = ({ id, geometry, series: key }: EventItem, series: SeriesById): Feature => ({
  type: 'Feature',
  id,
  geometry: geometry as Geometry,
  properties: { id, color: series.get(key)?.color ?? '#0b6bcb' },
})

/** Returns the bounds of series in their colours. */
export const boundsFeatures = (rows: readonly object[]): Feature[] =>
  rows.filter(isSeries).flatMap(({ spatial_bounds: bounds, color }: Series) => {
    if (bounds === null || bounds === undefined) return []
    const { west, south, east, north } = bounds
    return [{ type: 'Feature', geometry: rectangleOf([west, south, east, north]), properties: { color } }]
  })

/** Returns the cells of a summary. Empty if the rows are all events. */
export const densityFeatures = (summary: SummaryAnswer | null, rows: number): Feature[] => {
  if (summary === null || summary.count <= rows) return []
  return summary.density.cells.map(([west, south, east, north, count]) => ({
    type: 'Feature',
    geometry: rectangleOf([west, south, east, north]),
    properties: { count },
  }))
}

const WORLD: Position[] = rectangleOf([-180, -90, 180, 90]).coordinates[0] ?? []

/** Returns the drawn area, and the world outside of it. Cells of counts reach beyond the area. */
export const areaFeatures = (area: Geometry): Feature[] => {
  const polygons = area.type === 'Polygon' ? [area.coordinates] : area.type === 'MultiPolygon' ? area.coordinates : []
  const outer = polygons.flatMap(([ring]) => (ring === undefined ? [] : [ring]))
  const holes = polygons.flatMap(([, ...rings]) => rings.map((ring) => [ring]))
  const outside = outer.length === 0 ? [] : [[WORLD, ...outer], ...holes]
  return [
    { type: 'Feature', geometry: area, properties: {} },
    ...outside.map(
      (coordinates): Feature => ({
        type: 'Feature',
        geometry: { type: 'Polygon', coordinates },
        properties: { outside: true },
      }),
    ),
  ]
}
