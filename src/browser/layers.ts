import type { Feature, FeatureCollection, Geometry } from 'geojson'
import type { GeoJSONSource, LayerSpecification, Map as MapLibre } from 'maplibre-gl'
import { colors } from './basemap.ts'
import { polygonOf } from './geometry.ts'
import type { SeriesById, Summary } from './known.ts'
import { type EventFeature, isEvent, isSeries, type Series } from './rows.ts'

export const ACCENT = '#0b6bcb'
const NOTHING: FeatureCollection = { type: 'FeatureCollection', features: [] }

/** What lies on the map, one source each, from below. */
const SOURCES = ['density', 'bounds', 'area', 'events'] as const
type Source = (typeof SOURCES)[number]

/** Beyond this zoom events are not drawn as one. */
export const CLUSTER_ZOOM = 13

export const addLayers = (map: MapLibre): void => {
  for (const id of SOURCES)
    map.addSource(id, {
      type: 'geojson',
      data: NOTHING,
      ...(id === 'events' ? { cluster: true, clusterRadius: 36, clusterMaxZoom: CLUSTER_ZOOM } : {}),
    })
  for (const layer of layersOf()) map.addLayer(layer)
}

const layersOf = (): LayerSpecification[] => [
  {
    id: 'density',
    type: 'fill',
    source: 'density',
    paint: { 'fill-color': colors().density, 'fill-opacity': ['get', 'opacity'], 'fill-antialias': false },
  },
  {
    id: 'bounds-fill',
    type: 'fill',
    source: 'bounds',
    paint: { 'fill-color': ['get', 'color'], 'fill-opacity': 0.07 },
  },
  {
    id: 'bounds',
    type: 'line',
    source: 'bounds',
    paint: { 'line-color': ['get', 'color'], 'line-width': 2 },
  },
  { id: 'area-fill', type: 'fill', source: 'area', paint: { 'fill-color': ACCENT, 'fill-opacity': 0.08 } },
  { id: 'area', type: 'line', source: 'area', paint: { 'line-color': ACCENT, 'line-width': 2 } },
  {
    id: 'clusters',
    type: 'circle',
    source: 'events',
    filter: ['has', 'point_count'],
    paint: {
      'circle-color': ACCENT,
      'circle-radius': ['interpolate', ['linear'], ['sqrt', ['get', 'point_count']], 1, 11, 10, 17, 100, 30],
      'circle-stroke-color': '#fff',
      'circle-stroke-width': 1.5,
    },
  },
  {
    id: 'counts',
    type: 'symbol',
    source: 'events',
    filter: ['has', 'point_count'],
    layout: {
      'icon-image': ['concat', 'count-', ['get', 'point_count_abbreviated']],
      'icon-allow-overlap': true,
      'icon-ignore-placement': true,
    },
  },
  {
    id: 'events',
    type: 'circle',
    source: 'events',
    filter: ['!', ['has', 'point_count']],
    paint: {
      'circle-color': ['get', 'color'],
      'circle-radius': 6,
      'circle-stroke-color': '#fff',
      'circle-stroke-width': 1.5,
    },
  },
]

/** Puts features into a source of the map. */
export const put = (map: MapLibre, id: Source, features: readonly Feature[]): void => {
  map.getSource<GeoJSONSource>(id)?.setData({ type: 'FeatureCollection', features: [...features] })
}

/** The events of a page with the colours of their series. */
export const eventFeatures = (rows: readonly object[], series: SeriesById): Feature[] =>
  rows.filter(isEvent).flatMap((event) => (event.geometry === null ? [] : [coloured(event, series)]))

const coloured = ({ id, geometry, properties }: EventFeature, series: SeriesById): Feature => ({
  type: 'Feature',
  geometry: geometry as Geometry,
  properties: { id, color: series.get(properties.event_series)?.color ?? ACCENT },
})

/** The bounds of series, in their colours. */
export const boundsFeatures = (rows: readonly object[]): Feature[] =>
  rows.filter(isSeries).flatMap(({ spatial_bounds: bounds, color }: Series) => {
    if (bounds === null || bounds === undefined) return []
    const { west, south, east, north } = bounds
    return [{ type: 'Feature', geometry: polygonOf([west, south, east, north]), properties: { color } }]
  })

/** The cells of a summary, the more opaque the more events lie in one, by its logarithm; none where all events are shown. */
export const densityFeatures = (summary: Summary | null, shown: number): Feature[] => {
  if (summary === null || summary.count <= shown) return []
  const { cells } = summary.density
  const greatest = Math.log1p(cells.reduce((most, [, , , , count]) => Math.max(most, count), 1))
  return cells.map(([west, south, east, north, count]) => ({
    type: 'Feature',
    geometry: polygonOf([west, south, east, north]),
    properties: { opacity: 0.08 + 0.5 * (Math.log1p(count) / greatest) },
  }))
}
