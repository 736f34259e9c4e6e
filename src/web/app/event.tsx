import { headlineOf } from '../list/cells.tsx'
import { MapPanel } from '../map/panel.tsx'
import { type PageAddress, placeOf, turnedTo } from '../state/address.ts'
import { formatExact, formatPosition } from '../state/format.ts'
import { allSeries, eventsOf, NO_SERIES, readEvents } from '../state/known.ts'
import { type EventItem, isEvent } from '../state/rows.ts'
import { type LastList, lastList, rememberList, useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { eventsOfObject, Facts, factsOf, Others } from './facts.tsx'

/** The page of an event: what happened, its facts, and other events of its object and series. */
export const EventPage = ({ event, place }: { readonly event: EventItem; readonly place: PageAddress }) => {
  const { geometry, object, url, seriesName } = event
  const { value } = useAsked('series', (signal) => allSeries(prefix, signal))
  const series = value?.all ?? NO_SERIES
  const path = listOf(place)
  const t = texts().item.event
  return (
    <>
      <Told event={event} />
      <Neighbours event={event} path={path} />
      <div class="item">
        <Facts facts={factsOf(event, shown.value.about.fields ?? [], path, series)} />
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
  const from = lastList(path)
  const t = texts().item
  const at = from?.urls.indexOf(event.url) ?? -1
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
