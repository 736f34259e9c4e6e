import { SeriesLink } from '../list/cells.tsx'
import { Downloads } from '../list/downloads.tsx'
import { Pictures } from '../list/pictures.tsx'
import { Search } from '../list/search.tsx'
import { hrefOf, type PageAddress } from '../state/address.ts'
import { formatDay } from '../state/format.ts'
import {
  allSeries,
  eventsOf,
  FIRST_PAGE,
  type KnownSeries,
  type SummaryAnswer,
  summaryKeyOf,
  summaryOf,
} from '../state/known.ts'
import { sourceLast } from '../state/rows.ts'
import { useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { inWords, texts } from '../state/text.ts'
import { Facts, Others } from './facts.tsx'

/** The home page: a search, the newest events, the series, an overview of the data, and links for programs. */
export const HomePage = () => {
  const place: PageAddress = { path: `${prefix}/api/v3/events/`, parameters: FIRST_PAGE }
  const { value: summary, ...asked } = useAsked(summaryKeyOf(place), (signal) => summaryOf(place, signal))
  const { isCurrent } = asked
  const { value: series } = useAsked('series', (signal) => allSeries(prefix, signal))
  const { item, list } = texts()
  const counted = list.counted('events', summary?.count ?? 0)
  return (
    <div class="home">
      <p>{inWords(shown.value.about.description ?? '')}</p>
      <div class="row actions">
        <Search place={place} />
        <a class="button primary" href={hrefOf(place)}>
          {item.home.explore}
        </a>
        <a class="button" href={`${prefix}/api/v3/eventseries/`}>
          {item.roots.eventseries}
        </a>
      </div>
      <p class="figures">{summary !== null && series !== null && figuresOf(summary, series.count)}</p>
      <div class="begin">
        <Others event={null} place={place} title={item.home.newest} />
        {isCurrent && series !== null && <Cards series={series} summary={summary} />}
      </div>
      <Pictures place={place} summary={summary} {...asked} />
      {isCurrent && series !== null && <Programs place={place} counted={counted} />}
    </div>
  )
}

const figuresOf = ({ count, time }: SummaryAnswer, series: number) => {
  const days = [time.start, time.end].flatMap((at) => (at === null ? [] : [formatDay(at)]))
  const years = new Set(days.map((day) => day.replace(/^([+-]?\d+)-.*$/, '$1')))
  const { counted } = texts().list
  const figures = texts().item.home.figures(counted('events', count), counted('series', series))
  return [figures, [...years].join(` ${texts().units.until} `)].filter(Boolean).join(', ')
}

/** The maximum number of cards for series. */
const CARDS = 12

/** The series with the most events. */
const Cards = ({ series, summary }: { readonly series: KnownSeries; readonly summary: SummaryAnswer | null }) => {
  const { item, list } = texts()
  const title = item.roots.eventseries
  const counts = new Map(summary?.facets?.event_series?.entries.map(({ uuid = '', count }) => [uuid, count]))
  const sorted = [...series.all].sort(([a], [b]) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
  return (
    <section aria-label={title}>
      <h2 class="unseen">{title}</h2>
      <ul class="cards">
        {sorted.slice(0, CARDS).map(([uuid, each]) => {
          const count = counts.get(uuid)
          return (
            <li key={uuid} class="card" title={sourceLast(each.description)}>
              <h3>
                <SeriesLink {...each} />
              </h3>
              <a href={hrefOf(eventsOf(prefix, uuid))}>
                {count === undefined ? list.columns.events : list.counted('events', count)}
                <span class="unseen"> {list.ofSeries(undefined, each.name)}</span>
              </a>
            </li>
          )
        })}
      </ul>
      {series.count > CARDS && <a href={`${prefix}/api/v3/eventseries/`}>{item.home.allSeries(series.count)}</a>}
    </section>
  )
}

/** The addresses for programs. */
const Programs = ({ place, counted }: { readonly place: PageAddress; readonly counted: string }) => {
  const { programs: t, roots } = texts().item
  const to = (path: string) => (
    <a href={`${prefix}${path}`} target={path.startsWith('/api') ? undefined : '_self'}>
      {`${prefix}${path}`}
    </a>
  )
  return (
    <section aria-label={t.title}>
      <h2>{t.title}</h2>
      <Facts
        facts={[
          ['QGIS', [t.qgis, ' ', <code>{`${location.origin}${prefix}/ogc`}</code>]],
          [t.files, <Downloads place={{ ...place, parameters: [] }} counted={counted} />],
          [roots.v3, [to('/api/v3/'), ' ', t.aboutV3]],
          [roots.v4, [to('/api/v4/'), ' ', t.aboutV4]],
          ['OpenAPI', [to('/openapi.json'), ' ', t.aboutOpenApi, ' ', to('/docs')]],
        ]}
      />
    </section>
  )
}
