import { type Page, type Reader, type Row, tooLong } from '../engine/engine.ts'
import { type Format, HTML_FORMAT, isItems } from '../formats/formats.ts'
import { type Batches, type ItemsFormat, type ListHead, listText, streamOf } from '../formats/items.ts'
import { featureWriter, itemWriter, type ShownView, withColumns, withTitles } from '../formats/shown.ts'
import type { Owner, Resource } from '../lists/resource.ts'
import { writerOf } from '../model/members.ts'
import type { Metadata } from '../model/types.ts'
import { lastOf, offsetOf } from '../question/question.ts'
import type { Answer } from './cache.ts'
import type { Env } from './env.ts'
import { feedHead, fileParts, itemsHeaders, onlySeriesIn } from './file.ts'
import { type Ask, invalidPage } from './page.ts'
import { formatHint, formatQuery } from './query.ts'
import { OF_ONE_PAGE, type Query } from './read.ts'
import { type BatchTiming, type RequestContext, surfaceOf } from './route.ts'
import { admitted, narrowed } from './selection.ts'
import { linksUnder } from './session.ts'

/** Reads the items of a list, and writes them in the format of the query. */
export const writeList = async (
  c: RequestContext,
  reader: Reader,
  list: Resource,
  owner: Owner | null,
  query: Query,
  ask: Ask,
): Promise<Answer> => {
  const { format, values } = query
  const { shown, added, question } = ask
  const links = linksUnder(query.links, owner)
  const { page, stream } = await admitted(list, surfaceOf(c), readRows(c, reader, list, owner, query, ask))
  c.var.trace.isStream = ask.whole !== 'page' && page.rows.length < page.count
  const { from, limit } = question.slice
  const number = from === 'end' ? lastOf(page.count, limit) : 1 + offsetOf(question.slice) / limit
  const hasHint = from !== 'end' && 'hint' in from && from.hint !== null
  if (!hasHint && number > 1 && page.rows.length === 0) throw invalidPage()
  const isFeed = isItems(format) && format.slice !== undefined
  const head = await headOf(isFeed ? { ...page, next: null } : page, number, query, ask.key, c.env)
  const headers = pageHeaders(head)
  if (isItems(format)) {
    const series = await onlySeriesIn(reader, list, narrowed(owner, question))
    const described = series !== null && format.flat ? describedIn(format, shown, series.metadata) : shown
    if (isFeed) {
      const feed = await feedHead(c.env, list, query, series, page.rows)
      return { headers, body: listText(format.list(described, links, { ...head, feed }), page.rows) }
    }
    const writing = format.list(described, links, head)
    const body = stream === null ? { body: listText(writing, page.rows) } : streamOf(writing, stream)
    return {
      headers: { ...headers, ...itemsHeaders(format.extension, list, fileParts(list, values, series)) },
      ...body,
    }
  }
  // The envelope of SPEC 2.1.
  const { count, next, previous } = head
  const write = jsonWriter(list, format, shown)
  const writeOther = writerOf(added?.view.members ?? [])
  const itemOf = (row: Row) => write(row, links)
  const otherOf = (row: Row) => writeOther(row, links)
  if (format === HTML_FORMAT) {
    const others = added && { [added.name]: page.included.map(otherOf) }
    return { headers, body: { count, next, previous, results: page.rows.map(itemOf), ...others } }
  }
  const results = page.rows.map((row) => JSON.stringify(itemOf(row)))
  const others = added && { [added.name]: page.included.map((row) => JSON.stringify(otherOf(row))) }
  return { headers, body: jsonWith({ count, next, previous }, { results, ...others }) }
}

/** Returns what a file with the events of one series shows. Members that the client chooses stay, and get their titles. */
const describedIn = (
  { isTable = false }: ItemsFormat,
  { view, ...shown }: ShownView,
  metadata: Metadata,
): ShownView => {
  const whole = shown.fields === null ? withColumns(view, metadata, isTable) : view
  return { ...shown, view: withTitles(whole, metadata) }
}

/** Writes an object whose last members are lists of items that are JSON already. The items are never one tree in memory. */
const jsonWith = (head: object, lists: Readonly<Record<string, readonly string[]>>): string => {
  const members = Object.entries(lists).map(([name, items]) => `"${name}":[${items.join(',')}]`)
  return `${JSON.stringify(head).slice(0, -1)},${members.join(',')}}`
}

