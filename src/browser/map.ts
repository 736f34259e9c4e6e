import type { Feature, Geometry } from 'geojson'
import type { GeoJSONSource, LngLatLike, Map as MapLibre } from 'maplibre-gl'
import { baseStyle, drawCounts, followLight, loadMapLibre } from './basemap.ts'
import { fill, h } from './dom.ts'
import type { Draw, Shape } from './draw.ts'
import { boxOf, geometryOf, positionsOf } from './geometry.ts'
import type { SeriesById, Summary } from './known.ts'
import { addLayers, boundsFeatures, CLUSTER_ZOOM, densityFeatures, eventFeatures, put } from './layers.ts'
import { popupOf } from './popup.ts'
import { isEvent } from './rows.ts'
import { makeTools } from './tools.ts'

/** What the map shows. */
export interface Shown {
  readonly rows: readonly object[]
  readonly series: SeriesById
  readonly summary: Summary | null
  /** The text of `geom_within`, null where the list has no such filter or it is not set. */
  readonly area: string | null
  /** Whether the map may move so that all of it is seen. */
  readonly fit: boolean
}

export interface MapView {
  readonly update: (shown: Shown) => void
}

/** A map in an element. `onArea` is told of what is drawn, as WKT, or null for nothing any more; absent: nothing can be drawn. */
export const makeMap = async (
  container: HTMLElement,
  prefix: string,
  onArea: ((wkt: string | null) => void) | null,
): Promise<MapView> => {
  const maplibre = await loadMapLibre(prefix)
  const canvas = h('div', { class: 'map-canvas' })
  fill(container, canvas, h('small', { class: 'credit' }, 'MapLibre, Natural Earth'))
  const map = new maplibre.Map({
    container: canvas,
    style: baseStyle(prefix),
    center: [0, 25],
    zoom: 0.6,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    cooperativeGestures: matchMedia('(pointer: coarse)').matches,
  })
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right')
  await new Promise((resolve) => map.once('style.load', resolve))
  drawCounts(map)
  addLayers(map)
  followLight(map)
  let shown: Shown = { rows: [], series: new Map(), summary: null, area: null, fit: false }
  listen(map, (ids, at) => {
    const events = shown.rows.filter(isEvent).filter(({ id }) => ids.includes(id))
    const popup = new maplibre.Popup({ maxWidth: '20rem', focusAfterOpen: true })
    popup.setLngLat(at).setDOMContent(popupOf(events, shown.series)).addTo(map)
  })
  const tools = onArea === null ? null : drawable(map, container, onArea)
  return {
    update: (next) => {
      shown = next
      const area = next.area === null ? null : geometryOf(next.area)
      put(map, 'density', densityFeatures(next.summary, next.rows.length))
      put(map, 'bounds', boundsFeatures(next.rows))
      put(map, 'events', eventFeatures(next.rows, next.series))
      tools?.update(area, next.area !== null)
      if (next.fit) fitTo(map, next, area)
    },
  }
}

/** The tools to draw with; what draws is loaded when one is chosen. */
const drawable = (map: MapLibre, container: HTMLElement, onArea: (wkt: string | null) => void) => {
  let area: Geometry | null = null
  let draw: Draw | null = null
  const showArea = () => put(map, 'area', area === null || draw?.isEditing() ? [] : [featureOf(area)])
  const load = async (): Promise<Draw> => {
    const { makeDraw } = await import('./draw.ts')
    draw ??= makeDraw(map, onArea, () => {
      tools.ended()
      showArea()
    })
    return draw
  }
  const tools = makeTools({
    draw: async (shape: Shape) => (await load()).start(shape),
    edit: async () => {
      if (area?.type !== 'Polygon') return
      const loaded = await load()
      loaded.edit(area)
      showArea()
    },
    stop: () => draw?.stop(),
    clear: () => {
      draw?.stop()
      onArea(null)
    },
  })
  container.append(tools.element)
  return {
    update: (next: Geometry | null, isSet: boolean) => {
      area = next
      if (!isSet && draw?.isEditing()) draw.stop()
      tools.update(isSet, area?.type === 'Polygon' && area.coordinates.length === 1)
      showArea()
    },
  }
}

const featureOf = (geometry: Geometry): Feature => ({ type: 'Feature', geometry, properties: {} })

/** Tells which events are clicked on, and opens clusters where that parts them. */
const listen = (map: MapLibre, show: (ids: readonly number[], at: LngLatLike) => void): void => {
  const idOf = (feature: Feature) => Number(feature.properties?.id)
  map.on('click', 'events', ({ point, lngLat }) => {
    const found = map.queryRenderedFeatures(point, { layers: ['events'] })
    show([...new Set(found.map(idOf))], lngLat)
  })
  map.on('click', 'clusters', async ({ features, lngLat }) => {
    const [cluster] = features ?? []
    const source = map.getSource<GeoJSONSource>('events')
    if (cluster === undefined || source === undefined) return
    const { cluster_id: id, point_count: count } = cluster.properties
    const zoom = await source.getClusterExpansionZoom(id)
    if (zoom <= CLUSTER_ZOOM) map.easeTo({ center: lngLat, zoom })
    else show((await source.getClusterLeaves(id, count, 0)).map(idOf), lngLat)
  })
  for (const layer of ['events', 'clusters']) {
    map.on('mouseenter', layer, () => map.getCanvas().classList.add('pointing'))
    map.on('mouseleave', layer, () => map.getCanvas().classList.remove('pointing'))
  }
}

/** Moves the map so that the area or, where there is none, everything on it is seen. */
const fitTo = (map: MapLibre, { rows, summary, series }: Shown, area: Geometry | null): void => {
  const features = [...eventFeatures(rows, series), ...boundsFeatures(rows), ...densityFeatures(summary, rows.length)]
  const box = boxOf(positionsOf(area ?? { type: 'FeatureCollection', features }))
  if (box === null) return
  const [west, south, east, north] = box
  const latitude = (value: number) => Math.max(-80, Math.min(80, value))
  map.fitBounds([west, latitude(south), east, latitude(north)], { padding: 28, maxZoom: 5.5, animate: false })
}
