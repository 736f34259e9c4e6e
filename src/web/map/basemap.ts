import type { ExpressionSpecification, GeoJSONSource, Map as MapLibre, StyleSpecification } from 'maplibre-gl'
import { formatCount } from '../state/format.ts'
import { isDark } from './dark.ts'

/** The names of files. build.ts adds a digest to them. */
declare const COARSE_WORLD_FILE: string
declare const WORLD_FILE: string

const COLORS = {
  light: {
    sea: '#e4ebf0',
    land: '#f8f7f4',
    border: '#d5d3cc',
    coast: '#bcc7ce',
    name: '#5b6670',
    stroke: '#ffffff',
    ring: '#11181f',
    cells: ['#bcd9f3', '#74aee6', '#3380cf', '#1757a0', '#0a2c5e'],
  },
  dark: {
    sea: '#10151a',
    land: '#1d242b',
    border: '#343e48',
    coast: '#3a4652',
    name: '#9aa7b3',
    stroke: '#10151a',
    ring: '#ffffff',
    cells: ['#1e3f5f', '#27629f', '#3b8bdb', '#83bdf6', '#dcedff'],
  },
}

/** Returns the base style in the variable MAP_STYLE. Null without one. */
const givenStyle = (): string | null =>
  JSON.parse(document.getElementById('context')?.textContent ?? '{}').mapStyle || null

/** Returns the base map. It needs no other host, unless MAP_STYLE names one. */
export const baseStyle = (): StyleSpecification | string => givenStyle() ?? ownStyle()

/** Returns the built-in style. The map also uses it if the style in MAP_STYLE cannot be loaded. */
export const ownStyle = (): StyleSpecification => {
  const { sea, land, border, coast } = colors()
  const of = (kind: string): ['==', ['get', 'kind'], string] => ['==', ['get', 'kind'], kind]
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

export const colors = () => (isDark.value ? COLORS.dark : COLORS.light)

/** Changes the colours of a map between light and dark, until `ended` aborts. */
export const followLight = (map: MapLibre, ended: AbortSignal): void => {
  const paintAll = () => {
    const { sea, land, border, coast } = colors()
    const paint = (layer: string, property: string, value: unknown) => {
      if (map.getLayer(layer) !== undefined) map.setPaintProperty(layer, property, value)
    }
    paint('sea', 'background-color', sea)
    paint('land', 'fill-color', land)
    paint('coast', 'line-color', coast)
    paint('border', 'line-color', border)
    for (const id of ['density', 'cells']) paint(id, 'fill-color', cellColor())
    for (const id of ['points', 'events']) paint(id, 'circle-stroke-color', strokeColor())
    paint('outside', 'fill-color', sea)
    for (const id of map.listImages()) if (id.startsWith(NAME)) map.updateImage(id, drawn(id.slice(NAME.length)))
  }
  ended.addEventListener('abort', isDark.subscribe(paintAll))
}

/** The colour of marks inside the drawn area, and of marks under the pointer. */
export const LIT = '#ff9f1c'

/** The least counts of the classes of cells. They do not depend on the data, so the first picture has its colours. */
const CLASSES = [1, 10, 100, 1000, 10_000] as const

/** Returns the colours of cells and their counts, such as 10–99. */
export const classes = (): (readonly [color: string, counts: string])[] =>
  CLASSES.map((from, i) => {
    const next = CLASSES[i + 1]
    const counts = next === undefined ? `${formatCount(from)}+` : `${formatCount(from)}–${formatCount(next - 1)}`
    return [colors().cells[i] ?? LIT, counts]
  })

/** The colour of a cell by its count. */
export const cellColor = (): ExpressionSpecification => {
  const [first = LIT, ...others] = colors().cells
  const steps = others.flatMap((color, i) => [CLASSES[i + 1] ?? 0, color])
  return ['case', stateIs('inside'), LIT, ['step', ['get', 'count'], first, ...steps]]
}

export const strokeColor = (): ExpressionSpecification => ['case', stateIs('pointed'), colors().ring, colors().stroke]

export const stateIs = (name: string): ExpressionSpecification => ['boolean', ['feature-state', name], false]

const NAME = 'name-'

/** Draws the names of countries as images. Text of MapLibre would need a server of glyphs. */
export const drawNames = (map: MapLibre): void => {
  map.on('styleimagemissing', ({ id }) => {
    if (id.startsWith(NAME) && !map.hasImage(id)) map.addImage(id, drawn(id.slice(NAME.length)), { pixelRatio: 2 })
  })
}

const [HEIGHT, MARGIN, FONT] = [34, 6, '500 22px system-ui, sans-serif']

const drawn = (name: string): ImageData => {
  const canvas = document.createElement('canvas')
  canvas.height = HEIGHT
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
