import type { AddProtocolAction } from 'maplibre-gl'
import { type AddressParameter, isLong, type PageAddress, queryOf } from '../state/address.ts'
import { keyInUse } from '../state/service.ts'

/** The protocol of the addresses of tiles in the map. */
export const PROTOCOL = 'events'

/** The highest zoom level with its own tiles. */
export const MAX_ZOOM = 17

const TILESET = '/ogc/collections/events/tiles/WebMercatorQuad'

/** The addresses of the vector tiles of the events that match the filters. */
export interface Tiles {
  readonly template: string
  /** The template for the map, with the protocol of `loadTile`. */
  readonly loaded: string
  readonly tileJson: string
  readonly style: string
}

/** The parameters of lists that tiles do not have, beside those of pages. */
const OF_LISTS = ['after', 'consistent', 'fields', 'include', 'locale']

/** Returns null if the filters are too long for an address, because MapLibre requests tiles only by GET. */
export const tilesOf = (prefix: string, filters: readonly AddressParameter[]): Tiles | null => {
  const parameters = filters.filter(({ name }) => !OF_LISTS.includes(name))
  const place: PageAddress = { path: `${prefix}${TILESET}`, parameters }
  if (isLong(place)) return null
  const to = (below: string) => `${location.origin}${place.path}/${below}${queryOf(place)}`
  const [template, tileJson, style] = [to(TEMPLATE), to('tilejson.json'), to('style.json')]
  return { template, loaded: template.replace(/^https?/, PROTOCOL), tileJson, style }
}

const TEMPLATE = '{z}/{y}/{x}'

/** Loads a tile of the service with the key of the reader. */
export const loadTile: AddProtocolAction = async ({ url }, { signal }) => {
  const address = `${location.protocol}${url.slice(PROTOCOL.length + 1)}`
  const key = keyInUse()
  const headers: HeadersInit = key === null ? {} : { Authorization: `Bearer ${key}` }
  const response = await fetch(address, { headers, signal })
  if (!response.ok) throw new Error(`A tile has status ${response.status}.`)
  return { data: await response.arrayBuffer() }
}
