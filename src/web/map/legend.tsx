import type { Map as MapLibre } from 'maplibre-gl'
import { Options } from '../list/cells.tsx'
import { setView } from '../state/address.ts'
import { formatCount } from '../state/format.ts'
import { savePicture } from '../state/picture.ts'
import { texts } from '../state/text.ts'
import { dotClasses, dotColumn, hasEvents, type MapProps, mapTexts, marks } from './shown.ts'
import { CLASSES, colorNow, colorOf } from './style.ts'

/** The most series that the legend names. */
const MOST = 4

/** A mark with its meaning. The size is 1 if it has no meaning. */
interface Item {
  readonly color: string
  readonly name: string
  readonly size?: number
}

/** A dot of this size on the map is as large as a mark of size 1 in the legend. */
const USUAL = 1.5

/** Returns the series of all events in the map. Empty if they are many. */
const seriesItems = ({ summary }: MapProps): readonly Item[] => {
  const { entries = [], more = 0 } = summary?.facets?.event_series ?? {}
  if (more > 0 || entries.length > MOST) return []
  return entries.map(({ color = '', name = '' }) => ({ color, name }))
}

/** Returns the classes of densities. A class of more events than `most` is left out. */
const densityItems = (most: number): readonly Item[] =>
  CLASSES.filter(({ from }) => from <= most).map(({ from, color }, i) => {
    const next = CLASSES[i + 1]?.from
    const name = next === undefined ? `${formatCount(from)}+` : `${formatCount(from)}–${formatCount(next - 1)}`
    return { color: colorNow(color), name }
  })

/** Returns the words and the marks that explain the map. */
const legendOf = (props: MapProps): { readonly caption: string; readonly items: readonly Item[] } => {
  const t = mapTexts()
  if (marks.value === 'cells')
    return { caption: t.perCell, items: densityItems(props.summary?.count ?? Number.POSITIVE_INFINITY) }
  const column = dotColumn.value
  if (column === null) return { caption: t.dot, items: seriesItems(props) }
  const { title, statistic } = column
  const items = dotClasses.value.map((each) => ({
    color: colorOf(column, each),
    name: each.label || t.none,
    ...(statistic !== null && { size: each.size / USUAL }),
  }))
  return { caption: statistic === null ? title : `${title}: ${t.statistics[statistic]}`, items }
}

/** Explains the marks in view, and chooses what the dots show. A map of one event explains itself. */
export const Legend = ({ props }: { readonly props: MapProps }) => {
  if (marks.value === null || props.filters === undefined) return null
  const { caption, items } = legendOf(props)
  const isNamed = marks.value === 'points' && items.length > 0 && dotColumn.value?.statistic == null
  return (
    <div class="map-legend">
      {!isNamed && <span>{caption}</span>}
      <ul aria-label={caption}>
        {items.map(({ color, name, size = 1 }) => (
          <li key={name}>
            <span class={marks.value ?? ''} style={{ backgroundColor: color, '--size': size }} aria-hidden="true" />
            {name}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The choice of what the dots show. The address keeps it. */
export const DotChoice = ({ own }: { readonly own: MapProps['own'] }) => {
  const t = mapTexts()
  if (!hasEvents.value || own === undefined || own.columns.length === 0) return null
  return (
    <select
      aria-label={t.dots}
      value={dotColumn.value?.name ?? ''}
      onChange={({ currentTarget }) => setView({ dots: currentTarget.value || null })}
    >
      <Options of={[['', t.series], ...own.columns.map(({ name, title }) => [name, title] as const)]} />
    </select>
  )
}

/** Saves the map as PNG with its title, filters, legend, sources and date. */
export const saveImage = async (map: MapLibre, props: MapProps): Promise<void> => {
  const { summary, described = '', origin = '' } = props
  const { caption, items } = legendOf(props)
  const credit = map.getContainer().querySelector('.maplibregl-ctrl-attrib-inner')?.textContent ?? ''
  const lines = [described, `${caption} · ${credit}`]
  const title = summary === null ? document.title : mapTexts().headline(texts().list.counted('events', summary.count))
  const legend = items.map(({ color, name }) => [color, name] as const)
  // The buffer of the map is valid only until the frame ends.
  await savePicture({ title, lines, canvas: map.redraw().getCanvas(), legend, origin, file: 'map' })
}
