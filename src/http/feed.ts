import { PRODUCT } from '../base/product.ts'
import type { Row } from '../engine/engine.ts'
import type { FeedHead } from '../formats/items.ts'
import type { Resource } from '../lists/resource.ts'
import type { Env } from './env.ts'
import { fileParts, type OnlySeries } from './file.ts'
import { digest, formatQuery, MAX_ADDRESS, TURN } from './query.ts'
import type { Query } from './read.ts'

/** The owner of the host had it on the first day of this year (RFC 4151). Another year changes all ids. */
const YEAR = 2026

/** A longer value of a filter is not in the title. */
const MAX_VALUE = 60

/**
 * Returns what a feed tells of itself. `now-7d` stays as it is, so that the feed keeps its id and its address. The body of a
 * posted query is in the addresses.
 */
export const feedHead = async (
  { TITLE }: Env,
  list: Resource,
  { asked, base, address }: Query,
  series: OnlySeries | null,
  rows: readonly Row[],
): Promise<FeedHead> => {
  const { hostname, pathname } = new URL(`${base}/events/`)
  const tag = `tag:${hostname},${YEAR}:`
  const question = asked.filter(({ name }) => name !== 'format')
  const query = formatQuery(question)
  const self = `${address}${formatQuery([...question, { name: 'format', value: 'atom' }])}`
  const parts = fileParts(list, { texts: question.map(({ name, value }) => [name, value]) }, series)
  const filters = parts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, value.length > MAX_VALUE && name ? '' : value].filter(Boolean).join('='))
  const author = TITLE || PRODUCT
  return {
    id: `${tag}${new URL(address).pathname}?${await digest([query])}`,
    itemIds: tag + pathname,
    title: [author, ...filters].join(', '),
    author,
    links: self.length + TURN > MAX_ADDRESS ? null : { self, page: `${address}${query}` },
    titles: new Map(list.controls.map(({ name, label: [title] }) => [name, title])),
    rows,
  }
}
