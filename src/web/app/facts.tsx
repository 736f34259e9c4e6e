import type { ComponentChildren } from 'preact'
import { isWebAddress } from '../../base/address.ts'
import { attributeColumns, attributeIn, everyColumn, isNaming, isOwner, wordsOfName } from '../../formats/columns.ts'
import { type CellContext, cellOf, headlineOf } from '../list/cells.tsx'
import { changed, hrefOf, isOgc, type PageAddress, parameter } from '../state/address.ts'
import { type Column, type DescribedField, type Field, titleOf } from '../state/fields.ts'
import { formatExact, formatterOf } from '../state/format.ts'
import { FIRST_PAGE, NO_SERIES, readEvents, type SeriesById } from '../state/known.ts'
import { type EventItem, eventListAt, isEvent } from '../state/rows.ts'
import { useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'

/** The page shows only a part of longer arrays and deeper objects. The JSON below has everything. */
const [MOST_ADDRESSES, MOST, DEEPEST, LONGEST] = [100, 10, 3, 500]

/** The members of an object as facts. Objects inside it become nested facts. */
export const DocumentFacts = ({ body, depth = 1 }: { readonly body: object; readonly depth?: number }) => (
  <Facts
    panel={depth === 1}
    facts={Object.entries(body).map(([name, value]) => [
      wordsOfName(name),
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
  if (typeof value !== 'object') return String(value)
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
      {left > 0 && <li>{texts().item.moreInJson(left)}</li>}
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

/** The links of a document of /ogc. Other texts are no addresses, such as a template. */
const Links = ({ links }: { readonly links: readonly Link[] }) => (
  <ul class="values">
    {links.map(({ href, rel, title = rel, type, templated }) => (
      <li key={`${rel} ${href} ${type}`}>
        {!templated && isWebAddress(href) ? <a href={href}>{title}</a> : [title, ' ', <code>{href}</code>]}{' '}
        <small>{type}</small>
      </li>
    ))}
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
export const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith(`${location.origin}${prefix}/`)

const NEWEST = 5

interface OthersProps {
  /** The event that is left out. Null: none. */
  readonly event: EventItem | null
  /** The list of events that have something in common with the event. */
  readonly place: PageAddress
  readonly title: string
}

/** The newest events of a list, with a link to the list. */
export const Others = ({ event, place, title }: OthersProps) => {
  const [order, size] = isOgc(place) ? ['sortby', 'limit'] : ['ordering', 'page_size']
  const list = changed(place, { [order]: '-timestamp_start' })
  const { value, isCurrent } = useAsked(hrefOf(list), (signal) =>
    readEvents(changed(list, { [size]: String(NEWEST + 1) }), signal),
  )
  const others = (value?.results ?? []).filter(isEvent).filter(({ id }) => id !== event?.id)
  const format = formatterOf(others.map(({ start }) => start))
  const {
    item,
    list: { counted },
  } = texts()
  // The panel has its height before the answer.
  if (isCurrent && others.length === 0) return null
  return (
    <section class="panel others" aria-label={title}>
      <div class="row panel-head">
        <h2>{title}</h2>
        {value !== null && (
          <a href={hrefOf(list)} aria-label={item.all(counted('events', value.count))}>
            {item.all(value.count)}
          </a>
        )}
      </div>
      <ul>
        {others.slice(0, NEWEST).map((other) => (
          <li key={other.id}>
            <a class="cut" href={other.url}>
              {headlineOf(other)}
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
  const columns = everyColumn({ fields, rows: [event.values], described, chosen: null })
  return factsIn(
    event,
    columns.toSorted((a, b) => rankOf(a) - rankOf(b)),
    { series, list, format: formatExact },
  )
}

const factsIn = (event: EventItem, columns: readonly Column[], context: CellContext): Fact[] => {
  const facts = columns.map((column) => [titleOf(column), cellOf(column, event, context)] as const)
  return facts.filter(([, value]) => value !== null)
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

/** Returns the list of an object's events. Version 4 has no such filter, so its page links to version 3. */
export const eventsOfObject = (path: string, { type, id }: NonNullable<EventItem['object']>): PageAddress =>
  path.startsWith(`${prefix}/ogc/`)
    ? { path, parameters: [parameter('object_type', type), parameter('object_id', String(id))] }
    : { path: LIST, parameters: [parameter('object', `${type}$${id}`), ...FIRST_PAGE] }
