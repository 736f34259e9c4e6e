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

export type DrawnShape = 'polygon' | 'rectangle' | 'circle'

/** Draws and edits one area at a time. */
export interface Draw {
  readonly start: (shape: DrawnShape) => void
  /** Edits an area with at most six decimals. Returns false if the tool cannot edit it. */
  readonly edit: (area: Polygon) => boolean
  readonly stop: () => void
}

/** Makes the drawing tool of a map. `onArea` gets each finished area, and `onEnd` runs after the first. */
export const makeDraw = (map: MapLibre, onArea: (area: Polygon) => void, onEnd: () => void): Draw => {
  const draw = new TerraDraw({ adapter: new TerraDrawMapLibreGLAdapter({ map }), modes: modes() })
  const stop = () => {
    if (!draw.enabled) return
    draw.clear()
    draw.stop()
  }
  draw.on('finish', (id, { action }) => {
    const { geometry } = draw.getSnapshotFeature(id) ?? {}
    if (geometry?.type !== 'Polygon') return
    // TerraDraw still reads the drawing during this event. So it stops later.
    if (action === 'draw') setTimeout(onEnd)
    onArea(geometry)
  })
  return {
    start: (shape) => {
      draw.start()
      draw.setMode(shape)
    },
    edit: (geometry) => {
      draw.start()
      const [added] = draw.addFeatures([{ type: 'Feature', geometry, properties: { mode: 'polygon' } }])
      if (added?.valid !== true || added.id === undefined) return false
      draw.setMode('select')
      draw.selectFeature(added.id)
      return true
    },
    stop,
  }
}

const COLOR = '#0b6bcb'
const STYLES = { fillColor: COLOR, fillOpacity: 0.12, outlineColor: COLOR, outlineWidth: 2 } as const

const modes = () => [
  new TerraDrawPolygonMode({ styles: { ...STYLES, closingPointColor: COLOR } }),
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
