import type { Signal } from '@preact/signals'
import type { Geometry } from 'geojson'
import type { Map as MapLibre, TransformConstrainFunction } from 'maplibre-gl'
import { bboxOf } from '../../geometry/bbox.ts'
import { isEvent } from '../state/event.ts'
import { isSeries } from '../state/rows.ts'
import { positionsOf } from './area.ts'
import type { Library } from './library.ts'
import type { MapProps, Moves } from './mapView.ts'

/** The margins around the shown features, in pixels. Tools are on the right, the legend is below. */
const PADDING = { top: 32, right: 52, bottom: 56, left: 28 }

/** A narrower map, in pixels, shows a row alone from further away. */
const NARROW = 500

/** Marks moves of the page among those of the user. */
const OWN = { isOwn: true }

/** Yields the positions that a map must show: the area, or else all events or rows. */
function* shownIn({ rows, summary, filters }: MapProps, area: Geometry | null): Generator<readonly number[]> {
  if (area !== null) return yield* positionsOf(area)
  const isPart = summary !== null && summary.count > rows.length
  for (const [west, south, east, north] of isPart ? summary.density.cells : [])
    yield* [
      [west, south],
      [east, north],
    ]
  // The rows of one page say nothing about the other pages.
  if (filters !== undefined && summary === null) return
  for (const row of rows) {
    if (isEvent(row) && row.geometry !== null) yield row.geometry.coordinates
    const { west, south, east, north } = (isSeries(row) && row.spatial_bounds) || {}
    if (west !== undefined && south !== undefined && east !== undefined && north !== undefined)
      yield* [
        [west, south],
        [east, north],
      ]
  }
}

/** Moves the map to what it must show. */
const fitTo = (map: MapLibre, props: MapProps, area: Geometry | null): void => {
  const box = bboxOf(Float64Array.from([...shownIn(props, area)].flatMap(([x = 0, y = 0]) => [x, y])))
  if (box === null) return
  // The map shows one world. A view beyond 180 degrees would continue at the other edge.
  const [west, south, east, north] = box[0] < -180 || box[2] > 180 ? [-180, box[1], 180, box[3]] : box
  const latitude = (value: number) => Math.max(-80, Math.min(80, value))
  // A row alone needs its surroundings, to show where it is.
  const alone = map.getContainer().clientWidth < NARROW ? 3 : 4
  const maxZoom = area !== null ? 16 : props.summary !== null ? 11 : alone
  const settings = { padding: PADDING, maxZoom, animate: false }
  map.fitBounds([west, latitude(south), east, latitude(north)], settings, OWN)
}

/** Moves the map to the view in a fragment such as `#map=4.5/52.1/5.3`: zoom, latitude and longitude. */
const toFragment = (map: MapLibre): boolean => {
  const [, zoom, lat, lon] = /^#map=(-?[\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)$/.exec(location.hash) ?? []
  const [level = 0, y = 0, x = 0] = [zoom, lat, lon].map(Number)
  if (![level, y, x].every(Number.isFinite)) return false
  map.jumpTo({ zoom: level, center: [x, y] }, OWN)
  return true
}

/** Writes the view into the address. The entry of the history stays the same. */
const writeFragment = (map: MapLibre): void => {
  const { lng, lat } = map.getCenter()
  const view = [map.getZoom().toFixed(2), lat.toFixed(4), lng.toFixed(4)].join('/')
  history.replaceState(history.state, '', `${location.pathname}${location.search}#map=${view}`)
}

/** Moves a map to its content after each new query, until the user moves the map. */
export const makeFit = (map: MapLibre, moves: Signal<Moves>, ended: AbortSignal) => {
  let shown: { readonly props: MapProps; readonly area: Geometry | null } | null = null
  let chosen: string | null | undefined
  const refit = () => {
    if (moves.value === 'auto' && shown !== null) fitTo(map, shown.props, shown.area)
  }
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
  ended.addEventListener('abort', () => resized.disconnect())
  addEventListener('hashchange', () => toFragment(map), { signal: ended })
  return {
    /** Keeps the view for the next query, because the user chose its area in the view. */
    choose: (area: string | null): void => {
      chosen = area
    },
    update: (props: MapProps, area: Geometry | null): void => {
      const before = shown?.props
      shown = { props, area }
      if (props.query !== before?.query) {
        moves.value = props.area === chosen || toFragment(map) ? 'still' : 'auto'
        chosen = undefined
      } else if (props.summary === before.summary && props.area === before.area) return
      refit()
    },
  }
}

/** Returns the view as a rectangle in WKT. Null if the whole world is in view. */
export const areaInView = (map: MapLibre): string | null => {
  const bounds = map.getBounds()
  const within = (value: number, most: number) => Number(Math.max(-most, Math.min(most, value)).toFixed(5)) + 0
  const [west, east] = [within(bounds.getWest(), 180), within(bounds.getEast(), 180)]
  const [south, north] = [within(bounds.getSouth(), 90), within(bounds.getNorth(), 90)]
  if (east - west >= 360) return null
  const [from, to] = [`${west} ${south}`, `${east} ${north}`]
  return `POLYGON ((${from}, ${east} ${south}, ${to}, ${west} ${north}, ${from}))`
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
    const least = Math.max(0, Math.log2(Math.min(canvas.clientWidth, canvas.clientHeight) / WORLD))
    const limited = Math.max(least, Math.min(MAX_ZOOM, zoom))
    const side = WORLD * 2 ** limited
    const { x, y } = MercatorCoordinate.fromLngLat(center)
    const middle = new MercatorCoordinate(within(x, canvas.clientWidth / side), within(y, canvas.clientHeight / side))
    return { center: middle.toLngLat(), zoom: limited }
  }

/** Limits the middle of a view to the world. `size` is the part of the world in view. */
const within = (middle: number, size: number): number =>
  size >= 1 ? 0.5 : Math.max(size / 2, Math.min(1 - size / 2, middle))
