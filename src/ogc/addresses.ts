import { TILE_MATRIX_SETS } from '../tiles/matrix.ts'
import type { Collection } from './collection.ts'
import { eventCollection } from './events.ts'
import { ROOT } from './request.ts'
import { seriesCollection } from './series.ts'
import { methodsOf } from './writing/serve.ts'

/** The collections that `/ogc/collections` lists. Each series also has a collection of its events, `events-<uuid>`. */
export const COLLECTIONS: readonly Collection[] = [eventCollection, seriesCollection]

/** Returns true for a path of OGC API - Features. */
export const isOgc = (path: string): boolean => path === ROOT || path.startsWith(`${ROOT}/`)

/** Returns the methods that such a path allows. */
export const methodsAtOgc = (path: string): readonly string[] => methodsOf(partsAt(path))

/** The fixed words of addresses. Every other part is a key, or names nothing. */
const WORDS = new Set([
  ...['api', 'conformance', 'collections', 'items', 'queryables', 'schema', 'feature'],
  ...['tileMatrixSets', 'tiles', 'tilejson.json', 'style.json', ...TILE_MATRIX_SETS.map(({ id }) => id)],
  ...COLLECTIONS.map(({ id }) => id),
])
/** The number of parts in the address of a tile. No other address has more. */
const MOST_PARTS = 7

/** Writes a path for the log, with `:key` for each part that may be a value. */
export const routeAtOgc = (path: string): string =>
  [ROOT, ...partsAt(path).slice(0, MOST_PARTS)].map((part, i) => (i === 0 || WORDS.has(part) ? part : ':key')).join('/')

/** Returns the parts of a path after `/ogc`. */
export const partsAt = (path: string): string[] =>
  path
    .slice(ROOT.length)
    .split('/')
    .filter((part) => part !== '')
