import { useEffect, useRef, useState } from 'preact/hooks'
import type { AddressParameter } from '../state/address.ts'
import type { SeriesById, SummaryAnswer } from '../state/known.ts'
import type { MapView } from './map.ts'

export interface MapProps {
  readonly prefix: string
  readonly rows: readonly object[]
  readonly series: SeriesById
  readonly summary: SummaryAnswer | null
  readonly area: string | null
  readonly fitKey: string
  readonly filters?: readonly AddressParameter[]
  readonly onArea?: (wkt: string | null) => void
}

export const MapPicture = ({ prefix, fitKey, onArea, ...shown }: MapProps) => {
  const container = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<MapView | null>(null)
  const handler = useRef(onArea)
  handler.current = onArea
  useEffect(() => {
    const ended = new AbortController()
    const onDraw = onArea === undefined ? null : (wkt: string | null) => handler.current?.(wkt)
    import('./map.ts')
      .then(({ makeMap }) => makeMap(container.current as HTMLElement, prefix, onDraw, ended.signal))
      .then(setView, () => {
        if (container.current)
          container.current.textContent = 'This browser cannot show the map, because the map needs WebGL.'
      })
    return () => ended.abort()
  }, [])
  const fitted = useRef('')
  useEffect(() => {
    if (view === null) return
    view.update({ ...shown, fit: fitted.current !== fitKey + (shown.summary !== null) })
    fitted.current = fitKey + (shown.summary !== null)
  })
  return <div class="map" ref={container} />
}
