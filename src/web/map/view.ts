import { effect } from '@preact/signals'
import type { Map as MapLibre, TransformConstrainFunction } from 'maplibre-gl'
import { bboxOf, rectangleOf } from '../../geometry/bbox.ts'
import { setView, view } from '../state/address.ts'
import { type Bounds, isEvent, isSeries } from '../state/rows.ts'
import type { Library } from './library.ts'
import { area, dotColumn, type MapProps, moves, positionsOf, shown, wktOf } from './shown.ts'
import { styleAddress } from './style.ts'

/** The margins around the shown features, in pixels. Tools are on the right, the legend is below. */
const PADDING = { top: 32, right: 64, bottom: 64, left: 28 }

/** The zoom level of streets. The built-in map has none, so it shows a place alone at a lower level. */
const [STREET, NEAREST] = [15, 7]

/** Marks moves of the page among those of the user. */
const OWN = { isOwn: true }

/** Returns the positions that a map must show: those of the area, or else of all events or rows. */
const positionsIn = (props: MapProps): readonly (readonly number[])[] => {
  const { rows, summary, isFailed, filters } = props
  const chosen = area.peek()
  if (chosen !== null) return positionsOf(chosen)
  if (summary !== null) return cornersOf(summary.spatial_bounds)
  // The rows of one page say nothing about the other pages. Without a summary they are better than the whole world.
  return filters === undefined || isFailed ? rows.flatMap(ofRow) : cornersOfSeries(props)
}

const ofRow = (row: object): readonly (readonly number[])[] => {
  if (isEvent(row)) return row.geometry === null ? [] : [row.geometry.coordinates]
  return isSeries(row) ? cornersOf(row.spatial_bounds ?? null) : []
}

/** Until the summary arrives, the bounds of the series of the rows say where the events may be. */
const cornersOfSeries = ({ rows, series }: MapProps) => {
  const known = new Set(rows.filter(isEvent).map((row) => series.get(row.series)))
  return [...known].flatMap((each) => cornersOf(each?.spatial_bounds ?? null))
}

/** The map shows one world, so bounds across 180 degrees become the whole width of it. */
const cornersOf = (bounds: Bounds | null): readonly (readonly number[])[] => {
  if (bounds === null) return []
  const [west, east] = bounds.west > bounds.east ? [-180, 180] : [bounds.west, bounds.east]
  return [
    [west, bounds.south],
    [east, bounds.north],
  ]
}

/** Moves the map to what it must show. */
const fitTo = (map: MapLibre, props: MapProps): void => {
  const box = bboxOf(Float64Array.from(positionsIn(props).flatMap(([x = 0, y = 0]) => [x, y])))
  if (box === null) return
  // The map shows one world. A view beyond 180 degrees would continue at the other edge.
  const [west, south, east, north] = box[0] < -180 || box[2] > 180 ? [-180, box[1], 180, box[3]] : box
  const isPlace = west === east && south === north
  const maxZoom = isPlace && styleAddress === '' ? NEAREST : STREET
  // A legend of classes has two lines.
  const padding = { ...PADDING, bottom: PADDING.bottom + (dotColumn.peek() === null ? 0 : 20) }
  const settings = { padding, maxZoom, animate: false }
  map.fitBounds([west, limited(south, 80), east, limited(north, 80)], settings, OWN)
}

const limited = (value: number, most: number): number => Math.max(-most, Math.min(most, value))

/** Moves the map to the view in a fragment such as `#map=4.5/52.1/5.3`: zoom, latitude and longitude. */
const toFragment = (map: MapLibre): boolean => {
  const told = view.peek().get('map') ?? ''
  const numbers = /^(-?[\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)$/.exec(told)?.slice(1).map(Number) ?? []
  const [zoom, lat, lon] = numbers
  if (zoom === undefined || lat === undefined || lon === undefined || !numbers.every(Number.isFinite)) return false
  map.jumpTo({ zoom, center: [lon, lat] }, OWN)
  return true
}

/** Writes the view into the address. */
const writeFragment = (map: MapLibre): void => {
  const { lng, lat } = map.getCenter()
  setView({ map: [map.getZoom().toFixed(2), lat.toFixed(4), lng.toFixed(4)].join('/') })
}

let chosen: string | null | undefined

/** Keeps the view for the next query, because the user chose its area in the view. */
export const keepView = (area: string | null): void => {
  chosen = area
}

/** Moves a map to its content after each new query, until the user moves the map. Returns how to stop. */
export const followContent = (map: MapLibre) => {
  let props: MapProps | null = null
  const refit = () => {
    if (moves.peek() === 'auto' && props !== null) fitTo(map, props)
  }
  const stop = effect(() => {
    const before = props
    if (shown.value === null) return
    props = shown.value
    if (props.query !== before?.query) {
      moves.value = props.area === chosen || toFragment(map) ? 'still' : 'auto'
      chosen = undefined
    } else if (props.summary === before.summary && props.isFailed === before.isFailed && props.area === before.area)
      return
    refit()
  })
  map.on('moveend', (event) => {
    if ('isOwn' in event) return
    moves.value = 'moved'
    writeFragment(map)
  })
  // A hidden map has no size.
  const resized = new ResizeObserver(() => {
    map.resize(OWN)
    refit()
  })
  resized.observe(map.getContainer())
  const onHash = () => toFragment(map)
  addEventListener('hashchange', onHash)
  return () => {
    stop()
    resized.disconnect()
    removeEventListener('hashchange', onHash)
  }
}

/** Returns the view as a rectangle in WKT. Null if the whole world is in view. */
export const areaInView = (map: MapLibre): string | null => {
  const bounds = map.getBounds()
  const [west, east] = [limited(bounds.getWest(), 180), limited(bounds.getEast(), 180)]
  const [south, north] = [limited(bounds.getSouth(), 90), limited(bounds.getNorth(), 90)]
  return east - west >= 359.99999 ? null : wktOf(rectangleOf([west, south, east, north]))
}

/** The width of the world at zoom 0, in pixels. */
const WORLD = 512
const MAX_ZOOM = 22

/**
 * Shows the world once, and as a whole if the user zooms out. Without copies of the world, MapLibre would zoom in until
 * the world fills the map.
 */
export const wholeWorld =
  ({ MercatorCoordinate }: Library, canvas: HTMLElement): TransformConstrainFunction =>
  (center, zoom) => {
    const { clientWidth, clientHeight } = canvas
    const least = Math.max(0, Math.log2(Math.min(clientWidth, clientHeight) / WORLD))
    const shownZoom = Math.max(least, Math.min(MAX_ZOOM, zoom))
    const side = WORLD * 2 ** shownZoom
    const { x, y } = MercatorCoordinate.fromLngLat(center)
    const middle = new MercatorCoordinate(within(x, clientWidth / side), within(y, clientHeight / side))
    return { center: middle.toLngLat(), zoom: shownZoom }
  }

/** Limits the middle of a view to the world. `size` is the part of the world in view. */
const within = (middle: number, size: number): number =>
  size >= 1 ? 0.5 : Math.max(size / 2, Math.min(1 - size / 2, middle))
