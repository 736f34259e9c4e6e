import type { Resource } from '../lists/resource.ts'
import type { View } from '../model/members.ts'
import { atom } from './atom.ts'
import { csv, spreadsheet } from './csv.ts'
import { DOWNLOADS } from './downloads.ts'
import { geojson } from './geojson.ts'
import { htmlOf, type RenderContext } from './html.ts'
import type { ItemsFormat } from './items.ts'
import { itemWriter, jsonFields, type ShownView } from './shown.ts'

/** A format that writes any answer as one document. */
export interface DocumentFormat {
  readonly contentType: string
  readonly render: (body: object, context: RenderContext) => string
}

export type Format = DocumentFormat | ItemsFormat

/** Returns a format that writes JSON. */
export const jsonFormat = (contentType: string): DocumentFormat => ({
  contentType,
  render: (body) => JSON.stringify(body),
})

export const JSON_FORMAT = jsonFormat('application/json')
export const HTML_FORMAT: DocumentFormat = { contentType: 'text/html; charset=utf-8', render: htmlOf }

/** Newline-delimited JSON. Each line is an item as in `results`. */
const ndjson: ItemsFormat = {
  ...DOWNLOADS.ndjson,
  list: (shown, links) => {
    const write = itemWriter(shown)
    return { before: '', each: (row) => `${JSON.stringify(write(row, links))}\n` }
  },
  fields: jsonFields,
  schemas: ({ view: { name } }) => {
    const schema = { type: 'string', description: `Each line is a ${name}.`, pattern: '^(\\{.*\\}\\n)*$' }
    const lines = { [`${name}Lines`]: schema }
    return { list: lines, item: lines }
  },
}

/** The formats of items, see src/formats/downloads.ts. */
export const ITEMS_FORMATS = { geojson, csv, spreadsheet, ndjson } satisfies Readonly<
  Record<keyof typeof DOWNLOADS, ItemsFormat>
>

/** The formats of any answer, and of lists and items. If the client prefers two equally, the first one is used. */
export const DOCUMENT_FORMATS: readonly Format[] = [JSON_FORMAT, HTML_FORMAT]
export const LIST_FORMATS: readonly Format[] = [...DOCUMENT_FORMATS, ...Object.values(ITEMS_FORMATS)]
const EVENTS_FORMATS: readonly Format[] = [...LIST_FORMATS, atom]

/** Returns the formats of a list. Only events have a feed. */
export const formatsOfList = ({ list }: Pick<Resource, 'list'>): readonly Format[] =>
  list === 'events' ? EVENTS_FORMATS : LIST_FORMATS

/** Tests if a format writes items one by one. Such a format can be streamed. */
export const isItems = (format: Format): format is ItemsFormat => 'list' in format

export const isFlat = (format: Format): boolean => isItems(format) && format.flat === true

/** Returns the view of a list in a format. */
export const viewIn = (format: Format, { view, flat }: Pick<Resource, 'view' | 'flat'>): View =>
  isItems(format) && format.flat ? flat : view

/** Returns the names of the members that a client can choose in a format. */
export const fieldsIn = (format: Format, shown: ShownView): readonly string[] =>
  isItems(format) ? format.fields(shown) : jsonFields(shown)

/** The names of the formats that can be streamed. */
export const STREAMED = Object.keys(ITEMS_FORMATS)
