import { useState } from 'preact/hooks'
import { SeriesLink } from '../list/cells.tsx'
import { hrefOf, type PageAddress } from '../state/address.ts'
import { barAt, barLengthOf, formatMonth, nextBar } from '../state/format.ts'
import { allSeries, type Bin, eventsOf, type KnownSeries, type SummaryAnswer, timeOf } from '../state/known.ts'
import { type Series, sourceLast } from '../state/rows.ts'
import { useAsked } from '../state/service.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'

/** The most cards. A search finds the other series. */
const MOST = 12

/** The most events whose bins by series the page asks for. Each costs the service a row. */
const MOST_EVENTS = 50_000

interface CardsProps {
  /** The list of all events. */
  readonly place: PageAddress
  readonly series: KnownSeries
  readonly summary: SummaryAnswer | null
}

/** Shows the series with the most events. A card has the period of its series, and its counts over time. */
export const Cards = ({ place, series, summary }: CardsProps) => {
  const [search, setSearch] = useState('')
  const { item, form } = texts()
  const title = item.roots.eventseries
  const isSmall = (summary?.count ?? Number.POSITIVE_INFINITY) <= MOST_EVENTS
  const { value: shapes } = useAsked(isSmall ? 'shapes' : null, (signal) =>
    timeOf(place, 'month', 'event_series', null, signal),
  )
  const bins = new Map(shapes?.by?.event_series?.entries.map((entry) => [entry.uuid ?? '', entry.bins]))
  const counts = new Map(summary?.facets?.event_series?.entries.map(({ uuid = '', count }) => [uuid, count]))
  const words = search.trim().toLowerCase()
  const isWhole = series.all.size === series.count
  const { value } = useAsked(words === '' || isWhole ? null : `series ${words}`, (signal) =>
    allSeries(prefix, signal, words),
  )
  const found = [...(words === '' || isWhole ? series : (value ?? series)).all]
    .filter(([, { name }]) => name.toLowerCase().includes(words))
    .sort(([a], [b]) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  return (
    <section aria-label={title}>
      <h2 class="unseen">{title}</h2>
      {series.count > MOST && (
        <input
          type="search"
          placeholder={form.facets.search(title)}
          aria-label={form.facets.search(title)}
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      <ul class="cards">
        {found.slice(0, MOST).map(([uuid, each]) => (
          <Card key={uuid} uuid={uuid} series={each} count={counts.get(uuid)} bins={bins.get(uuid) ?? []} />
        ))}
      </ul>
      {series.count > MOST && <a href={`${prefix}/api/v3/eventseries/`}>{item.home.allSeries(series.count)}</a>}
    </section>
  )
}

interface CardProps {
  readonly uuid: string
  readonly series: Series
  readonly count: number | undefined
  readonly bins: readonly Bin[]
}

const Card = ({ uuid, series, count, bins }: CardProps) => {
  const { list, units } = texts()
  const ends = [series.first_value_timestamp, series.last_value_timestamp].map((at) => formatMonth(at))
  return (
    <li class="card" title={sourceLast(series.description)}>
      <h3>
        <SeriesLink {...series} />
      </h3>
      <Shape bins={bins} color={series.color} />
      <p>
        <a href={hrefOf(eventsOf(prefix, uuid))}>
          {count === undefined ? list.columns.events : list.counted('events', count)}
          <span class="unseen"> {list.ofSeries(undefined, series.name)}</span>
        </a>
        <small>{[...new Set(ends)].filter(Boolean).join(` ${units.until} `)}</small>
      </p>
    </li>
  )
}

/** The events of a series over its own period, as bars. It has its height before they arrive. */
const Shape = ({ bins, color }: Pick<CardProps, 'bins'> & { readonly color: string }) => {
  const bars = barsIn(bins)
  const highest = Math.max(...bars)
  return (
    <svg class="shape" viewBox={`0 0 ${bars.length} 1`} preserveAspectRatio="none" aria-hidden="true" fill={color}>
      {bars.map((count, i) => (
        <rect key={i} x={i + 0.05} width="0.9" y={1 - count / highest} height={count / highest} />
      ))}
    </svg>
  )
}

/** Fewer bars have no shape. */
const FEW = 3

/** Returns the counts of at most some 60 bars between the first and the last bin. */
const barsIn = (bins: readonly Bin[]): number[] => {
  const [first, last] = [bins[0]?.[0], bins.at(-1)?.[0]]
  if (first === undefined || last === undefined) return []
  const length = barLengthOf(last - first)
  const unit = ['hour', 'day', 'week'].includes(length.unit) ? ({ unit: 'month', size: 1 } as const) : length
  const counts = new Map<number, number>()
  for (let at = barAt(first, unit); at <= last; at = nextBar(at, unit)) counts.set(at, 0)
  for (const [start, count] of bins) {
    const bar = barAt(start, unit)
    counts.set(bar, (counts.get(bar) ?? 0) + count)
  }
  return counts.size < FEW ? [] : [...counts.values()]
}
