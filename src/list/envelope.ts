import type { Links } from './links.ts'
import type { Page } from './page.ts'
import { formatQuery, type Parameter, parameter } from './query.ts'
import type { Resource } from './resource.ts'

/** The pagination envelope of every list (SPEC 2.1). */
export interface Envelope {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly object[]
}

/** What the addresses of the pages before and after are made from. */
export interface PageAddress {
  /** Without the query. */
  readonly address: string
  /** As the client sent them in the address. */
  readonly parameters: readonly Parameter[]
  /** A page that the body of a POST asks for: the addresses overrule it, so that the same body can be posted again. */
  readonly pageInBody: boolean
}

/** The envelope of a page. */
export const envelopeOf = (resource: Resource, page: Page, links: Links, from: PageAddress): Envelope => ({
  count: page.count,
  next: page.number < page.last ? pageAddress(from, page.number + 1) : null,
  previous: page.number > 1 ? pageAddress(from, page.number - 1) : null,
  results: page.rows.map((row) => resource.serialize(row, links)),
})

const pageAddress = ({ address, parameters, pageInBody }: PageAddress, number: number): string => {
  const kept = parameters.filter(({ name }) => name !== 'page')
  const paged = number === 1 && !pageInBody ? kept : [...kept, parameter('page', String(number))]
  return `${address}${formatQuery(paged)}`
}
