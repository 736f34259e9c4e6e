import type { Asked } from './ceilings.ts'
import type { Ceilings, MakeKind } from './combinations.ts'
import { category, type Filter, filter, month, placeOf, type Source, series } from './draws.ts'
import { SUMMARY } from './workloads.ts'

const DAY = 86_400_000

/** Makes the query of filters that no ceiling counts. */
const asking =
  (query: Filter['query'], ...filters: ((source: Source, i: number) => Filter)[]) =>
  (source: Source): Asked => {
    const i = source.event()
    return { filters: filters.map((each) => each(source, i)), query }
  }

/** Matches events that start at most 30 days after an event of the source. */
const latest = ({ columns: { start } }: Source, i: number): Filter => {
  const last = (start[i] as number) + 30 * DAY
  return filter({ timestamp_start__lte: String(last) }, (n) => (start[n] as number) <= last)
}

/** Returns requests with the filters, orders and summaries that read more than one column of each event. */
export const questions = (kind: MakeKind, { all, fixed, narrow, summary }: Ceilings) => [
  kind('near 10 km', fixed(6000), 2, 8, (source) => {
    const [x, y] = placeOf(source, source.event())
    return { query: { near: `${x},${y}`, radius: '10000' } }
  }),
  kind('value from 99.5', fixed(6000), 1, 3, asking({ value__gte: '99.5' })),
  kind('value range of a tenth', all, 1, null, asking({ value__range: '10,20' })),
  kind('value icontains', all, 20, null, asking({ value__icontains: 'GAUGE 17' })),
  kind('value icontains and month', narrow, 3, null, asking({ value__icontains: 'GAUGE 17' }, month)),
  kind('words', all, 20, null, asking({ q: 'flood "gauge 17"' })),
  kind('words and month', narrow, 3, null, asking({ q: 'flood "gauge 17"' }, month)),
  kind('attribute', all, 20, null, asking({ attributes__depth__gte: '99.5' })),
  kind('attribute and month', narrow, 3, null, asking({ attributes__depth__gte: '99.5' }, month)),
  kind('not a category', fixed(6000), 2, 3, (source) => {
    const [name = ''] = Object.values(category(source, source.event()).query)
    return { query: { category__not: name } }
  }),
  kind('not a series, in a month', narrow, 3, null, (source) => {
    const i = source.event()
    const [uuid = ''] = Object.values(series(source, i).query)
    return { filters: [month(source, i)], query: { event_series__not: uuid } }
  }),
  kind('latest of each series', fixed(1000), 3, 3, asking({ latest: 'event_series' })),
  kind('latest of each series, until a day', fixed(1000), 3, 3, asking({ latest: 'event_series' }, latest)),
  kind('longest first', fixed(500), 2, 3, asking({ ordering: '-duration' })),
  kind('greatest value first', fixed(5000), 2, 3, asking({ ordering: '-value_number' })),
  kind('nearest first', fixed(100_000), 5, null, (source) => {
    const [x, y] = placeOf(source, source.event())
    return { query: { near: `${x},${y}`, radius: '10000', ordering: 'distance' } }
  }),
  kind('summary: a series by category', summary, 3, null, (source) => ({
    ...asking({ by: 'category', bins: 'year' }, series)(source),
    to: SUMMARY,
  })),
  kind('summary: statistics of a month', summary, 4, null, (source) => ({
    ...asking({ statistics: 'value' }, month)(source),
    to: SUMMARY,
  })),
]