/** Returns a function that writes the item of a row in JSON. The HTML page has events as in GeoJSON, in every version. */
export const jsonWriter = ({ list }: Resource, format: Format, shown: ShownView) =>
  format === HTML_FORMAT && list === 'events' ? featureWriter(shown) : itemWriter(shown)

/**
 * Reads one slice or the whole result. A whole one is read as a stream, unless its first batch has it all. For HEAD, a
 * result of several batches has no rows.
 */
export const readRows = async (
  c: RequestContext,
  reader: Reader,
  list: Resource,
  owner: Owner | null,
  { caller }: Query,
  { added, whole, question, shown }: Ask,
) => {
  const asked = narrowed(owner, question)
  const { reads: fields } = shown.view
  if (whole === 'page' || whole === 'part') {
    // A series has its description in its own row. Events have their series in other rows.
    const isOwn = list.list === 'series' && added !== null
    const reads = isOwn ? { fields: [...fields, ...added.view.reads] } : { fields, include: added?.view.reads ?? null }
    const page = await reader.page(list.list, asked, reads)
    if (page.isCut && whole === 'page') throw tooLong()
    return { page: isOwn ? { ...page, included: page.rows } : page, stream: null }
  }
  const isHead = c.req.method === 'HEAD'
  const { inTurn, batchRows } = isHead ? NO_STREAM : c.var.admission.openStream(caller)
  const { count, batches, first } = await inTurn(async () => {
    const batching = { consistent: whole === 'consistent', batchRows }
    const { count, batches } = await reader.all(list.list, asked, { fields }, batching)
    return { count, batches, first: (await batches.next()).value ?? [] }
  })
  const isWhole = first.length === count
  const page = { count, rows: isWhole ? first : [], isCut: false, next: null, previous: null, included: [] }
  if (!isWhole && !isHead) return { page, stream: eachInTurn(first, batches, inTurn) }
  await batches.return()
  return { page, stream: null }
}

/** How a client that reads no rows is served, as HEAD. */
const NO_STREAM: BatchTiming = { inTurn: (read) => read(), batchRows: () => 0 }

/** Returns the first batch of a list, and reads each later one when a slot is free. An early end also reaches the engine. */
async function* eachInTurn(first: readonly Row[], batches: Batches, inTurn: BatchTiming['inTurn']): Batches {
  try {
    yield first
    for (;;) {
      const { done, value } = await inTurn(() => batches.next())
      if (done) return
      yield value
    }
  } finally {
    await batches.return()
  }
}

/** Returns the count of a page, and the addresses of it and its neighbours. `key` identifies the request for hints. */
const headOf = async (
  { count, next, previous }: Page,
  number: number,
  { address, linked, pageInBody, hintStart }: Query,
  key: string,
  env: Env,
): Promise<ListHead> => {
  const others = linked.filter(({ name }) => !OF_ONE_PAGE.includes(name))
  const addressOf = async (page: number, found: string): Promise<string> => {
    const query = [...others]
    // With a page in the body, each address names its page, so that the client can post the body there.
    if (page > 1 || pageInBody) query.push({ name: 'page', value: String(page) })
    const hint = hintStart + (page === 1 || found === '' ? '' : await formatHint(found, key, page, env))
    if (hint !== '') query.push({ name: 'hint', value: hint })
    return `${address}${formatQuery(query)}`
  }
  return {
    count,
    self: `${address}${formatQuery(linked)}`,
    next: next === null ? null : await addressOf(number + 1, next),
    previous: previous === null || number === 1 ? null : await addressOf(number - 1, previous),
  }
}

/** Returns the headers of a page: its count and its neighbours. Some formats have no other place for them. */
export const pageHeaders = ({ count, next, previous }: Omit<ListHead, 'self'>): Record<string, string> => {
  const pages = Object.entries({ next, prev: previous }).flatMap(([relation, address]) =>
    address === null ? [] : [`<${address}>; rel="${relation}"`],
  )
  return { 'X-Total-Count': String(count), ...(pages.length > 0 && { Link: pages.join(', ') }) }
}
