import { type AddressParameter, isLong, type PageAddress, queryOf } from '../state/address.ts'
import { pinned } from '../state/service.ts'
import { PROTOCOL } from './cells.ts'

/** The highest zoom level with its own tiles. */
export const MAX_ZOOM = 17

const TILESET = '/ogc/collections/events/tiles/WebMercatorQuad'

/** The addresses of the vector tiles of the events that match the filters. */
export interface Tiles {
  readonly template: string
  /** The template for the map, in the shown state of the data. See cells.ts for its protocol. */
  readonly pinned: string
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
  const to = (below: string, at = place) => `${location.origin}${place.path}/${below}${queryOf(at)}`
  const [template, tileJson, style] = [to(TEMPLATE), to('tilejson.json'), to('style.json')]
  const own = to(TEMPLATE, pinned(place)).replace(/^https?/, PROTOCOL)
  return { template, pinned: own, tileJson, style }
}

const TEMPLATE = '{z}/{y}/{x}'
