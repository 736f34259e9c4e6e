import type { ComponentChildren } from 'preact'
import { changed, hrefOf, type PageAddress } from '../state/address.ts'
import { type EventItem, isEvent, type SeriesKey } from '../state/event.ts'
import type { Field } from '../state/fields.ts'
import {
  formatBounds,
  formatDay,
  formatDuration,
  formatExact,
  formatPosition,
  formatSecond,
  formatValue,
} from '../state/format.ts'
import type { SeriesById } from '../state/known.ts'
import type { Bounds, Series } from '../state/rows.ts'
import { texts } from '../state/text.ts'

/** What the cells of a page need besides their rows. */
export interface CellContext {
  readonly series: SeriesById
  /** The list whose filters a click on a value changes. */
  readonly list: PageAddress
  /** `day` and `second` shorten instants. */
  readonly instants: 'day' | 'second' | 'exact'
}

/** Returns a value of a row. Undefined if the row has none. */
export const valueIn = (row: object, name: string): unknown =>
  isEvent(row) ? (row.values[name] ?? row.details?.values[name]) : (row as Record<string, unknown>)[name]

/** Tests if a field is the series of an event. */
export const isOwner = ({ name }: Field): boolean => name === 'event_series'

/** Returns a value of a row for people. Null without a value. */
export const cellOf = (field: Field, row: object, context: CellContext): ComponentChildren => {
  const value = valueIn(row, field.name)
  if (value === null || value === undefined || value === '') return null
  if (isOwner(field)) return seriesCell(context.series.get(value as SeriesKey), value)
  switch (field.kind) {
    case 'instant':
      return instantCell(value as number | string, context.instants)
    case 'duration':
      return value === 0 ? null : formatDuration(value as number)
    case 'place':
      return formatPosition(value as readonly number[])
    case 'bounds':
      return formatBounds(value as Bounds)
    case 'object': {
      const { type, id } = value as NonNullable<EventItem['object']>
      return <To list={context.list} filter={[field.name, `${type}$${id}`]} text={`${type} ${id}`} />
    }
    case 'text':
      return field.lookups.includes('') ? (
        <To list={context.list} filter={[field.name, String(value)]} text={textOf(value)} />
      ) : (
        textOf(value)
      )
    default:
      return textOf(value)
  }
}

const instantCell = (at: number | string, instants: CellContext['instants']) => {
  if (instants === 'exact') return formatExact(at)
  return (
    <time dateTime={new Date(at).toISOString()} title={formatSecond(at)}>
      {instants === 'day' ? formatDay(at) : formatSecond(at)}
    </time>
  )
}

const seriesCell = (series: Series | undefined, key: unknown) =>
  series === undefined ? `${key}` : <SeriesLink series={series} />

/** A link from a value to the events with it. */
const To = ({ list, filter, text }: { list: PageAddress; filter: readonly [string, string]; text: string }) => (
  <a class="value-link" href={hrefOf(changed(list, Object.fromEntries([filter])))}>
    {text}
  </a>
)

/** Returns a value of an attribute for people. Null without a value. */
export const attributeCell = (name: string, value: unknown, list: PageAddress): ComponentChildren => {
  if (value === null || value === undefined || value === '') return null
  // Filters take only such names.
  if (typeof value === 'object' || !/^[A-Za-z0-9]+(_[A-Za-z0-9]+)*$/.test(name)) return textOf(value)
  return <To list={list} filter={[`attributes__${name}`, String(value)]} text={textOf(value)} />
}

export const attributesOf = (row: object): Readonly<Record<string, unknown>> =>
  (valueIn(row, 'attributes') as Record<string, unknown> | null | undefined) ?? {}

/** Returns a plain value, a list or an object as text. */
const textOf = (value: unknown): string => {
  const { yes, no } = texts().form
  if (typeof value === 'boolean') return value ? yes : no
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : formatValue(String(value))
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

/** Returns what an event is called in a row: its value, or else its category. */
export const nameOf = ({ value, category, id }: EventItem): string =>
  formatValue(value) || category || texts().list.event(String(id))

/** Returns the headline of an event. A number alone says too little, so its category comes first. */
export const headlineOf = (event: EventItem): string =>
  event.category !== '' && /^[-+\d.,]+$/.test(event.value)
    ? `${event.category}: ${formatValue(event.value)}`
    : nameOf(event)
