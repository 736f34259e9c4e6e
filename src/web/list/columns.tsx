import type { ComponentChildren } from 'preact'
import { hrefOf, type PageAddress } from '../state/address.ts'
import { isEvent } from '../state/event.ts'
import { type Field, labelOf, wordsOfName } from '../state/fields.ts'
import { formatCount, formatDay, formatInstant, zoneName } from '../state/format.ts'
import { eventsOf } from '../state/known.ts'
import { isSeries, type Series, sourceLast, uuidOf } from '../state/rows.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import {
  attributeCell,
  attributesOf,
  type CellContext,
  cellOf,
  isOwner,
  nameOf,
  SeriesLink,
  valueIn,
} from './cells.tsx'

/** A column of a table. */
export interface Column {
  readonly name: string
  readonly heading: string
  /** The value of `ordering` for its order. */
  readonly order: string | undefined
  /**
   * Classes of its cells. On a screen, `minor` cells stand on a second line. A `labelled` cell stands after its heading,
   * and a `late` one at the end.
   */
  readonly style: string
  /** Returns null for a row without a value. */
  readonly cell: (row: object) => ComponentChildren
}

/** The number of events of each series whose count is known, by uuid. */
export type Counts = ReadonlyMap<string, number>

interface TableParts {
  readonly rows: readonly object[]
  /** The fields of the list. Undefined: an answer without them. */
  readonly fields: readonly Field[] | undefined
  readonly context: Omit<CellContext, 'instants'>
  readonly counts: Counts
}

/** The fields that name a row. They are its first column, and its link. */
const NAMING = ['value', 'name']
export const isNaming = ({ name }: Field): boolean => NAMING.includes(name)

/** Returns the columns of a table that have a value in a row. */
export const columnsOf = (parts: TableParts): readonly Column[] => {
  const { rows, fields = fieldsOfRows(rows) } = parts
  const shown = fields.filter(({ column }) => column === 1 || column === 2)
  const rankOf = (field: Field) => (isNaming(field) ? 0 : (field.column ?? 3))
  return shown
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .flatMap((field) => columnsOfField(field, parts))
    .filter(({ cell }) => rows.some((row) => cell(row) !== null))
}

/** Makes fields of the names in rows that no list describes. */
const fieldsOfRows = ([first = {}]: readonly object[]): Field[] =>
  Object.keys(isEvent(first) ? first.values : first)
    .filter((name) => name !== 'url')
    .map((name) => {
      const words = wordsOfName(name)
      return {
        name,
        label: [words, words],
        kind: 'text',
        group: 'more',
        lookups: [],
        column: isNaming({ name } as Field) ? 1 : 2,
      }
    })

const columnsOfField = (field: Field, { rows, context, counts }: TableParts): readonly Column[] => {
  if (field.kind === 'attributes') return attributeColumns(rows, context.list)
  const areDays = field.kind === 'instant' && areAllDays(field, rows)
  const cells: CellContext = { ...context, instants: areDays ? 'day' : 'second' }
  const column = {
    name: field.name,
    heading: field.kind === 'instant' ? `${labelOf(field)} (${zoneName()})` : labelOf(field),
    order: field.order,
    style: styleOf(field, areDays),
    cell: (row: object) =>
      isNaming(field) ? nameCell(row) : field.name === 'description' ? descriptionCell(row) : cellOf(field, row, cells),
  }
  return isNaming(field) && rows.some(isSeries) ? [column, countColumn(counts)] : [column]
}

/** Sources without times have all their instants at midnight. The period of a series needs no times. */
const areAllDays = ({ name }: Field, rows: readonly object[]): boolean =>
  rows.some(isSeries) ||
  rows.every((row) => {
    const at = valueIn(row, name) as number | string | null | undefined
    return formatInstant(at) === formatDay(at)
  })

const styleOf = (field: Field, areDays: boolean): string => {
  const isNumeric = ['instant', 'duration', 'place', 'bounds', 'integer'].includes(field.kind)
  const classes = [
    isNaming(field) && 'named',
    isNumeric && 'numeric',
    field.kind === 'instant' && !areDays && 'instant',
  ]
  const isLabelled = field.kind === 'duration' || field.kind === 'integer'
  const isLate = isOwner(field) || field.name === 'description'
  const minor = field.column === 1 ? [] : ['minor', isLabelled && 'labelled', isLate && 'late']
  return [...classes, ...minor].filter(Boolean).join(' ')
}

const nameCell = (row: object): ComponentChildren => {
  if (isSeries(row)) return <SeriesLink series={row} />
  const name = isEvent(row) ? nameOf(row) : (valueIn(row, 'name') as string)
  const url = valueIn(row, 'url') ?? (isEvent(row) ? row.url : null)
  return typeof url === 'string' ? <a href={url}>{name}</a> : name
}

const descriptionCell = (row: object): ComponentChildren => {
  const description = valueIn(row, 'description')
  if (typeof description !== 'string' || description === '') return null
  return <span title={description}>{sourceLast(description)}</span>
}

const countColumn = (counts: Counts): Column => ({
  name: 'events',
  heading: texts().list.columns.events,
  order: undefined,
  style: 'numeric number',
  cell: (row) => (isSeries(row) ? <EventsLink series={row} counts={counts} /> : null),
})

const EventsLink = ({ series, counts }: { readonly series: Series; readonly counts: Counts }) => {
  const t = texts().list
  const count = counts.get(uuidOf(series))
  return (
    <a href={hrefOf(eventsOf(prefix, series))}>
      {count === undefined ? t.columns.events : formatCount(count)}
      <span class="unseen"> {t.ofSeries(count, series.name)}</span>
    </a>
  )
}

/** The most columns of attributes. */
const MOST = 5

/** Returns columns for the attributes that most events of a series have. Several series have too few in common. */
const attributeColumns = (rows: readonly object[], list: PageAddress): Column[] => {
  if (!isOneSeries(rows)) return []
  const counts = new Map<string, number>()
  for (const row of rows)
    for (const [name, value] of Object.entries(attributesOf(row)))
      if (typeof value !== 'object' && value !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name)
  return names.slice(0, MOST).map((name) => ({
    name: `attributes__${name}`,
    heading: name,
    order: undefined,
    style: 'minor labelled',
    cell: (row) => attributeCell(name, attributesOf(row)[name], list),
  }))
}

export const isOneSeries = (rows: readonly object[]): boolean =>
  new Set(rows.filter(isEvent).map(({ series }) => series)).size === 1
