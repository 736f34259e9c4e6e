import { computed, signal } from '@preact/signals'
import type { ExpressionSpecification, GeoJSONSource, Map as MapLibre, StyleSpecification } from 'maplibre-gl'
import { language } from '../state/text.ts'

/** The names of files. build.ts adds a digest to them. */
declare const COARSE_WORLD_FILE: string
declare const WORLD_FILE: string

/**
 * The classes of cells, by their least counts. They do not depend on the data, so the first picture has its colours.
 */
export const CLASSES = [
  { from: 1, color: ['#bcd9f3', '#1e3f5f'] },
  { from: 10, color: ['#74aee6', '#27629f'] },
  { from: 100, color: ['#3380cf', '#3b8bdb'] },
  { from: 1000, color: ['#1757a0', '#83bdf6'] },
  { from: 10_000, color: ['#0a2c5e', '#dcedff'] },
] as const

const scheme = matchMedia('(prefers-color-scheme: dark)')
const isSchemeDark = signal(scheme.matches)
scheme.addEventListener('change', ({ matches }) => {
  isSchemeDark.value = matches
})

/** True while the browser prints. Paper is light. */
export const isOnPaper = signal(false)
addEventListener('beforeprint', () => {
  isOnPaper.value = true
})
addEventListener('afterprint', () => {
  isOnPaper.value = false
})
export const isDark = computed(() => isSchemeDark.value && !isOnPaper.value)

export const colorNow = ([light, dark]: readonly [string, string]): string => (isDark.value ? dark : light)

/** Returns an expression with another value while a state of the map is true. */
export const ifState = <T extends string | number>(state: 'dark' | 'cells', yes: T, no: T): ExpressionSpecification => [
  'case',
  ['boolean', ['global-state', state], false],
  yes,
  no,
]

/** Returns an expression with another value for the event under the pointer. */
export const ifPointed = <T extends number | ExpressionSpecification>(yes: T, no: T): ExpressionSpecification => [
  'case',
  ['boolean', ['feature-state', 'pointed'], false],
  yes,
  no,
]

const shaded = (light: string, dark: string): ExpressionSpecification => ifState('dark', dark, light)

const LAND = shaded('#f8f7f4', '#1d242b')
export const STROKE = ifPointed(shaded('#11181f', '#ffffff'), shaded('#ffffff', '#10151a'))

const [first, ...larger] = CLASSES.map(({ from, color: [light, dark] }) => [from, shaded(light, dark)] as const)
export const CELL_COLOR: ExpressionSpecification = ['step', ['get', 'count'], first?.[1] ?? '', ...larger.flat()]

/** Returns the base map. It needs no other host, unless the variable MAP_STYLE names one. */
export const baseStyle = (): StyleSpecification | string => {
  const context = JSON.parse(document.getElementById('context')?.textContent ?? '{}')
  return context.mapStyle || ownStyle()
}

/** Returns the built-in style. The map also uses it if the style in MAP_STYLE cannot be loaded. */
export const ownStyle = (): StyleSpecification => {
  const kindOf = (kind: string) => ({
    source: 'world',
    filter: ['==', ['get', 'kind'], kind] as ['==', ['get', string], string],
  })
  return {
    version: 8,
    // The copy for paper has the new colours at once.
    transition: { duration: 0, delay: 0 },
    sources: {
      world: {
        type: 'geojson',
        data: { type: 'FeatureCollection', features: [] },
        tolerance: 0.2,
        attribution: 'Natural Earth',
      },
    },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': shaded('#e4ebf0', '#10151a') } },
      { id: 'land', type: 'fill', ...kindOf('land'), paint: { 'fill-color': LAND } },
      {
        id: 'coast',
        type: 'line',
        ...kindOf('land'),
        paint: { 'line-color': shaded('#bcc7ce', '#3a4652'), 'line-width': 0.8 },
      },
      {
        id: 'border',
        type: 'line',
        ...kindOf('border'),
        paint: { 'line-color': shaded('#d5d3cc', '#343e48'), 'line-width': 0.8 },
      },
      {
        id: 'name',
        type: 'symbol',
        ...kindOf('name'),
        minzoom: 1,
        // Without an address of glyphs, MapLibre draws text with the fonts of the reader.
        layout: {
          'text-field': ['coalesce', ['get', language.value], ['get', 'en']],
          'text-font': ['system-ui'],
          'text-size': 11,
          'text-padding': 8,
          'symbol-sort-key': ['get', 'rank'],
        },
        paint: { 'text-color': shaded('#5b6670', '#9aa7b3'), 'text-halo-color': LAND, 'text-halo-width': 1.25 },
      },
    ],
  }
}

/** Below this zoom level, the coarse world looks like the detailed one. */
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
