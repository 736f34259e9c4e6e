import { headlineOf, Swatch } from '../list/cells.tsx'
import { Downloads } from '../list/downloads.tsx'
import { useDescribed } from '../list/listContext.ts'
import { Pictures } from '../list/pictures.tsx'
import { MapPanel } from '../map/panel.tsx'
import { hrefOf, type PageAddress, placeOf, turnedTo } from '../state/address.ts'
import { formatBounds, formatExact, formatPosition } from '../state/format.ts'
import { allSeries, eventsOf, NO_SERIES, readEvents, summaryKeyOf, summaryOf } from '../state/known.ts'
import { type EventItem, isEvent, isSeries, readRow, type Series, sourceLast, uuidOf } from '../state/rows.ts'
import { ask, type LastList, lastList, rememberList, useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { textNamed, texts } from '../state/text.ts'
import { DocumentFacts, eventsOfObject, type Fact, Facts, factsOf, isAddress, Others } from './facts.tsx'

/** The page of an item, or of an address above the lists. */
export const ItemPage = () => {
  const { place, body } = shown.value
  const row = readRow(body as object, place.path)
  if (isEvent(row)) return <EventPage event={row} place={place} />
  if (isSeries(row)) return <SeriesPage series={row} />
  const entries = Object.entries(row)
  const isRoot = entries.length > 0 && entries.every(([, value]) => isAddress(value))
  if (!isRoot) return <DocumentFacts body={row} />
  // Links to the lists below an address.
  return (
    <ul class="roots">
      {entries.map(([name, address]) => (
        <li key={name}>
          <a href={address}>
            <b>{textNamed(texts().item.roots, name) ?? name}</b>
            <code>{new URL(address).pathname}</code>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The page of a series, with its events on a map and over time. */
const SeriesPage = ({ series }: { readonly series: Series }) => {
  const place = eventsOf(prefix, uuidOf(series))
  const { value: summary, ...asked } = useAsked(summaryKeyOf(place), (signal) => summaryOf(place, signal))
  const { origin } = useDescribed(uuidOf(series))
  const { item, list } = texts()
  const counted = summary === null ? '' : list.counted('events', summary.count)
  return (
    <>
      <div class="row headline">
        <h2 class="count">{counted}</h2>
        <div class="row actions">
          <a class="button primary" href={hrefOf(place)}>
            {item.series.events}
          </a>
          <Downloads place={place} counted={counted} origin={[series.name, origin].filter(Boolean).join(', ')} />
        </div>
      </div>
      <div class="item">
        <Facts facts={factsOfSeries(series)} />
        <Pictures
          place={place}
          summary={summary}
          {...asked}
          described={series.name}
          rows={series.spatial_bounds ? [series] : []}
        />
      </div>
    </>
  )
}

const factsOfSeries = (series: Series): Fact[] => {
  const { access_modifier: access, spatial_bounds: bounds, color } = series
  const { columns } = texts().list
  const t = texts().item.series
  const facts: Fact[] = [
    [t.observes, <ObservationType series={series} />],
    [t.statistic, series.statistic],
    [columns.start, formatExact(series.start ?? series.first_value_timestamp)],
    [columns.end, formatExact(series.end ?? series.last_value_timestamp)],
  ]
  if (access !== undefined) facts.push([columns.access, access])
  if (bounds !== undefined) facts.push([columns.bounds, formatBounds(bounds)])
  const patch = (
    <span class="series">
      <Swatch color={color} /> {color}
    </span>
  )
  return [...facts, [t.colour, patch], [columns.description, <Description text={series.description} />]]
}

/** The longest description that is not folded, in characters. */
const LONGEST = 160

const Description = ({ text }: { readonly text: string }) =>
  text.length <= LONGEST ? (
    <span>{text || texts().item.none}</span>
  ) : (
    <details class="folded">
      <summary>{sourceLast(text)}</summary>
    </details>
  )

/** The name of the observation type. An answer of /ogc has the name. Other answers have only its address. */
const ObservationType = ({ series }: { readonly series: Series }) => {
  const { observation_type: address, observation_type_name: known } = series
  const { value: name } = useAsked(address ?? null, (signal) => typeName(address ?? '', signal))
  if (address === undefined) return <>{known ?? texts().item.none}</>
  return <a href={address}>{name ?? texts().item.series.type}</a>
}

const typeName = async (address: string, signal: AbortSignal): Promise<string | null> => {
  const { status, body } = await ask(placeOf(address), signal)
  const { name, unit } = (body ?? {}) as { readonly name?: string; readonly unit?: string }
  if (status !== 200 || name === undefined) return null
  return unit ? `${name} (${unit})` : name
}

/** The page of an event: what happened, its facts, and other events of its object and series. */
const EventPage = ({ event, place }: { readonly event: EventItem; readonly place: PageAddress }) => {
  const { geometry, object, url, seriesName } = event
  const { value } = useAsked('series', (signal) => allSeries(prefix, signal))
  const series = value?.all ?? NO_SERIES
  const { fields: described } = useDescribed(event.series)
  const { fields = [] } = shown.value.about
  const path = listOf(place)
  const t = texts().item.event
  return (
    <>
      <Told event={event} />
      <Neighbours event={event} path={path} />
      <div class="item">
        <Facts facts={factsOf(event, { fields, described, series, path })} />
        {geometry !== null && <MapPanel rows={[event]} series={series} summary={null} area={null} query={url} />}
        {object !== null && (
          <Others
            event={event}
            place={eventsOfObject(path, object)}
            title={t.ofObject(`${object.type} ${object.id}`)}
          />
        )}
        <Others event={event} place={eventsOf(prefix, event.series)} title={t.ofSeries(seriesName)} />
      </div>
    </>
  )
}

/** Says below the headline what kind of event it was, when, and where. */
const Told = ({ event }: { readonly event: EventItem }) => {
  const { category, seriesName, start, end, geometry } = event
  const words = [
    headlineOf(event).startsWith(category) ? '' : category,
    seriesName,
    <Period start={start} end={end} />,
    geometry === null ? '' : formatPosition(geometry.coordinates),
  ]
  const told = words.filter(Boolean)
  return <p class="muted told">{told.map((word, i) => (i === 0 ? word : [' · ', word]))}</p>
}

const Period = ({ start, end }: Pick<EventItem, 'start' | 'end'>) => (
  <>
    <time>{formatExact(start)}</time>
    {end !== start && [' ', texts().units.until, ' ', <time>{formatExact(end)}</time>]}
  </>
)

/** Returns the path of the list of an item. Under /ogc neither ends with a slash. */
const listOf = ({ path }: PageAddress): string => path.replace(/\/[^/]+(\/?)$/, '$1')

/** Links back to the list that the reader came from, and to the events before and after in it. */
const Neighbours = ({ event, path }: { readonly event: EventItem; readonly path: string }) => {
  const list = lastList(path)
  const t = texts().item
  const at = list?.urls.indexOf(event.url) ?? -1
  // The map of a list also has the events of its other pages.
  const from = at >= 0 || history.state?.from === list?.address ? list : null
  const previous = useNeighbour(from, at, -1)
  const next = useNeighbour(from, at, 1)
  return (
    <nav class="row back" aria-label={t.neighbours}>
      <a href={from?.address ?? path}>
        ‹ {from === null ? texts().app.toList : t.backTo(texts().list.counted('events', from.count))}
      </a>
      {previous !== null && (
        <a rel="prev" href={previous}>
          ← {t.previous}
        </a>
      )}
      {next !== null && (
        <a rel="next" href={next}>
          {t.next} →
        </a>
      )}
    </nav>
  )
}

/** Returns the address of an event beside another in a list. Beyond the known rows, asks for the page with it. */
const useNeighbour = (list: LastList | null, at: number, step: -1 | 1): string | null => {
  const known = at < 0 ? null : (list?.urls[at + step] ?? null)
  const page = (step < 0 ? list?.previous : list?.next) ?? null
  const isBeyond = at >= 0 && known === null
  const { value } = useAsked(isBeyond ? page : null, async (signal) => list && page && joined(list, page, step, signal))
  return known ?? (isBeyond ? value : null)
}

/** Adds a page to the list that the reader came from, so that its events have neighbours as well. */
const joined = async (list: LastList, page: string, step: -1 | 1, signal: AbortSignal): Promise<string | null> => {
  const place = turnedTo(placeOf(list.address), page)
  const { results = [], previous = null, next = null } = (await readEvents(place, signal)) ?? {}
  const urls = results.filter(isEvent).map(({ url }) => url)
  const now = lastList(place.path) ?? list
  const [before, after] = step < 0 ? [urls, now.urls] : [now.urls, urls]
  rememberList({ ...now, urls: [...before, ...after], ...(step < 0 ? { previous } : { next }) })
  return (step < 0 ? urls.at(-1) : urls[0]) ?? null
}
