import { formatCursor, type Seal } from '../engine/conditions/cursor.ts'
import type { Page, PageLink } from '../engine/conditions/page.ts'
import type { Row } from '../engine/conditions/table.ts'
import { type ItemWriter, jsonWriter } from '../formats/items.ts'
import type { Links, Resource } from '../resource.ts'
import { formatQuery, type Parameter, parameter } from './query.ts'

/** The pagination envelope of every list (SPEC 2.1). */
export interface Envelope {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly object[]
  /** The items that the results refer to, by their name in `include`. */
  readonly [included: string]: unknown
}

/** The list of included items, and its name in `include`. */
export interface Beside {
  readonly name: string
  readonly of: Resource
}

/** A page that was read. */
export interface PageRows {
  readonly page: Page
  /** The rows that its rows refer to. */
  readonly beside?: Beside & { readonly rows: readonly Row[] }
}

/** The parts of the addresses of the next and the previous page. */
export interface PageUrl {
  /** The address of the list, without the query. */
  readonly address: string
  /** The parameters in the address, as the client sent them. */
  readonly parameters: readonly Parameter[]
  /**
   * True if the body of a POST names a page. Then each address names its page, so the client can post the same body
   * there.
   */
  readonly pageInBody: boolean
  /** Identifies the request for which a cursor is valid, see src/engine/conditions/cursor.ts. */
  readonly requestKey: string
  readonly seal: Seal
}

/** The addresses of a page and its neighbours. An address is null if there is no such page. */
export interface Addresses {
  readonly self: string
  readonly next: string | null
  readonly previous: string | null
}

/** Makes the addresses of a page. */
export const addressesOf = async (page: Page, from: PageUrl): Promise<Addresses> => ({
  self: `${from.address}${formatQuery(from.parameters)}`,
  next: page.next && (await pageAddress(from, page.number + 1, page.next)),
  previous: page.previous && (await pageAddress(from, page.number - 1, page.previous)),
})

/** Makes the envelope of a page. */
export const envelopeOf = (
  resource: Resource,
  { page, beside }: PageRows,
  links: Links,
  { next, previous }: Addresses,
): Envelope => ({
  count: page.count,
  next,
  previous,
  results: page.rows.map((row) => resource.serialize(row, links)),
  ...(beside && { [beside.name]: beside.rows.map((row) => beside.of.serialize(row, links)) }),
})

/** Writes an envelope one item at a time. */
export const envelopeWriting = (
  resource: Resource,
  count: number,
  links: Links,
  { next, previous }: Addresses,
): ItemWriter => jsonWriter({ count, next, previous }, 'results', (row) => resource.serialize(row, links))

/** Writes included items one at a time, after the results of an envelope. */
export const includedWriting = ({ name, of }: Beside, links: Links): ItemWriter => ({
  ...jsonWriter({}, name, (row) => of.serialize(row, links)),
  before: `],"${name}":[`,
})

const pageAddress = async (
  { address, parameters, pageInBody, requestKey, seal }: PageUrl,
  number: number,
  { cursor }: PageLink,
): Promise<string> => {
  const query = parameters.filter(({ name }) => name !== 'page' && name !== 'hint')
  if (number > 1 || pageInBody) query.push(parameter('page', String(number)))
  if (cursor !== undefined) query.push(parameter('hint', await formatCursor(cursor, requestKey, number, seal)))
  return `${address}${formatQuery(query)}`
}
