import { TILE_MATRIX_SETS } from '../tiles/matrix.ts'
import type { Collection } from './collection.ts'
import { eventCollection } from './events.ts'
import { ROOT } from './request.ts'
import { seriesCollection } from './series.ts'
import { methodsOf } from './writing/serve.ts'

/** The collections that are listed. Beside them stands one of the events of each series: `events-<uuid>`. */
export const COLLECTIONS: readonly Collection[] = [eventCollection, seriesCollection]

/** Whether a path is one of those here. */
export const isOgc = (path: string): boolean => path === ROOT || path.startsWith(`${ROOT}/`)

/** What is taken at a path of those here. */
export const methodsAtOgc = (path: string): readonly string[] => methodsOf(partsAt(path))

/** What stands in an address as it is; every other part is the key of one of many, or names nothing. */
const WORDS = new Set([
  ...['api', 'conformance', 'collections', 'items', 'queryables', 'schema', 'feature'],
  ...['tileMatrixSets', 'tiles', 'tilejson.json', 'style.json', ...TILE_MATRIX_SETS.map(({ id }) => id)],
  ...COLLECTIONS.map(({ id }) => id),
])
/** How many parts the longest address has: that of a tile. */
const MOST_PARTS = 7

/** A path of those here as the log tells it, with `:key` for each part that may be a value. */
export const routeAtOgc = (path: string): string =>
  [ROOT, ...partsAt(path).slice(0, MOST_PARTS)].map((part, i) => (i === 0 || WORDS.has(part) ? part : ':key')).join('/')

/** What follows `/ogc` in a path, part by part. */
export const partsAt = (path: string): string[] =>
  path
    .slice(ROOT.length)
    .split('/')
    .filter((part) => part !== '')
