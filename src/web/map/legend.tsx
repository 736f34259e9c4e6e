import type { Map as MapLibre } from 'maplibre-gl'
import { formatCount } from '../state/format.ts'
import { savePicture } from '../state/picture.ts'
import { uuidOf } from '../state/rows.ts'
import { texts } from '../state/text.ts'
import { type MapProps, marks } from './shown.ts'
import { CLASSES, colorNow } from './style.ts'
import { mapTexts } from './text.ts'

/** The most series that the legend names. */
const MOST = 4

/** A colour and what it means. */
type Item = readonly [color: string, name: string]

/** Returns the series of all events in the map. Empty if the page does not know all of them, or if they are many. */
const seriesItems = ({ series, summary }: MapProps): readonly Item[] => {
  const { entries = [], more = 0 } = summary?.facets?.event_series ?? {}
  const known = new Map([...series.values()].map((each) => [uuidOf(each), each]))
  const named = entries.flatMap(({ uuid = '' }) => known.get(uuid) ?? [])
  if (more > 0 || named.length < entries.length || named.length > MOST) return []
  return named.map(({ color, name }) => [color, name])
}

const classItems = (): readonly Item[] =>
  CLASSES.map(({ from, color }, i) => {
    const next = CLASSES[i + 1]?.from
    return [
      colorNow(color),
      next === undefined ? `${formatCount(from)}+` : `${formatCount(from)}–${formatCount(next - 1)}`,
    ]
  })

/** Returns the words and the colours that explain the marks. */
const legendOf = (props: MapProps) =>
  marks.value === 'cells'
    ? { caption: mapTexts().perCell, items: classItems() }
    : { caption: mapTexts().dot, items: seriesItems(props) }

/** Explains the marks in view. A map of one event explains itself. */
export const Legend = ({ props }: { readonly props: MapProps }) => {
  if (marks.value === null || props.filters === undefined) return null
  const { caption, items } = legendOf(props)
  return (
    <div class="map-legend">
      {(marks.value === 'cells' || items.length === 0) && <span id="map-legend">{caption}</span>}
      <ul aria-labelledby="map-legend">
        {items.map(([color, name]) => (
          <li key={name}>
            <span class={marks.value ?? ''} style={{ backgroundColor: color }} aria-hidden="true" />
            {name}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Saves the map as PNG with its title, filters, legend, sources and date. */
export const saveImage = async (map: MapLibre, props: MapProps): Promise<void> => {
  const { summary, described = '' } = props
  const { caption, items: legend } = legendOf(props)
  const credit = map.getContainer().querySelector('.maplibregl-ctrl-attrib-inner')?.textContent ?? ''
  const lines = [described, `${caption} · ${credit}`]
  const title = summary === null ? document.title : mapTexts().headline(texts().list.counted('events', summary.count))
  // The buffer of the map is valid only until the frame ends.
  await savePicture({ title, lines, canvas: map.redraw().getCanvas(), legend, file: 'map' })
}
