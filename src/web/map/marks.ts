import type { Signal } from '@preact/signals'
import type { Map as MapLibre } from 'maplibre-gl'
import { isEvent } from '../state/event.ts'
import { CELLS, type Marks, showMarks, TILES } from './layers.ts'
import type { MapProps } from './mapView.ts'
import type { Tiles } from './tiles.ts'

/** Every tile shows at least this many events one by one, see src/ogc/tiles.ts. */
const LEAST_IN_TILE = 3000

/**
 * Chooses the marks of each view. Tiles with many events have cells only. So a view with such a tile shows cells, and
 * any other view shows events. Returns a function that takes the shown rows and summary.
 */
export const followTiles = (
  map: MapLibre,
  marks: Signal<Marks | null>,
  tiles: Signal<Tiles | null>,
  ended: AbortSignal,
): ((props: MapProps) => void) => {
  let isFew = false
  const show = () => showMarks(map, marks.value ?? (isFew ? 'points' : 'cells'), tiles.value !== null)
  const look = () => {
    if (tiles.value === null || map.getSource(TILES) === undefined) return
    const many = map.querySourceFeatures(TILES, { sourceLayer: CELLS, filter: ['!', ['has', 'has_events']] })
    marks.value = isFew || many.length === 0 ? 'points' : 'cells'
  }
  // The land and the names may load later.
  map.on('sourcedata', ({ sourceId, tile }) => {
    if (sourceId === TILES && tile !== undefined && map.isSourceLoaded(TILES)) look()
  })
  map.on('idle', look)
  ended.addEventListener('abort', marks.subscribe(show))
  return ({ rows, summary }) => {
    const isPart = summary !== null && summary.count > rows.length
    isFew = tiles.value === null ? !isPart : summary !== null && summary.count <= LEAST_IN_TILE
    if (tiles.value === null) marks.value = isPart ? 'cells' : rows.some(isEvent) ? 'points' : null
    show()
  }
}
