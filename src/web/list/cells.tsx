import type { ComponentChildren } from 'preact'
import { changed, hrefOf, type PageAddress } from '../state/address.ts'
import type { Field, Titles } from '../state/fields.ts'
import {
  formatBounds,
  formatDuration,
  formatExact,
  formatPosition,
  formatValue,
  type Instant,
} from '../state/format.ts'
import type { SeriesById } from '../state/known.ts'
import { type Bounds, type EventItem, isEvent } from '../state/rows.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'

/** What the cells of a page need besides their rows. */
export interface CellContext {
  readonly series: SeriesById
  /** The titles of the columns, if all events belong to one series. */
  readonly titles: Titles
  /** The list whose filters a click on a value changes. */
  readonly list: PageAddress
  /** Formats instants. */
  readonly format: (instant: Instant) => string
}

/** Says that a part of the page could not be loaded, and loads it again on request. */
export const NotLoaded = ({ retry }: { readonly retry: () => void }) => (
  <>
    {texts().app.notLoaded}{' '}
    <button type="button" onClick={retry}>
      {texts().app.retry}
    </button>
  </>
)

/** Returns a value of a row. Undefined if the row has none. */
export const valueIn = (row: object, name: string): unknown =>
  (isEvent(row) ? row.values : (row as Record<string, unknown>))[name]

/** Tests if a field is the series of an event. */
export const isOwner = ({ name }: Field): boolean => name === 'event_series'

const isMissing = (value: unknown): value is null | undefined | '' =>
  value === null || value === undefined || value === ''

/** Returns a value of a row for people. Null without a value. */
export const cellOf = (field: Field, row: object, { series, list, format }: CellContext): ComponentChildren => {
  const value = valueIn(row, field.name)
  if (isMissing(value)) return null
  if (isOwner(field) && isEvent(row)) return <OwnerLink event={row} series={series} />
  switch (field.kind) {
    case 'instant':
      return <time title={formatExact(value as Instant)}>{format(value as Instant)}</time>
    case 'duration':
      return value === 0 ? null : formatDuration(value as number)
    case 'place':
      return formatPosition(value as readonly number[])
    case 'bounds':
      return formatBounds(value as Bounds)
    case 'object': {
      const { type, id } = value as NonNullable<EventItem['object']>
      return linkTo(list, field.name, `${type}$${id}`, `${type} ${id}`)
    }
    default:
      return field.kind === 'text' && field.lookups.includes('')
        ? linkTo(list, field.name, String(value))
        : textOf(value)
  }
}

/** Links a value to the events with it. */
const linkTo = (list: PageAddress, name: string, value: string, text = formatValue(value)) => (
  <a class="value-link" href={hrefOf(changed(list, { [name]: value }))}>
    {text}
  </a>
)

/** Returns a value of an attribute for people. Null without a value. */
export const attributeCell = (name: string, value: unknown, list: PageAddress): ComponentChildren => {
  if (isMissing(value)) return null
  // Filters take only such names.
  const isFilter = typeof value !== 'object' && /^[A-Za-z0-9]+(_[A-Za-z0-9]+)*$/.test(name)
  return isFilter ? linkTo(list, `attributes__${name}`, String(value), textOf(value)) : textOf(value)
}

export const attributesOf = (row: object): Readonly<Record<string, unknown>> =>
  (valueIn(row, 'attributes') as Record<string, unknown> | null | undefined) ?? {}

/** Returns a plain value, a list or an object as text. */
const textOf = (value: unknown): string => {
  const { yes, no } = texts().form
  if (typeof value === 'boolean') return value ? yes : no
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : formatValue(String(value))
}

export type Option = readonly [value: string | number, text: string]

/** The options of a select. */
export const Options = ({ of }: { readonly of: readonly Option[] }) =>
  of.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ))

/** A patch in a series' colour. A script sets the colour, because the page's policy forbids inline styles in HTML. */
export const Swatch = ({ color }: { readonly color: string | undefined }) => (
  <span class="swatch" aria-hidden="true" style={{ backgroundColor: color }} />
)

interface SeriesLinkProps {
  readonly url: string
  readonly name: string
  readonly color?: string | undefined
}

/** A link to a series, next to its colour. */
export const SeriesLink = ({ url, name, color }: SeriesLinkProps) => (
  <span class="series">
    <Swatch color={color} />
    <a href={url}>{name}</a>
  </span>
)

/** A link to the series of an event. Its colour arrives later. */
const OwnerLink = ({ event, series }: { readonly event: EventItem; readonly series: SeriesById }) => (
  <SeriesLink
    url={`${prefix}/api/v3/eventseries/${event.series}/`}
    name={event.seriesName}
    color={series.get(event.series)?.color}
  />
)

/** Returns what an event is called in a row: its value, or else its category. */
export const nameOf = ({ value, category, id }: EventItem): string =>
  formatValue(value) || category || texts().list.event(String(id))

/** Returns the headline of an event. A number alone says too little, so its category comes first. */
export const headlineOf = (event: EventItem): string =>
  event.category !== '' && /^[-+\d.,]+$/.test(event.value)
    ? `${event.category}: ${formatValue(event.value)}`
    : nameOf(event)
