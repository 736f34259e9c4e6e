import type * as maplibre from 'maplibre-gl'

export type Library = typeof maplibre

/** The name of a file. build.ts adds the version to it. */
declare const MAPLIBRE_FILE: string

declare global {
  interface Window {
    maplibregl?: Library
  }
}

/** Tests if MapLibre has loaded. */
export const isLoaded = (): boolean => window.maplibregl !== undefined

let loading: Promise<unknown> | null = null

/** Loads MapLibre and its styles once. After a failure, the next call tries again. */
export const loadMapLibre = async (prefix: string): Promise<Library> => {
  loading ??= Promise.all([
    loaded('link', { rel: 'stylesheet', href: `${prefix}/assets/map.css` }),
    loaded('script', { src: `${prefix}/${MAPLIBRE_FILE}` }),
  ])
  await loading.catch(() => {
    loading = null
  })
  if (window.maplibregl === undefined) throw new Error('no MapLibre')
  // The workers start while the page makes the map.
  window.maplibregl.prewarm()
  return window.maplibregl
}

const loaded = (tag: 'link' | 'script', properties: Readonly<Record<string, string>>): Promise<void> =>
  new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(tag), properties)
    element.addEventListener('load', () => resolve())
    element.addEventListener('error', () => reject(new Error('not loaded')))
    document.head.append(element)
  })
