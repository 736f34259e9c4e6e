import type { ComponentChildren } from 'preact'
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
  formatSecond,
  formatValue,
  zoneName,
} from '../state/format.ts'
import { eventsOf, type SeriesById } from '../state/known.ts'
import { isSeries, type Series, sourceLast, uuidOf } from '../state/rows.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { attributeOf, commonAttributes } from './attributes.tsx'

/** A column of a table. Its `ordering` lists the names of its field in each version. */
export interface Column {
  readonly heading: string
  readonly ordering?: readonly string[]
  /**
   * Classes of its cells. On a screen, `minor` cells stand on a second line. A `labelled` cell stands after its heading,
   * and a `late` one at the end.
   */
  readonly style?: string
  /** Returns null for a row without a value. */
  readonly cell: (row: never) => ComponentChildren
}

/** The number of events of each series whose count is known, by uuid. */
export type Counts = ReadonlyMap<string, number>

/** Returns the columns of a table that have a value in a row. The first row decides its kind. */
export const columnsOf = (rows: readonly object[], known: SeriesById, counts: Counts): readonly Column[] =>
  allColumns(rows, known, counts).filter(({ cell }) => rows.some((row) => cell(row as never) !== null))

const allColumns = (rows: readonly object[], known: SeriesById, counts: Counts): readonly Column[] => {
  const [first] = rows
  if (first === undefined) return []
  if (isEvent(first)) return eventColumns(rows.filter(isEvent), known)
  if (isSeries(first)) return seriesColumns(first, counts)
  const isName = (name: string) => Number(name === 'name')
  return Object.keys(first)
    .filter((name) => name !== 'url')
    .sort((a, b) => isName(b) - isName(a))
    .map((name) => ({
      heading: labelOf(name),
      ordering: [name],
      style: name === 'name' ? 'named' : '',
      cell: (row: Record<string, unknown>) => plainCell(row, name),
    }))
}

const eventColumns = (events: readonly EventItem[], known: SeriesById): readonly Column[] => {
  const t = texts().list.columns
  // Sources without times have all their events at midnight.
  const areDays = events.every(({ start }) => formatInstant(start) === formatDay(start))
  return [
    {
      heading: t.value,
      // As texts, 99 comes after 3020.
      ordering: ['value_number', 'value'],
      style: 'named',
      cell: (event: EventItem) => <a href={event.url}>{nameOf(event)}</a>,
    },
    {
      heading: `${t.start} (${zoneName()})`,
      ordering: ['start', 'timestamp_start'],
      style: areDays ? 'numeric' : 'numeric instant',
      cell: ({ start }: EventItem) => instantCell(start, areDays ? formatDay(start) : formatSecond(start)),
    },
    { heading: t.category, ordering: ['category'], cell: ({ category }: EventItem) => category || null },
    ...commonAttributes(events).map((name) => ({
      heading: name,
      style: 'minor labelled',
      cell: ({ details }: EventItem) => attributeOf(details?.attributes[name]),
    })),
    { heading: t.duration, ordering: ['duration'], style: 'numeric minor labelled', cell: durationOf },
    {
      heading: t.series,
      ordering: ['event_series__name'],
      style: 'minor late',
      cell: ({ series: key }: EventItem) => {
        const series = known.get(key)
        return series === undefined ? `${key}` : <SeriesLink series={series} />
      },
    },
    {
      heading: t.place,
      style: 'numeric minor',
      cell: ({ geometry }: EventItem) => (geometry === null ? null : formatPosition(geometry.coordinates)),
    },
    {
      heading: t.object,
      ordering: ['object_id'],
      style: 'minor',
      cell: ({ object }: EventItem) => (object === null ? null : `${object.type} ${object.id}`),
    },
    { heading: t.id, ordering: ['id'], style: 'numeric id minor labelled', cell: ({ id }: EventItem) => id },
  ]
}

/** Returns what an event is called in a row: its value, or else its category. */
export const nameOf = ({ value, category, id }: EventItem): string =>
  formatValue(value) || category || texts().list.event(id)

/** Returns the headline of an event. A number alone says too little, so its category comes first. */
export const headlineOf = (event: EventItem): string =>
  event.category !== '' && /^[-+\d.,]+$/.test(event.value)
    ? `${event.category}: ${formatValue(event.value)}`
    : nameOf(event)

const seriesColumns = (first: Series, counts: Counts): readonly Column[] => {
  const t = texts().list.columns
  const start = (s: Series) => s.start ?? s.first_value_timestamp
  const end = (s: Series) => s.end ?? s.last_value_timestamp
  const day = (at: (s: Series) => number | string | null | undefined) => (s: Series) =>
    instantCell(at(s), formatDay(at(s)))
  const access: Column = { heading: t.access, style: 'minor', cell: (s: Series) => s.access_modifier ?? null }
  const bounds: Column = {
    heading: t.bounds,
    style: 'numeric minor',
    cell: (s: Series) => (s.spatial_bounds ? formatBounds(s.spatial_bounds) : null),
  }
  return [
    { heading: t.name, ordering: ['name'], style: 'named', cell: (s: Series) => <SeriesLink series={s} /> },
    { heading: t.events, style: 'numeric', cell: (s: Series) => <EventsLink series={s} counts={counts} /> },
    { heading: t.start, ordering: ['start'], style: 'numeric', cell: day(start) },
    { heading: t.end, ordering: ['end'], style: 'numeric', cell: day(end) },
    first.uuid !== undefined ? access : bounds,
    {
      heading: t.description,
      style: 'minor',
      cell: (s: Series) =>
        s.description === '' ? null : <span title={s.description}>{sourceLast(s.description)}</span>,
    },
  ]
}

/** A patch in a series' colour. A script sets the colour, because the page's policy forbids inline styles in HTML. */
export const Swatch = ({ color }: { readonly color: string | undefined }) => (
  <span class="swatch" aria-hidden="true" style={{ backgroundColor: color }} />
)

/** A link to a series, next to its colour. */
export const SeriesLink = ({ series }: { readonly series: Series }) => (
  <span class="series">
    <Swatch color={series.color} />
    <a href={series.url}>{series.name}</a>
  </span>
)

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

/** An instant as the page shows it. The tooltip has the whole instant. */
const instantCell = (at: number | string | null | undefined, text: string) =>
  at === null || at === undefined ? null : (
    <time dateTime={new Date(at).toISOString()} title={formatSecond(at)}>
      {text}
    </time>
  )

const durationOf = ({ start, end }: EventItem): string | null => (end === start ? null : formatDuration(end - start))

/** A plain value. A name is a link to its row's page. */
const plainCell = (row: Record<string, unknown>, name: string): ComponentChildren => {
  const value = row[name]
  if (value === null || value === '') return null
  return name === 'name' && typeof row.url === 'string' ? <a href={row.url}>{String(value)}</a> : String(value)
}
