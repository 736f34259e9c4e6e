import { useEffect, useRef, useState } from 'preact/hooks'
import { language, texts } from '../state/text.ts'
import { isLoaded } from './library.ts'
import { makeMap } from './map.ts'
import type { MapProps, MapView } from './mapView.ts'
import { Parts } from './parts/parts.tsx'

export type { MapProps } from './mapView.ts'

/** Shows a map. MapLibre loads after the first view, and the frame has its height at once. */
export const MapPicture = (props: MapProps) => {
  const canvas = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<MapView | null>(null)
  const [isMissing, setMissing] = useState(false)
  const { prefix } = props
  useEffect(() => {
    if (isMissing) return
    const ended = new AbortController()
    makeMap(canvas.current as HTMLDivElement, prefix, ended.signal).then(
      setView,
      () => ended.signal.aborted || setMissing(true),
    )
    return () => ended.abort()
  }, [prefix, isMissing, language.value])
  if (isMissing) return <Missing retry={() => setMissing(false)} />
  return (
    <div class="map">
      <div class="map-canvas" ref={canvas} />
      {view !== null && <Parts view={view} shown={props} />}
    </div>
  )
}

/** Says why there is no map. If its files have loaded, the browser has no WebGL. */
const Missing = ({ retry }: { readonly retry: () => void }) => {
  const t = texts().map
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
