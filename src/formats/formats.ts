import { parseAccept } from 'hono/utils/accept'
import { notAcceptable, ValueError } from '../errors.ts'
import { read, type Values } from '../http/parameters.ts'
import { csv, spreadsheet } from './csv.ts'
import { geojson } from './geojson.ts'
import { htmlOf, type RenderContext } from './html.ts'
import type { ItemsFormat } from './items.ts'
import { ndjson } from './ndjson.ts'

/** A way to write any answer as one document. */
export interface DocumentFormat {
  readonly contentType: string
  /** Writes an answer, or its JSON. */
  readonly render: (body: object | string, context: RenderContext) => string
}

export type Format = DocumentFormat | ItemsFormat

/** An answer as JSON; a text is that already. */
export const jsonOf = (body: object | string): string => (typeof body === 'string' ? body : JSON.stringify(body))

const json: DocumentFormat = { contentType: 'application/json', render: jsonOf }
const html: DocumentFormat = { contentType: 'text/html; charset=utf-8', render: htmlOf }

/** The formats by the name that the parameter `format` takes. `api` is the page to a client that prefers HTML. */
const NAMED: Readonly<Record<string, readonly Format[]>> = {
  json: [json],
  api: [json, html],
  geojson: [geojson],
  csv: [csv],
  spreadsheet: [spreadsheet],
  ndjson: [ndjson],
}

/** The names that the parameter `format` takes where these formats are offered. */
export const formatNames = (offered: readonly Format[]): string[] =>
  Object.keys(NAMED).filter((name) => NAMED[name]?.every((format) => offered.includes(format)))

/** What any answer can be written in, and what lists and their items can: the first is preferred among equals. */
export const DOCUMENT_FORMATS: readonly Format[] = [json, html]
export const LIST_FORMATS: readonly Format[] = [...new Set([...DOCUMENT_FORMATS, ...Object.values(NAMED).flat()])]

/** What errors are written in: JSON to every program, the page only where a browser opens an address to look at it. */
export const errorFormat = (destination: string | undefined, name: string | undefined): DocumentFormat =>
  destination === 'document' && (name ?? 'api') === 'api' ? html : json

/** What is no list and no item is written in, where the format only writes these. */
export const JSON_FORMAT = json

/** Whether a format writes items one by one, so that it can be streamed. */
export const isItems = (format: Format): format is ItemsFormat => 'list' in format

/** Whether it writes them flat. */
export const isFlat = (format: Format): boolean => isItems(format) && format.flat === true

/** The names of those formats. */
export const STREAMED = Object.keys(NAMED).filter((name) => NAMED[name]?.every(isItems))

/** The media types of formats, each once. */
export const mediaTypes = (formats: readonly Format[]): string[] => [...new Set(formats.map(mediaType))]

/** The media type of a format, without parameters. */
export function mediaType(format: Format): string {
  return format.contentType.split(';')[0] ?? ''
}

/**
 * The format of a request, of those offered: as the parameter `format` says, a fault where there is no such, and where
 * that leaves a choice as the header Accept does. Throws a 406.
 */
export const readFormat = (values: Values, accept: string | null, offered: readonly Format[]): Format => {
  const named = read(values, 'format', formatsNamed(offered), null)
  const chosen = prefer(named ?? offered, accept?.trim() || '*/*') ?? named?.[0]
  if (chosen === undefined) throw notAcceptable(mediaTypes(offered))
  return chosen
}

const formatsNamed =
  (offered: readonly Format[]) =>
  (name: string): readonly Format[] => {
    const names = formatNames(offered)
    if (!names.includes(name)) throw new ValueError(`Enter one of ${names.join(', ')}.`)
    return NAMED[name] ?? []
  }

/** The format of the highest quality (RFC 9110, 12.5.1), the first among equals; null where none is acceptable. */
const prefer = (offered: readonly Format[], header: string): Format | null => {
  const ranges = parseAccept(header)
  let best: Format | null = null
  let highest = 0
  for (const format of offered) {
    const quality = qualityOf(mediaType(format), ranges)
    if (quality > highest) {
      best = format
      highest = quality
    }
  }
  return best
}

/** The quality of the most specific range that covers the type. */
const qualityOf = (type: string, ranges: readonly { type: string; q: number }[]): number => {
  for (const covering of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const range = ranges.find((candidate) => candidate.type.toLowerCase() === covering)
    if (range !== undefined) return range.q
  }
  return 0
}
