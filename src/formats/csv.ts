import { orUndefined, ValueError } from '../base/errors.ts'
import type { Row } from '../engine/engine.ts'
import type { Links } from '../model/kinds.ts'
import type { View } from '../model/members.ts'
import { DOWNLOADS, type Download } from './downloads.ts'
import type { ItemsFormat } from './items.ts'
import { headsOf } from './shown.ts'

export type DecimalMark = '.' | ','

const END = '\r\n'

/** How a CSV format writes its cells. */
interface Dialect {
  /** The text before the header. */
  readonly start: string
  /** True if the header has the titles of columns. */
  readonly hasTitles?: true
  readonly delimiter: ',' | ';'
  readonly numberOf: (value: number) => string
  readonly textOf: (text: string) => string
  /** Writes an instant of ISO 8601. */
  readonly timeOf: (instant: string) => string
}

/** Returns a CSV format (RFC 4180). */
const table = (about: Download, dialect: Dialect): ItemsFormat => {
  const { start } = dialect
  return {
    ...about,
    flat: true,
    isTable: true,
    list: ({ view }, links) => ({
      before: start + headOf(view, dialect) + END,
      each: lineOf(view, links, dialect),
    }),
    fields: ({ view }) => view.members.map(({ name }) => name),
    schemas: ({ flat }) => {
      // The client may choose columns, and each series has columns of its own.
      const pattern = `^\ufeff?[^\r\n]+${END}`
      const description = `After the header, each line is a ${flat.name}.`
      const lines = { [`${flat.name}Csv`]: { type: 'string', description, pattern } }
      return { list: lines, item: lines }
    },
  }
}

const headOf = ({ members }: View, dialect: Dialect): string => {
  const { hasTitles, delimiter, textOf } = dialect
  const quoted = quotedIn(dialect)
  const heads = hasTitles ? headsOf(members) : members.map(({ name }) => name)
  return heads.map((head) => quoted(textOf(head))).join(delimiter)
}

const lineOf = ({ members }: View, links: Links, dialect: Dialect) => {
  const columns = members.map(({ schema, write }) => ({ write, isTime: schema.format === 'date-time' }))
  const quoted = quotedIn(dialect)
  const cellOf = (value: unknown, isTime: boolean): string => {
    // Null is empty. The empty text is a pair of quotes. An object is JSON.
    if (value === null) return ''
    if (isTime) return dialect.timeOf(String(value))
    if (typeof value === 'number') return dialect.numberOf(value)
    if (typeof value === 'boolean') return String(value)
    return quoted(dialect.textOf(typeof value === 'string' ? value : JSON.stringify(value)))
  }
  return (row: Row): string =>
    columns.map(({ write, isTime }) => cellOf(write(row, links), isTime)).join(dialect.delimiter) + END
}

