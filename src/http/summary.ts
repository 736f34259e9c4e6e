import { at } from '../base/collections.ts'
import {
  ADDRESS,
  type Described,
  INTEGER,
  listOf,
  NUMBER,
  orNull,
  record,
  ref,
  type Schema,
  TIMESTAMP,
} from '../base/schema.ts'
import { MAX_BINS, MAX_CROSSED_BINS, MAX_CROSSED_STATISTICS, UNITS } from '../engine/summaries.ts'
import { ATTRIBUTE_PATTERN } from '../filters/text.ts'
import { events } from '../lists/event.ts'
import type { SUMMARY_PARAMETERS } from './page.ts'
import { localeOf, ZONE } from './parameters.ts'
import {
  ANY,
  type FacetMember,
  LIMITS,
  MAX_NAMES,
  MAX_PAIRED,
  NAMED_FACETS,
  STATISTIC_NAMES,
} from './summaryRequest.ts'

/** The name of the summary of events, and its address. It counts only the events that the caller sees. */
export const SUMMARY = {
  path: `${events.path}summary/`,
  name: 'Event Summary',
  description: 'The number of events that match, by the time of their start and by the cells of a grid over the world.',
}

const FACET_KEYS = Object.keys(NAMED_FACETS)
const ATTRIBUTE_NAME: Schema = { type: 'string', pattern: `^${ATTRIBUTE_PATTERN}$` }
const FACET_NAME: Schema = { anyOf: [{ type: 'string', enum: FACET_KEYS }, ATTRIBUTE_NAME] }
/** Names whose different values are counted. A part of the start has few. */
const FIELD_KEYS = FACET_KEYS.filter((name) => !name.startsWith('timestamp_start__'))
const FIELD_NAME: Schema = { anyOf: [{ type: 'string', enum: FIELD_KEYS }, ATTRIBUTE_NAME] }
const NUMBER_NAME: Schema = { anyOf: [{ type: 'string', enum: ['value'] }, ATTRIBUTE_NAME] }

const schemasOf = ({ members }: FacetMember): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema]))

const STATISTICS = {
  count: { ...INTEGER, description: 'The number of events with a number. A value begins with it.' },
  min: orNull(NUMBER),
  max: orNull(NUMBER),
  mean: orNull(NUMBER),
  sum: {
    ...orNull(NUMBER),
    description: 'The exact sum, rounded once. Null without numbers, or if it is beyond a double.',
  },
  without: { ...INTEGER, description: 'The number of events without a number.' },
}

/** Returns the schema of statistics by the names of their columns. */
const byNumber = (schema: Schema): Schema => ({
  type: 'object',
  description: 'The statistics of the numbers that the request names. Absent if it names none.',
  properties: { value: schema },
  additionalProperties: schema,
})

/** A group of events has the statistics and the different values that the request names. */
const NUMBERS = { statistics: ref('StatisticsByName'), distinct: ref('DistinctByName') }
const BINNED = { ...NUMBERS, statistics: ref('BinnedStatisticsByName') }

const entriesOf = (schemas: Readonly<Record<string, Schema>>): Schema =>
  record(
    {
      entries: {
        ...listOf(record({ ...schemas, count: INTEGER }, {}, NUMBERS)),
        description:
          'The entries in the order of `facet_ordering`, at first those with the most events. Equal ones are in the order of their texts, or of their uuids.',
      },
      more: { type: 'integer', description: 'The number of further entries.' },
    },
    {},
    {
      without: { type: 'integer', description: 'The number of events without the attribute.' },
      next: {
        ...orNull(ADDRESS),
        description: 'The address of the next entries. Only with `facet_size` or `facet_offset`.',
      },
    },
  )

const CROSSED = { count: INTEGER, bins: listOf(ref('SummaryBin')) }

/** Returns the schema of entries with their bins. */
const crossedOf = (schemas: Readonly<Record<string, Schema>>): Schema =>
  record({
    entries: {
      ...listOf(record({ ...schemas, ...CROSSED }, {}, BINNED)),
      description: 'The first `by_size` entries in the order of `by_ordering`, at first those with the most events.',
    },
    more: { type: 'integer', description: 'The number of further entries.' },
    rest: { ...record(CROSSED, {}, BINNED), description: 'The events of no listed entry.' },
  })

/** Returns the schema of an object that may have a member for each facet. */
const byFacet = (description: string, entries: (schemas: Readonly<Record<string, Schema>>) => Schema): Schema => ({
  type: 'object',
  description,
  properties: Object.fromEntries(
    Object.entries(NAMED_FACETS).map(([name, facet]) => [name, entries(schemasOf(facet))]),
  ),
  additionalProperties: entries({ value: ANY }),
})

const TIME = record({
  start: orNull(TIMESTAMP),
  end: orNull(TIMESTAMP),
  step: orNull({
    type: 'integer',
    description: 'The length of a bin in milliseconds. Null if the bins differ in length.',
  }),
  bins: { ...listOf(ref('SummaryBin')), description: 'The bins that are not empty.' },
})

const BOUNDS: Schema = {
  ...orNull(record({ west: NUMBER, south: NUMBER, east: NUMBER, north: NUMBER })),
  description:
    'The exact bounds of the places, in degrees. West is greater than east if they cross 180 degrees. They do if more columns of cells are then empty.',
}

