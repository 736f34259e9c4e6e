import { useEffect } from 'preact/hooks'
import { texts } from '../../state/text.ts'
import { Tools } from '../draw/tools.tsx'
import { geometryOf } from '../geometry.ts'
import type { MapProps, MapView } from '../mapView.ts'
import { mapTexts } from '../text.ts'
import { areaInView } from '../view.ts'
import { saveImage } from './image.ts'
import { Legend, TileAddresses } from './legend.tsx'

interface Props {
  readonly view: MapView
  readonly shown: MapProps
}

/** Shows the parts of the page that lie over the map, and keeps the map up to date. */
export const Parts = ({ view, shown }: Props) => {
  const { rows, series, summary, area, fitKey, filters } = shown
  const asked = JSON.stringify(filters)
  useEffect(() => view.update(shown), [view, rows, series, summary, area, fitKey, asked])
  return (
    <>
      <TopTools view={view} shown={shown} />
      <div class="map-foot">
        <Legend view={view} shown={shown} />
        <TileAddresses view={view} />
      </div>
    </>
  )
}

const TopTools = ({ view, shown }: Props) => {
  const { area, onArea } = shown
  const t = mapTexts()
  const change = (wkt: string | null) => {
    view.stay()
    onArea?.(wkt)
  }
  const searchHere = () => {
    const wkt = areaInView(view.map)
    view.isMoved.value = false
    if (wkt !== null || area !== null) change(wkt)
  }
  return (
    <div class="tools" role="toolbar" aria-label={t.tools}>
      {onArea !== undefined && (
        <Tools view={view} area={area === null ? null : geometryOf(area)} isSet={area !== null} onArea={change} />
      )}
      {view.tiles.value !== null && (
        <button type="button" onClick={() => saveImage(view, shown)}>
          {t.image}
        </button>
      )}
      {onArea !== undefined && view.isMoved.value && (
        <button type="button" class="primary" onClick={searchHere}>
          {t.searchHere}
        </button>
      )}
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
  )
}
