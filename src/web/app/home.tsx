import { Search } from '../list/cells.tsx'
import { Downloads } from '../list/downloads.tsx'
import { Pictures } from '../list/pictures.tsx'
import { hrefOf, type PageAddress } from '../state/address.ts'
import { formatDay } from '../state/format.ts'
import { allSeries, FIRST_PAGE, type SummaryAnswer, summaryKeyOf, summaryOf } from '../state/known.ts'
import { useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { inWords, texts } from '../state/text.ts'
import { Cards } from './cards.tsx'
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
        {isCurrent && series !== null && <Cards place={place} series={series} summary={summary} />}
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
