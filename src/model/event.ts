import { textOfNumber } from '../base/json.ts'
import { NUMBER, orNull, STRING, TIMESTAMP } from '../base/schema.ts'
import { decimal, measured, number } from '../filters/numbers.ts'
import { part, year } from '../filters/parts.ts'
import { name } from '../filters/references.ts'
import { duration, instant, MILLISECONDS } from '../filters/temporal.ts'
import { text } from '../filters/text.ts'
import { ATTRIBUTES } from './attributes.ts'
import { OBJECT, OWNER } from './eventReferences.ts'
import { everywhere, type Fields, named, ordered } from './field.ts'
import * as kinds from './kinds.ts'
import type { Coordinates, EventRow } from './types.ts'

const ISO = kinds.iso(MILLISECONDS)

/** Shows a time of events under its names on all surfaces. */
const timeOn = (name: 'start' | 'end') => ({
  v3: [{ name: `timestamp_${name}`, schema: TIMESTAMP }],
  v4: [{ name, ...ISO }],
  flat: [{ name: `timestamp_${name}`, v4: name, ...ISO }],
  ogc: [{ name: `timestamp_${name}`, role: `primary-interval-${name}`, ...ISO }],
  tile: [{ name, title: `${name === 'start' ? 'Start' : 'End'}, in milliseconds since 1970`, rank: 1 }],
  file: name,
})

/** Why no index covers the other parts of a time. */
const ANY_YEAR = 'it comes in each year, on the clock of any zone'

const valueKind = kinds.text('a text')
/** The time of the last write. Stored events always have it. */
const WRITTEN = { name: 'last_modified', nullable: false }
const LAST = [{ ...WRITTEN, rank: 2 }]
const SOURCE_ID = [{ name: 'external_id', rank: 1 }]
const inGeometry = (name: string, part: 'x' | 'y' | 'z') =>
  ({ name, part, schema: NUMBER, nullable: true, inFeature: true }) as const

