import type { ComponentChildren } from 'preact'
import { wordsOfName } from '../state/fields.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'

/** The page shows only a part of longer arrays and deeper objects. The JSON below has everything. */
const [MOST_ADDRESSES, MOST, DEEPEST, LONGEST] = [100, 10, 3, 500]

interface ValueProps {
  readonly value: unknown
  readonly depth: number
}

/** The members of an object as facts. Objects inside it become nested facts. */
export const DocumentFacts = ({ body, depth = 1 }: { readonly body: object; readonly depth?: number }) => (
  <Facts
    panel={depth === 1}
    facts={Object.entries(body).map(([name, value]) => [
      wordsOfName(name),
      name === 'links' && isLinks(value) ? <Links links={value} /> : <Value value={value} depth={depth} />,
    ])}
  />
)

const Value = ({ value, depth }: ValueProps) => {
  if (value === null || value === undefined || value === '') return <>{texts().item.none}</>
  if (Array.isArray(value))
    return value.every(isPlain) && !value.some(isAddress) ? (
      value.map((each) => String(each ?? texts().item.none)).join(', ') || texts().item.none
    ) : (
      <Values values={value} depth={depth} />
    )
  if (typeof value === 'object')
    return depth < DEEPEST ? <DocumentFacts body={value} depth={depth + 1} /> : <code>{textOfJson(value)}</code>
  return isAddress(value) ? <a href={value}>{value}</a> : String(value)
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

const textOfJson = (value: object): string => {
  const text = JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

const Values = ({ values, depth }: { readonly values: readonly unknown[]; readonly depth: number }) => {
  const most = values.every(isPlain) ? MOST_ADDRESSES : MOST
  const left = values.length - most
  return (
    <ul class="values">
      {values.slice(0, most).map((value) => (
        <li>
          <Value value={value} depth={depth} />
        </li>
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
        {templated ? (
          <>
            {title} <code>{href}</code>
          </>
        ) : (
          <a href={href}>{title}</a>
        )}{' '}
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
