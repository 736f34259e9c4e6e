import type { SeriesById, Summary } from '../list/known.ts'
import type { Parameter } from './address.ts'
import { h } from './dom.ts'

/** What is told of one thing: a name and its value, null where there is none. */
export type Fact = readonly [name: string, value: Node | string | null]

/** Facts below each other. */
export const showFacts = (pairs: readonly Fact[]): HTMLElement =>
  h(
    'dl',
    { class: 'facts panel' },
    pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value ?? '–'))),
  )

/** An instant for people, whole: to the second, or to the millisecond where it has some. */
export const inUtc = (instant: number | string | null | undefined): string | null => {
  if (instant === null || instant === undefined) return null
  return new Date(instant)
    .toISOString()
    .replace('T', ' ')
    .replace(/(\.000)?Z$/, ' UTC')
}

export const isAddress = (value: unknown): value is string => typeof value === 'string' && /^https?:/.test(value)

/** What a map beside facts shows: rows with their series, or all that was summed up. */
interface OnMap {
  readonly rows: readonly object[]
  readonly series: SeriesById
  readonly summary: Summary | null
  /** The filters of events of which all are shown that match; absent: the rows alone. */
  readonly filters?: readonly Parameter[]
}

/** A map that loads after the rest. Its element goes away if it cannot load, and the map when `ended` aborts. */
export const showMap = (prefix: string, shown: Promise<OnMap>, ended: AbortSignal): HTMLElement => {
  const container = h('div', { class: 'map' })
  const view = import('../map/map.ts').then(({ makeMap }) => makeMap(container, prefix, null, ended))
  Promise.all([view, shown])
    .then(([map, known]) => ended.aborted || map.update({ ...known, area: null, fit: true }))
    .catch(() => container.remove())
  return container
}
