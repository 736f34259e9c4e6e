import { sql } from 'drizzle-orm'
import { events as table } from '../../schema/tables.ts'
import { bare, name, number, text as textFilter } from '../filters/scalar.ts'
import { instant, isoInstant, MICROSECONDS } from '../filters/temporal.ts'
import { category } from './dictionaries.ts'
import { OBJECT } from './eventObject.ts'
import { PLACE } from './eventPlace.ts'
import { OWNER } from './eventSeries.ts'
import { TIME } from './eventTime.ts'
import {
  as,
  everywhere,
  field,
  type JoinedRowOf,
  type LargeFields,
  type Member,
  type RecordOf,
  type RowOf,
  single,
} from './field.ts'
import { nullable, plain } from './forms.ts'
import * as kinds from './kinds.ts'
import { named } from './names.ts'
import { emptyAs, MAX_NAME, MAX_VALUE, measured } from './readers.ts'
import { INSTANT, INTEGER, NUMBER, orNull, STRING } from './schema.ts'
import { visible } from './visible.ts'

const SHORT = { ...STRING, maxLength: MAX_NAME }
const text = plain<string>(STRING)
const integer = plain<number>(INTEGER)
const valueKind = kinds.text('a text')

/** Filters events by their id at the source. Each event is its own entry in this dictionary. */
const externalId = name({
  key: table.id,
  table: sql`${table} INDEXED BY "event_by_external_id"`,
  id: table.id,
  text: table.externalId,
  counts: (level) => visible(level, true) ?? sql`1`,
})

/** The time of the last write. Stored events always have it. */
const lastModified: readonly Member<unknown, { readonly lastModified: number }>[] = [
  {
    ...{ name: 'last_modified', schema: INSTANT, unit: MICROSECONDS, rank: 2 },
    write: (_, row) => isoInstant(row.lastModified, MICROSECONDS),
  },
]

/** The fields of an event. Answers have their members in this order. */
export const EVENT = {
  id: field({
    ...single('id', table.id),
    kind: kinds.positive('a positive integer'),
    on: { v3: null, v4: null, flat: null, ogc: null, tile: null, file: as('id', integer) },
    title: 'Id',
    filters: [named({ v3: 'id' }, number(table.id), { about: 'The id of the event', example: 4711 })],
    order: { v3: 'id', v4: 'id', column: table.id },
    usual: ['id'],
  }),
  category: field({
    ...single('category', category),
    kind: kinds.text('a text, which may be empty'),
    otherwise: '',
    // A tile has thousands of events, and a loaded text may have 1 MB, so a tile has the first characters.
    on: { ...everywhere('category', text), tile: as('category', plain<string>(SHORT)) },
    title: 'Category',
    filters: [named('category', textFilter(category), { about: 'The category of the event', example: 'hurricane' })],
    body: { schema: orNull(SHORT), most: MAX_NAME },
    usual: ['category'],
  }),
  value: field({
    ...single('value', table.value),
    kind: valueKind,
    otherwise: '',
    on: { ...everywhere('value', text), tile: null },
    title: 'Value',
    filters: [
      named(
        { ogc: 'value' },
        bare('text', STRING, (value) => ({ kind: 'sql', sql: sql`${table.value} = ${value}` })),
        {
          about: 'The value of the event',
          example: '3.4',
          rank: 6,
          unindexed: 'values are mostly different, and seldom asked for alone',
        },
      ),
    ],
    body: {
      read: emptyAs('', measured(valueKind)),
      schema: { anyOf: [orNull({ ...STRING, maxLength: MAX_VALUE }), NUMBER] },
      most: MAX_VALUE,
    },
    usual: ['value'],
  }),
  ...TIME,
  ...OWNER,
  ...PLACE,
  external_id: field({
    ...single('externalId', table.externalId),
    kind: kinds.nullable(kinds.shortText(MAX_NAME, 'a text of 1 to 300 characters, such as "us2000cyfv"')),
    otherwise: null,
    omittable: true,
    on: {
      ...everywhere('external_id', nullable(text), { rank: 1, title: 'Id at its source' }),
      ...{ v3: null, tile: null },
    },
    title: 'Id at its source',
    filters: [
      named('external_id', externalId, { about: 'The id of the event at its source', example: 'us2000cyfv', rank: 2 }),
    ],
    body: { schema: orNull(SHORT) },
    usual: ['external_id'],
  }),
  ...OBJECT,
  last_modified: field({
    ...single('lastModified', table.lastModified),
    kind: kinds.nullable(kinds.microseconds),
    // Null for the present: the database sets it.
    put: (value) => ({ lastModified: value }),
    otherwise: null,
    omittable: true,
    on: {
      ...{ v3: null, tile: null, flat: lastModified, ogc: lastModified, file: lastModified },
      v4: lastModified.map((member) => ({ ...member, rank: 0 })),
    },
    title: 'Last changed',
    filters: [
      named('last_modified', instant(table.lastModified, MICROSECONDS), {
        about: 'The time at which the event was stored or last changed',
        example: '2026-11-21T08:00:00Z',
        rank: 3,
        unindexed: 'it has an index of its own, whose rows the planner counts up to a limit',
      }),
    ],
  }),
} satisfies LargeFields

/**
 * An event. `start` and `end` are in milliseconds since 1970. `last_modified` is in microseconds since 1970. It is null
 * until the event is stored.
 */
export type EventRecord = { readonly kind: 'event' } & RecordOf<typeof EVENT>
export type EventRow = RowOf<typeof EVENT>
export type JoinedEventRow = JoinedRowOf<typeof EVENT>
