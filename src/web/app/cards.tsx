import { useState } from 'preact/hooks'
import { headlineOf, SeriesLink } from '../list/cells.tsx'
import { useDescribed } from '../list/listContext.ts'
import { changed, hrefOf, type PageAddress, parameter } from '../state/address.ts'
import { type BarLength, barAt, barLengthOf, formatMonth, formatterOf, nextBar } from '../state/format.ts'
import { type Bin, eventsOf, readEvents, type SummaryAnswer, timeOf } from '../state/known.ts'
import {
  type EventItem,
  isEvent,
  isSeries,
  type ListAnswer,
  readList,
  type Series,
  sourceLast,
  uuidOf,
} from '../state/rows.ts'
import { ask, paused, useAsked } from '../state/service.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { detailTexts } from '../state/texts/item.ts'

/** The most cards. A search finds the other series. */
const MOST = 12

/** The most events whose bins by series the page asks for. Each costs the service a row. */
export const MOST_EVENTS = 50_000

/** The newest event of each of the series with the newest events. A search may find a series without one. */
const LATEST = { latest: 'event_series', page_size: '100' }

/** Reads the series with the newest events. `words` are in their names. */
export const newestSeries = async (words: string, signal: AbortSignal): Promise<ListAnswer | null> => {
  const named = words === '' ? [] : [parameter('name__icontains', words)]
  const parameters = [...named, parameter('ordering', '-end'), parameter('page_size', String(MOST))]
  return readList((await ask({ path: `${prefix}/api/v4/eventseries/`, parameters }, signal)).body, '')
}

interface CardsProps {
  /** The list of all events. */
  readonly place: PageAddress
  readonly series: ListAnswer
  readonly summary: SummaryAnswer | null
}

/** Shows the series with the newest events. A card has their counts over time, their number, and the newest one. */
export const Cards = ({ place, series, summary }: CardsProps) => {
  const [search, setSearch] = useState('')
  const title = texts().item.roots.eventseries
  const label = texts().form.facets.search(title)
  const isSmall = (summary?.count ?? Number.POSITIVE_INFINITY) <= MOST_EVENTS
  const { value: shapes } = useAsked(isSmall ? 'shapes' : null, (signal) =>
    timeOf(place, 'month', 'event_series', null, signal),
  )
  const bins = new Map(shapes?.by?.event_series?.entries.map((entry) => [entry.uuid ?? '', entry.bins]))
  const counts = new Map(summary?.facets?.event_series?.entries.map(({ uuid = '', count }) => [uuid, count]))
  const words = search.trim()
  const { value: found } = useAsked(words === '' ? null : `series ${words}`, async (signal) => {
    await paused(signal)
    return newestSeries(words, signal)
  })
  const listed = ((words !== '' && found) || series).results.filter(isSeries)
  const { value: latest } = useAsked('latest', (signal) => readEvents(changed(place, LATEST), signal))
  const newest = new Map((latest?.results ?? []).filter(isEvent).map((event) => [event.series, event]))
  return (
    <section aria-label={title}>
      <h2 class="unseen">{title}</h2>
      {series.count > MOST && (
        <input
          type="search"
          placeholder={label}
          aria-label={label}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul class="cards">
        {listed.map((each) => {
          const uuid = uuidOf(each)
          const known = { count: counts.get(uuid), bins: bins.get(uuid) ?? [], newest: newest.get(uuid) }
          return <Card key={uuid} uuid={uuid} series={each} {...known} />
        })}
      </ul>
      {series.count > MOST && (
        <a href={`${prefix}/api/v3/eventseries/`}>{detailTexts().home.allSeries(series.count)}</a>
      )}
    </section>
  )
}

interface CardProps {
  readonly uuid: string
  readonly series: Series
  readonly count: number | undefined
  readonly bins: readonly Bin[]
  readonly newest: EventItem | undefined
}

/** Its lines have their height before they arrive. */
const Card = ({ uuid, series, count, bins, newest }: CardProps) => {
  const { fields, origin } = useDescribed(uuid)
  const { list, units } = texts()
  const ends = [series.start, series.end].map((at) => (at ? formatMonth(Date.parse(at)) : ''))
  return (
    <li class="card" title={sourceLast(series.description)}>
      <h3>
        <SeriesLink {...series} url={`${prefix}/api/v3/eventseries/${uuid}/`} />
      </h3>
      <Shape bins={bins} color={series.color} />
      <p class="row">
        <a href={hrefOf(eventsOf(prefix, uuid))}>
          {count === undefined ? list.columns.events : list.counted('events', count)}
          <span class="unseen"> {list.ofSeries(undefined, series.name)}</span>
        </a>
        <small>{[...new Set(ends)].filter(Boolean).join(` ${units.until} `)}</small>
      </p>
      <p class="row newest">
        {newest && (
          <>
            <a class="cut" href={newest.url}>
              {headlineOf(newest, fields)}
            </a>
            <small>{formatterOf([newest.start])(newest.start)}</small>
          </>
        )}
      </p>
      <small class="muted cut">{origin}</small>
    </li>
  )
}

interface ShapeProps {
  readonly bins: readonly Bin[]
  readonly color: string
  /** The unit of the bins. */
  readonly unit?: BarLength['unit']
  /** The first and the last instant. If it is absent, the bins decide them. */
  readonly period?: readonly [first: number, last: number]
  /** The start of an event whose bar is marked. */
  readonly at?: number
}

/** The counts of events over time, as bars. It has its height before they arrive. */
export const Shape = ({ bins, color, unit = 'month', period, at }: ShapeProps) => {
  const bars = barsIn(bins, unit, period)
  const highest = Math.max(...bars.map(([, count]) => count))
  const bin = bins.findLast(([start]) => at !== undefined && start <= at)?.[0]
  const marked = bin === undefined ? -1 : bars.findLastIndex(([start]) => start <= bin)
  return (
    <svg
      class="shape"
      viewBox={`0 0 ${Math.max(FEW, bars.length)} 1`}
      preserveAspectRatio="none"
      aria-hidden="true"
      fill={color}
    >
      {bars.map(([start, count], i) => (
        <rect
          key={start}
          class={i === marked ? 'marked' : undefined}
          x={i + 0.05}
          width="0.9"
          y={1 - count / highest}
          height={count / highest}
        />
      ))}
    </svg>
  )
}

/** Fewer bars do not fill the width, because wide bars have no shape. */
const FEW = 12

const UNITS: readonly BarLength['unit'][] = ['hour', 'day', 'week', 'month', 'year']

/**
 * Returns the starts and the counts of at most some 60 bars in a period. A bar is not shorter than a bin. Bins outside of
 * the period do not count.
 */
const barsIn = (
  bins: readonly Bin[],
  unit: BarLength['unit'],
  [first, last]: readonly (number | undefined)[] = [bins[0]?.[0], bins.at(-1)?.[0]],
): readonly Bin[] => {
  if (first === undefined || last === undefined || bins.length === 0) return []
  const length = barLengthOf(last - first)
  const own = UNITS.indexOf(length.unit) < UNITS.indexOf(unit) ? { unit, size: 1 } : length
  const bars: [number, number][] = []
  for (let at = barAt(first, own); at <= last; at = nextBar(at, own)) bars.push([at, 0])
  for (const [start, count] of bins) {
    const bar = start > last ? undefined : bars.findLast(([at]) => at <= start)
    if (bar !== undefined) bar[1] += count
  }
  return bars
}
