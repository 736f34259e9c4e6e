import type { EventRecord } from '../records.ts'
import { isoOf, publicEvents, publicSeries } from '../service.ts'

/** The answer of a tool: its facts, and its data as a text. */
export interface Told {
  readonly facts: { readonly count: number; readonly address: string }
  readonly data: string
}

/** A question with its answer in plain logic. `read` finds the answer in what the tool says. */
export interface Asked {
  readonly question: string
  readonly tool: 'series' | 'count' | 'events' | 'summary'
  readonly given: Readonly<Record<string, unknown>>
  readonly answer: unknown
  readonly read: (told: Told) => unknown
}

const idOf = (name: string): number => publicSeries.find((series) => series.name === name)?.id ?? 0
const uuidOf = (name: string): string => publicSeries.find((series) => series.name === name)?.uuid ?? ''
const inSeries = (name: string): readonly EventRecord[] => publicEvents.filter(({ series }) => series === idOf(name))
const number = ({ attributes }: EventRecord, name: string): number => Number(attributes?.[name] ?? Number.NaN)

const STORMS = 'Atlantic storms 2010-2020'
const PHASES = 'Atlantic storm phases 2010-2020'
const FIXES = 'Atlantic hurricane fixes 2010-2020'
const ALASKA = 'Earthquakes Alaska'
const CALIFORNIA = 'Earthquakes California and Nevada'
const LARGE = 'Wildlife strikes, large animals'
const SMALL = 'Wildlife strikes, small animals'
const SUMMER = 'Zomertijd Nederland'

const counting = (
  question: string,
  given: Readonly<Record<string, unknown>>,
  matches: (event: EventRecord) => boolean,
): Asked => ({
  question,
  tool: 'count',
  given,
  answer: publicEvents.filter(matches).length,
  read: ({ facts }) => facts.count,
})

const isIn = (name: string) => (event: EventRecord) => event.series === idOf(name)
const yearOf = ({ start }: EventRecord) => new Date(start).getUTCFullYear()
const rowsOf = ({ data }: Told): string[] => data.trim().split('\n').slice(1)
const summaryOf = ({ data }: Told) => JSON.parse(data)
const entriesOf = (told: Told, facet: string): { value: unknown; name?: string; count: number }[] =>
  summaryOf(told).facets[facet].entries

const quakes = publicEvents.filter(({ category }) => category === 'earthquake')
const strongest = quakes.reduce((best, each) => (number(each, 'mag') > number(best, 'mag') ? each : best))
const mostOf = (events: readonly EventRecord[], keyOf: (event: EventRecord) => string): string => {
  const groups = [...Map.groupBy(events, keyOf)].sort(([, a], [, b]) => b.length - a.length)
  return groups[0]?.[0] ?? ''
}
const byStart = (events: readonly EventRecord[]): EventRecord[] => [...events].sort((a, b) => a.start - b.start)
const winds = (events: readonly EventRecord[]): number[] => events.map((event) => number(event, 'wind'))
const inBox = ([x = 0, y = 0]: readonly number[], west: number, south: number, east: number, north: number) =>
  x >= west && x <= east && y >= south && y <= north
const pointOf = ({ coordinates }: EventRecord): readonly number[] => coordinates ?? [Number.NaN, Number.NaN]

const SUMMER_2000 = Date.parse('2000-07-01T12:00:00Z')

/** Returns the distance in km on a sphere. No place of a question is near its border. */
const kilometres = ([x1 = 0, y1 = 0]: readonly number[], [x2 = 0, y2 = 0]: readonly number[]): number => {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2
  const root = half(y1, y2) + Math.cos(radians(y1)) * Math.cos(radians(y2)) * half(x1, x2)
  return 2 * 6371 * Math.asin(Math.sqrt(root))
}

/** The sides fall by 4 degrees of latitude in 2.5 of longitude. */
const inTriangle = ([x = 0, y = 0]: readonly number[]): boolean => y > 36 && y < 40 - 1.6 * Math.abs(x + 117.5)

