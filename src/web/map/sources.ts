import type { Feature, Geometry } from 'geojson'
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

/** Returns the cells of a summary. Opacity grows with the logarithm of the count. Empty if the map shows all events. */
export const densityFeatures = (summary: SummaryAnswer | null, shown: number): Feature[] => {
  if (summary === null || summary.count <= shown) return []
  const { cells } = summary.density
  const greatest = Math.log1p(cells.reduce((most, [, , , , count]) => Math.max(most, count), 1))
  return cells.map(([west, south, east, north, count]) => ({
    type: 'Feature',
    geometry: rectangleOf([west, south, east, north]),
    properties: { opacity: 0.08 + 0.5 * (Math.log1p(count) / greatest) },
  }))
}
