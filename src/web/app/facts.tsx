import type { ComponentChildren } from 'preact'
import { isWebAddress } from '../../base/address.ts'
import { attributeColumns, attributeIn, everyColumn, isNaming, isOwner, wordsOfName } from '../../formats/columns.ts'
import { type CellContext, cellOf, headlineOf } from '../list/cells.tsx'
import { changed, hrefOf, isOgc, type PageAddress, parameter } from '../state/address.ts'
import { type Column, type DescribedField, type Field, labelOf } from '../state/fields.ts'
import { barLengthOf, formatExact, formatMonth, formatterOf } from '../state/format.ts'
import { FIRST_PAGE, NO_SERIES, readEvents, type SeriesById, timeOf } from '../state/known.ts'
import { type EventItem, eventListAt, isEvent } from '../state/rows.ts'
import { useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { textNamed, texts } from '../state/text.ts'
import { detailTexts, inWords } from '../state/texts/item.ts'
import { MOST_EVENTS, Shape } from './cards.tsx'

/** The page shows only a part of longer arrays and deeper objects. The JSON below has everything. */
const [MOST_ADDRESSES, MOST, DEEPEST, LONGEST] = [100, 10, 3, 500]

/** The members of an object as facts. Objects inside it become nested facts. */
export const DocumentFacts = ({ body, depth = 1 }: { readonly body: object; readonly depth?: number }) => (
  <Facts
    panel={depth === 1}
    facts={Object.entries(body).map(([name, value]) => [
      textNamed<string>(texts().item.roots, name) ?? inWords(wordsOfName(name)),
      name === 'links' && isLinks(value) ? <Links links={value} /> : shownValue(value, depth),
    ])}
  />
)

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

/** Returns a value for people. Null without a value. */
const shownValue = (value: unknown, depth: number): ComponentChildren => {
  if (value === null || value === undefined || value === '') return null
  if (isAddress(value)) return <a href={value}>{value}</a>
  if (Array.isArray(value)) {
    if (value.some((each) => !isPlain(each) || isAddress(each))) return <Values values={value} depth={depth} />
    return value.map((each) => each ?? texts().item.none).join(', ') || null
  }
  if (typeof value !== 'object') return inWords(String(value))
  if (depth < DEEPEST) return <DocumentFacts body={value} depth={depth + 1} />
  const text = JSON.stringify(value)
  return <code>{text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}</code>
}

const Values = ({ values, depth }: { readonly values: readonly unknown[]; readonly depth: number }) => {
  const most = values.every(isPlain) ? MOST_ADDRESSES : MOST
  const left = values.length - most
  return (
    <ul class="values">
      {values.slice(0, most).map((value) => (
        <li>{shownValue(value, depth) ?? texts().item.none}</li>
      ))}
      {left > 0 && <li>{detailTexts().moreInJson(left)}</li>}
    </ul>
  )
}

interface Link {
  readonly href: string
  readonly rel: string
  readonly title?: string
  readonly type?: string
  readonly templated?: boolean
}

const isLinks = (value: unknown): value is readonly Link[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null && 'href' in each)

/** The links of a document of /ogc. They have each address once. Other texts are no addresses, such as a template. */
const Links = ({ links }: { readonly links: readonly Link[] }) => (
  <ul class="values">
    {[...new Map(links.map((link) => [link.href, link])).values()].map(
      ({ href, rel, title = rel, type, templated }) => (
        <li key={href}>
          {!templated && isWebAddress(href) ? (
            <a href={href}>{inWords(title)}</a>
          ) : (
            [inWords(title), ' ', <code>{href}</code>]
          )}{' '}
          <small>{type}</small>
        </li>
      ),
    )}
  </ul>
)

/** A name and its value. Null without a value. */
export type Fact = readonly [name: string, value: ComponentChildren]

/** Facts below each other. */
export const Facts = ({ facts, panel = true }: { readonly facts: readonly Fact[]; readonly panel?: boolean }) => (
  <dl class={panel ? 'facts panel' : 'facts'}>
    {facts.map(([name, value]) => (
      <div>
        <dt>{name}</dt>
        <dd>{value ?? texts().item.none}</dd>
      </div>
    ))}
  </dl>
)

/** Returns true for an address of the service. A stored text never becomes a link to another site. */
const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith(`${location.origin}${prefix}/`)

const NEWEST = 5

interface OthersProps {
  /** The event that is left out, and the described columns of its series. */
  readonly event: EventItem
  readonly described: readonly DescribedField[]
  readonly series: SeriesById
  /** The list of events that have something in common with the event. */
  readonly place: PageAddress
  readonly title: string
}

/** The starts of a list of events in the period of their series, and its newest events, with links to the list. */
export const Others = ({ event, described, series, place, title }: OthersProps) => {
  const [order, size] = isOgc(place) ? ['sortby', 'limit'] : ['ordering', 'page_size']
  const list = changed(place, { [order]: '-timestamp_start' })
  const { value, isCurrent } = useAsked(hrefOf(list), (signal) =>
    readEvents(changed(list, { [size]: String(NEWEST + 1) }), signal),
  )
  const others = (value?.results ?? []).filter(isEvent).filter(({ id }) => id !== event.id)
  const { first_value_timestamp: first, last_value_timestamp: last, color = '' } = series.get(event.series) ?? {}
  const period = [first ?? event.start, last ?? event.start] as const
  const { unit } = barLengthOf(period[1] - period[0])
  const strip = value !== null && value.count > MOST_EVENTS ? null : { ...place, path: LIST }
  const key = strip && value && first && `strip ${unit} ${hrefOf(strip)}`
  const { value: counted } = useAsked(key || null, async (signal) => strip && timeOf(strip, unit, null, null, signal))
  const format = formatterOf(others.map(({ start }) => start))
  const t = detailTexts()
  // The panel has its height before the answer.
  if (isCurrent && others.length === 0) return null
  const all = value === null ? '' : t.all(texts().list.counted('events', value.count))
  return (
    <section class="panel others" aria-label={title}>
      <div class="row panel-head">
        <h2>{title}</h2>
        {value !== null && (
          <a href={hrefOf(list)} aria-label={all}>
            {t.all(value.count)}
          </a>
        )}
      </div>
      <a class="strip" href={hrefOf(list)} title={all} hidden={strip === null}>
        <span class="unseen">{t.strip(title)}</span>
        <Shape bins={counted?.time.bins ?? []} unit={unit} period={period} color={color} at={event.start} />
        {period.map((end, i) => (
          <small key={i}>{formatMonth(end)}</small>
        ))}
      </a>
      <ul>
        {others.slice(0, NEWEST).map((other) => (
          <li key={other.id}>
            <a class="cut" href={other.url}>
              {headlineOf(other, other.series === event.series ? described : [])}
            </a>{' '}
            <small>{format(other.start)}</small>
          </li>
        ))}
      </ul>
    </section>
  )
}

const LIST = `${prefix}/api/v3/events/`

interface FactParts {
  readonly fields: readonly Field[]
  /** The described columns of its series. */
  readonly described: readonly DescribedField[]
  readonly series: SeriesById
  /** The path of its list. */
  readonly path: string
}

/** Returns the columns of an event that have a value. */
export const factsOf = (event: EventItem, { fields, described, series, path }: FactParts): Fact[] => {
  const list = { path, parameters: path === LIST ? FIRST_PAGE : [] }
  const all = everyColumn({ fields, rows: [event.values], described, chosen: null })
  const columns = event.end === event.start ? all.filter(({ name }) => !/^(timestamp_)?end$/.test(name)) : all
  return factsIn(
    event,
    columns.toSorted((a, b) => rankOf(a) - rankOf(b)),
    { series, list, format: formatExact },
  )
}

/** Returns columns with a value. A number has its unit. */
const factsIn = (event: EventItem, columns: readonly Column[], context: CellContext): Fact[] => {
  const facts = columns.map((column) => [column, cellOf(column, event, context)] as const)
  const shown = facts.filter(([, value]) => value !== null)
  return shown.map(([column, value]) => [labelOf(column), column.unit === null ? value : [value, ' ', column.unit]])
}

/** Returns 0 for the name, 3 for a field that few people need, 2 for an attribute, and 1 for the others. */
const rankOf = ({ name, group, column }: Column): number => {
  if (isNaming({ name })) return 0
  if (isOwner({ name })) return 1
  if (attributeIn(name) !== null) return 2
  return group === 'more' && column === 3 ? 3 : 1
}

/** Returns the id of an event at its source, and its attributes. A click on one also filters the list on the page. */
export const detailFacts = (event: EventItem): Fact[] => {
  const { external_id: id } = event.values
  const { place } = shown.value
  const list = eventListAt(place.path) === null ? { path: LIST, parameters: FIRST_PAGE } : place
  const facts = factsIn(event, attributeColumns({ rows: [event.values], described: [], chosen: null, lookups: [''] }), {
    series: NO_SERIES,
    list,
    format: formatExact,
  })
  return typeof id === 'string' ? [[texts().list.columns.externalId, id], ...facts] : facts
}

/** Returns the list of the events of the same object, or else at the same place. Version 4 has no filter by object. */
export const eventsBeside = (path: string, { object, geometry }: EventItem): PageAddress | null => {
  if (object === null && geometry === null) return null
  const place = geometry?.coordinates.slice(0, 2).join() ?? ''
  const near = [parameter('near', place), parameter('radius', '1')]
  const filters = object === null ? near : [parameter('object', `${object.type}$${object.id}`)]
  return path.startsWith(`${prefix}/ogc/`)
    ? { path, parameters: filters }
    : { path: LIST, parameters: [...filters, ...FIRST_PAGE] }
}
