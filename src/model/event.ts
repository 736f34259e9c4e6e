import { events as table } from '../../schema/tables.ts'
import { eventLength } from '../../schema/trees.ts'
import { duration } from '../filters/duration.ts'
import { leadingNumber, measured, number } from '../filters/numbers.ts'
import { name } from '../filters/references.ts'
import { instant, isoInstant, MICROSECONDS, MILLISECONDS } from '../filters/temporal.ts'
import { ownText, text as textFilter } from '../filters/text.ts'
import { cellOf } from '../geometry/cell.ts'
import { ATTRIBUTES } from './attributes.ts'
import {
  as,
  columnMember,
  everywhere,
  integer,
  iso,
  NOWHERE,
  named,
  nullable,
  ordered,
  plain,
  single,
  string,
  timestamp,
} from './declare.ts'
import { category, externalIds } from './dictionaries.ts'
import { OBJECT, OWNER } from './eventReferences.ts'
import type { Fields, Member } from './field.ts'
import * as kinds from './kinds.ts'
import * as bodies from './readers.ts'
import { INSTANT, listOf, NUMBER, orNull, STRING } from './schema.ts'
import type { EventRow } from './types.ts'

const SHORT = { ...STRING, maxLength: kinds.MAX_NAME }
const valueKind = kinds.text('a text')

/** The time of the last write. Stored events always have it. */
const lastModified: readonly Member[] = [
  {
    ...{ name: 'last_modified', schema: INSTANT, unit: MICROSECONDS, rank: 2 },
    write: (_, row: EventRow) => isoInstant(row.lastModified, MICROSECONDS),
  },
]

/** The schema of a point in a body. The z is optional, and GeoJSON allows more members (RFC 7946, 6.1). */
const POINT = {
  type: 'object',
  properties: { type: { const: 'Point' }, coordinates: { ...listOf(NUMBER), minItems: 2, maxItems: 3 } },
  required: ['type', 'coordinates'],
}
const IN_GEOMETRY = { nullable: true, inGeometry: true } as const

