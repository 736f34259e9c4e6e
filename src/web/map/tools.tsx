import type { Polygon } from 'geojson'
import { useEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../state/text.ts'
import { geometryOf, rounded, wktOf } from './area.ts'
import type { Draw, DrawnShape } from './draw.ts'
import { showArea } from './layers.ts'
import { saveImage } from './legend.tsx'
import type { MapProps, MapView } from './mapView.ts'
import { mapTexts } from './text.ts'
import { areaInView } from './view.ts'

const SHAPES: readonly DrawnShape[] = ['polygon', 'rectangle', 'circle']
type Tool = DrawnShape | 'edit'

/** The outlines of the icons, in a square of 20. */
const ICONS = {
  polygon: 'M3 8l7-5 7 5-3 9H6z',
  rectangle: 'M3 5h14v10H3z',
  circle: 'M10 3a7 7 0 1 0 .1 0z',
  edit: 'M4 16l1-4 8-8 3 3-8 8z',
  clear: 'M5 5l10 10M15 5L5 15',
  image: 'M10 3v9M6 9l4 4 4-4M4 16h12',
}

interface Props {
  readonly view: MapView
  readonly shown: MapProps
}

/** Shows the tools of a map in a column, and what they say beside it. */
export const Tools = ({ view, shown }: Props) => {
  const { area, onArea, filters } = shown
  const t = mapTexts()
  const change = (wkt: string | null) => {
    view.choose(wkt)
    onArea?.(wkt)
  }
  const found = area === null ? null : geometryOf(area)
  const editable = found?.type === 'Polygon' && found.coordinates.length === 1 ? found : null
  const { tool, isFailed, choose } = useDraw(view, editable, change)
  const searchHere = () => {
    const wkt = areaInView(view.map)
    if (wkt !== null || area !== null) change(wkt)
  }
  const help = tool === 'edit' ? t.editHelp : tool !== null ? t.shapes[tool].help : ''
  return (
    <>
      <div class="tools" role="toolbar" aria-label={t.tools}>
        {onArea !== undefined &&
          SHAPES.map((shape) => (
            <IconButton
              key={shape}
              icon={shape}
              name={t.shapes[shape].name}
              title={t.shapes[shape].title}
              isPressed={tool === shape}
              onClick={() => choose(shape)}
            />
          ))}
        {onArea !== undefined && editable !== null && (
          <IconButton icon="edit" name={t.edit} isPressed={tool === 'edit'} onClick={() => choose('edit')} />
        )}
        {onArea !== undefined && area !== null && (
          <IconButton icon="clear" name={t.clear} onClick={() => change(null)} />
        )}
        {filters !== undefined && <IconButton icon="image" name={t.image} onClick={() => saveImage(view, shown)} />}
      </div>
      <div class="map-hints">
        {onArea !== undefined && view.moves.value === 'moved' && (
          <button type="button" class="primary" onClick={searchHere}>
            {t.searchHere}
          </button>
        )}
        <p class="hint" role="status">
          {isFailed ? t.notLoaded : help}
        </p>
        <p class="hint" role="status">
          {view.isPartial.value && (
            <>
              {t.partial}{' '}
              <button type="button" onClick={view.reload}>
                {texts().app.retry}
              </button>
            </>
          )}
        </p>
      </div>
    </>
  )
}

interface IconButtonProps {
  readonly icon: keyof typeof ICONS
  readonly name: string
  readonly title?: string
  readonly isPressed?: boolean
  readonly onClick: () => void
}

const IconButton = ({ icon, name, title = name, isPressed, onClick }: IconButtonProps) => (
  <button type="button" aria-label={name} title={title} aria-pressed={isPressed} onClick={onClick}>
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <path d={ICONS[icon]} />
    </svg>
  </button>
)

/** Loads the drawing tool when the user chooses it. The tool ends with the area that it edits. */
const useDraw = ({ map, isDrawing }: MapView, area: Polygon | null, onArea: (wkt: string) => void) => {
  const [tool, setTool] = useState<Tool | null>(null)
  const [isFailed, setFailed] = useState(false)
  const made = useRef<Draw | null>(null)
  const latest = useRef(onArea)
  latest.current = onArea
  const stop = () => setTool(null)
  const start = async (next: Tool) => {
    const { makeDraw } = await import('./draw.ts')
    made.current ??= makeDraw(map, (drawn) => latest.current(wktOf(drawn)), stop)
    if (next !== 'edit') made.current.start(next)
    else if (area === null || !made.current.edit(rounded(area, 6))) stop()
  }
  useEffect(() => {
    if (tool === null) return
    isDrawing.value = true
    showArea(map, tool !== 'edit')
    let isEnded = false
    start(tool)
      .catch(() => {
        stop()
        setFailed(true)
      })
      .then(() => isEnded && made.current?.stop())
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && stop()
    addEventListener('keydown', onKey)
    return () => {
      isEnded = true
      removeEventListener('keydown', onKey)
      made.current?.stop()
      isDrawing.value = false
      showArea(map, true)
    }
  }, [tool])
  useEffect(() => {
    if (area === null && tool === 'edit') stop()
  }, [area === null])
  const choose = (next: Tool) => {
    setFailed(false)
    // The second press of a button ends its tool.
    setTool(tool === next ? null : next)
  }
  return { tool, isFailed, choose }
}
