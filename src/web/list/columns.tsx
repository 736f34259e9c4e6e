import type { ComponentChildren } from 'preact'
import { givenIn, hrefOf, type PageAddress } from '../state/address.ts'
import { attributeTitle, type Field, labelOf, titleOf } from '../state/fields.ts'
import { formatCount, formatDay, formatSecond, formatterOf, zoneName } from '../state/format.ts'
import { eventsOf } from '../state/known.ts'
import { isEvent, isSeries, type Series, sourceLast, uuidOf } from '../state/rows.ts'
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
  readonly order?: string | undefined
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
  readonly fields: readonly Field[]
  readonly context: Omit<CellContext, 'format'>
  readonly counts: Counts
}

/** The fields that name a row. They are its first column, and its link. */
export const isNaming = ({ name }: Field): boolean => name === 'value' || name === 'name'

/** Returns the test if a list shows a column for a field. The parameter `fields` chooses others than usual. */
export const choiceIn = (list: PageAddress) => {
  const chosen = givenIn(list, 'fields')?.split(',')
  return ({ name, column }: Field): boolean => chosen?.includes(name) ?? (column === 1 || column === 2)
}

/** Returns the columns of a table that have a value in a row. */
export const columnsOf = (parts: TableParts): readonly Column[] => {
  const isShown = choiceIn(parts.context.list)
  const shown = parts.fields.filter((field) => isNaming(field) || isShown(field))
  const rankOf = (field: Field) => (isNaming(field) ? 0 : (field.column ?? 3))
  return shown
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .flatMap((field) => columnsOfField(field, parts))
    .filter(({ cell }) => parts.rows.some((row) => cell(row) !== null))
}

const columnsOfField = (field: Field, parts: TableParts): readonly Column[] => {
  const { rows, context, counts } = parts
  if (field.kind === 'attributes') return [attributesColumn(field, context)]
  const isInstant = field.kind === 'instant'
  const formatOf = field.group === 'when' ? formatsOf(rows) : () => formatSecond
  const durationOf = (row: object) => (field.kind === 'duration' ? Number(valueIn(row, field.name) ?? 0) : 0)
  const longest = Math.max(...rows.map(durationOf))
  const title = titleOf(field, context.titles)
  const column = {
    name: field.name,
    heading: isInstant ? `${title} (${zoneName()})` : title,
    order: field.order,
    style: styleOf(
      field,
      rows.some((row) => formatOf(row) === formatSecond),
    ),
    cell: (row: object) => {
      if (isNaming(field)) return nameCell(row)
      if (field.name === 'description') return descriptionCell(row)
      const cell = cellOf(field, row, { ...context, format: formatOf(row) })
      return durationOf(row) > 0 ? <Lasting part={durationOf(row) / longest}>{cell}</Lasting> : cell
    },
  }
  return isNaming(field) && rows.some(isSeries) ? [column, countColumn(counts)] : [column]
}

/** Returns the format of the instants of a row. A series may have days without times. The period of a series needs none. */
const formatsOf = (rows: readonly object[]) => {
  const bySeries = Map.groupBy(rows.filter(isEvent), ({ series }) => series)
  const formats = new Map(
    [...bySeries].map(([series, events]) => [series, formatterOf(events.flatMap(({ start, end }) => [start, end]))]),
  )
  return (row: object) => (isEvent(row) && formats.get(row.series)) || formatDay
}

/** A duration above a bar, which is as long as its part of the longest duration in the rows. */
const Lasting = ({ part, children }: { readonly part: number; readonly children: ComponentChildren }) => (
  <span class="lasting" style={{ '--part': `${100 * part}%` }}>
    {children}
  </span>
)

const styleOf = (field: Field, hasTimes: boolean): string => {
  const { name, kind, column } = field
  const classes = [
    isNaming(field) && 'named',
    ['instant', 'duration', 'place', 'bounds', 'integer'].includes(kind) && 'numeric',
    kind === 'instant' && hasTimes && 'instant',
    column !== 1 && 'minor',
    column !== 1 && ['duration', 'integer', 'instant'].includes(kind) && 'labelled',
    column !== 1 && (isOwner(field) || name === 'description') && 'late',
  ]
  return classes.filter(Boolean).join(' ')
}

const nameCell = (row: object): ComponentChildren => {
  if (isSeries(row)) return <SeriesLink {...row} />
  const name = isEvent(row) ? nameOf(row) : (valueIn(row, 'name') as string)
  const url = isEvent(row) ? row.url : valueIn(row, 'url')
  return typeof url === 'string' && url !== '' ? <a href={url}>{name}</a> : name
}

const descriptionCell = (row: object): ComponentChildren => {
  const description = valueIn(row, 'description')
  if (typeof description !== 'string' || description === '') return null
  return <span title={description}>{sourceLast(description)}</span>
}

const countColumn = (counts: Counts): Column => ({
  name: 'events',
  heading: texts().list.columns.events,
  style: 'numeric number',
  cell: (row) => (isSeries(row) ? <EventsLink series={row} count={counts.get(uuidOf(row))} /> : null),
})

const EventsLink = ({ series, count }: { readonly series: Series; readonly count: number | undefined }) => {
  const t = texts().list
  return (
    <a href={hrefOf(eventsOf(prefix, uuidOf(series)))}>
      {count === undefined ? t.columns.events : formatCount(count)}
      <span class="unseen"> {t.ofSeries(count, series.name)}</span>
    </a>
  )
}

/** The most attributes in a cell. The page of the event has all of them. */
const MOST = 5

/** Each event has its own attributes, each after its name. */
const attributesColumn = (field: Field, { list, titles }: TableParts['context']): Column => ({
  name: field.name,
  heading: labelOf(field),
  style: 'minor attributes',
  cell: (row) => {
    const all = Object.entries(attributesOf(row)).filter(([, value]) => typeof value !== 'object' && value !== '')
    const shown = all.slice(0, MOST).map(([name, value]) => (
      <span key={name} class="minor labelled" data-label={attributeTitle(name, titles)}>
        {attributeCell(name, value, list)}
      </span>
    ))
    return shown.length === 0 ? null : shown
  },
})
