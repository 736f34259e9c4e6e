import { DOMParser, type Element } from '@xmldom/xmldom'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atom } from '../../src/formats/atom.ts'
import { type FeedHead, listText } from '../../src/formats/items.ts'
import { attributeMembers, shownIn, withTitles } from '../../src/formats/shown.ts'
import { allEventsV4, events } from '../../src/lists/event.ts'
import { EMPTY } from '../../src/model/metadata.ts'

const ROW = {
  id: 7,
  category: 'flood',
  value: '3.4',
  start: 1_517_788_800_000,
  end: 1_517_788_801_500,
  series: 1,
  series_uuid: '00000000-0000-4000-8000-000000000001',
  series_name: 'Floods',
  x: 5.5,
  y: -52,
  z: 0,
  object_type: 'pump',
  object_id: 20,
  external_id: null,
  last_modified: 1_700_000_000_000_001,
  attributes: null,
}
type Row = Readonly<Record<keyof typeof ROW, unknown>>

const HEAD: FeedHead = {
  id: 'tag:localhost,2026:/api/v3/events/?0123456789abcdef',
  itemIds: 'tag:localhost,2026:/events/',
  title: 'Events',
  author: 'Service',
  links: { self: 'http://localhost/?a=1&format=atom', page: 'http://localhost/?a=1' },
  titles: new Map([['timestamp_start', 'Start']]),
  rows: [],
}

const LINKS = { to: (path: string) => `http://localhost${path}` }
const PAGE = { count: 0, self: '', next: null, previous: null }

/** Returns the feed of rows. `names` are attributes with a member of their own. */
const feedOf = (rows: readonly Row[], head: Partial<FeedHead> = {}, names: readonly string[] = [], list = events) => {
  const { view, ...shown } = shownIn(list.flat, list.place)
  const members = [...view.members, ...attributeMembers(names)]
  const titled = withTitles({ ...view, members }, EMPTY)
  const feed = { ...HEAD, ...head, rows }
  return listText(atom.list({ ...shown, view: titled }, LINKS, { ...PAGE, feed }), rows)
}

/** Reads XML by the rules of a strict parser. Throws for a text that is not well formed. */
const parsed = (text: string): Element => {
  const onError = (level: string, message: string): void => {
    // A warning tells that the text has U+FFFD.
    if (level !== 'warning') throw new Error(message)
  }
  const root = new DOMParser({ onError }).parseFromString(text, 'text/xml').documentElement
  if (root === null) throw new Error('no element')
  return root
}

const one = (element: Element, name: string): Element | undefined =>
  Array.from(element.childNodes).find((each): each is Element => each.nodeName === name)
const textIn = (element: Element, name: string) => one(element, name)?.textContent

it('a feed is written whole', () => {
  expect(feedOf([ROW])).toBe(`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">
<id>tag:localhost,2026:/api/v3/events/?0123456789abcdef</id>
<title>Events</title>
<updated>2023-11-14T22:13:20.000001Z</updated>
<author><name>Service</name></author>
<link rel="self" href="http://localhost/?a=1&amp;format=atom"/>
<link rel="alternate" href="http://localhost/?a=1"/>
<generator>Event Query Interface</generator>
<entry>
<id>tag:localhost,2026:/events/7</id>
<title>flood, 3.4, 2018-02-05</title>
<updated>2023-11-14T22:13:20.000001Z</updated>
<link rel="alternate" href="http://localhost/api/v3/events/7/"/>
<category term="flood"/>
<content>Category: flood;&#10;Value: 3.4;&#10;Start: 2018-02-05T00:00:00Z;&#10;Timestamp end: 2018-02-05T00:00:01.500000Z;&#10;Event series name: Floods;&#10;Longitude: 5.5;&#10;Latitude: -52;&#10;Z: 0;&#10;Object type: pump;&#10;Object id: 20</content>
<georss:point>-52 5.5</georss:point>
</entry>
</feed>
`)
})

