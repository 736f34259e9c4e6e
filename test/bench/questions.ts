import { type DrawFilter, type MakeKind, together } from './combinations.ts'
import { category, type Filter, month, placeOf, type Source, series } from './draws.ts'
import { type Kind, SUMMARY } from './workloads.ts'

const DAY = 86_400_000

/** Matches events that start at most 30 days after an event of the source. */
const until: DrawFilter = ({ columns: { start } }, i) => ({
  timestamp_start__lte: String((start[i] as number) + 30 * DAY),
})

/** Matches events near an event. */
const near: DrawFilter = (source, i) => ({ near: placeOf(source, i).join(), radius: '10000' })

/** The same condition for each draw. */
const always = (query: Filter) => () => query

/** Excludes what a filter matches. */
const not =
  (name: string, filter: DrawFilter): DrawFilter =>
  (source: Source, i) => ({ [`${name}__not`]: Object.values(filter(source, i))[0] ?? '' })

const GAUGE = always({ value__icontains: 'GAUGE 17' })
const WORDS = always({ q: 'flood "gauge 17"' })
const DEPTH = always({ attributes__depth__gte: '99.5' })
const LATEST = always({ latest: 'event_series' })

/** Returns requests with the filters, orders and summaries that read more than one column of each event. */
export const questions = (kind: MakeKind): Kind[] => [
  kind('near 10 km', together(near)),
  kind('value from 99.5', together(always({ value__gte: '99.5' }))),
  kind('value range of a tenth', together(always({ value__range: '10,20' }))),
  kind('value icontains', together(GAUGE)),
  kind('value icontains and month', together(month, GAUGE)),
  kind('words', together(WORDS)),
  kind('words and month', together(month, WORDS)),
  kind('attribute', together(DEPTH)),
  kind('attribute and month', together(month, DEPTH)),
  kind('not a category', together(not('category', category))),
  kind('not a series, in a month', together(not('event_series', series), month)),
  kind('latest of each series', together(LATEST)),
  kind('latest of each series, until a day', together(until, LATEST)),
  kind('longest first', together(always({ ordering: '-duration' }))),
  kind('greatest value first', together(always({ ordering: '-value_number' }))),
  kind('nearest first', together(near, always({ ordering: 'distance' }))),
  kind('summary: a series by category', (source) => ({
    ...together(series, always({ by: 'category', bins: 'year' }))(source),
    to: SUMMARY,
  })),
  kind('summary: statistics of a month', (source) => ({
    ...together(month, always({ statistics: 'value' }))(source),
    to: SUMMARY,
  })),
]
