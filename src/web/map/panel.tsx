import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'preact/hooks'
import { language, texts } from '../state/text.ts'
import { isLoaded } from './library.ts'
import { makeMap } from './map.ts'
import { type MapProps, mapTexts, shown } from './shown.ts'
import { Legend, Tools } from './tools.tsx'

/** The only map of the page, in its element. It moves to the next place of a map, because it takes long to start. */
let kept: { readonly element: HTMLElement; readonly language: string; readonly map: Promise<MapLibre> } | null = null

/** Returns the kept map. Makes it if there is none in the language of the page. */
const keptMap = () => {
  if (kept?.language === language.value) return kept
  // Browsers have few contexts of WebGL.
  kept?.map.then((last) => last.remove()).catch(() => {})
  const element = Object.assign(document.createElement('div'), { className: 'map-canvas' })
  kept = { element, language: language.value, map: makeMap(element) }
  return kept
}

/** Shows a map. MapLibre loads after the first view, and the frame has its height at once. */
export const MapPanel = (props: MapProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const [map, setMap] = useState<MapLibre | null>(null)
  const [isMissing, setMissing] = useState(false)
  const { rows, series, summary, area, query, filters } = props
  useEffect(() => {
    if (isMissing) return
    const own = keptMap()
    frame.current?.append(own.element)
    let isShown = true
    own.map
      .then((made) => isShown && setMap(made))
      .catch(() => {
        if (kept === own) kept = null
        if (isShown) setMissing(true)
      })
    return () => {
      isShown = false
      shown.value = null
      own.element.remove()
    }
  }, [isMissing, language.value])
  useEffect(() => {
    shown.value = props
  }, [isMissing, language.value, rows, series, summary, area, query, JSON.stringify(filters)])
  if (isMissing) return <Missing retry={() => setMissing(false)} />
  return (
    <div class="map">
      <div class="map-place" ref={frame} />
      {map !== null && (
        <>
          <Tools map={map} props={props} />
          <Legend props={props} />
        </>
      )}
    </div>
  )
}

/** Says why there is no map. If its files have loaded, the browser has no WebGL. */
const Missing = ({ retry }: { readonly retry: () => void }) => (
  <div class="map">
    <p class="empty" role="status">
      {isLoaded() ? mapTexts().noWebgl : mapTexts().missing}{' '}
      <button type="button" hidden={isLoaded()} onClick={retry}>
        {texts().app.retry}
      </button>
    </p>
  </div>
)
