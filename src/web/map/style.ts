import { signal } from '@preact/signals'
import type { ExpressionSpecification, GeoJSONSource, Map as MapLibre, StyleSpecification } from 'maplibre-gl'

/** The names of files. build.ts adds a digest to them. */
declare const COARSE_WORLD_FILE: string
declare const WORLD_FILE: string

const LIGHT = {
  sea: '#e4ebf0',
  land: '#f8f7f4',
  border: '#d5d3cc',
  coast: '#bcc7ce',
  name: '#5b6670',
  stroke: '#ffffff',
  ring: '#11181f',
  cells: ['#bcd9f3', '#74aee6', '#3380cf', '#1757a0', '#0a2c5e'],
}
const DARK: typeof LIGHT = {
  sea: '#10151a',
  land: '#1d242b',
  border: '#343e48',
  coast: '#3a4652',
  name: '#9aa7b3',
  stroke: '#10151a',
  ring: '#ffffff',
  cells: ['#1e3f5f', '#27629f', '#3b8bdb', '#83bdf6', '#dcedff'],
}

const scheme = matchMedia('(prefers-color-scheme: dark)')
const isDark = signal(scheme.matches)
scheme.addEventListener('change', ({ matches }) => {
  isDark.value = matches
})
// Paper is light. This comes before the map prepares for paper.
addEventListener('beforeprint', () => {
  isDark.value = false
})
addEventListener('afterprint', () => {
  isDark.value = scheme.matches
})

/** The least counts of the classes of cells. They do not depend on the data, so the first picture has its colours. */
export const CLASSES = [1, 10, 100, 1000, 10_000] as const

export const cellColors = (): readonly string[] => (isDark.value ? DARK : LIGHT).cells

/** The source of all events, and its layers. `EVENTS` has those of the page, which are above the others. */
export const TILES = 'tiles'
export const CELLS = 'cells'
export const POINTS = 'points'
export const EVENTS = 'events'

/** Returns one of two values for the event under the pointer and for all others. */
export const whenPointed = <T extends string | number>(pointed: T, other: T): ExpressionSpecification => [
  'case',
  ['boolean', ['feature-state', 'pointed'], false],
  pointed,
  other,
]

/** Returns the paint that is different in the dark, by layer. */
export const paints = () => {
  const { sea, land, coast, border, name, stroke, ring, cells } = isDark.value ? DARK : LIGHT
  const [first = '', ...others] = cells
  const steps = others.flatMap((color, i) => [CLASSES[i + 1] ?? 0, color])
  const circle = { 'circle-stroke-color': whenPointed(ring, stroke) }
  return {
    sea: { 'background-color': sea },
    land: { 'fill-color': land },
    coast: { 'line-color': coast },
    border: { 'line-color': border },
    name: { 'text-color': name, 'text-halo-color': land },
    [CELLS]: { 'fill-color': ['step', ['get', 'count'], first, ...steps] as ExpressionSpecification },
    [POINTS]: circle,
    [EVENTS]: circle,
  }
}

/** Changes the colours of a map between light and dark, until `ended` aborts. */
export const followLight = (map: MapLibre, ended: AbortSignal): void => {
  const paintAll = () => {
    for (const [layer, paint] of Object.entries(paints()))
      for (const [property, value] of Object.entries(paint))
        if (map.getLayer(layer) !== undefined) map.setPaintProperty(layer, property, value)
  }
  ended.addEventListener('abort', isDark.subscribe(paintAll))
}

/** Returns the base map. It needs no other host, unless the variable MAP_STYLE names one. */
export const baseStyle = (): StyleSpecification | string => {
  const context = JSON.parse(document.getElementById('context')?.textContent ?? '{}')
  return context.mapStyle || ownStyle()
}

/** Returns the built-in style. The map also uses it if the style in MAP_STYLE cannot be loaded. */
export const ownStyle = (): StyleSpecification => {
  const { sea, land, coast, border, name } = paints()
  const kindIs = (kind: string): ['==', ['get', 'kind'], string] => ['==', ['get', 'kind'], kind]
  const data = { type: 'FeatureCollection' as const, features: [] }
  return {
    version: 8,
    // The copy for paper has the new colours at once.
    transition: { duration: 0, delay: 0 },
    sources: { world: { type: 'geojson', data, tolerance: 0.2, attribution: 'Natural Earth' } },
    layers: [
      { id: 'sea', type: 'background', paint: sea },
      { id: 'land', type: 'fill', source: 'world', filter: kindIs('land'), paint: land },
      { id: 'coast', type: 'line', source: 'world', filter: kindIs('land'), paint: { ...coast, 'line-width': 0.8 } },
      {
        id: 'border',
        type: 'line',
        source: 'world',
        filter: kindIs('border'),
        paint: { ...border, 'line-width': 0.8 },
      },
      {
        id: 'name',
        type: 'symbol',
        source: 'world',
        filter: kindIs('name'),
        minzoom: 1,
        // Without an address of glyphs, MapLibre draws text with the fonts of the reader.
        layout: {
          'text-field': ['get', 'name'],
          'text-font': ['system-ui'],
          'text-size': 11,
          'text-padding': 8,
          'symbol-sort-key': ['get', 'rank'],
        },
        paint: { ...name, 'text-halo-width': 1.25 },
      },
    ],
  }
}

/** Below this zoom level, the coarse world differs from the detailed one by less than two pixels. */
const DETAILED_ZOOM = 2.5

/** Loads the land of the built-in style: the coarse world, and the detailed one when the user zooms in. */
export const loadLand = (map: MapLibre, prefix: string): void => {
  let loaded = ''
  const look = () => {
    const file = loaded === WORLD_FILE || map.getZoom() >= DETAILED_ZOOM ? WORLD_FILE : COARSE_WORLD_FILE
    if (file !== loaded) map.getSource<GeoJSONSource>('world')?.setData(`${location.origin}${prefix}/${file}`)
    loaded = file
  }
  look()
  map.on('zoomend', look)
}
