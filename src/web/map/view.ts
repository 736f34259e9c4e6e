import type { Signal } from '@preact/signals'
import type { Geometry } from 'geojson'
import type { Map as MapLibre } from 'maplibre-gl'
import { boxOf, positionsOf } from './box.ts'
import type { MapProps } from './mapView.ts'
import { boundsFeatures, densityFeatures, eventFeatures } from './sources.ts'

/** The margins around the shown features, in pixels. The tools need space above, the legend below. */
const PADDING = { top: 60, right: 28, bottom: 88, left: 28 }

/** A narrower map, in pixels, shows a row alone from further away. */
const NARROW = 500

/** Moves the map to the area, or else to all events or rows. */
const fitTo = (map: MapLibre, { rows, summary, series, filters }: MapProps, area: Geometry | null): void => {
  // The rows of one page say nothing about the other pages.
  const shown =
    filters === undefined || summary !== null ? [...eventFeatures(rows, series), ...boundsFeatures(rows)] : []
  const features = [...shown, ...densityFeatures(summary, rows.length)]
  const box = boxOf(positionsOf(area ?? { type: 'FeatureCollection', features }))
  if (box === null) return
  // The map shows one world. A view beyond 180 degrees would continue at the other edge.
  const [west, south, east, north] = box[0] < -180 || box[2] > 180 ? [-180, box[1], 180, box[3]] : box
  const latitude = (value: number) => Math.max(-80, Math.min(80, value))
  // A row alone needs its surroundings, to show where it is.
  const alone = map.getContainer().clientWidth < NARROW ? 3 : 4
  const maxZoom = area !== null ? 16 : summary !== null ? 11 : alone
  map.fitBounds([west, latitude(south), east, latitude(north)], { padding: PADDING, maxZoom, animate: false })
}

/** Reads a view from a fragment such as `#map=4.5/52.1/5.3`: zoom, latitude and longitude. Null for others. */
const readFragment = (fragment: string) => {
  const [, zoom, lat, lon] = /^#map=(-?[\d.]+)\/(-?[\d.]+)\/(-?[\d.]+)$/.exec(fragment) ?? []
  const numbers = [zoom, lat, lon].map(Number)
  const [level = 0, y = 0, x = 0] = numbers
  return numbers.every(Number.isFinite) ? { zoom: level, center: [x, y] as [number, number] } : null
}

/** Writes the view into the address. The entry of the history stays the same. */
const writeFragment = (map: MapLibre): void => {
  const { lng, lat } = map.getCenter()
  const view = [map.getZoom().toFixed(2), lat.toFixed(4), lng.toFixed(4)].join('/')
  history.replaceState(history.state, '', `${location.pathname}${location.search}#map=${view}`)
}

/**
 * Moves a map to its content after each new query, until the user moves the map. A view in the address wins, and the
 * address of a new query has none.
 */
export const makeFit = (map: MapLibre, isMoved: Signal<boolean>, ended: AbortSignal) => {
  let shown: { readonly props: MapProps; readonly area: Geometry | null } | null = null
  let isFixed = false
  let isByUser = false
  let isOwn = false
  const refit = () => {
    if (isFixed || shown === null) return
    isOwn = true
    fitTo(map, shown.props, shown.area)
    isOwn = false
  }
  const toFragment = (): boolean => {
    const view = readFragment(location.hash)
    isOwn = true
    if (view !== null) map.jumpTo(view)
    isOwn = false
    return view !== null
  }
  const noteUser = () => {
    isByUser = true
    isFixed = true
  }
  // Moves of the user have the event of the browser, except a zoom by one notch of a wheel.
  map.on('movestart', ({ originalEvent }) => {
    if (originalEvent) noteUser()
  })
  map.on('zoomstart', () => {
    if (!isOwn) noteUser()
  })
  map.on('moveend', () => {
    if (!isByUser) return
    isByUser = false
    isMoved.value = true
    writeFragment(map)
  })
  // A hidden map has no size.
  map.on('resize', refit)
  addEventListener('hashchange', toFragment, { signal: ended })
  return {
    update: (props: MapProps, area: Geometry | null): void => {
      const before = shown?.props
      shown = { props, area }
      if (props.fitKey !== before?.fitKey) {
        isMoved.value = false
        isFixed = toFragment()
      } else if (props.summary === before.summary && props.area === before.area) return
      refit()
    },
    stay: () => {
      isFixed = true
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
  const corners = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ]
  return `POLYGON ((${corners.map((corner) => corner.join(' ')).join(', ')}))`
}
