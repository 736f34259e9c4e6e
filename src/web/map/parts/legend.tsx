import { type Series, uuidOf } from '../../state/rows.ts'
import { classes } from '../basemap.ts'
import type { MapProps, MapView } from '../mapView.ts'
import { mapTexts } from '../text.ts'

/** Explains the marks in view. */
export const Legend = ({ view, shown }: { readonly view: MapView; readonly shown: MapProps }) => {
  const marks = view.marks.value
  // A map of one event explains itself.
  if (marks === null || shown.filters === undefined) return null
  return <div class="map-legend">{marks === 'cells' ? <Cells /> : <Points shown={shown} />}</div>
}

const Cells = () => (
  <>
    <span id="map-legend">{mapTexts().perCell}</span>
    <ul aria-labelledby="map-legend">
      {classes().map(([color, counts]) => (
        <li key={counts}>
          <span class="cell" style={{ backgroundColor: color }} aria-hidden="true" />
          {counts}
        </li>
      ))}
    </ul>
  </>
)

/** The most series that the legend names. */
const MOST = 4

/** Returns the series of all events in the map. Empty if the page does not know all of them, or if they are many. */
export const seriesOfMap = ({ series, summary }: MapProps): readonly Series[] => {
  const known = new Map([...series.values()].map((each) => [uuidOf(each), each]))
  const { entries = [], more = 0 } = summary?.facets?.event_series ?? {}
  const named = entries.flatMap(({ uuid }) => known.get(uuid) ?? [])
  return more > 0 || named.length < entries.length || named.length > MOST ? [] : named
}

const Points = ({ shown }: { readonly shown: MapProps }) => {
  const named = seriesOfMap(shown)
  if (named.length === 0) return <span>{mapTexts().dot}</span>
  return (
    <ul>
      {named.map(({ url, name, color }) => (
        <li key={url}>
          <span class="dot" style={{ backgroundColor: color }} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  )
}

/** Shows the addresses of the tiles for other programs. */
export const TileAddresses = ({ view }: { readonly view: MapView }) => {
  const tiles = view.tiles.value
  if (tiles === null) return null
  const t = mapTexts()
  const linkTo = (href: string, text: string) => (
    <a href={href} target="_blank" rel="noopener">
      {text}
    </a>
  )
  return (
    <details class="map-tiles">
      <summary>{t.useTiles}</summary>
      <p>
        {linkTo(tiles.tileJson, 'TileJSON')} {t.forMapLibre}, {linkTo(tiles.style, t.style)} {t.forQgis}{' '}
        <code>{tiles.template}</code>
      </p>
    </details>
  )
}
