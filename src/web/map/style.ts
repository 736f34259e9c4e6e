import { computed, signal } from '@preact/signals'
import type { ExpressionSpecification, GeoJSONSource, Map as MapLibre, StyleSpecification } from 'maplibre-gl'
import { language } from '../state/text.ts'
import { COLORS, GREY } from '../time/bars.ts'
import type { DotClass, DotColumn } from './dots.ts'

/** The names of files. build.ts adds a digest to them. */
declare const COARSE_WORLD_FILE: string
declare const WORLD_FILE: string

/**
 * The classes of counts, by their least. They do not depend on the data, so the first picture has its colours. Dots show
 * numbers in the same five colours.
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

/** Returns the colour of a class of dots: on the scale of numbers, or one of those for texts. */
export const colorOf = (column: DotColumn, found: DotClass | undefined): string => {
  if (column.statistic === null) return COLORS[found?.color ?? -1] ?? GREY
  const pair = CLASSES[found?.color ?? -1]?.color
  return pair === undefined ? GREY : colorNow(pair)
}

/** Returns an expression with another value for the event under the pointer. */
export const ifPointed = <T extends number | ExpressionSpecification>(yes: T, no: T): ExpressionSpecification => [
  'case',
  ['boolean', ['feature-state', 'pointed'], false],
  yes,
  no,
]

const shaded = (light: string, dark: string): ExpressionSpecification => [
  'case',
  ['boolean', ['global-state', 'dark'], false],
  dark,
  light,
]

const LAND = shaded('#f8f7f4', '#1d242b')
export const INK = shaded('#1b2229', '#e6ebef')
export const HALO = shaded('#ffffff', '#10151a')
export const STROKE = ifPointed(shaded('#11181f', '#ffffff'), shaded('#ffffff', '#10151a'))

/** The part of the scale of densities that a count has. */
const DENSITY = [0.2, 0.4, 0.6, 0.8, 1] as const

/** Returns how much the events around a place add to the density: 0.2 for one event, and 1 for 10,000. */
export const weightOf = (count: number): number => Math.min(1, (Math.log10(count) + 1) / CLASSES.length)

/** Returns the colours of densities. A place without events is transparent. */
export const densityColors = (): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['heatmap-density'],
  0.05,
  `${colorNow(CLASSES[0].color)}00`,
  ...CLASSES.flatMap(({ color }, i) => [DENSITY[i] ?? 1, colorNow(color)]),
]

/** The address of the style in the variable MAP_STYLE. It is empty for the built-in map. */
export const styleAddress: string = JSON.parse(document.getElementById('context')?.textContent ?? '{}').mapStyle ?? ''

/** Returns who made the base map, if its style does not say so. */
export const creditOf = (style: string): readonly string[] =>
  style.startsWith('https://api.pdok.nl/') ? ['© Kadaster'] : []

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
