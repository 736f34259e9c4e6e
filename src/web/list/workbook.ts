import { type CellValue, writeXlsx } from 'hucre/xlsx'
import { numberIn, valueIn } from '../../formats/columns.ts'
import { type Column, titleOf } from '../state/fields.ts'
import { clock } from '../state/format.ts'
import type { EventItem } from '../state/rows.ts'
import { textsOf } from '../state/text.ts'
import { downloadTexts } from './downloads.tsx'

const placeTexts = textsOf({
  longitude: ['Longitude', 'Lengtegraad'],
  latitude: ['Latitude', 'Breedtegraad'],
})

/** A column of a sheet. */
interface SheetColumn {
  readonly title: string
  /** How Excel writes its numbers. Absent: as usual. */
  readonly format?: string | undefined
  readonly cell: (event: EventItem) => CellValue
}

/** How Excel writes an instant and a duration, by the kind of the column. */
const FORMATS: Readonly<Record<string, string>> = { instant: 'yyyy-mm-dd hh:mm:ss', duration: '[h]:mm:ss' }
const DAY = 86_400_000

/**
 * Writes events as an Excel workbook. Its first sheet has a row for each event, with numbers as numbers, and times on the
 * clock of the page. `facts` are the rows of the second sheet. Both sheets have names.
 */
export const workbookOf = async (
  events: readonly EventItem[],
  columns: readonly Column[],
  names: readonly [events: string, facts: string],
  facts: readonly (readonly string[])[],
): Promise<Uint8Array<ArrayBuffer>> => {
  const address: SheetColumn = { title: downloadTexts().address, cell: ({ url }) => url || null }
  const all = [...columns.flatMap(sheetColumns), address]
  const filled = all.filter(({ cell }) => events.some((event) => cell(event) !== null))
  const written = await writeXlsx({
    sheets: [
      {
        name: sheetName(names[0]),
        columns: filled.map((column) => ({
          width: widthOf(column, events),
          ...(column.format && { numFmt: column.format }),
        })),
        rows: [filled.map(({ title }) => title), ...events.map((event) => filled.map(({ cell }) => cell(event)))],
        freezePane: { rows: 1 },
      },
      { name: sheetName(names[1]), columns: [{ width: 20 }, { width: 80 }], rows: facts.map((row) => [...row]) },
    ],
  })
  return written as Uint8Array<ArrayBuffer> // a copy is never shared
}

/** The number of events that decide the width of a column. */
const MEASURED = 200

/** Returns the width of a column in characters. Long texts do not make it wider. */
const widthOf = ({ title, format, cell }: SheetColumn, events: readonly EventItem[]): number => {
  const lengths = format ? [18] : events.slice(0, MEASURED).map((event) => String(cell(event) ?? '').length)
  return Math.min(40, Math.max(title.length, ...lengths) + 2)
}

/** A sheet's name has at most 31 characters, and none of these. */
const sheetName = (name: string): string => name.replace(/[[\]:*?/\\]/g, ' ').slice(0, 31)

/** Returns the columns of a sheet for a column of the page. A place has two. */
const sheetColumns = (column: Column): readonly SheetColumn[] => {
  const { kind } = column
  if (kind === 'place') return coordinateColumns()
  const title = kind === 'instant' ? `${titleOf(column)} (${clock.value.name})` : titleOf(column)
  return [{ title, format: FORMATS[kind], cell: (event) => cellOf(event, column) }]
}

/** Returns the value of an event for a cell: a number, a time, a text or a Boolean. */
const cellOf = (event: EventItem, column: Column): CellValue => {
  const { name, kind } = column
  if (name === 'event_series') return event.seriesName
  if (name === 'object') return event.object && `${event.object.type} ${event.object.id}`
  const value = valueIn(event.values, name)
  if (value === undefined) return null
  // Excel has no zones. It shows the fields of a date in UTC, which are here those of the clock of the page.
  if (kind === 'instant') return new Date(clock.value.toLocal(new Date(String(value)).getTime()))
  if (kind === 'duration') return Number(value) / DAY
  if (typeof value === 'boolean' || typeof value === 'number') return value
  return typeof value === 'object' ? JSON.stringify(value) : (numberIn(event.values, column) ?? String(value))
}

const coordinateColumns = (): SheetColumn[] => {
  const { longitude, latitude } = placeTexts()
  const at = (title: string, axis: 0 | 1): SheetColumn => ({
    title,
    cell: ({ geometry }) => geometry?.coordinates[axis] ?? null,
  })
  return [at(longitude, 0), at(latitude, 1)]
}
