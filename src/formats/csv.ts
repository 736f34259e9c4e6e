import { DOWNLOADS, type Download } from '../downloads.ts'
import type { Row } from '../engine/conditions/table.ts'
import type { Links, Resource } from '../resource.ts'
import type { ItemsFormat } from './items.ts'

const END = '\r\n'

/** Returns a CSV format (RFC 4180). `mark` is the text before the header. `timeOf` formats an instant. */
const table = (about: Download, mark: string, timeOf: (instant: string) => string): ItemsFormat => {
  const headOf = (resource: Resource): string => mark + headerOf(resource)
  return {
    ...about,
    flat: true,
    list: (resource, links) => ({
      before: headOf(resource),
      each: lineOf(resource, links, timeOf),
      between: '',
      after: () => '',
    }),
    item: (resource, links, row) => headOf(resource) + lineOf(resource, links, timeOf)(row),
    fields: ({ csv }) => csv.map(({ name }) => name),
    schemas: (resource) => {
      const lines = [
        `${resource.flat?.item ?? resource.item}Csv`,
        { type: 'string', pattern: `^\ufeff?${headerOf(resource)}` },
      ] as const
      return { list: lines, item: lines }
    },
  }
}

export const csv = table(DOWNLOADS.csv, '', (instant) => instant)

/**
 * CSV for spreadsheets. They read a time with a zone or with microseconds as text, so a time has neither. They
 * recognise UTF-8 only if the file starts with a byte order mark.
 */
export const spreadsheet = table(DOWNLOADS.spreadsheet, '\ufeff', (instant) =>
  instant.replace(/^(\d{4}-\d\d-\d\d)T([\d:]+)(\.\d{3})?\d*Z$/, '$1 $2$3'),
)

const headerOf = ({ csv }: Resource): string => csv.map(({ name }) => name).join(',') + END

const lineOf = ({ csv }: Resource, links: Links, timeOf: (instant: string) => string) => {
  const columns = csv.map(({ schema, write }) => ({ write, format: schema.format === 'date-time' ? timeOf : null }))
  return (row: Row): string => columns.map(({ write, format }) => cellOf(write(row, links), format)).join(',') + END
}

/** Null is empty. The empty text is a pair of quotes. An object is JSON. */
const cellOf = (value: unknown, timeOf: ((instant: string) => string) | null): string => {
  if (value === null) return ''
  if (typeof value === 'object') return cellOf(JSON.stringify(value), null)
  if (timeOf !== null) return timeOf(String(value))
  return typeof value === 'string' ? quoted(defused(value)) : String(value)
}

const quoted = (text: string): string =>
  text === '' || /[",\r\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** The form of a number in CSV. */
export const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/**
 * A text that a spreadsheet could run as a formula. It begins with a sign in Latin or full width, perhaps after
 * apostrophes. It stands at the start of a cell's text, or after a character that some spreadsheets take for a
 * separator even within quotes. The next separator ends it.
 */
const FORMULA = /(?<=^|[;\t\r\n])'*[=+\-@＝＋－＠][^;\t\r\n]*/g
/** A text that begins with a separator could begin a formula. */
const SEPARATED = /^'*[\t\r\n]/
const DEFUSED = /^'(?='*[\t\r\n])|(?<=^|[;\t\r\n])'(?='*[=+\-@＝＋－＠])/g

/**
 * Returns a text that no spreadsheet runs, with an apostrophe before each formula. A number is not changed. A formula
 * with apostrophes before it gets one more. Therefore `restored` always returns the original text.
 */
export const defused = (text: string): string => {
  const safe = text.replace(FORMULA, (part) => (NUMBER.test(part) ? part : `'${part}`))
  return SEPARATED.test(text) ? `'${safe}` : safe
}

/** Returns the original text of `defused`. */
export const restored = (text: string): string => text.replace(DEFUSED, '')
