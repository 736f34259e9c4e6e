import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../state/text.ts'
import { loadMapLibre } from './library.ts'
import type { MapProps, MapView } from './mapView.ts'

export type { MapProps } from './mapView.ts'

interface Loaded {
  readonly view: MapView
  readonly Parts: ComponentType<{ readonly view: MapView; readonly shown: MapProps }>
}

/** Shows a map. MapLibre loads after the first view, and the frame has its height at once. */
export const MapPicture = (props: MapProps) => {
  const canvas = useRef<HTMLDivElement>(null)
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [isMissing, setMissing] = useState(false)
  const { prefix } = props
  useEffect(() => {
    const ended = new AbortController()
    const load = async (): Promise<void> => {
      // The largest file starts first.
      loadMapLibre(prefix).catch(() => {})
      const [{ makeMap }, { Parts }] = await Promise.all([import('./map.ts'), import('./parts/parts.tsx')])
      const view = await makeMap(canvas.current as HTMLDivElement, prefix, ended.signal)
      setLoaded({ view, Parts })
    }
    load().catch(() => ended.signal.aborted || setMissing(true))
    return () => ended.abort()
  }, [prefix])
  if (isMissing)
    return (
      <div class="map">
        <p class="empty">{texts().map.noWebgl}</p>
      </div>
    )
  return (
    <div class="map">
      <div class="map-canvas" ref={canvas} />
      {loaded !== null && <loaded.Parts view={loaded.view} shown={props} />}
      <small class="credit">MapLibre, Natural Earth</small>
    </div>
  )
}
