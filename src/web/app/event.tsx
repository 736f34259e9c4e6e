import { headlineOf, SeriesLink } from '../list/columns.tsx'
import { MapPicture } from '../map/picture.tsx'
import { type AddressParameter, hrefOf, type PageAddress, parameter } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import type { EventItem } from '../state/event.ts'
import { formatDuration, formatExact, formatPosition } from '../state/format.ts'
import { eventsOf, type SeriesById, seriesOf } from '../state/known.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { type Fact, Facts } from './document.tsx'
import { Neighbours } from './neighbours.tsx'
import { Others } from './others.tsx'

const NO_SERIES: SeriesById = new Map()

/** The page of an event: what happened, its facts, and other events of its object and series. */
export const EventPage = ({ event, place }: { readonly event: EventItem; readonly place: PageAddress }) => {
  const { geometry, object, series: key } = event
  const { value, isCurrent } = useAsked(`series ${key}`, (signal) => seriesOf(prefix, new Set([key]), signal))
  const known = value ?? NO_SERIES
  const series = known.get(key)
  const path = listOf(place)
  const t = texts().item.event
  return (
    <>
      <Told event={event} series={series?.name ?? (isCurrent ? '' : UNKNOWN)} />
      <Neighbours event={event} path={path} />
      <div class="item">
        <Facts facts={factsOf(event, path, known)} />
        {geometry !== null && (
          <MapPicture {...{ prefix, rows: [event], series: known, summary: null, area: null, fitKey: event.url }} />
        )}
        {object !== null && (
          <Others
            event={event}
            place={eventsOfObject(path, object)}
            title={t.ofObject(`${object.type} ${object.id}`)}
          />
        )}
        <Others
          event={event}
          place={series === undefined ? null : eventsOf(prefix, series)}
          title={t.ofSeries(series?.name ?? `${key}`)}
        />
      </div>
    </>
  )
}

interface ToldProps {
  readonly event: EventItem
  /** The name of the series. */
  readonly series: string
}

/** Spaces that take about as much room as the name of a series. So little moves when the name arrives. */
const UNKNOWN = '\u2007'.repeat(24)

/** Says below the headline what kind of event it was, when, and where. */
const Told = ({ event, series }: ToldProps) => {
  const { category, start, end, geometry } = event
  const words = [
    headlineOf(event).startsWith(category) ? '' : category,
    series,
    <Period start={start} end={end} />,
    geometry === null ? '' : formatPosition(geometry.coordinates),
  ]
  const told = words.filter(Boolean)
  return <p class="told">{told.map((word, i) => (i === 0 ? word : [' · ', word]))}</p>
}

const Period = ({ start, end }: Pick<EventItem, 'start' | 'end'>) => (
  <>
    <span class="day">{formatExact(start)}</span>
    {end !== start && (
      <>
        {' '}
        {texts().units.until} <span class="day">{formatExact(end)}</span>
      </>
    )}
  </>
)

const factsOf = (event: EventItem, path: string, known: SeriesById): Fact[] => {
  const t = texts().list.columns
  const { geometry, object, category } = event
  const series = known.get(event.series)
  const [, , z] = geometry?.coordinates ?? []
  return [
    [t.value, event.value || null],
    [
      t.category,
      category ? <To place={{ path, parameters: [parameter('category', category)] }} text={category} /> : null,
    ],
    [t.series, series === undefined ? `${event.series}` : <SeriesLink series={series} />],
    [t.start, formatExact(event.start)],
    [t.end, formatExact(event.end)],
    [t.duration, formatDuration(event.end - event.start)],
    [t.place, geometry === null ? null : formatPosition(geometry.coordinates)],
    ...(z ? [['z', String(z)] as const] : []),
    [t.object, object && <To place={eventsOfObject(path, object)} text={`${object.type} ${object.id}`} />],
  ]
}

const To = ({ place, text }: { readonly place: PageAddress; readonly text: string }) => (
  <a href={hrefOf(place)}>{text}</a>
)

/** Returns the path of the list of an item. */
const listOf = ({ path }: PageAddress): string => {
  const list = path.replace(/[^/]+\/?$/, '')
  return path.endsWith('/') ? list : list.replace(/\/$/, '')
}

/** Returns the list of an object's events. Version 4 has no such filter, so its page links to version 3. */
const eventsOfObject = (path: string, { type, id }: NonNullable<EventItem['object']>): PageAddress => {
  const parameters: AddressParameter[] = [parameter('object', `${type}$${id}`)]
  if (!path.startsWith(`${prefix}/ogc/`)) return { path: `${prefix}/api/v3/events/`, parameters }
  return { path, parameters: [parameter('object_type', type), parameter('object_id', String(id))] }
}
