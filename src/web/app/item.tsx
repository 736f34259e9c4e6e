import { headlineOf } from '../list/cells.tsx'
import { Downloads } from '../list/downloads.tsx'
import { useDescribed } from '../list/listContext.ts'
import { Pictures } from '../list/pictures.tsx'
import { MapPanel } from '../map/panel.tsx'
import { hrefOf, type PageAddress, placeOf, turnedTo } from '../state/address.ts'
import type { DescribedField } from '../state/fields.ts'
import { formatBounds, formatExact, formatterOf } from '../state/format.ts'
import { allSeries, eventsOf, NO_SERIES, readEvents, summaryKeyOf, summaryOf } from '../state/known.ts'
import { type EventItem, isEvent, isSeries, readRow, type Series, sourceLast, uuidOf } from '../state/rows.ts'
import { ask, type LastList, lastList, rememberList, useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { detailTexts } from '../state/texts/item.ts'
import { DocumentFacts, eventsBeside, type Fact, Facts, factsOf, Others } from './facts.tsx'

interface ItemProps {
  /** The described columns of the series of an event. */
  readonly described: readonly DescribedField[]
}

/** The page of an item, or of an address above the lists. */
export const ItemPage = ({ described }: ItemProps) => {
  const { place, body } = shown.value
  const row = readRow(body as object, place.path)
  if (isEvent(row)) return <EventPage event={row} place={place} described={described} />
  if (isSeries(row)) return <SeriesPage series={row} />
  return <DocumentFacts body={row} />
}

/** The page of a series, with its events on a map and over time. */
const SeriesPage = ({ series }: { readonly series: Series }) => {
  const place = eventsOf(prefix, uuidOf(series))
  const { value: summary, ...asked } = useAsked(summaryKeyOf(place), (signal) => summaryOf(place, signal))
  const { origin } = useDescribed(uuidOf(series))
  const { list } = texts()
  const counted = summary === null ? '' : list.counted('events', summary.count)
  return (
    <>
      <div class="row headline">
        <h2 class="count">{counted}</h2>
        <div class="row actions">
          <a class="button primary" href={hrefOf(place)}>
            {detailTexts().series.events}
          </a>
          <Downloads place={place} counted={counted} origin={[series.name, origin].filter(Boolean).join(', ')} />
        </div>
      </div>
      <div class="item">
        <Facts facts={factsOfSeries(series, origin)} />
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

const factsOfSeries = (series: Series, origin: string): Fact[] => {
  const { access_modifier: access, spatial_bounds: bounds, description } = series
  const { columns } = texts().list
  const t = detailTexts().series
  const facts: Fact[] = [
    [t.observes, <ObservationType series={series} />],
    [t.statistic, series.statistic],
    [columns.start, formatExact(series.start ?? series.first_value_timestamp)],
    [columns.end, formatExact(series.end ?? series.last_value_timestamp)],
  ]
  if (access !== undefined) facts.push([columns.access, access])
  if (bounds !== undefined) facts.push([columns.bounds, formatBounds(bounds)])
  if (origin !== '') facts.push([texts().units.source, origin])
  return [...facts, [columns.description, <Description text={description} />]]
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
  return <a href={address}>{name ?? detailTexts().series.type}</a>
}

const typeName = async (address: string, signal: AbortSignal): Promise<string | null> => {
  const { status, body } = await ask(placeOf(address), signal)
  const { name, unit } = (body ?? {}) as { readonly name?: string; readonly unit?: string }
  if (status !== 200 || name === undefined) return null
  return unit ? `${name} (${unit})` : name
}

interface EventProps extends ItemProps {
  readonly event: EventItem
  readonly place: PageAddress
}

/** The page of an event. It has the facts of the event, and other events of its object, its place and its series. */
const EventPage = ({ event, place, described }: EventProps) => {
  const { geometry, object, url, seriesName } = event
  const { value } = useAsked('series', (signal) => allSeries(prefix, signal))
  const series = value?.all ?? NO_SERIES
  const { fields = [] } = shown.value.about
  const path = listOf(place)
  const beside = eventsBeside(path, event)
  const t = detailTexts()
  const others = { event, described, series }
  return (
    <>
      <Told event={event} described={described} />
      <Neighbours event={event} path={path} />
      <div class="item">
        <Facts facts={factsOf(event, { fields, described, series, path })} />
        <div class="pane">
          {geometry !== null && <MapPanel rows={[event]} series={series} summary={null} area={null} query={url} />}
          {beside !== null && (
            <Others
              {...others}
              place={beside}
              title={object === null ? t.here : t.others(`${object.type} ${object.id}`)}
            />
          )}
        </div>
        <Others {...others} place={eventsOf(prefix, event.series)} title={t.others(seriesName)} />
      </div>
    </>
  )
}

/** Names the series of an event below the headline, and its time. */
const Told = ({ event, described }: Omit<EventProps, 'place'>) => {
  const { category, series, seriesName, start, end } = event
  const format = formatterOf([start, end])
  const isSaid = headlineOf(event, described).toLowerCase().startsWith(category.toLowerCase())
  return (
    <p class="row muted told">
      <a href={`${prefix}/api/v3/eventseries/${series}/`}>{seriesName}</a>
      {!isSaid && <span>{category}</span>}
      <span>
        <time>{format(start)}</time>
        {end !== start && [` ${texts().units.until} `, <time>{format(end)}</time>]}
      </span>
    </p>
  )
}

/** Returns the path of the list of an item. Under /ogc neither ends with a slash. */
const listOf = ({ path }: PageAddress): string => path.replace(/\/[^/]+(\/?)$/, '$1')

/** Links back to the list that the reader came from, and to the events before and after in it. */
const Neighbours = ({ event, path }: { readonly event: EventItem; readonly path: string }) => {
  const list = lastList(path)
  const t = detailTexts()
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
