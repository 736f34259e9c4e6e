import type { MapGeoJSONFeature, Map as MapLibre, MapMouseEvent, Popup } from 'maplibre-gl'
import { counted, h } from '../app/dom.ts'
import { isEvent } from '../state/event.ts'
import type { SeriesById } from '../state/known.ts'
import { uuidOf } from '../state/rows.ts'
import { CELLS, POINTS } from './layers.ts'
import { periodOf, type TileEvent } from './popup.ts'

const MARK = 'pointed'
const MOST = 3

/** Returns the features under the pointer: first rows of the page, then other events, then cells. */
export const featuresAt = (map: MapLibre, point: MapMouseEvent['point'], reach = 3): readonly MapGeoJSONFeature[] => {
  const { x, y } = point
  for (const layers of [['events'], [POINTS], [CELLS]]) {
    const known = layers.filter((id) => map.getLayer(id) !== undefined)
    const found = known.length === 0 ? [] : map.queryRenderedFeatures(boxAround(x, y, reach), { layers: known })
    if (found.length > 0) return layers[0] === CELLS ? map.queryRenderedFeatures(point, { layers: known }) : found
  }
  return []
}

const boxAround = (x: number, y: number, reach: number): [[number, number], [number, number]] => [
  [x - reach, y - reach],
  [x + reach, y + reach],
]

/** The rows of a page and their series, for the texts of the map. */
interface Known {
  readonly rows: readonly object[]
  readonly series: SeriesById
}

/**
 * Follows the pointer. Over a feature of the map, shows a tip and marks its table row. Over a table row, marks its
 * feature on the map.
 */
export const followPointer = (map: MapLibre, tip: Popup, results: Element | null, known: () => Known): void => {
  let pointed: number | null = null
  const point = (id: number | null) => {
    if (id === pointed) return
    if (pointed !== null) map.setFeatureState({ source: 'events', id: pointed }, { pointed: false })
    if (id !== null) map.setFeatureState({ source: 'events', id }, { pointed: true })
    for (const row of results?.querySelectorAll(`tr.${MARK}`) ?? []) row.classList.remove(MARK)
    pointed = id
  }
  const rowsOfTable = () => [...(results?.querySelectorAll('tbody tr') ?? [])]
  map.on('mousemove', (event) => {
    const found = featuresAt(map, event.point)
    map.getCanvas().classList.toggle('pointing', found.length > 0)
    const [first] = found
    const id = first?.layer.id === 'events' ? Number(first.properties.id) : null
    point(id)
    if (id !== null) {
      const index = known().rows.findIndex((row) => isEvent(row) && row.id === id)
      rowsOfTable()[index]?.classList.add(MARK)
    }
    if (first === undefined) return tip.remove()
    tip.setLngLat(event.lngLat).setDOMContent(tipOf(found, known())).addTo(map)
  })
  map.on('mouseout', () => {
    tip.remove()
    point(null)
  })
  const ofRow = (event: Event) => {
    const row = event.target instanceof Element ? event.target.closest('tbody tr') : null
    const shown = row === null ? null : known().rows[rowsOfTable().indexOf(row)]
    point(shown && isEvent(shown) ? shown.id : null)
  }
  for (const type of ['mouseover', 'focusin']) results?.querySelector('.table')?.addEventListener(type, ofRow)
  results?.querySelector('.table')?.addEventListener('mouseleave', () => point(null))
}

/** Makes the tip for cells or events. */
const tipOf = (features: readonly MapGeoJSONFeature[], known: Known): HTMLElement => {
  const [first] = features
  if (first?.layer.id === CELLS) return h('div', {}, counted(Number(first.properties.count), 'event'))
  const ids = [...new Set(features.map(({ properties }) => Number(properties.id ?? Number.NaN)))]
  const each = features.filter((feature, i) => features.findIndex(({ id }) => id === feature.id) === i)
  const lines = each.slice(0, MOST).map((feature) => lineOf(feature, known))
  const rest = Math.max(each.length, ids.length) - lines.length
  return h('div', {}, lines, rest > 0 && h('div', {}, `and ${rest} more`))
}

const lineOf = ({ id, properties }: MapGeoJSONFeature, { rows, series }: Known): HTMLElement => {
  const row = rows.filter(isEvent).find((event) => event.id === id)
  const { category, start, end } = row ?? (properties as TileEvent)
  const named = row
    ? series.get(row.series)
    : [...series.values()].find((each) => uuidOf(each) === properties.event_series)
  return h('div', {}, [category, periodOf(start, end), named?.name].filter(Boolean).join(' · '))
}