/** Thirty questions about the default data, as people ask them. */
export const QUESTIONS: readonly Asked[] = [
  counting('How many events are there?', {}, () => true),
  {
    question: 'How many series are there?',
    tool: 'series',
    given: { page_size: 1 },
    answer: publicSeries.length,
    read: ({ facts }) => facts.count,
  },
  counting('How many earthquakes are there?', { category: 'earthquake' }, ({ category }) => category === 'earthquake'),
  counting(
    'How many earthquakes have a magnitude of 3 or more?',
    { category: 'earthquake', attributes__mag__gte: 3 },
    (event) => event.category === 'earthquake' && number(event, 'mag') >= 3,
  ),
  {
    question: 'Which is the strongest earthquake, and what is its magnitude?',
    tool: 'events',
    given: { category: 'earthquake', ordering: '-attributes__mag', page_size: 1, fields: 'id' },
    answer: String(strongest.id),
    read: (told) => rowsOf(told)[0],
  },
  {
    question: 'What is the mean depth of the earthquakes in Alaska, in km?',
    tool: 'summary',
    given: { event_series: uuidOf(ALASKA), statistics: ['attributes__depth'] },
    answer: (() => {
      const depths = inSeries(ALASKA).map((event) => number(event, 'depth'))
      return (depths.reduce((sum, each) => sum + each, 0) / depths.length).toFixed(6)
    })(),
    read: (told) => summaryOf(told).statistics.attributes__depth.mean.toFixed(6),
  },
  counting(
    'How many earthquakes in Alaska are within 150 km of 61.2 north, 149.9 west (Anchorage)?',
    { event_series: uuidOf(ALASKA), near: [-149.9, 61.2], radius: 150_000 },
    (event) => isIn(ALASKA)(event) && kilometres(pointOf(event), [-149.9, 61.2]) <= 150,
  ),
  counting(
    'How many earthquakes began on 5 February 2018 (UTC)?',
    { category: 'earthquake', timestamp_start__gte: '2018-02-05', timestamp_start__lt: '2018-02-06' },
    (event) => event.category === 'earthquake' && isoOf(event.start).startsWith('2018-02-05'),
  ),
  counting(
    'How many hurricanes were there in 2017, counted as storms?',
    { event_series: uuidOf(STORMS), category: 'hurricane', timestamp_start__year: 2017 },
    (event) => isIn(STORMS)(event) && event.category === 'hurricane' && yearOf(event) === 2017,
  ),
  {
    question: 'In which year were there the most Atlantic storms?',
    tool: 'summary',
    given: { event_series: uuidOf(STORMS), facets: ['timestamp_start__year'], facet_size: 1 },
    answer: mostOf(inSeries(STORMS), (event) => String(yearOf(event))),
    read: (told) => String(entriesOf(told, 'timestamp_start__year')[0]?.value),
  },
  {
    question: 'What was the highest wind of an Atlantic storm from 2010 to 2020, in knots?',
    tool: 'summary',
    given: { event_series: uuidOf(STORMS), statistics: 'attributes__wind' },
    answer: Math.max(...winds(inSeries(STORMS))),
    read: (told) => summaryOf(told).statistics.attributes__wind.max,
  },
  {
    question: 'What was the lowest pressure that a hurricane fix has, in hPa?',
    tool: 'summary',
    given: { event_series: uuidOf(FIXES), statistics: 'attributes__pressure' },
    answer: Math.min(...inSeries(FIXES).map((event) => number(event, 'pressure'))),
    read: (told) => summaryOf(told).statistics.attributes__pressure.min,
  },
  counting(
    'How many storms had winds of more than 100 knots?',
    { event_series: uuidOf(STORMS), attributes__wind__gt: 100 },
    (event) => isIn(STORMS)(event) && number(event, 'wind') > 100,
  ),
  {
    question: 'When did the first Atlantic storm of 2012 begin?',
    tool: 'summary',
    given: { event_series: uuidOf(STORMS), timestamp_start__year: 2012 },
    answer: isoOf(byStart(inSeries(STORMS).filter((event) => yearOf(event) === 2012))[0]?.start ?? 0),
    read: (told) => summaryOf(told).time.start,
  },
  {
    question: 'Which storm began last?',
    tool: 'events',
    given: { event_series: uuidOf(STORMS), ordering: '-timestamp_start', page_size: 1, fields: 'value' },
    answer: byStart(inSeries(STORMS)).at(-1)?.value,
    read: (told) => rowsOf(told)[0]?.replaceAll('"', ''),
  },
  counting(
    'How many storms lasted longer than ten days?',
    { event_series: uuidOf(STORMS), duration__gt: 'P10D' },
    (event) => isIn(STORMS)(event) && event.end - event.start > 10 * 86_400_000,
  ),
  counting(
    'How many hurricane fixes lie in the box from 98 to 80 degrees west and 18 to 31 degrees north?',
    { event_series: uuidOf(FIXES), bbox: '-98,18,-80,31' },
    (event) => isIn(FIXES)(event) && inBox(pointOf(event), -98, 18, -80, 31),
  ),
  counting('How many events have the name Maria in their category?', { category__icontains: 'maria' }, ({ category }) =>
    category.toLowerCase().includes('maria'),
  ),
  {
    question: 'How many different names do the storms of the storm phases have?',
    tool: 'summary',
    given: { event_series: uuidOf(PHASES), distinct: ['attributes__name'] },
    answer: new Set(inSeries(PHASES).map(({ attributes }) => attributes?.name)).size,
    read: (told) => summaryOf(told).distinct.attributes__name,
  },
  counting(
    'How many phases of the storm with the object id 352 are there?',
    { event_series: uuidOf(PHASES), object_id: 352 },
    (event) => isIn(PHASES)(event) && event.object?.id === 352,
  ),
  counting(
    'How many strikes of large animals did substantial damage?',
    { event_series: uuidOf(LARGE), attributes__damage: 'Substantial' },
    (event) => isIn(LARGE)(event) && event.attributes?.damage === 'Substantial',
  ),
  {
    question: 'In which phase of flight do most strikes of small animals happen?',
    tool: 'summary',
    given: { event_series: uuidOf(SMALL), facets: 'category', facet_size: 1 },
    answer: mostOf(inSeries(SMALL), ({ category }) => category),
    read: (told) => entriesOf(told, 'category')[0]?.value,
  },
  {
    question: 'At which airport were the most strikes of large animals?',
    tool: 'summary',
    given: { event_series: uuidOf(LARGE), facets: 'attributes__airport', facet_size: 1 },
    answer: mostOf(inSeries(LARGE), ({ attributes }) => String(attributes?.airport)),
    read: (told) => entriesOf(told, 'attributes__airport')[0]?.value,
  },
  counting(
    'How many strikes, of animals of any size, involved a B-727?',
    { event_series__name__startswith: 'Wildlife strikes', attributes__aircraft: 'B-727' },
    ({ attributes }) => attributes?.aircraft === 'B-727',
  ),
  counting(
    'How many strikes of small animals happened on a Monday (UTC)?',
    { event_series: uuidOf(SMALL), timestamp_start__weekday: 1 },
    (event) => isIn(SMALL)(event) && new Date(event.start).getUTCDay() === 1,
  ),
  {
    question: 'Which months have strikes of large animals, with how many in each month of the year?',
    tool: 'summary',
    given: { event_series: uuidOf(LARGE), facets: 'timestamp_start__month', facet_ordering: 'text' },
    answer: [...Map.groupBy(inSeries(LARGE), ({ start }) => new Date(start).getUTCMonth() + 1)]
      .map(([month, { length }]) => [month, length])
      .sort(([a = 0], [b = 0]) => a - b),
    read: (told) =>
      entriesOf(told, 'timestamp_start__month')
        .map(({ value, count }) => [Number(value), count])
        .sort(([a = 0], [b = 0]) => a - b),
  },
  {
    question: 'When was the first summer time in the Netherlands, and when did it start?',
    tool: 'events',
    given: { event_series: uuidOf(SUMMER), ordering: 'timestamp_start', page_size: 1, fields: 'timestamp_start' },
    answer: isoOf(byStart(inSeries(SUMMER))[0]?.start ?? 0),
    read: (told) => rowsOf(told)[0],
  },
  counting(
    'How many spells of summer time in the Netherlands contain the instant 2000-07-01 12:00 UTC?',
    { event_series: uuidOf(SUMMER), datetime: '2000-07-01T12:00:00Z' },
    (event) => isIn(SUMMER)(event) && event.start <= SUMMER_2000 && event.end >= SUMMER_2000,
  ),
  {
    question: 'Which series has the most events?',
    tool: 'summary',
    given: { facets: ['event_series'], facet_size: 1 },
    answer: publicSeries.find(({ id }) => String(id) === mostOf(publicEvents, ({ series }) => String(series)))?.name,
    read: (told) => entriesOf(told, 'event_series')[0]?.name,
  },
  counting(
    'How many earthquakes of California and Nevada are within the triangle 120 W 36 N, 115 W 36 N, 117.5 W 40 N?',
    {
      category: 'earthquake',
      event_series: uuidOf(CALIFORNIA),
      geom_within: 'POLYGON ((-120 36, -115 36, -117.5 40, -120 36))',
    },
    (event) => isIn(CALIFORNIA)(event) && event.category === 'earthquake' && inTriangle(pointOf(event)),
  ),
]
