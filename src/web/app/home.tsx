import { Search } from '../list/cells.tsx'
import { Downloads } from '../list/downloads.tsx'
import { Pictures } from '../list/pictures.tsx'
import { hrefOf, type PageAddress } from '../state/address.ts'
import { formatDay } from '../state/format.ts'
import { FIRST_PAGE, type SummaryAnswer, summaryKeyOf, summaryOf } from '../state/known.ts'
import { useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { detailTexts, inWords } from '../state/texts/item.ts'
import { Cards, newestSeries } from './cards.tsx'

/** The home page: a search, the series with their newest events, an overview of the data, and links for programs. */
export const HomePage = () => {
  const place: PageAddress = { path: `${prefix}/api/v3/events/`, parameters: FIRST_PAGE }
  const { value: summary, ...asked } = useAsked(summaryKeyOf(place), (signal) => summaryOf(place, signal))
  const { value: series, isCurrent } = useAsked('cards', (signal) => newestSeries('', signal))
  const { item, list } = texts()
  return (
    <div class="home">
      <p>{inWords(shown.value.about.description ?? '')}</p>
      <div class="row headline">
        <p class="figures">{summary !== null && series !== null && figuresOf(summary, series.count)}</p>
        <div class="row actions">
          <Search place={place} />
          <a class="button primary" href={hrefOf(place)}>
            {detailTexts().home.explore}
          </a>
          <a class="button" href={`${prefix}/api/v3/eventseries/`}>
            {item.roots.eventseries}
          </a>
          <Downloads
            place={{ ...place, parameters: [] }}
            counted={summary === null ? '' : list.counted('events', summary.count)}
          />
        </div>
      </div>
      {/* Nothing waits for the count of all events. */}
      {isCurrent && (
        <>
          {series !== null && <Cards place={place} series={series} summary={summary} />}
          <Pictures place={place} summary={summary} {...asked} />
          <Programs />
        </>
      )}
    </div>
  )
}

const figuresOf = ({ count, time }: SummaryAnswer, series: number) => {
  const days = [time.start, time.end].flatMap((at) => (at === null ? [] : [formatDay(at)]))
  const years = new Set(days.map((day) => day.replace(/^([+-]?\d+)-.*$/, '$1')))
  const { counted } = texts().list
  const figures = detailTexts().home.figures(counted('events', count), counted('series', series))
  return [figures, [...years].join(` ${texts().units.until} `)].filter(Boolean).join(', ')
}

/** The addresses for programs, in one line. */
const Programs = () => {
  const { v3, v4, ogc } = texts().item.roots
  const links = [
    [`${ogc} (QGIS)`, '/ogc'],
    [v3, '/api/v3/'],
    [v4, '/api/v4/'],
    ['OpenAPI', '/openapi.json'],
    [texts().app.reference, '/docs'],
  ] as const
  return (
    <p class="row muted">
      {detailTexts().home.programs}:
      {links.map(([name, path]) => (
        <a key={path} href={`${prefix}${path}`} target={/^.(api|ogc)/.test(path) ? undefined : '_self'}>
          {name}
        </a>
      ))}
    </p>
  )
}
