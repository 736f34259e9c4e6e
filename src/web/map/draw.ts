import type { Polygon } from 'geojson'
import type { Map as MapLibre } from 'maplibre-gl'
import {
  TerraDraw,
  TerraDrawCircleMode,
  TerraDrawPolygonMode,
  TerraDrawRectangleMode,
  TerraDrawSelectMode,
} from 'terra-draw'
import { TerraDrawMapLibreGLAdapter } from 'terra-draw-maplibre-gl-adapter'
import type { Tool } from './shown.ts'

/**
 * Starts a tool. It edits an area with at most nine decimals, or draws one. `onEnd` runs after the first drawn area, and
 * if it cannot edit the given one. Returns how to stop it.
 */
export const startTool = (
  map: MapLibre,
  tool: Tool,
  area: Polygon | null,
  onArea: (area: Polygon) => void,
  onEnd: () => void,
) => {
  const draw = new TerraDraw({ adapter: new TerraDrawMapLibreGLAdapter({ map }), modes: modes() })
  draw.on('finish', (id, { action }) => {
    const { geometry } = draw.getSnapshotFeature(id) ?? {}
    if (geometry?.type !== 'Polygon') return
    // TerraDraw still reads the drawing during this event. So it stops later.
    if (action === 'draw') setTimeout(onEnd)
    onArea(geometry)
  })
  draw.start()
  if (tool !== 'edit') draw.setMode(tool)
  else if (area === null || !edited(draw, area)) onEnd()
  return () => {
    draw.clear()
    draw.stop()
  }
}

/** Selects an area for changes. Returns false if TerraDraw cannot edit it. */
const edited = (draw: TerraDraw, geometry: Polygon): boolean => {
  const [added] = draw.addFeatures([{ type: 'Feature', geometry, properties: { mode: 'polygon' } }])
  if (added?.valid !== true || added.id === undefined) return false
  draw.setMode('select')
  draw.selectFeature(added.id)
  return true
}

const COLOR = '#0b6bcb'
const STYLES = { fillColor: COLOR, fillOpacity: 0.12, outlineColor: COLOR, outlineWidth: 2 } as const

/** A click nearer than this to the first or the last corner ends a polygon. In pixels. */
const CLOSING = 12

const modes = () => [
  new TerraDrawPolygonMode({ styles: { ...STYLES, closingPointColor: COLOR }, pointerDistance: CLOSING }),
  new TerraDrawRectangleMode({ styles: STYLES, drawInteraction: 'click-move-or-drag' }),
  new TerraDrawCircleMode({ styles: STYLES, drawInteraction: 'click-move-or-drag' }),
  new TerraDrawSelectMode({
    allowManualDeselection: false,
    styles: {
      selectedPolygonColor: COLOR,
      selectedPolygonFillOpacity: 0.12,
      selectedPolygonOutlineColor: COLOR,
      selectionPointColor: COLOR,
      midPointColor: COLOR,
    },
    flags: {
      polygon: { feature: { draggable: true, coordinates: { draggable: true, midpoints: true, deletable: true } } },
    },
  }),
]
