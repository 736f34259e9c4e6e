import { headlineOf } from '../list/cells.tsx'
import { eventsOfObject, factsOf } from '../list/facts.tsx'
import { MapPanel } from '../map/panel.tsx'
import type { PageAddress } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import { useDetails } from '../state/details.ts'
import type { EventItem } from '../state/event.ts'
import { formatExact, formatPosition } from '../state/format.ts'
import { eventsOf, type SeriesById, seriesOf } from '../state/known.ts'
import { prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { Facts } from './document.tsx'
import { Neighbours } from './neighbours.tsx'
import { Others } from './others.tsx'

const NO_SERIES: SeriesById = new Map()

/** The page of an event: what happened, its facts, and other events of its object and series. */
export const EventPage = ({ event, place }: { readonly event: EventItem; readonly place: PageAddress }) => {
  const { geometry, object, series: key } = event
  const [detailed = event] = useDetails(prefix, [event])
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
        <Facts facts={factsOf(detailed, shown.value.context.about.fields ?? [], path, known)} />
        {geometry !== null && <MapPanel rows={[event]} series={known} summary={null} area={null} query={event.url} />}
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

/** Returns the path of the list of an item. */
const listOf = ({ path }: PageAddress): string => {
  const list = path.replace(/[^/]+\/?$/, '')
  return path.endsWith('/') ? list : list.replace(/\/$/, '')
}
