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
import { convert } from 'terraformer-wkt-parser'
import { rounded } from '../box.ts'
import { makeLights } from './lights.ts'

export type DrawnShape = 'polygon' | 'rectangle' | 'circle'

/** Draws and edits one area at a time. */
export interface Draw {
  readonly start: (shape: DrawnShape) => void
  readonly edit: (area: Polygon) => void
  readonly stop: () => void
  readonly isEditing: () => boolean
  readonly isActive: () => boolean
}

export interface DrawProps {
  readonly map: MapLibre
  /** The layers with marks, which the tool highlights inside the drawing. */
  readonly layers: readonly string[]
  /** Gets each finished area. */
  readonly onArea: (wkt: string) => void
  /** Runs when drawing or editing ends. */
  readonly onEnd: () => void
}

/** Makes the drawing tool of a map. */
export const makeDraw = ({ map, layers, onArea, onEnd }: DrawProps): Draw => {
  let editing = false
  const light = makeLights(map, layers)
  const draw = new TerraDraw({ adapter: new TerraDrawMapLibreGLAdapter({ map }), modes: modes() })
  const stop = () => {
    if (!draw.enabled) return
    editing = false
    draw.clear()
    draw.stop()
    light(null)
    onEnd()
  }
  draw.on('finish', (id, { action }) => {
    const { geometry } = draw.getSnapshotFeature(id) ?? {}
    if (geometry?.type !== 'Polygon') return
    const wkt = convert(rounded(geometry))
    // TerraDraw still reads the drawing during this event. So this stops it later.
    if (action === 'draw') setTimeout(stop)
    onArea(wkt)
  })
  highlight(draw, light)
  map.getContainer().addEventListener('keydown', (event) => {
    if (event.key === 'Escape') stop()
  })
  return {
    start: (shape) => {
      stop()
      draw.start()
      draw.setMode(shape)
    },
    edit: ({ coordinates }) => {
      stop()
      draw.start()
      const rounded = coordinates.map((ring) =>
        ring.map(([x = 0, y = 0]) => [Number(x.toFixed(6)), Number(y.toFixed(6))]),
      )
      const [added] = draw.addFeatures([
        { type: 'Feature', geometry: { type: 'Polygon', coordinates: rounded }, properties: { mode: 'polygon' } },
      ])
      if (added?.valid !== true || added.id === undefined) return stop()
      editing = true
      draw.setMode('select')
      draw.selectFeature(added.id)
    },
    stop,
    isEditing: () => editing,
    isActive: () => draw.enabled,
  }
}

/** Highlights what is inside the drawing while it changes, at most once per frame. */
const highlight = (draw: TerraDraw, light: ReturnType<typeof makeLights>): void => {
  let waiting = 0
  draw.on('change', () => {
    cancelAnimationFrame(waiting)
    waiting = requestAnimationFrame(() => {
      const shape = draw.enabled ? draw.getSnapshot().find(({ geometry }) => geometry.type === 'Polygon') : undefined
      if (shape?.geometry.type === 'Polygon') light(shape.geometry)
    })
  })
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
