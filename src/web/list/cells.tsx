import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { attributeIn, attributesOf, isOwner, numberIn, valueIn } from '../../formats/columns.ts'
import { changed, givenIn, hrefOf, type PageAddress } from '../state/address.ts'
import { AMOUNTS, type Column, type DescribedField } from '../state/fields.ts'
import {
  formatBounds,
  formatDuration,
  formatExact,
  formatNumber,
  formatPosition,
  formatValue,
  type Instant,
} from '../state/format.ts'
import type { SeriesById } from '../state/known.ts'
import { type Bounds, type EventItem, isEvent, valuesIn } from '../state/rows.ts'
import { announce, go, prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'

/** What the cells of a page need besides their rows. */
export interface CellContext {
  readonly series: SeriesById
  /** The list whose filters a click on a value changes. */
  readonly list: PageAddress
  /** Formats instants. */
  readonly format: (instant: Instant) => string
  /** -1: the links in cells are for the pointer only, so that a row is one stop of the keyboard. */
  readonly tabIndex?: -1
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

interface CopyButtonProps {
  readonly label: string
  readonly text: () => string
}

/** A button that copies a text, and says for a moment if it did. */
export const CopyButton = ({ label, text }: CopyButtonProps) => {
  const [said, say] = useState<string | null>(null)
  const { done, failed } = texts().app.copy
  const copy = async () => {
    const told = (await isCopied(text())) ? done : failed
    say(told)
    announce(told)
    setTimeout(() => say(null), 2000)
  }
  return (
    <button type="button" onClick={copy}>
      {said ?? label}
    </button>
  )
}

/** Copies a text. Only a secure address has the clipboard of the browser. Returns false after a failure. */
const isCopied = async (text: string): Promise<boolean> => {
  if (navigator.clipboard !== undefined)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  const field = Object.assign(document.createElement('textarea'), { value: text })
  document.body.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  return isDone
}

/** Returns a value of a row for people. Null without a value. */
export const cellOf = (column: Column, row: object, context: CellContext): ComponentChildren => {
  const { name, kind, lookups } = column
  const value = valueIn(valuesIn(row), name)
  if (value === undefined) return null
  if (isOwner(column) && isEvent(row)) {
    const url = `${prefix}/api/v3/eventseries/${row.series}/`
    // The colour arrives later.
    const { color } = context.series.get(row.series) ?? {}
    return <SeriesLink url={url} name={row.seriesName} color={color} tabIndex={context.tabIndex} />
  }
  switch (kind) {
    case 'instant':
      return <time title={formatExact(value as Instant)}>{context.format(value as Instant)}</time>
    case 'duration':
      return value === 0 ? null : formatDuration(value as number)
    case 'place':
      return formatPosition(value as readonly number[])
    case 'bounds':
      return formatBounds(value as Bounds)
    case 'object': {
      const { type, id } = value as NonNullable<EventItem['object']>
      return lookups.length === 0 ? `${type} ${id}` : linkTo(context, name, `${type}$${id}`, `${type} ${id}`)
    }
  }
  const number = numberIn(valuesIn(row), column)
  const text = number === null ? textOf(value) : formatNumber(number, column.decimals ?? 0, column.unit !== null)
  const isLinked = kind === 'text' || attributeIn(name) !== null
  const isFilter = isLinked && lookups.includes('') && typeof value !== 'object' && name !== 'value'
  return isFilter ? linkTo(context, name, String(value), text) : text
}

/** Links a value to the events with it. */
const linkTo = ({ list, tabIndex }: CellContext, name: string, value: string, text: string) => (
  <a class="value-link" tabIndex={tabIndex} href={hrefOf(changed(list, { [name]: value }))}>
    {text}
  </a>
)

/** Returns a plain value, a list or an object as text. */
export const textOf = (value: unknown): string => {
  const { yes, no } = texts().form
  if (typeof value === 'boolean') return value ? yes : no
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : formatValue(String(value))
}

/** The box for words. */
export const Search = ({ place }: { readonly place: PageAddress }) => {
  const t = texts().list.search
  const given = givenIn(place, 'q') ?? ''
  const submit = (event: Event) => {
    event.preventDefault()
    const words = String(new FormData(event.currentTarget as HTMLFormElement).get('q')).trim()
    go(changed(place, { q: words === '' ? null : words }))
  }
  return (
    <search>
      <form class="search" onSubmit={submit}>
        <input
          key={given}
          type="search"
          name="q"
          aria-label={t.label}
          placeholder={t.example}
          title="q"
          defaultValue={given}
        />
      </form>
    </search>
  )
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
  readonly tabIndex?: -1 | undefined
}

/** A link to a series, next to its colour. */
export const SeriesLink = ({ url, name, color, tabIndex }: SeriesLinkProps) => (
  <span class="series">
    <Swatch color={color} />
    <a href={url} tabIndex={tabIndex}>
      {name}
    </a>
  </span>
)

/** The names of columns that say where an event was. */
export const PLACE =
  /(^|_)(gemeente|plaats|station|provincie|regio|town|city|municipality|county|region|province|state)(_|$)/i

/**
 * Returns what an event is called: its text, or else its category, its place and its number, such as "Pump failure,
 * Houten, 134.2 m³". A level comes first. The described columns of its series have the title and the unit of the number.
 * A place replaces a number that has neither.
 */
export const headlineOf = (event: EventItem, described: readonly DescribedField[] = []): string => {
  const { value, category, values } = event
  if (!/^[<>]?[-+\d.,]*$/.test(value)) return value
  const { title = '', unit = '' } = described.find(({ name }) => name === 'value') ?? {}
  const number = numberIn(values, { name: 'value', kind: '' })
  const decimals = value.split('.')[1]?.length ?? 0
  const written = number === null ? formatValue(value) : formatNumber(number, decimals, true)
  const named = Object.entries(attributesOf(values)).filter(([, text]) => typeof text === 'string')
  const [, place = ''] = named.find(([name]) => PLACE.test(name)) ?? []
  const isLevel = value !== '' && title !== '' && unit !== '' && !AMOUNTS.includes(unit)
  const measured = [isLevel || unit === '' ? title : '', written, unit].filter(Boolean).join(' ')
  const isTold = value !== '' && (title !== '' || unit !== '' || place === '')
  const what = category.charAt(0).toUpperCase() + category.slice(1)
  const parts = isLevel ? [measured, place] : [what, place, isTold && measured]
  return parts.filter(Boolean).join(', ') || texts().list.event(String(event.id))
}
