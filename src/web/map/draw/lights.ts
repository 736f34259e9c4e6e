import booleanPointInPolygon from '@turf/boolean-point-in-polygon'
import type { Polygon, Position } from 'geojson'
import type { Map as MapLibre } from 'maplibre-gl'
import { boxOf, positionsOf } from '../box.ts'

/** The position of an event or a cell in view, and the feature to highlight. */
interface Light {
  readonly at: Position
  readonly target: { readonly source: string; readonly sourceLayer?: string; readonly id: string | number }
}

/**
 * Highlights the events and cells in view that a polygon contains. It is a preview. The service decides what matches.
 */
export const makeLights = (map: MapLibre, layers: readonly string[]) => {
  let inView: readonly Light[] | null = null
  let lit = new Set<Light>()
  const forget = () => {
    inView = null
  }
  map.on('moveend', forget)
  map.on('sourcedata', forget)
  return (polygon: Polygon | null): void => {
    inView ??= polygon === null ? [] : lightsOf(map, layers)
    const inside = new Set(polygon === null ? [] : inView.filter(({ at }) => booleanPointInPolygon(at, polygon)))
    for (const light of lit) if (!inside.has(light)) map.setFeatureState(light.target, { inside: false })
    for (const light of inside) if (!lit.has(light)) map.setFeatureState(light.target, { inside: true })
    lit = inside
    if (polygon === null) forget()
  }
}

const lightsOf = (map: MapLibre, marks: readonly string[]): Light[] => {
  const layers = marks.filter((id) => map.getLayer(id) !== undefined)
  return map.queryRenderedFeatures({ layers }).flatMap(({ id, geometry, source, sourceLayer }) => {
    const box = boxOf(positionsOf(geometry))
    if (id === undefined || box === null) return []
    const at = [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]
    return [{ at, target: sourceLayer !== undefined ? { source, sourceLayer, id } : { source, id } }]
  })
}
