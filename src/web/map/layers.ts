import type { ExpressionSpecification, LayerSpecification, Map as MapLibre } from 'maplibre-gl'
import { cellColor, colors, LIT, ringColor } from './basemap.ts'
import { SOURCES } from './sources.ts'
import { MAX_ZOOM, type Tiles } from './tiles.ts'

export const ACCENT = '#0b6bcb'

/** The source of vector tiles, and its layers in the map. */
export const TILES = 'tiles'
export const CELLS = 'cells'
export const POINTS = 'points'

export const addLayers = (map: MapLibre): void => {
  for (const id of SOURCES) map.addSource(id, { type: 'geojson', data: { type: 'FeatureCollection', features: [] } })
  map.addSource('events', {
    type: 'geojson',
    data: { type: 'FeatureCollection', features: [] },
    promoteId: 'id',
  })
  for (const layer of layersOf()) map.addLayer(layer)
}

/** Replaces the tiles under the rows of the page. Null removes them. */
export const showTiles = (map: MapLibre, tiles: Tiles | null): void => {
  for (const id of [POINTS, CELLS]) if (map.getLayer(id) !== undefined) map.removeLayer(id)
  if (map.getSource(TILES) !== undefined) map.removeSource(TILES)
  if (tiles === null) return
  map.addSource(TILES, { type: 'vector', tiles: [tiles.pinned], minzoom: 0, maxzoom: MAX_ZOOM })
  // The names of countries stay legible above cells.
  const names = map.getLayer('name') === undefined ? 'bounds-fill' : 'name'
  for (const layer of tileLayers()) map.addLayer(layer, layer.id === CELLS ? names : 'bounds-fill')
}

const state = (name: string): ExpressionSpecification => ['boolean', ['feature-state', name], false]

const tileLayers = (): LayerSpecification[] => [
  {
    id: CELLS,
    type: 'fill',
    source: TILES,
    'source-layer': 'cells',
    paint: {
      'fill-color': cellColor(colors().density),
      // The legend sets the opacity when it knows the counts in view. Until then, cells are invisible.
      'fill-opacity': 0,
      'fill-antialias': false,
    },
  },
  {
    id: POINTS,
    type: 'circle',
    source: TILES,
    'source-layer': 'events',
    paint: {
      'circle-color': ['case', state('inside'), LIT, ['to-color', ['get', 'color'], ACCENT]],
      'circle-radius': ['interpolate', ['linear'], ['zoom'], 0, 2.2, 6, 3.2, 14, 5.5],
      'circle-stroke-color': '#fff',
      'circle-stroke-width': ['interpolate', ['linear'], ['zoom'], 0, 0.3, 8, 0.8],
    },
  },
]

/** The opacity of cells below the first count, below the second count, and from the second count on. */
export const OPACITIES = [0.22, 0.48, 0.78] as const

export const opacityBy = ([first, second]: readonly [number, number]): ExpressionSpecification => [
  'step',
  ['get', 'count'],
  OPACITIES[0],
  first,
  OPACITIES[1],
  second,
  OPACITIES[2],
]

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
  { id: 'bounds', type: 'line', source: 'bounds', paint: { 'line-color': ['get', 'color'], 'line-width': 2 } },
  { id: 'area-fill', type: 'fill', source: 'area', paint: { 'fill-color': ACCENT, 'fill-opacity': 0.08 } },
  { id: 'area', type: 'line', source: 'area', paint: { 'line-color': ACCENT, 'line-width': 2 } },
  {
    id: 'events',
    type: 'circle',
    source: 'events',
    paint: {
      'circle-color': ['case', state('inside'), LIT, ['get', 'color']],
      'circle-radius': ['case', state('pointed'), 10, 6.5],
      'circle-stroke-color': ringColor(colors().ring),
      'circle-stroke-width': ['case', state('pointed'), 4, 2.5],
    },
  },
]
