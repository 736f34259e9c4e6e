import type { Map as MapLibre, RequestParameters, ResourceType, VectorTileSource } from 'maplibre-gl'
import { type AddressParameter, isLong, type PageAddress, queryOf } from '../state/address.ts'
import { keyInUse, pinned } from '../state/service.ts'

/** The highest zoom level with its own tiles. */
export const MAX_ZOOM = 17

const TILESET = '/ogc/collections/events/tiles/WebMercatorQuad'

/** The addresses of the vector tiles of the events that match the filters. */
export interface Tiles {
  readonly template: string
  /** The template for the map, in the shown state of the data. */
  readonly pinned: string
  readonly tileJson: string
  readonly style: string
}

/** The parameters of whole results that tiles do not have. */
const OF_WHOLE_RESULTS = ['after', 'consistent']

/** Returns null if the filters are too long for an address, because MapLibre requests tiles only by GET. */
export const tilesOf = (prefix: string, filters: readonly AddressParameter[]): Tiles | null => {
  const parameters = filters.filter(({ name }) => !OF_WHOLE_RESULTS.includes(name))
  const place: PageAddress = { path: `${prefix}${TILESET}`, parameters }
  if (isLong(place)) return null
  const to = (below: string, at = place) => `${location.origin}${place.path}/${below}${queryOf(at)}`
  const [template, tileJson, style] = [to(TEMPLATE), to('tilejson.json'), to('style.json')]
  return { template, pinned: to(TEMPLATE, pinned(place)), tileJson, style }
}

const TEMPLATE = '{z}/{y}/{x}'

/** Requests all tiles of a source again, in the current state, if an error says that their state has passed. */
export const unpin = (map: MapLibre, source: string, error: Error): void => {
  if (!('status' in error) || error.status !== 409) return
  const tiles = map.getSource<VectorTileSource>(source)
  tiles?.setTiles(tiles.tiles.map((template) => template.replace(/[?&]state=[^&]*$/, '')))
}

/** Adds the key in use to the map's requests for tiles. */
export const withKey =
  (prefix: string) =>
  (url: string, type?: ResourceType): RequestParameters => {
    const key = keyInUse()
    if (type !== 'Tile' || key === null || !url.startsWith(`${location.origin}${prefix}${TILESET}`)) return { url }
    return { url, headers: { Authorization: `Bearer ${key}` } }
  }
