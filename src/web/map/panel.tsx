import { effect } from '@preact/signals'
import type { Map as MapLibre } from 'maplibre-gl'
import { useEffect, useRef, useState } from 'preact/hooks'
import { PAPER } from '../state/picture.ts'
import { prefix } from '../state/store.ts'
import { language, texts } from '../state/text.ts'
import { addLayers, followEvents, followRows } from './layers.ts'
import { Legend } from './legend.tsx'
import { isLoaded, loadMapLibre } from './library.ts'
import { followPointer } from './pointing.tsx'
import { type MapProps, mapTexts, shown } from './shown.ts'
import { creditOf, isDark, isOnPaper, loadLand, ownStyle, styleAddress } from './style.ts'
import { withKey } from './tiles.ts'
import { Tools } from './tools.tsx'
import { followContent, wholeWorld } from './view.ts'

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
  const { rows, series, summary, isFailed, area, query, filters, own } = props
  useEffect(() => {
    if (isMissing) return
    const used = keptMap()
    frame.current?.append(used.element)
    let isShown = true
    used.map
      .then((made) => isShown && setMap(made))
      .catch(() => {
        if (kept === used) kept = null
        if (isShown) setMissing(true)
      })
    return () => {
      isShown = false
      shown.value = null
      used.element.remove()
    }
  }, [isMissing, language.value])
  useEffect(() => {
    shown.value = props
  }, [isMissing, language.value, rows, series, summary, isFailed, area, query, JSON.stringify([filters, own])])
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

/** Makes a map in an element. The map shows what the signals in `shown.ts` say, until it is removed. */
const makeMap = async (canvas: HTMLElement): Promise<MapLibre> => {
  const maplibre = await loadMapLibre(prefix)
  const map = new maplibre.Map({
    container: canvas,
    style: styleAddress || ownStyle(),
    center: [0, 25],
    zoom: 0.6,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    renderWorldCopies: false,
    transformConstrain: wholeWorld(maplibre, canvas),
    transformRequest: withKey,
    trackResize: false,
    cooperativeGestures: matchMedia('(pointer: coarse)').matches,
    locale: mapTexts().maplibre,
  })
  map.touchZoomRotate.disableRotation()
  map.keyboard.disableRotation()
  map.addControl(new maplibre.NavigationControl({ showCompass: false }), 'top-right')
  // The sources of the style name who made them. The licences of most map data demand that.
  map.addControl(
    new maplibre.AttributionControl({ compact: false, customAttribution: ['MapLibre', ...creditOf(styleAddress)] }),
    'bottom-right',
  )
  map.addControl(new maplibre.ScaleControl({}), 'bottom-right')
  await styled(map)
  addLayers(map)
  const follow = [followScheme, followEvents, followRows, followContent, followPointer]
  const stops = follow.map((each) => each(map, maplibre))
  map.once('remove', () => {
    for (const stop of stops) stop()
  })
  map.once('idle', () => loadLand(map, prefix))
  return map
}

/** Waits for the style. If the style in MAP_STYLE cannot be loaded, the map uses its own. */
const styled = async (map: MapLibre): Promise<void> => {
  // The list shows the faults of filters.
  map.on('error', ({ error }) => console.warn(error.message))
  const useOwn = () => map.setStyle(ownStyle())
  map.once('error', useOwn)
  await new Promise((resolve) => map.once('style.load', resolve))
  map.off('error', useOwn)
}

/** Half of the space between the map and the graph on paper, in pixels. */
const GAP = 6

/**
 * Gives the map its light or dark colours, and copies it while the browser prints.
 * The browser prints no WebGL, unless the map keeps each frame a second time.
 */
const followScheme = (map: MapLibre) =>
  effect(() => {
    map.setGlobalStateProperty('dark', isDark.value)
    if (!isOnPaper.value) return
    const frame = map.getContainer()
    const { width, height } = map.redraw().getCanvas()
    const copy = Object.assign(document.createElement('canvas'), { className: 'copy', width, height })
    copy.style.width = `${frame.clientWidth}px`
    copy.getContext('2d')?.drawImage(map.getCanvas(), 0, 0)
    // The scale stays true, because it shrinks with the map.
    // A list has the map and the graph side by side.
    const space = frame.closest('.columns') === null ? PAPER : PAPER / 2 - GAP
    frame.style.setProperty('zoom', String(Math.min(1, space / frame.clientWidth)))
    frame.append(copy)
    return () => {
      copy.remove()
      frame.style.removeProperty('zoom')
    }
  })