/** The fields of an event. Answers have their members in this order. */
export const EVENT = {
  id: {
    told: { title: ['Id', 'Id'], group: 'more', column: 3 },
    kind: kinds.positive('a positive integer'),
    on: { file: 'id' },
    filters: [named({ v3: 'id' }, number('id'), { about: 'The id of the event', example: 4711 })],
    orders: [{ v3: 'id', v4: 'id' }],
  },
  category: {
    told: { title: ['Category', 'Categorie'], group: 'what', column: 1 },
    kind: kinds.text('a text, which may be empty', kinds.MAX_NAME),
    otherwise: '',
    on: { ...everywhere('category'), tile: [{ name: 'category', schema: { ...STRING, maxLength: kinds.MAX_NAME } }] },
    filters: [named('category', text('category'), { about: 'The category of the event', example: 'hurricane' })],
    orders: [ordered('category')],
    body: {},
    usual: ['category', 'categorie'],
  },
  value: {
    told: { title: ['Value', 'Waarde'], group: 'what', column: 1, order: 'value_number' },
    kind: { ...valueKind, sent: { read: (value) => valueKind.read(textOfNumber(value)) } },
    otherwise: '',
    on: { ...everywhere('value'), tile: [] },
    filters: [
      named('value', text('value'), {
        about: 'The value of the event',
        example: '3.4',
        unindexed: 'one scan finds a text, and an index would bill a row for each event written',
        numbers: measured('value_number', 'The number at the beginning of the value'),
      }),
      named({ ogc: 'value_number' }, decimal('value_number'), {
        about: 'The number at the beginning of the value',
        example: 0.4,
        unindexed: 'it has an index of its own, whose rows the planner counts up to a limit',
      }),
    ],
    orders: [ordered('value'), ordered('value_number')],
    body: { schema: { anyOf: [orNull({ ...STRING, maxLength: kinds.MAX_TEXT }), NUMBER] } },
    usual: ['value', 'waarde'],
  },
  start: {
    told: { title: ['Start', 'Begin'], group: 'when', column: 1 },
    kind: kinds.milliseconds,
    on: timeOn('start'),
    filters: [
      named({ v3: 'timestamp_start', v4: 'start' }, instant('start'), {
        about: 'The start of the event',
        example: '2018-02-05T00:00:00Z',
      }),
      named({ v3: 'timestamp_start__year', v4: 'start__year' }, year('start'), {
        told: { title: ['Year', 'Jaar'] },
        about: 'The year of the start',
        example: 2018,
      }),
      named({ v3: 'timestamp_start__month', v4: 'start__month' }, part('start', 'month', 1, 12), {
        told: { title: ['Month', 'Maand'] },
        about: 'The month of the start, from 1 to 12,',
        example: 6,
        unindexed: ANY_YEAR,
      }),
      named({ v3: 'timestamp_start__weekday', v4: 'start__weekday' }, part('start', 'weekday', 1, 7), {
        told: { title: ['Day of the week', 'Dag van de week'] },
        about: 'The weekday of the start, where Monday is 1,',
        example: 1,
        unindexed: ANY_YEAR,
      }),
      named({ v3: 'timestamp_start__hour', v4: 'start__hour' }, part('start', 'hour', 0, 23), {
        told: { title: ['Hour', 'Uur'] },
        about: 'The hour of the start, from 0 to 23,',
        example: 14,
        unindexed: ANY_YEAR,
      }),
    ],
    orders: [{ v3: 'timestamp_start', v4: 'start', nulls: 'last' }],
    body: { required: true },
    usual: [
      'timestamp_start',
      'start',
      'timestamp',
      'time',
      'datetime',
      'date',
      'begin',
      'begintijd',
      'starttijd',
      'begindatum',
      'startdatum',
      'tijdstip',
      'datumtijd',
      'datum',
      'tijd',
    ],
  },
  end: {
    told: { title: ['End', 'Eind'], group: 'when', column: 3 },
    kind: kinds.milliseconds,
    on: timeOn('end'),
    filters: [
      named({ v3: 'timestamp_end', v4: 'end' }, instant('end'), {
        about: 'The end of the event',
        example: '2018-02-06T00:00:00+01:00',
      }),
      named('duration', duration, {
        told: { title: ['Duration', 'Duur'], column: 3 },
        about: 'The time from start to end',
        example: 'PT21H2M',
      }),
    ],
    orders: [{ v3: 'timestamp_end', v4: 'end', nulls: 'last' }, ordered('duration')],
    body: { empty: null, follows: true },
    usual: ['timestamp_end', 'end', 'eind', 'einde', 'eindtijd', 'einddatum'],
  },
  ...OWNER,
  coordinates: {
    told: { title: ['Place', 'Plaats'], group: 'where', column: 3, display: 'place' },
    parts: ['x', 'y', 'z'],
    kind: kinds.nullable(kinds.position),
    get: ({ x, y, z }: EventRow) => (x === null || y === null ? null : ([x, y, z ?? 0] as const)),
    put: (position: Coordinates | null) => {
      const [x, y, z] = position ?? [null, null, null]
      return { x, y, z }
    },
    on: {
      flat: [inGeometry('longitude', 'x'), inGeometry('latitude', 'y'), inGeometry('z', 'z')],
      file: 'coordinates',
    },
    body: { path: 'geometry', required: true },
  },
  external_id: {
    told: { title: ['Id at its source', 'Id bij de bron'], group: 'more', column: 3 },
    kind: kinds.nullable(kinds.name('a text of 1 to 300 characters, such as "ak18261217"')),
    otherwise: null,
    omittable: true,
    on: { v4: SOURCE_ID, flat: SOURCE_ID, ogc: SOURCE_ID, file: SOURCE_ID },
    filters: [
      named('external_id', name('external_id'), {
        about: 'The id of the event at its source',
        example: 'ak18261217',
        rank: 2,
      }),
    ],
    orders: [ordered('external_id')],
    body: {},
  },
  ...OBJECT,
  last_modified: {
    told: { title: ['Last changed', 'Laatste wijziging'], group: 'more', column: 3 },
    kind: kinds.nullable(kinds.microseconds),
    otherwise: null,
    omittable: true,
    stamped: true,
    on: { v4: [WRITTEN], flat: LAST, ogc: LAST, file: LAST },
    filters: [
      named('last_modified', instant('last_modified'), {
        about: 'The time at which the event was stored or last changed',
        example: '2026-11-21T08:00:00Z',
        rank: 3,
        unindexed: 'it has an index of its own, whose rows the planner counts up to a limit',
      }),
    ],
    orders: [ordered('last_modified')],
  },
  ...ATTRIBUTES,
} satisfies Fields
