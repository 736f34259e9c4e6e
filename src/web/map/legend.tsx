import { formatCount } from '../state/format.ts'
import { savePicture } from '../state/picture.ts'
import { type Series, uuidOf } from '../state/rows.ts'
import { texts } from '../state/text.ts'
import type { MapProps, MapView, Marks } from './mapView.ts'
import { CLASSES, cellColors } from './style.ts'
import { mapTexts } from './text.ts'

/** The most series that the legend names. */
const MOST = 4

/** Returns the series of all events in the map. Empty if the page does not know all of them, or if they are many. */
const seriesOfMap = ({ series, summary }: MapProps): readonly Series[] => {
  const known = new Map([...series.values()].map((each) => [uuidOf(each), each]))
  const { entries = [], more = 0 } = summary?.facets?.event_series ?? {}
  const named = entries.flatMap(({ uuid = '' }) => known.get(uuid) ?? [])
  return more > 0 || named.length < entries.length || named.length > MOST ? [] : named
}

/** Returns the words and the colours that explain the marks. */
const legendOf = (marks: Marks, shown: MapProps) => {
  const t = mapTexts()
  if (marks === 'points')
    return { caption: t.dot, items: seriesOfMap(shown).map(({ color, name }) => [color, name] as const) }
  const colors = cellColors()
  const items = CLASSES.map((from, i) => {
    const next = CLASSES[i + 1]
    const counts = next === undefined ? `${formatCount(from)}+` : `${formatCount(from)}–${formatCount(next - 1)}`
    return [colors[i] ?? '', counts] as const
  })
  return { caption: t.perCell, items }
}

/** Explains the marks in view. */
export const Legend = ({ view, shown }: { readonly view: MapView; readonly shown: MapProps }) => {
  const marks = view.marks.value
  // A map of one event explains itself.
  if (marks === null || shown.filters === undefined) return null
  const { caption, items } = legendOf(marks, shown)
  return (
    <div class="map-legend">
      {(marks === 'cells' || items.length === 0) && <span id="map-legend">{caption}</span>}
      <ul aria-labelledby="map-legend">
        {items.map(([color, name]) => (
          <li key={name}>
            <span class={marks} style={{ backgroundColor: color }} aria-hidden="true" />
            {name}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Saves the map as PNG with its title, filters, legend, sources and date. */
export const saveImage = async ({ map, marks }: MapView, shown: MapProps): Promise<void> => {
  const { summary, described = '' } = shown
  const { caption, items } = legendOf(marks.value ?? 'points', shown)
  const credit = map.getContainer().querySelector('.maplibregl-ctrl-attrib-inner')?.textContent ?? ''
  const lines = [described, `${caption} · ${credit}`]
  const title = summary === null ? document.title : mapTexts().headline(texts().list.counted('events', summary.count))
  // The buffer of the map is valid only until the frame ends.
  await savePicture({ title, lines, canvas: map.redraw().getCanvas(), legend: items, file: 'map' })
}