describe('an element of an entry', () => {
  it.each([
    ['title', { value: 'Dike broke' }, 'Dike broke, 2018-02-05'],
    ['title', { value: '', category: '' }, 'Event 7, 2018-02-05'],
    ['title', { value: '<12', category: '' }, '<12, 2018-02-05'],
    ['category', { category: '' }, undefined],
    ['georss:point', { x: null, y: null, z: null }, undefined],
    ['georss:point', { x: -180, y: 1e-7 }, '1e-7 -180'],
    ['updated', { last_modified: null }, '2018-02-05T00:00:01.500000Z'],
    ['updated', { last_modified: null, end: null }, '2018-02-05T00:00:00Z'],
    ['updated', { last_modified: null, end: 8e14 }, '2018-02-05T00:00:00Z'],
    ['updated', { last_modified: null, end: null, start: null }, '1970-01-01T00:00:00Z'],
  ] as const)('%s of %j is %s', (name, fields, text) => {
    for (const list of [events, allEventsV4]) {
      const entry = one(parsed(feedOf([{ ...ROW, ...fields }], {}, [], list)), 'entry')
      expect(entry && textIn(entry, name)).toBe(text)
    }
  })
})

describe('the time of a feed', () => {
  const LATE = { ...ROW, last_modified: null, end: 1_600_000_000_000 }
  it.each([
    ['no events', [], '1970-01-01T00:00:00Z'],
    [
      'two changes in a millisecond',
      [ROW, { ...ROW, last_modified: 1_700_000_000_000_000 }],
      '2023-11-14T22:13:20.000001Z',
    ],
    ['no times of changes', [{ ...ROW, last_modified: null }, LATE], '2020-09-13T12:26:40Z'],
    ['times before 1970', [{ ...ROW, last_modified: null, start: -1000, end: -1000 }], '1969-12-31T23:59:59Z'],
  ] as const)('%s', (_, rows, updated) => {
    expect(textIn(parsed(feedOf(rows)), 'updated')).toBe(updated)
  })
})

it('a feed without addresses has no links', () => {
  const feed = parsed(feedOf([], { links: null }))
  expect([one(feed, 'link'), textIn(feed, 'generator')]).toEqual([undefined, 'Event Query Interface'])
})

/** Texts with all that XML reads in its own way, forbids or changes. */
const TEXT = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...'&<>"\'\t\n\r \0\u0008\u000b\u001f\u007f\u0085\u2028\ufffd\ufffe\uffff\ud800\udfff'),
    fc.constantFrom(']]>', '<!--', '&amp;', '&#0;', '\u{10ffff}', '\r\n'),
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
  ),
  maxLength: 12,
})

/** Returns the text that a feed has: U+FFFD stands for each character that XML 1.0 forbids. */
const allowed = (text: string) =>
  Array.from(text, (each) => {
    const code = each.codePointAt(0) ?? 0
    const isControl = code < 0x20 && ![9, 10, 13].includes(code)
    return isControl || (code >= 0xd800 && code < 0xe000) || code === 0xfffe || code === 0xffff ? '\ufffd' : each
  }).join('')

describe('any text in any field', () => {
  it('is read back by a parser of XML', () => {
    fc.assert(
      fc.property(fc.array(TEXT, { minLength: 11, maxLength: 11 }), (texts) => {
        const [category = '', value = '', series_name = '', object_type = '', external_id = '', name = ''] = texts
        const [attribute = '', title = '', author = '', self = '', page = ''] = texts.slice(6)
        const row = { ...ROW, category, value, series_name, object_type, external_id }
        const attributes = JSON.stringify({ [name]: attribute })
        const links = { self, page }
        const feed = parsed(feedOf([{ ...row, attributes }], { title, author, links }, name === '' ? [] : [name]))
        const entry = one(feed, 'entry')
        const [ownLink, pageLink] = Array.from(feed.getElementsByTagName('link'))
        expect([
          textIn(feed, 'title'),
          textIn(feed, 'author'),
          ...[ownLink, pageLink].map((link) => link?.getAttribute('href')),
          entry && one(entry, 'category')?.getAttribute('term'),
        ]).toEqual(
          [title, author, self, page, category === '' ? undefined : category].map((text) => text && allowed(text)),
        )
        const content = (entry && textIn(entry, 'content')) ?? ''
        for (const text of [category, value, series_name, object_type, external_id])
          if (text !== '') expect(content).toContain(`: ${allowed(text)}`)
        if (name !== '' && attribute !== '') expect(content).toContain(`${allowed(name)}: ${allowed(attribute)}`)
      }),
      { numRuns: 2000, seed: 3 },
    )
  })
})
