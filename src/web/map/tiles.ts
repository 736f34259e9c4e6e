import type { RequestTransformFunction } from 'maplibre-gl'
import { type AddressParameter, isLong, type PageAddress, queryOf } from '../state/address.ts'
import { keyInUse } from '../state/service.ts'
import { prefix } from '../state/store.ts'

const TILESET = `${prefix}/ogc/collections/events/tiles/WebMercatorQuad`

/** The parameters of lists that tiles do not have, beside those of pages. */
const OF_LISTS = ['after', 'consistent', 'fields', 'include', 'locale']

/**
 * Returns an address below the tiles of the events that match the filters. Null if the filters are too long for an
 * address, because MapLibre requests tiles only by GET.
 */
export const tilesOf = (filters: readonly AddressParameter[], below = '{z}/{y}/{x}'): string | null => {
  const place: PageAddress = { path: TILESET, parameters: filters.filter(({ name }) => !OF_LISTS.includes(name)) }
  return isLong(place) ? null : `${location.origin}${TILESET}/${below}${queryOf(place)}`
}

/** Adds the key of the reader to the requests for tiles of the service. */
export const withKey: RequestTransformFunction = (url) => {
  const key = keyInUse()
  const isOwn = key !== null && url.startsWith(`${location.origin}${TILESET}/`)
  return isOwn ? { url, headers: { Authorization: `Bearer ${key}` } } : { url }
}
