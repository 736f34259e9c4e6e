import { type CellValue, writeXlsx } from 'hucre/xlsx'
import { attributeTitle, type Titles } from '../state/fields.ts'
import { clock } from '../state/format.ts'
import type { SeriesDescription } from '../state/known.ts'
import type { EventItem } from '../state/rows.ts'
import { texts } from '../state/text.ts'

type Row = readonly CellValue[]

/** A column of the first sheet. */
interface Column {
  readonly title: string
  readonly isTime?: boolean
  readonly cell: (event: EventItem) => CellValue
}

/** How Excel writes an instant, without its fraction of a second. */
const INSTANT = 'yyyy-mm-dd hh:mm:ss'

/**
 * Writes events as an Excel workbook. Its first sheet has a row for each event: people's own columns with their titles
 * and units, numbers as numbers, and times on the clock of the page. `facts` are the rows of the second sheet.
 */
export const workbookOf = async (
  events: readonly EventItem[],
  { titles, columns }: Pick<SeriesDescription, 'titles' | 'columns'>,
  names: readonly [events: string, facts: string],
  facts: readonly Row[],
): Promise<Uint8Array<ArrayBuffer>> => {
  const all = [...ownColumns(events, columns, titles), ...placeColumns()]
  const filled = all.filter(({ cell }) => events.some((event) => cell(event) !== null))
  const rows = events.map((event) => filled.map(({ cell }) => cell(event)))
  const written = await writeXlsx({
    sheets: [
      {
        name: sheetName(names[0]),
        columns: filled.map(({ title, isTime }) => ({
          width: isTime ? 20 : Math.max(10, Math.min(40, title.length + 2)),
          ...(isTime && { numFmt: INSTANT }),
        })),
        rows: [filled.map(({ title }) => title), ...rows],
        freezePane: { rows: 1 },
      },
      { name: sheetName(names[1]), columns: [{ width: 20 }, { width: 80 }], rows: facts.map((row) => [...row]) },
    ],
  })
  return written as Uint8Array<ArrayBuffer>
}

/** A sheet's name has at most 31 characters, and none of these. */
const sheetName = (name: string): string => name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31)

/** The columns of a list whose series is not described, or which has several. */
const USUAL = ['category', 'value', 'timestamp_start', 'timestamp_end', 'event_series_name', 'external_id']

/** Returns the columns in the order of the description. Without one, all attributes of the events follow the usual ones. */
const ownColumns = (
  events: readonly EventItem[],
  described: SeriesDescription['columns'],
  titles: Titles,
): Column[] => {
  const attributes = new Set(events.flatMap(({ values }) => Object.keys((values.attributes ?? {}) as object)))
  const found = [...USUAL, ...[...attributes].map((name) => `${ATTRIBUTE}${name}`)]
  const names = described.length > 0 ? described.map(({ name }) => name) : found
  return names.map((name) => {
    if (name === 'timestamp_start' || name === 'timestamp_end') return timeColumn(name, titles)
    const title = name.startsWith(ATTRIBUTE) ? attributeTitle(name.slice(ATTRIBUTE.length), titles) : titles.get(name)
    return { title: title ?? usualTitle(name), cell: (event) => cellOf(valueIn(event, name), name === 'value') }
  })
}

const ATTRIBUTE = 'attributes__'

const usualTitle = (name: string): string => {
  const { category, value, series, externalId } = texts().list.columns
  return { category, value, event_series_name: series, external_id: externalId }[name] ?? name
}

const valueIn = ({ values }: EventItem, name: string): unknown =>
  name.startsWith(ATTRIBUTE)
    ? ((values.attributes ?? {}) as Readonly<Record<string, unknown>>)[name.slice(ATTRIBUTE.length)]
    : values[name]

const timeColumn = (name: 'timestamp_start' | 'timestamp_end', titles: Titles): Column => {
  const { start, end } = texts().list.columns
  const title = titles.get(name) ?? (name === 'timestamp_start' ? start : end)
  const instantOf = ({ start, end }: EventItem) => (name === 'timestamp_start' ? start : end)
  const { name: zone, toLocal } = clock.value
  // Excel has no zones. It shows the fields of the date in UTC, which are here those of the clock of the page.
  return { title: `${title} (${zone})`, isTime: true, cell: (event) => new Date(toLocal(instantOf(event))) }
}

/** The columns after people's own. */
const placeColumns = (): Column[] => {
  const { longitude, latitude, address } = texts().list.columns
  const at = (axis: 0 | 1) => (event: EventItem) => event.geometry?.coordinates[axis] ?? null
  return [
    { title: longitude, cell: at(0) },
    { title: latitude, cell: at(1) },
    { title: address, cell: ({ url }) => url || null },
  ]
}

/** A number whose digits Excel keeps. A code such as 007 stays a text. */
const NUMBER = /^-?(0|[1-9]\d{0,14})(\.\d{1,14})?$/

/** Returns the cell of a value. `mayBeNumber`: the column has texts that are numbers. */
const cellOf = (value: unknown, mayBeNumber: boolean): CellValue => {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'object') return JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  const text = String(value)
  return mayBeNumber && NUMBER.test(text) ? Number(text) : text
}
