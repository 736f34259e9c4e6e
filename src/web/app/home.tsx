import { Swatch } from '../list/cells.tsx'
import { Downloads } from '../list/downloads.tsx'
import { Pictures } from '../list/pictures.tsx'
import { Search } from '../list/search.tsx'

import { hrefOf, type PageAddress } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import { formatDay } from '../state/format.ts'
import { allSeries, eventsOf, FIRST_PAGE, type SummaryAnswer, summaryKeyOf, summaryOf } from '../state/known.ts'
import { type Series, sourceLast, uuidOf } from '../state/rows.ts'
import { prefix, shown } from '../state/store.ts'
import { inWords, texts } from '../state/text.ts'
import { Facts } from './document.tsx'
import { Others } from './others.tsx'
import { ALL_FORMATS } from './series.tsx'

/** The maximum number of cards for series. */
const CARDS = 12

/** The home page: a search, the newest events, the series, an overview of the data, and links for programs. */
export const HomePage = () => {
  const place: PageAddress = { path: `${prefix}/api/v3/events/`, parameters: FIRST_PAGE }
  const { value: summary, isCurrent } = useAsked(summaryKeyOf(place), (signal) => summaryOf(place, signal))
  const { value: series } = useAsked('series', (signal) => allSeries(prefix, signal))
  const t = texts().item.home
  return (
    <div class="home">
      <p>{inWords(shown.value.context.about.description ?? '')}</p>
      <div class="actions">
        <Search place={place} />
        <a class="button primary" href={hrefOf(place)}>
          {t.explore}
        </a>
        <a class="button" href={`${prefix}/api/v3/eventseries/`}>
          {texts().item.roots.eventseries}
        </a>
      </div>
      <p class="figures">{summary !== null && series !== null && figuresOf(summary, series.count)}</p>
      <div class="begin">
        <Others event={null} place={place} title={t.newest} />
        {isCurrent && series !== null && <Cards {...series} summary={summary} />}
      </div>
      <Pictures {...{ place, summary, isCurrent }} isFailed={isCurrent && summary === null} />
      {isCurrent && series !== null && (
        <Programs place={place} counted={texts().list.counted('events', summary?.count ?? 0)} />
      )}
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

interface CardsProps {
  /** The number of all series. */
  readonly count: number
  readonly series: readonly Series[]
  readonly summary: SummaryAnswer | null
}

const Cards = ({ count, series, summary }: CardsProps) => {
  const title = texts().item.roots.eventseries
  const entries = summary?.facets?.event_series?.entries ?? []
  const counts = new Map(entries.map(({ uuid = '', count }) => [uuid, count]))
  const countOf = (each: Series) => counts.get(uuidOf(each)) ?? 0
  const sorted = [...series].sort((a, b) => countOf(b) - countOf(a))
  return (
    <section aria-label={title}>
      <h2 class="unseen">{title}</h2>
      <ul class="cards">
        {sorted.slice(0, CARDS).map((each) => (
          <Card key={each.url} series={each} count={counts.get(uuidOf(each))} />
        ))}
      </ul>
      {count > CARDS && <a href={`${prefix}/api/v3/eventseries/`}>{texts().item.home.allSeries(count)}</a>}
    </section>
  )
}

const Card = ({ series, count }: { readonly series: Series; readonly count: number | undefined }) => {
  const { counted, columns, ofSeries } = texts().list
  return (
    <li class="card" title={sourceLast(series.description)}>
      <h3 class="series">
        <Swatch color={series.color} />
        <a class="cut" href={series.url}>
          {series.name}
        </a>
      </h3>
      <p>
        <a href={hrefOf(eventsOf(prefix, series))}>
          {count === undefined ? columns.events : counted('events', count)}
          <span class="unseen"> {ofSeries(undefined, series.name)}</span>
        </a>
      </p>
    </li>
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
          [t.files, <Downloads place={{ ...place, parameters: [] }} about={ALL_FORMATS} counted={counted} />],
          [roots.v3, [to('/api/v3/'), ' ', t.aboutV3]],
          [roots.v4, [to('/api/v4/'), ' ', t.aboutV4]],
          ['OpenAPI', [to('/openapi.json'), ' ', t.aboutOpenApi, ' ', to('/docs')]],
        ]}
      />
    </section>
  )
}
