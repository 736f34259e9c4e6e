import type { LayerSpecification, Map as MapLibre } from 'maplibre-gl'
import { cellColor, colors, LIT, stateIs, strokeColor } from './basemap.ts'
import { SOURCES } from './sources.ts'
import { MAX_ZOOM, type Tiles } from './tiles.ts'

export const ACCENT = '#0b6bcb'

/** The source of vector tiles, and its layers in the map. */
export const TILES = 'tiles'
export const CELLS = 'cells'
export const POINTS = 'points'
/** The events of the page. */
export const EVENTS = 'events'

/** A view has one kind of marks: cells with counts, or events one by one. */
export type Marks = 'cells' | 'points'

export const addLayers = (map: MapLibre): void => {
  const data = { type: 'FeatureCollection', features: [] } as const
  for (const id of SOURCES) map.addSource(id, { type: 'geojson', data: { ...data, features: [] } })
  map.addSource(EVENTS, { type: 'geojson', data: { ...data, features: [] }, promoteId: 'id' })
  // The names of countries stay legible above cells.
  const names = map.getLayer('name') === undefined ? undefined : 'name'
  for (const layer of layersOf())
    map.addLayer(layer, layer.id === 'density' || layer.id === 'outside' ? names : undefined)
}

/** Replaces the tiles. Null removes them. */
export const showTiles = (map: MapLibre, tiles: Tiles | null): void => {
  for (const id of [POINTS, CELLS]) if (map.getLayer(id) !== undefined) map.removeLayer(id)
  if (map.getSource(TILES) !== undefined) map.removeSource(TILES)
  if (tiles === null) return
  map.addSource(TILES, { type: 'vector', tiles: [tiles.loaded], minzoom: 0, maxzoom: MAX_ZOOM })
  map.addLayer(CELL_LAYER(), 'outside')
  map.addLayer({ ...POINT_LAYER(), id: POINTS, source: TILES, 'source-layer': 'events' }, EVENTS)
}

/** Shows one kind of marks. The other kind stays loaded, so that a change needs no request. */
export const showMarks = (map: MapLibre, marks: Marks, hasTiles: boolean): void => {
  const paint = (id: string, property: string, value: unknown) => {
    if (map.getLayer(id) !== undefined) map.setPaintProperty(id, property, value)
  }
  const isCells = marks === 'cells'
  for (const id of [CELLS, 'density']) paint(id, 'fill-opacity', isCells ? CELL_OPACITY : 0)
  paint('outside', 'fill-opacity', isCells ? 0.6 : 0)
  for (const property of ['circle-opacity', 'circle-stroke-opacity']) {
    paint(POINTS, property, isCells ? 0 : 1)
    // Tiles show the events of the page like all others.
    paint(EVENTS, property, isCells || hasTiles ? ['case', stateIs('pointed'), 1, 0] : 1)
  }
}

export const CELL_OPACITY = 0.85

const AT_ONCE = { duration: 0 }

const CELL_PAINT = () => ({
  'fill-color': cellColor(),
  'fill-opacity': CELL_OPACITY,
  'fill-opacity-transition': AT_ONCE,
  'fill-antialias': false,
})

const CELL_LAYER = (): LayerSpecification => ({
  id: CELLS,
  type: 'fill',
  source: TILES,
  'source-layer': 'cells',
  paint: CELL_PAINT(),
})

/** Events have the same mark everywhere. It is larger under the pointer. */
const POINT_LAYER = () => ({
  type: 'circle' as const,
  paint: {
    'circle-color': ['case', stateIs('inside'), LIT, ['to-color', ['get', 'color'], ACCENT]],
    'circle-radius': [
      'interpolate',
      ['linear'],
      ['zoom'],
      0,
      ['case', stateIs('pointed'), 6, 3.2],
      6,
      ['case', stateIs('pointed'), 7.5, 4.2],
      14,
      ['case', stateIs('pointed'), 9, 6],
    ],
    'circle-stroke-color': strokeColor(),
    'circle-stroke-width': ['case', stateIs('pointed'), 2, 0.7],
    'circle-opacity': 0,
    'circle-stroke-opacity': 0,
    'circle-opacity-transition': AT_ONCE,
    'circle-stroke-opacity-transition': AT_ONCE,
  } as never, // The types of MapLibre do not know spread expressions.
})

const layersOf = (): LayerSpecification[] => [
  { id: 'density', type: 'fill', source: 'density', paint: CELL_PAINT() },
  {
    id: 'outside',
    type: 'fill',
    source: 'area',
    filter: ['has', 'outside'],
    paint: { 'fill-color': colors().sea, 'fill-opacity': 0, 'fill-opacity-transition': AT_ONCE },
  },
  {
    id: 'bounds-fill',
    type: 'fill',
    source: 'bounds',
    paint: { 'fill-color': ['get', 'color'], 'fill-opacity': 0.07 },
  },
  { id: 'bounds', type: 'line', source: 'bounds', paint: { 'line-color': ['get', 'color'], 'line-width': 2 } },
  ...AREA_LAYERS,
  { ...POINT_LAYER(), id: EVENTS, source: EVENTS },
]

const IS_AREA: ['!', ['has', string]] = ['!', ['has', 'outside']]
const AREA_LAYERS: LayerSpecification[] = [
  {
    id: 'area-fill',
    type: 'fill',
    source: 'area',
    filter: IS_AREA,
    paint: { 'fill-color': ACCENT, 'fill-opacity': 0.08 },
  },
  { id: 'area', type: 'line', source: 'area', filter: IS_AREA, paint: { 'line-color': ACCENT, 'line-width': 2 } },
]