/** The fields of an event. Answers have their members in this order. */
export const EVENT = {
  id: {
    ...single('id', table.id),
    kind: kinds.positive('a positive integer'),
    on: { ...NOWHERE, file: as('id', integer) },
    told: { title: ['Id', 'Id'], group: 'more', column: 3 },
    filters: [named({ v3: 'id' }, number(table.id), { about: 'The id of the event', example: 4711 })],
    orders: [{ v3: 'id', v4: 'id', column: table.id }],
    usual: ['id'],
  },
  category: {
    ...single('category', category),
    kind: kinds.text('a text, which may be empty', kinds.MAX_NAME),
    otherwise: '',
    on: { ...everywhere('category', string), tile: as('category', plain(SHORT)) },
    told: { title: ['Category', 'Categorie'], group: 'what', column: 1 },
    filters: [named('category', textFilter(category), { about: 'The category of the event', example: 'hurricane' })],
    orders: [ordered('category', category)],
    body: { schema: orNull(SHORT) },
    usual: ['category'],
  },
  value: {
    ...single('value', table.value),
    kind: valueKind,
    also: {
      columns: { valueNumber: table.valueNumber },
      of: (value: string) => ({ valueNumber: leadingNumber(value) }),
    },
    otherwise: '',
    on: { ...everywhere('value', string), tile: null },
    told: { title: ['Value', 'Waarde'], group: 'what', column: 1, order: 'value_number' },
    filters: [
      named('value', ownText(table.value), {
        ...{ about: 'The value of the event', example: '3.4' },
        unindexed: 'one scan finds a text, and an index would bill a row for each event written',
        numbers: measured(table.valueNumber, 'The number at the beginning of the value'),
      }),
    ],
    orders: [ordered('value', table.value), ordered('value_number', table.valueNumber)],
    body: {
      kind: bodies.measured(valueKind),
      schema: { anyOf: [orNull({ ...STRING, maxLength: kinds.MAX_TEXT }), NUMBER] },
    },
    usual: ['value'],
  },
  start: {
    ...single('start', table.start),
    kind: kinds.milliseconds,
    on: {
      v3: as('timestamp_start', timestamp),
      v4: as('start', iso(MILLISECONDS)),
      flat: as('timestamp_start', iso(MILLISECONDS), { v4: 'start' }),
      ogc: as('timestamp_start', iso(MILLISECONDS), { role: 'primary-interval-start' }),
      tile: as('start', integer, { title: 'Start, in milliseconds since 1970', rank: 1 }),
      file: as('start', integer),
    },
    told: { title: ['Start', 'Begin'], group: 'when', column: 1 },
    filters: [
      named({ v3: 'timestamp_start', v4: 'start' }, instant(table.start, MILLISECONDS), {
        about: 'The start of the event',
        example: '2018-02-05T00:00:00Z',
      }),
    ],
    orders: [{ v3: 'timestamp_start', v4: 'start', column: table.start }],
    body: { kind: bodies.timestamp, schema: INSTANT, required: true },
    usual: ['timestamp_start', 'start', 'timestamp', 'time', 'datetime', 'date'],
  },
  end: {
    ...single('end', table.end),
    kind: kinds.milliseconds,
    on: {
      v3: as('timestamp_end', timestamp),
      v4: as('end', iso(MILLISECONDS)),
      flat: as('timestamp_end', iso(MILLISECONDS), { v4: 'end' }),
      ogc: as('timestamp_end', iso(MILLISECONDS), { role: 'primary-interval-end' }),
      tile: as('end', integer, { title: 'End, in milliseconds since 1970', rank: 1 }),
      file: as('end', integer),
    },
    told: { title: ['End', 'Eind'], group: 'when', column: 3 },
    filters: [
      named({ v3: 'timestamp_end', v4: 'end' }, instant(table.end, MILLISECONDS), {
        about: 'The end of the event',
        example: '2018-02-06T00:00:00+01:00',
      }),
      named('duration', duration(eventLength), {
        told: { title: ['Duration', 'Duur'], column: 2 },
        about: 'The time from start to end',
        example: 'PT21H2M',
      }),
    ],
    orders: [{ v3: 'timestamp_end', v4: 'end', column: table.end }, ordered('duration', table.duration)],
    body: { kind: bodies.timestamp, empty: null, schema: orNull(INSTANT), follows: true },
    usual: ['timestamp_end', 'end'],
  },
  ...OWNER,
  coordinates: {
    columns: { x: table.x, y: table.y, z: table.z },
    kind: kinds.nullable(kinds.position),
    get: ({ x, y, z }: EventRow) => (x === null || y === null ? null : ([x, y, z ?? 0] as const)),
    put: (position: kinds.Coordinates | null) => {
      const [x, y, z] = position ?? [null, null, null]
      return { x, y, z }
    },
    also: {
      columns: { cell: table.cell },
      of: (position: kinds.Coordinates | null) => ({ cell: position && cellOf(position[0], position[1]) }),
    },
    on: {
      ...{ ...NOWHERE, file: as('coordinates', nullable(plain({}))) },
      flat: [
        columnMember('longitude', NUMBER, 'x', IN_GEOMETRY),
        columnMember('latitude', NUMBER, 'y', IN_GEOMETRY),
        {
          ...IN_GEOMETRY,
          name: 'z',
          schema: NUMBER,
          write: (position: kinds.Coordinates | null) => position?.[2] ?? null,
        },
      ],
    },
    told: { title: ['Place', 'Plaats'], group: 'where', column: 2, display: 'place' },
    body: { kind: bodies.point, schema: orNull(POINT), path: 'geometry', required: true },
  },
  external_id: {
    ...single('externalId', table.externalId),
    kind: kinds.nullable(kinds.name('a text of 1 to 300 characters, such as "us2000cyfv"')),
    ...{ otherwise: null, omittable: true },
    on: {
      ...everywhere('external_id', nullable(string), { rank: 1 }),
      ...{ v3: null, tile: null },
    },
    told: { title: ['Id at its source', 'Id bij de bron'], group: 'more', column: 3 },
    filters: [
      named('external_id', name(externalIds), {
        about: 'The id of the event at its source',
        example: 'us2000cyfv',
        rank: 2,
      }),
    ],
    orders: [ordered('external_id', table.externalId)],
    body: { schema: orNull(SHORT) },
    usual: ['external_id'],
  },
  ...OBJECT,
  last_modified: {
    ...single('lastModified', table.lastModified),
    kind: kinds.nullable(kinds.microseconds),
    ...{ otherwise: null, omittable: true, stamped: true },
    on: {
      ...{ ...NOWHERE, flat: lastModified, ogc: lastModified, file: lastModified },
      v4: lastModified.map((member) => ({ ...member, rank: 0 })),
    },
    told: { title: ['Last changed', 'Laatste wijziging'], group: 'more', column: 3 },
    filters: [
      named('last_modified', instant(table.lastModified, MICROSECONDS), {
        about: 'The time at which the event was stored or last changed',
        example: '2026-11-21T08:00:00Z',
        rank: 3,
        unindexed: 'it has an index of its own, whose rows the planner counts up to a limit',
      }),
    ],
    orders: [ordered('last_modified', table.lastModified)],
  },
  ...ATTRIBUTES,
} satisfies Fields
