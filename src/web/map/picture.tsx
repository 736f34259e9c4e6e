import { useEffect, useRef, useState } from 'preact/hooks'
import { language, texts } from '../state/text.ts'
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
    const ended = new AbortController()
    makeMap(canvas.current as HTMLDivElement, prefix, ended.signal).then(
      setView,
      () => ended.signal.aborted || setMissing(true),
    )
    return () => ended.abort()
  }, [prefix, language.value])
  if (isMissing)
    return (
      <div class="map">
        <p class="empty">{texts().map.noWebgl}</p>
      </div>
    )
  return (
    <div class="map">
      <div class="map-canvas" ref={canvas} />
      {view !== null && <Parts view={view} shown={props} />}
    </div>
  )
}
