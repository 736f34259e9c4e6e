import type { Schema } from '../filters/lookups.ts'
import type { Links } from '../http/links.ts'
import type { Row } from '../query/table.ts'
import type { Resource } from '../resource.ts'
import type { ItemsFormat } from './items.ts'

const END = '\r\n'

/** CSV (RFC 4180): a header, then a line an item, with the columns that `fields` of the list names. */
const table = (mark: string, timeOf: (instant: string) => string): ItemsFormat => {
  const headOf = (resource: Resource): string => mark + headerOf(resource)
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    extension: 'csv',
    flat: true,
    list: (resource, links) => ({
      before: headOf(resource),
      each: lineOf(resource, links, timeOf),
      between: '',
      after: () => '',
    }),
    item: (resource, links, row) => headOf(resource) + lineOf(resource, links, timeOf)(row),
    schemas: (resource) => {
      const lines = [`${resource.item}Csv`, { type: 'string', pattern: `^\ufeff?${headerOf(resource)}` }] as const
      return { list: lines, item: lines }
    },
  }
}

export const csv = table('', (instant) => instant)

/**
 * The same for spreadsheets, which take a time with a zone or with microseconds for a text, and UTF-8 for what it is only where
 * a mark says so.
 */
export const spreadsheet = table('\ufeff', (instant) =>
  instant.replace(/^(\d{4}-\d\d-\d\d)T([\d:]+)(\.\d{3})?\d*Z$/, '$1 $2$3'),
)

const headerOf = ({ fields }: Resource): string => Object.keys(fields).join(',') + END

const lineOf = (resource: Resource, links: Links, timeOf: (instant: string) => string) => {
  const { fields, serialize, flat, place } = resource
  const times = timesOf(resource)
  const columns = Object.values(fields).map((path) => [path.split('.'), times.has(path) ? timeOf : null] as const)
  return (row: Row): string => {
    const item = { ...place.of(row), ...(flat?.of ?? serialize)(row, links) }
    return columns.map(([path, as]) => cellOf(at(item, path), as)).join(',') + END
  }
}

/** The fields of an item that are instants in ISO 8601. */
const timesOf = ({ flat, schemas, item }: Resource): ReadonlySet<string> => {
  const { properties = {} } = (flat?.schema ?? schemas[item] ?? {}) as { properties?: Readonly<Record<string, Schema>> }
  return new Set(Object.keys(properties).filter((name) => properties[name]?.format === 'date-time'))
}

/** What a path of names leads to in a value; null where it ends before. */
const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null)?.[name] ?? null, value)

/** Null is nothing between commas, the empty text a pair of quotes. */
const cellOf = (value: unknown, timeOf: ((instant: string) => string) | null): string => {
  if (value === null) return ''
  if (timeOf !== null) return timeOf(String(value))
  return typeof value === 'string' ? quoted(defused(value)) : String(value)
}

const quoted = (text: string): string =>
  text === '' || /[",\r\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A number as CSV has it. */
export const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

/**
 * Where a spreadsheet would begin a formula: at the start of a text, and behind what some of them separate cells by, which
 * take no notice of quotes within a cell. In Latin or full width, perhaps with apostrophes in front; up to the next such place.
 */
const FORMULA = /(?<=^|[;\t\r\n])'*[=+\-@＝＋－＠][^;\t\r\n]*/g
/** A text that begins with a separator may begin a formula too. */
const SEPARATED = /^'*[\t\r\n]/
const DEFUSED = /^'(?='*[\t\r\n])|(?<=^|[;\t\r\n])'(?='*[=+\-@＝＋－＠])/g

/**
 * A text that no spreadsheet runs: an apostrophe in front of each formula in it. A number stays one. What has apostrophes
 * before such a sign gets one more, so that taking one away always gives the text that was.
 */
export const defused = (text: string): string => {
  const safe = text.replace(FORMULA, (part) => (NUMBER.test(part) ? part : `'${part}`))
  return SEPARATED.test(text) ? `'${safe}` : safe
}

/** The text that was defused. */
export const restored = (text: string): string => text.replace(DEFUSED, '')
