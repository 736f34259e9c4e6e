import { useEffect, useRef, useState } from 'preact/hooks'
import { language, texts } from '../state/text.ts'
import { Legend } from './legend.tsx'
import { isLoaded } from './library.ts'
import { makeMap } from './map.ts'
import type { MapProps, MapView } from './mapView.ts'
import { mapTexts } from './text.ts'
import { Tools } from './tools.tsx'

/** A map, the element with it, and the end of it. */
interface Kept {
  readonly element: HTMLElement
  readonly view: Promise<MapView>
  readonly language: string
  readonly end: AbortController
}

/** The only map of the page. It moves to the next place of a map, because it takes long to start. */
let kept: Kept | null = null

/** Shows the map in a frame. Makes it if there is none in the language of the page. */
const mapIn = (frame: HTMLElement): Kept => {
  if (kept?.language !== language.value) {
    kept?.end.abort()
    kept = null
  }
  const element = kept?.element ?? Object.assign(document.createElement('div'), { className: 'map-canvas' })
  frame.append(element)
  if (kept === null) {
    const end = new AbortController()
    kept = { element, view: makeMap(element, end.signal), language: language.value, end }
  }
  return kept
}

/** Shows a map. MapLibre loads after the first view, and the frame has its height at once. */
export const MapPanel = (props: MapProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<MapView | null>(null)
  const [isMissing, setMissing] = useState(false)
  const { rows, series, summary, area, query, filters } = props
  useEffect(() => {
    if (isMissing) return
    const map = mapIn(frame.current as HTMLDivElement)
    let isShown = true
    const show = (next: MapView) => (isShown ? setView(next) : next.rest())
    map.view.then(show, () => {
      if (kept === map) kept = null
      if (isShown) setMissing(true)
    })
    return () => {
      isShown = false
      map.element.remove()
      map.view.then((last) => last.rest()).catch(() => {})
    }
  }, [isMissing, language.value])
  useEffect(() => view?.update(props), [view, rows, series, summary, area, query, JSON.stringify(filters)])
  if (isMissing) return <Missing retry={() => setMissing(false)} />
  return (
    <div class="map">
      <div class="map-place" ref={frame} />
      {view !== null && (
        <>
          <Tools key={view} view={view} shown={props} />
          <Legend view={view} shown={props} />
        </>
      )}
    </div>
  )
}

/** Says why there is no map. If its files have loaded, the browser has no WebGL. */
const Missing = ({ retry }: { readonly retry: () => void }) => {
  const t = mapTexts()
  return (
    <div class="map">
      {isLoaded() ? (
        <p class="empty">{t.noWebgl}</p>
      ) : (
        <p class="empty" role="status">
          {t.missing}{' '}
          <button type="button" onClick={retry}>
            {texts().app.retry}
          </button>
        </p>
      )}
    </div>
  )
}
