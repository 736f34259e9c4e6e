import type { Geometry } from 'geojson'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CELLS, EVENTS, POINTS } from '../layers.ts'
import type { MapView } from '../mapView.ts'
import { mapTexts } from '../text.ts'
import type { Draw, DrawnShape } from './draw.ts'

const SHAPES: readonly DrawnShape[] = ['polygon', 'rectangle', 'circle']
type Tool = DrawnShape | 'edit'

interface Props {
  readonly view: MapView
  /** Null if there is no area, or if the map cannot show it. */
  readonly area: Geometry | null
  readonly isSet: boolean
  readonly onArea: (wkt: string | null) => void
}

/** Shows the buttons to draw, edit and clear an area. */
export const Tools = ({ view, area, isSet, onArea }: Props) => {
  const { tool, isFailed, choose, stop } = useDraw(view, area, isSet, onArea)
  const t = mapTexts()
  const isEditable = area?.type === 'Polygon' && area.coordinates.length === 1
  const clear = () => {
    stop()
    onArea(null)
  }
  return (
    <>
      {SHAPES.map((shape) => (
        <button
          key={shape}
          type="button"
          title={t.shapes[shape].title}
          aria-pressed={tool === shape}
          onClick={() => choose(shape)}
        >
          {t.shapes[shape].name}
        </button>
      ))}
      {isEditable && (
        <button type="button" aria-pressed={tool === 'edit'} onClick={() => choose('edit')}>
          {t.edit}
        </button>
      )}
      {isSet && (
        <button type="button" onClick={clear}>
          {t.clear}
        </button>
      )}
      <p class="hint" role="status">
        {isFailed ? t.notLoaded : tool === 'edit' ? t.editHelp : tool !== null ? t.shapes[tool].help : ''}
      </p>
    </>
  )
}

/** Loads the drawing tool when the user chooses it. */
const useDraw = (view: MapView, area: Geometry | null, isSet: boolean, onArea: Props['onArea']) => {
  const [tool, setTool] = useState<Tool | null>(null)
  const [isFailed, setFailed] = useState(false)
  const latest = useRef(onArea)
  latest.current = onArea
  const stop = () => view.draw.current?.stop()
  const load = async (): Promise<Draw> => {
    const { makeDraw } = await import('./draw.ts')
    const onEnd = () => setTool(null)
    const onArea = (wkt: string) => latest.current(wkt)
    view.draw.current ??= makeDraw({ map: view.map, layers: [EVENTS, POINTS, CELLS], onArea, onEnd })
    return view.draw.current
  }
  const start = async (next: Tool) => {
    const draw = await load()
    if (next !== 'edit') draw.start(next)
    else if (area?.type === 'Polygon') draw.edit(area)
  }
  const choose = (next: Tool) => {
    stop()
    setFailed(false)
    // The second press of a button ends its tool.
    setTool(tool === next ? null : next)
    if (tool === next) return
    start(next).catch(() => {
      setTool(null)
      setFailed(true)
    })
  }
  useEffect(() => {
    view.isEditing.value = tool === 'edit'
  }, [tool])
  useEffect(() => {
    if (!isSet && view.draw.current?.isEditing()) stop()
  }, [isSet])
  return { tool, isFailed, choose, stop }
}
