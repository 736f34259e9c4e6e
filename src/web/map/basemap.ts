import type * as maplibre from 'maplibre-gl'
import type { ExpressionSpecification, Map as MapLibre, StyleSpecification } from 'maplibre-gl'
import { h } from '../app/dom.ts'

/** The names of two files. build.ts adds a version or a digest to the names. */
declare const MAPLIBRE_FILE: string
declare const WORLD_FILE: string

declare global {
  interface Window {
    maplibregl?: typeof maplibre
  }
}

/** Loads MapLibre and its styles at the first call. */
export const loadMapLibre = async (prefix: string): Promise<typeof maplibre> => {
  if (window.maplibregl === undefined)
    await Promise.all([
      loaded(h('link', { rel: 'stylesheet', href: `${prefix}/assets/map.css` })),
      loaded(h('script', { src: `${prefix}/${MAPLIBRE_FILE}` })),
    ])
  if (window.maplibregl === undefined) throw new Error('no MapLibre')
  return window.maplibregl
}

const loaded = (element: HTMLElement): Promise<void> =>
  new Promise((resolve, reject) => {
    element.addEventListener('load', () => resolve())
    element.addEventListener('error', () => reject(new Error('not loaded')))
    document.head.append(element)
  })

const COLORS = {
  light: {
    sea: '#e4ebf0',
    land: '#f8f7f4',
    border: '#d5d3cc',
    coast: '#bcc7ce',
    density: '#0b6bcb',
    ring: '#11181f',
    name: '#5b6670',
  },
  dark: {
    sea: '#10151a',
    land: '#1d242b',
    border: '#343e48',
    coast: '#3a4652',
    density: '#5fb0ff',
    ring: '#ffffff',
    name: '#9aa7b3',
  },
}

const isDark = matchMedia('(prefers-color-scheme: dark)')

/** Returns the base style in the variable MAP_STYLE. Null without one. */
const givenStyle = (): string | null =>
  JSON.parse(document.getElementById('context')?.textContent ?? '{}').mapStyle || null

/** Returns the base map. It needs no other host, unless MAP_STYLE names one. */
export const baseStyle = (prefix: string): StyleSpecification | string => givenStyle() ?? ownStyle(prefix)

/** Returns the built-in style. The map also uses it if the style in MAP_STYLE cannot be loaded. */
export const ownStyle = (prefix: string): StyleSpecification => {
  const { sea, land, border, coast } = colors()
  const of = (kind: string): ['==', ['get', 'kind'], string] => ['==', ['get', 'kind'], kind]
  return {
    version: 8,
    sources: { world: { type: 'geojson', data: `${location.origin}${prefix}/${WORLD_FILE}`, tolerance: 0.2 } },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': sea } },
      { id: 'land', type: 'fill', source: 'world', filter: of('land'), paint: { 'fill-color': land } },
      {
        id: 'coast',
        type: 'line',
        source: 'world',
        filter: of('land'),
        paint: { 'line-color': coast, 'line-width': 0.8 },
      },
      {
        id: 'border',
        type: 'line',
        source: 'world',
        filter: of('border'),
        paint: { 'line-color': border, 'line-width': 0.8 },
      },
      {
        id: 'name',
        type: 'symbol',
        source: 'world',
        filter: of('name'),
        minzoom: 1,
        layout: {
          'icon-image': ['concat', NAME, ['get', 'name']],
          'symbol-sort-key': ['get', 'rank'],
          'icon-padding': 8,
        },
      },
    ],
  }
}

export const colors = () => (isDark.matches ? COLORS.dark : COLORS.light)

/** Changes the colours of a map between light and dark, until `ended` aborts. */
export const followLight = (map: MapLibre, ended: AbortSignal): void => {
  const paintAll = () => {
    const { sea, land, border, coast, density, ring } = colors()
    const paint = (layer: string, property: string, value: unknown) => {
      if (map.getLayer(layer) !== undefined) map.setPaintProperty(layer, property, value)
    }
    paint('sea', 'background-color', sea)
    paint('land', 'fill-color', land)
    paint('coast', 'line-color', coast)
    paint('border', 'line-color', border)
    paint('density', 'fill-color', density)
    paint('cells', 'fill-color', cellColor(density))
    paint('events', 'circle-stroke-color', ringColor(ring))
    for (const id of map.listImages()) if (id.startsWith(NAME)) map.updateImage(id, drawn(id.slice(NAME.length)))
  }
  isDark.addEventListener('change', paintAll, { signal: ended })
}

/** The colour of marks inside the drawn area, and of marks under the pointer. */
export const LIT = '#ff9f1c'

const isIn = (state: string): ExpressionSpecification => ['boolean', ['feature-state', state], false]
export const cellColor = (color: string): ExpressionSpecification => ['case', isIn('inside'), LIT, color]
export const ringColor = (color: string): ExpressionSpecification => ['case', isIn('pointed'), LIT, color]

const NAME = 'name-'

/** Draws the names of countries as images. Text of MapLibre would need a server of glyphs. */
export const drawNames = (map: MapLibre): void => {
  map.on('styleimagemissing', ({ id }) => {
    if (id.startsWith(NAME) && !map.hasImage(id)) map.addImage(id, drawn(id.slice(NAME.length)), { pixelRatio: 2 })
  })
}

const [HEIGHT, MARGIN, FONT] = [34, 6, '500 22px system-ui, sans-serif']

const drawn = (name: string): ImageData => {
  const canvas = h('canvas', { height: HEIGHT })
  const context = canvas.getContext('2d', { willReadFrequently: true }) as CanvasRenderingContext2D
  context.font = FONT
  canvas.width = Math.ceil(context.measureText(name).width) + 2 * MARGIN
  // Resizing a canvas resets its font.
  context.font = FONT
  context.textBaseline = 'middle'
  context.lineJoin = 'round'
  context.lineWidth = 5
  context.strokeStyle = colors().land
  context.fillStyle = colors().name
  context.strokeText(name, MARGIN, HEIGHT / 2)
  context.fillText(name, MARGIN, HEIGHT / 2)
  return context.getImageData(0, 0, canvas.width, HEIGHT)
}
