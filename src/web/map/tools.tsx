import type { Polygon } from 'geojson'
import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../state/text.ts'
import { reloadTiles } from './layers.ts'
import { DotChoice, saveImage } from './legend.tsx'
import { area, isPartial, type MapProps, mapTexts, moves, rounded, SHAPES, type Tool, tool, wktOf } from './shown.ts'
import { areaInView, keepView } from './view.ts'

/** The outlines of the icons, in a square of 20. */
const ICONS = {
  polygon: 'M3 8l7-5 7 5-3 9H6z',
  rectangle: 'M3 5h14v10H3z',
  circle: 'M10 3a7 7 0 1 0 .1 0z',
  edit: 'M4 16l1-4 8-8 3 3-8 8z',
  clear: 'M5 5l10 10M15 5L5 15',
  image: 'M10 3v9M6 9l4 4 4-4M4 16h12',
}

/** Shows the tools of a map in a column, and what they say beside it. */
export const Tools = ({ map, props }: { readonly map: MapLibre; readonly props: MapProps }) => {
  const { onArea } = props
  const t = mapTexts()
  const change = (wkt: string | null) => {
    keepView(wkt)
    onArea?.(wkt)
  }
  const editable = area.value?.type === 'Polygon' && area.value.coordinates.length === 1 ? area.value : null
  const isFailed = useTool(map, editable, change)
  return (
    <>
      <div class="tools" role="toolbar" aria-label={t.toolbar}>
        {onArea !== undefined && SHAPES.map((shape) => <ToolButton key={shape} starts={shape} />)}
        {onArea !== undefined && editable !== null && <ToolButton starts="edit" />}
        {onArea !== undefined && props.area !== null && (
          <IconButton icon="clear" name={t.clear} onClick={() => change(null)} />
        )}
        {props.filters !== undefined && (
          <IconButton icon="image" name={t.image} onClick={() => saveImage(map, props)} />
        )}
      </div>
      <div class="map-hints">
        <DotChoice own={props.own} />
        {onArea !== undefined && <SearchHere map={map} given={props.area} change={change} />}
        <p class="hint" role="status">
          {isFailed ? texts().app.failed : tool.value && t.tools[tool.value].help}
        </p>
        <p class="hint" role="status">
          {isPartial.value && (
            <>
              {t.partial}{' '}
              <button type="button" onClick={() => reloadTiles(map)}>
                {texts().app.retry}
              </button>
            </>
          )}
        </p>
      </div>
    </>
  )
}

interface SearchProps {
  readonly map: MapLibre
  /** The area of the query. */
  readonly given: string | null
  readonly change: (wkt: string | null) => void
}

/** Searches the view, after the user has moved the map. The button says it if that replaces an area of the user. */
const SearchHere = ({ map, given, change }: SearchProps) => {
  const searched = useRef<string | null>(null)
  const t = mapTexts()
  if (moves.value !== 'moved') return null
  const search = () => {
    searched.current = areaInView(map)
    if (searched.current !== null || given !== null) change(searched.current)
  }
  return (
    <button type="button" class="primary" onClick={search}>
      {given === null || given === searched.current ? t.searchHere : t.searchInstead}
    </button>
  )
}

interface ButtonProps {
  readonly icon: keyof typeof ICONS
  readonly name: string
  readonly isPressed?: boolean
  readonly onClick: () => void
}

const IconButton = ({ icon, name, isPressed, onClick }: ButtonProps) => (
  <button type="button" aria-label={name} title={name} aria-pressed={isPressed} onClick={onClick}>
    <svg viewBox="0 0 20 20" aria-hidden="true">
      <path d={ICONS[icon]} />
    </svg>
  </button>
)

/** A button for a tool. A second press ends it. */
const ToolButton = ({ starts }: { readonly starts: Tool }) => {
  const isPressed = tool.value === starts
  const toggle = () => {
    tool.value = isPressed ? null : starts
  }
  return <IconButton icon={starts} name={mapTexts().tools[starts].name} isPressed={isPressed} onClick={toggle} />
}

/** Runs the chosen tool, which loads when the user first chooses one. Returns true if it could not be loaded. */
const useTool = (map: MapLibre, area: Polygon | null, onArea: (wkt: string) => void): boolean => {
  const [isFailed, setFailed] = useState(false)
  const latest = useRef(onArea)
  latest.current = onArea
  const started = tool.value
  const onEnd = () => {
    tool.value = null
  }
  useEffect(() => {
    if (started === null) return
    setFailed(false)
    let stop: (() => void) | null = () => {}
    import('./draw.ts')
      .then(({ startTool }) => {
        const onDrawn = (drawn: Polygon) => latest.current(wktOf(drawn))
        if (stop !== null) stop = startTool(map, started, area && rounded(area), onDrawn, onEnd)
      })
      .catch(() => {
        setFailed(true)
        onEnd()
      })
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && onEnd()
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('keydown', onKey)
      stop?.()
      stop = null
    }
  }, [map, started])
  useEffect(() => {
    if (area === null && tool.value === 'edit') onEnd()
  }, [area === null])
  useEffect(() => onEnd, [])
  return isFailed
}