const quotedIn = ({ delimiter }: Dialect) => {
  const unsafe = new RegExp(`["${delimiter}\\r\\n\\t]|^\\s|\\s$|^$`)
  return (text: string): string => (unsafe.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
}

/** The form of a number in CSV. */
export const NUMBER_FORM = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/

/** The signs of formulas, in Latin and in full width. */
const SIGNS = String.raw`=+\-@＝＋－＠`
/** A number, perhaps at the end of JSON. */
const HARMLESS = /^[+-](\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?["\]}]*$/
/** A text that begins with a separator could begin a formula. */
const SEPARATED = /^["']*[\t\r\n]/

/**
 * Returns the writer and the reader of texts that no spreadsheet runs. A formula begins with a sign, perhaps after quotes.
 * It stands at the start of a text, or after a separator: some programs split quoted cells, or drop their quotes.
 */
const formulasAfter = (separators: string) => {
  const formula = new RegExp(`(^|[${separators}])(["']*)([${SIGNS}][^${separators}]*)(?=(.?))`, 'gs')
  const added = new RegExp(`^'(?=["']*[\\t\\r\\n])|((?:^|[${separators}])["']*)'(?=[${SIGNS}])`, 'g')
  return {
    /**
     * Writes an apostrophe before the sign of each formula. A sign that has one already gets one more. Therefore
     * `restored` always returns the original text. A number stays as it is, but not before a blank or a decimal comma:
     * `-1` is part of a formula in `-1,5*A1`.
     */
    defused: (text: string): string => {
      const write = (part: string, start: string, quotes: string, rest: string, next: string) => {
        const isNumber = HARMLESS.test(rest) && (next === start || ';|'.includes(next))
        return isNumber && !quotes.endsWith("'") ? part : `${start}${quotes}'${rest}`
      }
      const safe = text.replace(formula, write)
      return SEPARATED.test(text) ? `'${safe}` : safe
    },
    restored: (text: string): string => text.replace(added, '$1'),
  }
}

export const { defused, restored } = formulasAfter(String.raw`;|\t\r\n`)
/** Programs with decimal points take the commas for separators. */
const inSheet = formulasAfter(String.raw`,;|\t\r\n`)

/** A number with a decimal comma, such as `4,5`, without its sign. */
const COMMA = String.raw`(\d+,\d*|,\d+)([eE][+-]?\d+)?$`
const WITH_COMMA = new RegExp(`^[+-]?${COMMA}`)
const TEXT_WITH_COMMA = new RegExp(`^'*[+-]?${COMMA}`)

/**
 * Returns a text for a spreadsheet with decimal commas. The text of a number, such as `4.5`, gets a comma. A text that
 * has one already gets an apostrophe, so that `pointText` always returns the original text.
 */
const commaText = (text: string): string => {
  if (NUMBER_FORM.test(text)) return withComma(text)
  return TEXT_WITH_COMMA.test(text) ? `'${text}` : inSheet.defused(text)
}

/** Returns the original text of a cell in a spreadsheet with decimal commas. */
export const pointText = (cell: string): string => {
  if (WITH_COMMA.test(cell)) return cell.replace(',', '.')
  return TEXT_WITH_COMMA.test(cell) ? cell.slice(1) : inSheet.restored(cell)
}

export const csv = table(DOWNLOADS.csv, {
  start: '',
  delimiter: ',',
  numberOf: String,
  textOf: defused,
  timeOf: (instant) => instant,
})

/** Spreadsheets read a time with a zone or with microseconds as text, so a time has neither. */
const sheetTime = (instant: string): string =>
  instant.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{3})?\d*(Z|[+-]\d\d:\d\d)$/, '$1 $2$3')

/** CSV for spreadsheets. They recognise UTF-8 only if the file starts with a byte order mark. */
export const spreadsheet = table(DOWNLOADS.spreadsheet, {
  start: '\ufeff',
  hasTitles: true,
  delimiter: ',',
  numberOf: String,
  textOf: defused,
  timeOf: sheetTime,
})

const withComma = (text: string): string => text.replace('.', ',')

/** CSV for spreadsheets in a language with decimal commas. */
const withCommas = table(DOWNLOADS.spreadsheet, {
  start: '\ufeff',
  hasTitles: true,
  delimiter: ';',
  numberOf: (value) => withComma(String(value)),
  textOf: commaText,
  timeOf: (instant) => withComma(sheetTime(instant)),
})

/** Returns the format for spreadsheets in a language by its tag (BCP 47). Throws a ValueError for an unknown language. */
export const spreadsheetIn = (text: string): ItemsFormat => {
  const tag = text.trim()
  // A text that is no tag is a RangeError.
  const known = orUndefined(() => Intl.NumberFormat.supportedLocalesOf([tag])) ?? []
  if (known.length === 0) throw new ValueError('Enter the tag of a language, such as locale=nl or locale=en-GB.')
  const parts = new Intl.NumberFormat(tag, { numberingSystem: 'latn' }).formatToParts(0.5)
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? withCommas : spreadsheet
}
