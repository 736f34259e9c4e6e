import type { ComponentChildren } from 'preact'
import { nameOf } from '../list/cells.tsx'
import { changed, hrefOf, isOgc, type PageAddress } from '../state/address.ts'
import { wordsOfName } from '../state/fields.ts'
import { formatInstant } from '../state/format.ts'
import { readEvents } from '../state/known.ts'
import { type EventItem, isEvent } from '../state/rows.ts'
import { useAsked } from '../state/service.ts'
import { prefix } from '../state/store.ts'
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

/** The links of a document of /ogc. A template is not an address, so it is text. */
const Links = ({ links }: { readonly links: readonly Link[] }) => (
  <ul class="values">
    {links.map(({ href, rel, title = rel, type, templated }) => (
      <li key={`${rel} ${href} ${type}`}>
        {templated ? [title, ' ', <code>{href}</code>] : <a href={href}>{title}</a>} <small>{type}</small>
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
  // The panel has its height before the answer.
  if (isCurrent && others.length === 0) return null
  return (
    <section class="panel others" aria-label={title}>
      <div class="row panel-head">
        <h2>{title}</h2>
        {value !== null && <a href={hrefOf(list)}>{texts().item.all(texts().list.counted('events', value.count))}</a>}
      </div>
      <ul>
        {others.slice(0, NEWEST).map((other) => (
          <li key={other.id}>
            <a class="cut" href={other.url}>
              {nameOf(other)}
            </a>{' '}
            <small>{formatInstant(other.start)}</small>
          </li>
        ))}
      </ul>
    </section>
  )
}
