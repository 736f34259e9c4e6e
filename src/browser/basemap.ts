import type * as maplibre from 'maplibre-gl'
import type { Map as MapLibre, StyleSpecification } from 'maplibre-gl'
import { h } from './dom.ts'

/** Names of the files that build.ts keeps by their content or version. */
declare const MAPLIBRE_FILE: string
declare const WORLD_FILE: string

declare global {
  interface Window {
    maplibregl?: typeof maplibre
  }
}

/** MapLibre and its styles, loaded at the first call. */
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
  light: { sea: '#e4ebf0', land: '#f8f7f4', border: '#d5d3cc', coast: '#bcc7ce', density: '#0b6bcb' },
  dark: { sea: '#10151a', land: '#1d242b', border: '#343e48', coast: '#3a4652', density: '#5fb0ff' },
}

const isDark = matchMedia('(prefers-color-scheme: dark)')

/** The land and the borders of countries, without labels: none are needed, and no other host is asked. */
export const baseStyle = (prefix: string): StyleSpecification => {
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
    ],
  }
}

export const colors = () => (isDark.matches ? COLORS.dark : COLORS.light)

/** Colours a map anew when the light changes. */
export const followLight = (map: MapLibre): void =>
  isDark.addEventListener('change', () => {
    const { sea, land, border, coast, density } = colors()
    map.setPaintProperty('sea', 'background-color', sea)
    map.setPaintProperty('land', 'fill-color', land)
    map.setPaintProperty('coast', 'line-color', coast)
    map.setPaintProperty('border', 'line-color', border)
    map.setPaintProperty('density', 'fill-color', density)
  })

/** Numbers on clusters are drawn here as pictures: a map's own letters would need a server of glyphs. */
export const drawCounts = (map: MapLibre): void => {
  map.on('styleimagemissing', ({ id }) => {
    const text = /^count-(.+)$/.exec(id)?.[1]
    if (text === undefined || map.hasImage(id)) return
    const canvas = h('canvas', { width: 96, height: 40 })
    const context = canvas.getContext('2d', { willReadFrequently: true })
    if (context === null) return
    context.font = '600 24px system-ui, sans-serif'
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.fillStyle = '#fff'
    context.fillText(text, 48, 21)
    map.addImage(id, context.getImageData(0, 0, 96, 40), { pixelRatio: 2 })
  })
}
