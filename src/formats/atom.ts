import { PRODUCT } from '../base/product.ts'
import { type ItemMember, writerOf } from '../model/members.ts'
import { wordsOfName } from './columns.ts'
import { FEED } from './downloads.ts'
import type { FeedHead, ItemsFormat } from './items.ts'
import { escapeHtml, titleOfEvent } from './plain.ts'
import { headsOf } from './shown.ts'

/** A flat event by the names of its members. */
type Item = Readonly<Record<string, unknown>>

/** A feed of the events that changed last (RFC 4287), with their points (GeoRSS). */
export const atom: ItemsFormat = {
  ...FEED,
  flat: true,
  isTable: true,
  slice: { order: { by: 'last_modified', descending: true, nulls: 'least' }, limit: 50 },
  list: ({ view: { members } }, links, head) => {
    if (head?.feed === undefined) throw new Error('No feed')
    const { feed } = head
    const write = writerOf(members)
    const itemOf = (row: object): Item => write(row, links) as Item // by the names of its members
    const contentOf = contentWriter(members, feed.titles)
    return {
      before: startOf(feed, feed.rows.map(itemOf)),
      each: (row) => {
        const item = itemOf(row)
        return entryOf(item, `${feed.itemIds}${item.id}`, contentOf(item))
      },
      after: () => '</feed>\n',
    }
  },
  fields: () => [],
  schemas: () => ({ list: { AtomFeed: { type: 'string', description: 'A feed (RFC 4287) with GeoRSS.' } }, item: {} }),
}

/** The characters that XML 1.0 forbids, and halves of surrogate pairs. A feed has U+FFFD in their place. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

/** Returns a text for an element or an attribute. A parser would change tabs and line ends that are no references. */
const xml = (text: string): string =>
  escapeHtml(text.replace(FORBIDDEN, '\ufffd')).replace(/[\t\n\r\u0085\u2028]/g, (blank) => `&#${blank.charCodeAt(0)};`)

const startOf = ({ id, title, author, links }: FeedHead, items: readonly Item[]): string => {
  // The first item changed last, unless the database keeps no times of changes.
  const [first = NEVER, ...others] = items.map(updatedOf)
  const updated = others.reduce((last, each) => (Date.parse(each) > Date.parse(last) ? each : last), first)
  const addresses =
    links && `<link rel="self" href="${xml(links.self)}"/>\n<link rel="alternate" href="${xml(links.page)}"/>\n`
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">
${headOf(id, title, updated)}
<author><name>${xml(author)}</name></author>
${addresses ?? ''}<generator>${PRODUCT}</generator>
`
}

const entryOf = (item: Item, id: string, content: string): string => {
  const { category, longitude, latitude } = item
  return `<entry>
${headOf(id, titleOfEvent(item, `Event ${item.id}`), updatedOf(item))}
<link rel="alternate" href="${xml(String(item.url))}"/>
${(category ?? '') === '' ? '' : `<category term="${xml(String(category))}"/>\n`}<content>${xml(content)}</content>
${latitude === null || longitude === null ? '' : `<georss:point>${latitude} ${longitude}</georss:point>\n`}</entry>
`
}

/** Returns what a feed and an entry both have. */
const headOf = (id: string, title: string, updated: string): string =>
  `<id>${xml(id)}</id>\n<title>${xml(title)}</title>\n<updated>${updated}</updated>`

/** The time of a feed without events, so that equal answers are equal texts. */
const NEVER = '1970-01-01T00:00:00Z'

/** Returns the time of the last change. A database may not keep it: then the end or the start. Years have four digits. */
const updatedOf = (item: Item): string => {
  const { last_modified, timestamp_start, timestamp_end, start = timestamp_start, end = timestamp_end } = item
  const times = [last_modified, end, start].map((time) => String(time ?? ''))
  return times.find((time) => /^\d{4}-/.test(time)) ?? NEVER
}

/** The members with an element of their own, or without a meaning for people. */
const UNTOLD = ['id', 'url', 'event_series', 'last_modified', 'value_number']

/** Returns a function that writes the members of an item in lines. A line has the title of the member and its value. */
const contentWriter = (members: readonly ItemMember[], titles: FeedHead['titles']) => {
  const told = members.filter(({ name }) => !UNTOLD.includes(name))
  const heads = headsOf(told.map((each) => ({ title: titles.get(each.name) ?? wordsOfName(each.name), ...each })))
  return (item: Item): string =>
    told
      .flatMap(({ name }, i) => {
        const value = item[name]
        if (value === null || value === '') return []
        return `${heads[i]}: ${typeof value === 'object' ? JSON.stringify(value) : value}`
      })
      .join(';\n')
}
