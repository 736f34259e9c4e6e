import type { AddressParameter } from '../state/address.ts'
import type { SeriesById, SummaryAnswer } from '../state/known.ts'
import { h } from './dom.ts'

/** A name and its value. Null without a value. */
export type Fact = readonly [name: string, value: Node | string | null]

/** Shows facts below each other. */
export const showFacts = (pairs: readonly Fact[]): HTMLElement =>
  h(
    'dl',
    { class: 'facts panel' },
    pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value ?? '–'))),
  )

export const isAddress = (value: unknown): value is string => typeof value === 'string' && /^https?:/.test(value)

/** The map next to facts shows rows with their series, or a summary. */
interface OnMap {
  readonly rows: readonly object[]
  readonly series: SeriesById
  readonly summary: SummaryAnswer | null
  /** The filters of the events that the tiles show. Absent: the map shows only the rows. */
  readonly filters?: readonly AddressParameter[]
}

/**
 * Shows a map that loads after the rest. Removes the element if the map cannot load. The map ends when `ended` aborts.
 */
export const showMap = (prefix: string, shown: Promise<OnMap>, ended: AbortSignal): HTMLElement => {
  const container = h('div', { class: 'map' })
  const view = import('../map/map.ts').then(({ makeMap }) => makeMap(container, prefix, null, ended))
  Promise.all([view, shown])
    .then(([map, known]) => ended.aborted || map.update({ ...known, area: null, fit: true }))
    .catch(() => container.remove())
  return container
}
