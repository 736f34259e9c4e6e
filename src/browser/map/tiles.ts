import type { RequestParameters, ResourceType } from 'maplibre-gl'
import { isLong, type Parameter, type Place, queryOf } from '../page/address.ts'
import { keyInUse } from '../page/service.ts'

/** Up to this zoom there are tiles of their own. */
export const MAX_ZOOM = 17

const TILESET = '/ogc/collections/events/tiles/WebMercatorQuad'

/** The addresses of the vector tiles of what filters leave. */
export interface Tiles {
  readonly template: string
  readonly tileJson: string
  readonly style: string
}

/** What whole results take beside filters. */
const OF_WHOLE_RESULTS = ['after', 'consistent']

/** Null where the filters are too long for an address: tiles cannot be posted for. */
export const tilesOf = (prefix: string, filters: readonly Parameter[]): Tiles | null => {
  const parameters = filters.filter(({ name }) => !OF_WHOLE_RESULTS.includes(name))
  const place: Place = { path: `${prefix}${TILESET}`, parameters }
  if (isLong(place)) return null
  const to = (below: string) => `${location.origin}${place.path}/${below}${queryOf(place)}`
  return { template: to('{z}/{y}/{x}'), tileJson: to('tilejson.json'), style: to('style.json') }
}

/** How the map asks: for tiles with the key in use. */
export const withKey =
  (prefix: string) =>
  (url: string, type?: ResourceType): RequestParameters => {
    const key = keyInUse()
    if (type !== 'Tile' || key === null || !url.startsWith(`${location.origin}${prefix}${TILESET}`)) return { url }
    return { url, headers: { Authorization: `Bearer ${key}` } }
  }