const DENSITY = record({
  level: orNull(INTEGER),
  cells: { ...listOf(ref('SummaryCell')), description: 'The cells that are not empty.' },
})

/** Makes the schema of an array of so many numbers. `items` repeats `prefixItems` for tools that do not know the latter. */
const row = (description: string, length: number, items: Schema): Schema => ({
  ...listOf(items, length),
  prefixItems: Array(length).fill(items),
  description,
})

const ENTRY_ORDER: Schema = {
  type: 'string',
  pattern: `^-?(count|text|(value|${ATTRIBUTE_PATTERN})__(${STATISTIC_NAMES.join('|')}))$`,
  default: '-count',
}

/** The parameters of the summary of events except filters. */
export const PARAMETERS: Readonly<Record<(typeof SUMMARY_PARAMETERS)[number], Described>> = {
  bins: {
    description: `The maximum number of bins, or the length of a bin, such as month. At most ${MAX_BINS} bins of that length may hold events. Bins are in UTC or in timezone, and a week begins on Monday.`,
    schema: { anyOf: [{ type: 'integer', ...LIMITS.bins }, { enum: [...UNITS] }] },
    example: 'month',
  },
  by: {
    description:
      'A facet whose entries have bins of their own, with the statistics of each bin. Only `by_size` entries are listed. The others are counted together.',
    schema: FACET_NAME,
    example: at(FACET_KEYS, 0),
  },
  by_size: {
    description: `The number of entries of by. Together they have at most ${MAX_CROSSED_BINS} bins, and at most ${MAX_CROSSED_STATISTICS} statistics of bins.`,
    schema: { type: 'integer', ...LIMITS.by_size },
  },
  by_ordering: {
    description: 'The order of the entries of by, as facet_ordering.',
    schema: ENTRY_ORDER,
    example: '-count',
  },
  timezone: ZONE,
  locale: localeOf('format'),
  level: {
    description: 'The level of the smallest cells. At this level, 2^level cells lie side by side around the world.',
    schema: { type: 'integer', ...LIMITS.level },
    example: LIMITS.level.default,
  },
  facets: {
    description:
      'Further fields, attributes and parts of the start by which to count. `facet_size` limits the entries of each. Parts of the start are in UTC or in timezone: months are 1 to 12, and Monday is 1.',
    schema: listOf(FACET_NAME, 1, MAX_NAMES),
    example: FACET_KEYS.slice(0, 3),
  },
  facet_size: {
    description: 'The number of entries in each facet. Its member `next` then has the address of the next entries.',
    schema: { type: 'integer', ...LIMITS.facet_size },
  },
  facet_offset: {
    description: 'The number of entries to leave out at the start of each facet. A facet has it in its `next`.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  facet_ordering: {
    description:
      'The order of the entries of each facet: by count, by text, or by a statistic that the request asks for, such as value__sum. A - in front reverses it.',
    schema: ENTRY_ORDER,
    example: '-count',
  },
  statistics: {
    description: `Fields whose numbers are summarized: their count, minimum, maximum, mean and sum, in total, for each bin, for each entry of the facets, and for each bin of each entry of by. The number of value is that at the beginning of the text. Values of attributes that are no numbers are left out. The facets times the statistics are at most ${MAX_PAIRED}.`,
    schema: listOf(NUMBER_NAME, 1, MAX_NAMES),
    example: ['value'],
  },
  distinct: {
    description: `Fields whose different values are counted, in total and in each entry of facets and by. Statistics and distinct are at most ${MAX_NAMES} names together, and at most ${MAX_PAIRED} times the facets.`,
    schema: listOf(FIELD_NAME, 1, MAX_NAMES),
    example: ['event_series'],
  },
}

/** The schema of a summary, and each schema that it refers to. */
export const SUMMARY_SCHEMAS: Readonly<Record<string, Schema>> = {
  Summary: record(
    { count: INTEGER, time: TIME, spatial_bounds: BOUNDS, density: DENSITY, without_geometry: INTEGER },
    {},
    {
      facets: byFacet('The counts of each requested facet. Absent if the request names none.', entriesOf),
      by: byFacet('The bins of the entries of one facet. Absent if the request names none.', crossedOf),
      ...BINNED,
    },
  ),
  Statistics: record(STATISTICS),
  SummaryCsv: {
    type: 'string',
    description:
      'After the header, each line is an entry of the only facet, an entry of by and a bin, or a bin. The bins of no listed entry come last, without a value.',
  },
  StatisticsByName: byNumber(ref('Statistics')),
  BinnedStatisticsByName: byNumber(
    record({ ...STATISTICS, bins: listOf(record({ start: TIMESTAMP, ...STATISTICS })) }),
  ),
  DistinctByName: {
    type: 'object',
    description: 'The number of different values of each name in distinct. Absent if the request names none.',
    properties: Object.fromEntries(FIELD_KEYS.map((name) => [name, INTEGER])),
    additionalProperties: INTEGER,
  },
  SummaryBin: row('Where a bin starts, and how many events start in it.', 2, INTEGER),
  SummaryCell: row('West, south, east and north in degrees, and how many events lie in the cell.', 5, NUMBER),
}
