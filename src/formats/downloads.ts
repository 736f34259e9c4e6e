import { at } from '../base/collections.ts'

/** The facts about a format that writes items one by one. Such a format can be streamed. */
export interface Download {
  readonly label: string
  readonly contentType: string
  /** The extension of a file with such an answer. */
  readonly extension: string
}

/**
 * The formats of items, by the value of `format` or `f`. Lists and /ogc accept them, the page offers them, and they are
 * compressed. `ITEMS_FORMATS` in src/formats/formats.ts has what writes each.
 */
export const DOWNLOADS = {
  geojson: { label: 'GeoJSON', contentType: 'application/geo+json', extension: 'geojson' },
  csv: { label: 'CSV', contentType: 'text/csv; charset=utf-8; header=present', extension: 'csv' },
  spreadsheet: { label: 'Spreadsheet', contentType: 'text/csv; charset=utf-8; header=present', extension: 'csv' },
  ndjson: { label: 'NDJSON', contentType: 'application/x-ndjson', extension: 'ndjson' },
} as const satisfies Readonly<Record<string, Download>>

/** The feed of a list of events. It is no download, because it has only the events that changed last. */
export const FEED = {
  label: 'Atom',
  contentType: 'application/atom+xml; charset=utf-8',
  extension: 'atom',
} as const satisfies Download

/** The parameters of a list that choose pages and members. A feed has its own order, number of items and members. */
export const NOT_IN_FEED: readonly string[] = [
  'after',
  'consistent',
  'explain',
  'fields',
  'hint',
  'include',
  'ordering',
  'page',
  'page_size',
]

/** The formats that the end of an address may name, such as `/api/v3/events.csv`. */
export const FILES = ['geojson', 'csv', 'ndjson'] as const satisfies readonly (keyof typeof DOWNLOADS)[]
export type FileFormat = (typeof FILES)[number]

/** Returns the address of a list in a format. `path` ends with a slash. */
export const filePath = (path: string, file: string): string => `${path.slice(0, -1)}.${file}`

/** Returns a media type without parameters. */
export const mediaType = (contentType: string): string => at(contentType.split(';'), 0)
