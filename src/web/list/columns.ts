import { h, swatch } from '../app/dom.ts'
import { hrefOf } from '../state/address.ts'
import { labelOf } from '../state/context.ts'
import { type EventItem, isEvent } from '../state/event.ts'
import {
  formatBounds,
  formatCount,
  formatDay,
  formatDuration,
  formatInstant,
  formatPosition,
  zoneName,
} from '../state/format.ts'
import { eventsOf, type SeriesById } from '../state/known.ts'
import { isSeries, type Series, uuidOf } from '../state/rows.ts'

type Cell = Node | string | number | null

/** A column of a table. Its `ordering` lists the names of its field in each version. */
export interface Column {
  readonly heading: string
  readonly ordering?: readonly string[]
  readonly style?: 'numeric' | 'named'
  readonly cell: (row: never) => Cell | Cell[]
}

/** The number of events of each series whose count is known, by uuid. */
export type Counts = ReadonlyMap<string, number>

/** Returns the columns of a table. The first row decides its kind. */
export const columnsOf = (
  rows: readonly object[],
  known: SeriesById,
  counts: Counts,
  prefix: string,
): readonly Column[] => {
  const [first] = rows
  if (first === undefined) return []
  if (isEvent(first)) return eventColumns(known)
  if (isSeries(first)) return seriesColumns(first, counts, prefix)
  return Object.keys(first)
    .filter((name) => name !== 'url')
    .map(
      (name): Column => ({
        heading: labelOf(name),
        ordering: [name],
        cell: (row: Record<string, unknown>) => linkedCell(row, name),
      }),
    )
}

const eventColumns = (known: SeriesById): readonly Column[] => [
  {
    heading: 'Id',
    ordering: ['id'],
    style: 'numeric',
    cell: ({ id, url }: EventItem) => h('a', { href: url }, id),
  },
  {
    heading: `Start (${zoneName()})`,
    ordering: ['start', 'timestamp_start'],
    cell: ({ start }: EventItem) => time(start),
  },
  { heading: 'End', ordering: ['end', 'timestamp_end'], cell: endOf },
  { heading: 'Category', cell: ({ category }: EventItem) => category || '–' },
  { heading: 'Value', style: 'named', cell: ({ value }: EventItem) => value },
  {
    heading: 'Series',
    cell: ({ series: key }: EventItem) => {
      const series = known.get(key)
      return series === undefined ? `${key}` : seriesLink(series)
    },
  },
  {
    heading: 'Place',
    cell: ({ geometry }: EventItem) => (geometry === null ? '–' : formatPosition(geometry.coordinates)),
  },
  {
    heading: 'Object',
    cell: ({ object }: EventItem) => (object === null ? '–' : `${object.type} ${object.id}`),
  },
]

const seriesColumns = (first: Series, counts: Counts, prefix: string): readonly Column[] => {
  const ofV4 = first.uuid !== undefined
  const period: Column[] = [
    { heading: 'Start', ordering: ['start'], cell: (s: Series) => date(s.start ?? s.first_value_timestamp) },
    { heading: 'End', ordering: ['end'], cell: (s: Series) => date(s.end ?? s.last_value_timestamp) },
  ]
  const access: Column = { heading: 'Access', cell: (s: Series) => s.access_modifier ?? '' }
  const bounds: Column = { heading: 'Bounds', style: 'numeric', cell: (s: Series) => formatBounds(s.spatial_bounds) }
  return [
    { heading: 'Name', ordering: ['name'], style: 'named', cell: (s: Series) => seriesLink(s) },
    {
      heading: 'Events',
      style: 'numeric',
      cell: (s: Series) => {
        const count = counts.get(uuidOf(s))
        const text = count === undefined ? 'Events' : formatCount(count)
        const rest = `${count === undefined ? '' : ' events'} of ${s.name}`
        return h('a', { href: hrefOf(eventsOf(prefix, s)) }, text, h('span', { class: 'unseen' }, rest))
      },
    },
    ...period,
    ofV4 ? access : bounds,
    {
      heading: 'Description',
      cell: (s: Series) => h('span', { class: 'clamped', title: s.description }, s.description),
    },
  ]
}

/** Returns a link to a series, next to its colour. */
export const seriesLink = (series: Series): HTMLElement =>
  h('span', { class: 'series' }, swatch(series.color), h('a', { href: series.url }, series.name))

const time = (instant: number | string | null | undefined): Cell =>
  instant === null || instant === undefined
    ? '–'
    : h('time', { datetime: new Date(instant).toISOString() }, formatInstant(instant))

/** Shows the day of an instant. The tooltip has the whole instant. */
const date = (instant: number | string | null | undefined): Cell => {
  if (instant === null || instant === undefined) return '–'
  const datetime = new Date(instant).toISOString()
  return h('time', { datetime, title: formatInstant(instant) }, formatDay(instant))
}

const endOf = ({ start, end }: EventItem): Cell | Cell[] => {
  const length = end - start
  if (length === 0) return h('small', {}, 'same')
  return [time(end), ' ', h('small', { class: 'length' }, `after ${formatDuration(length)}`)]
}

/** Returns the cell of a plain value. A name is a link to its row's page. */
const linkedCell = (row: Record<string, unknown>, name: string): Cell => {
  const value = row[name]
  const text = value === null || value === '' ? '–' : String(value)
  return name === 'name' && typeof row.url === 'string' ? h('a', { href: row.url }, text) : text
}
