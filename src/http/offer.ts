import { parseAccept } from 'hono/utils/accept'
import { detail, ValueError } from '../base/errors.ts'
import { atom } from '../formats/atom.ts'
import { spreadsheetIn } from '../formats/csv.ts'
import { mediaType } from '../formats/downloads.ts'
import {
  DOCUMENT_FORMATS,
  type DocumentFormat,
  type Format,
  formatsOfList,
  HTML_FORMAT,
  ITEMS_FORMATS,
  JSON_FORMAT,
  LIST_FORMATS,
} from '../formats/formats.ts'
import { type Known, oneOfNames, type QueryValues, read } from './parameters.ts'

export interface Offer {
  /** The formats of each value of the parameter for formats. */
  readonly named: Readonly<Record<string, readonly Format[]>>
  /** The formats by the media types in Accept. If the client prefers two equally, the first one is used. */
  readonly types: readonly (readonly [type: string, format: Format])[]
}

/** The formats by the value of `format`. `api` is the HTML page if the client prefers HTML, otherwise JSON. */
const NAMED: readonly (readonly [name: string, formats: readonly Format[]])[] = [
  ['json', [JSON_FORMAT]],
  ['api', [JSON_FORMAT, HTML_FORMAT]],
  ...Object.entries({ ...ITEMS_FORMATS, atom }).map(([name, format]) => [name, [format]] as const),
]

const offerOf = (formats: readonly Format[]): Offer => ({
  named: Object.fromEntries(NAMED.filter(([, named]) => named.every((each) => formats.includes(each)))),
  types: formats.map((format) => [mediaType(format.contentType), format]),
})

/** Returns the formats of an offer. */
export const formatsOf = ({ types }: Offer): Format[] => types.map(([, format]) => format)

export const LIST_OFFER = offerOf(LIST_FORMATS)
export const EVENTS_OFFER = offerOf(formatsOfList({ list: 'events' }))
export const DOCUMENT_OFFER = offerOf(DOCUMENT_FORMATS)
/** Changes are a document, or lines. */
export const CHANGES_OFFER = offerOf([...DOCUMENT_FORMATS, ITEMS_FORMATS.ndjson])
/** A summary is a document or a table. */
export const SUMMARY_OFFER = offerOf([...DOCUMENT_FORMATS, ITEMS_FORMATS.csv, ITEMS_FORMATS.spreadsheet])

/**
 * Chooses the format of an answer. First the parameter decides. An unknown name is a 400. Between the formats that
 * remain, the header Accept decides. Throws a 406 if Accept excludes all and there is no parameter.
 */
export const readFormat = (
  values: QueryValues,
  { names }: Known,
  parameter: string,
  accept: string | null,
  { named, types }: Offer,
): Format => {
  const name = read(values, parameter, oneOfNames(Object.keys(named)), null)
  const chosen = name === null ? undefined : named[name]
  const left = chosen === undefined ? types : types.filter(([, format]) => chosen.includes(format))
  const format = prefer(left, accept?.trim() || '*/*') ?? chosen?.[0]
  const takesLanguage = 'spreadsheet' in named && names.includes('locale')
  if (format !== undefined) return takesLanguage ? inLanguage(values, format, parameter) : format
  const available = [...new Set(types.map(([type]) => type))].join(', ')
  throw detail(406, `Could not satisfy the request Accept header. Available: ${available}.`)
}

/** Returns a format with the separators of the language that the request names. Only the spreadsheet takes a language. */
const inLanguage = (values: QueryValues, format: Format, parameter: string): Format => {
  const sheet = ITEMS_FORMATS.spreadsheet
  const parse = (text: string): Format => {
    if (format === sheet) return spreadsheetIn(text)
    throw new ValueError(`Only ${parameter}=spreadsheet accepts a language. Enter that, or leave locale out.`)
  }
  return read(values, 'locale', parse, format)
}

/** The formats of errors. JSON has several media types. */
const ERROR_TYPES: Offer['types'] = [
  ...['application/json', 'application/problem+json', 'application/geo+json'].map(
    (type) => [type, JSON_FORMAT] as const,
  ),
  ['text/html', HTML_FORMAT],
]

/**
 * Returns the format of an error: HTML if a browser or the page opens the address as a page, JSON for all other clients.
 * A browser says so, or prefers HTML to JSON. `name` is the format that the address names.
 */
export const errorFormat = (headers: Headers, name = 'html'): DocumentFormat => {
  const [destination, accept] = [headers.get('Sec-Fetch-Dest'), headers.get('Accept') ?? '']
  const isOfPage = headers.get('Sec-Fetch-Site') === 'same-origin' && accept === 'text/html'
  const opens = destination === 'document' || isOfPage
  const isHtml = destination === null ? prefer(ERROR_TYPES, accept) === HTML_FORMAT : opens
  return isHtml && ['html', 'api'].includes(name) ? HTML_FORMAT : JSON_FORMAT
}

/** Returns the format of the highest quality (RFC 9110, 12.5.1), the first among equals. Null: none is acceptable. */
const prefer = (offered: Offer['types'], header: string): Format | null => {
  const rated = offered.map(([type, format]) => {
    const quality = qualityIn(header, [type, `${type.split('/')[0]}/*`, '*/*'])
    return { format, quality }
  })
  const [best] = rated.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality)
  return best?.format ?? null
}

/** Returns the quality of the first of these ranges that a header such as Accept has. 0: it has none of them. */
export const qualityIn = (header: string, ranges: readonly string[]): number => {
  const given = parseAccept(header)
  const found = ranges.map((range) => given.find(({ type }) => type.toLowerCase() === range)?.q)
  return found.find((quality) => quality !== undefined) ?? 0
}
