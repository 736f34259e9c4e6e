import type { RequestTransformFunction } from 'maplibre-gl'
import { type AddressParameter, isLong, type PageAddress, queryOf } from '../state/address.ts'
import { keyInUse } from '../state/service.ts'
import { prefix } from '../state/store.ts'

/** Returns the path of the tiles of all events, or of a series. Its tiles have its columns. */
const tilesetOf = (uuid?: string): string =>
  `${prefix}/ogc/collections/events${uuid === undefined ? '' : `-${uuid}`}/tiles/WebMercatorQuad`

/** Lists have these parameters, and tiles have not. The parameters of pages are no filters. */
const OF_LISTS = ['after', 'consistent', 'fields', 'include', 'locale']

/**
 * Returns an address below the tiles of the events that match the filters. MapLibre requests tiles only by GET, so it is
 * null for filters that do not fit an address.
 */
export const tilesOf = (filters: readonly AddressParameter[], below = '{z}/{y}/{x}', uuid?: string): string | null => {
  const path = tilesetOf(uuid)
  const place: PageAddress = { path, parameters: filters.filter(({ name }) => !OF_LISTS.includes(name)) }
  return isLong(place) ? null : `${location.origin}${path}/${below}${queryOf(place)}`
}

/** Adds the key of the reader to the requests for tiles of the service. */
export const withKey: RequestTransformFunction = (url) => {
  const key = keyInUse()
  const isOwn = key !== null && url.startsWith(`${location.origin}${prefix}/ogc/`)
  return isOwn ? { url, headers: { Authorization: `Bearer ${key}` } } : { url }
}
