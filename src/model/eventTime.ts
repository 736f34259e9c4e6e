import { sql } from 'drizzle-orm'
import { events as table } from '../../schema/tables.ts'
import { duration, instant, MILLISECONDS } from '../filters/temporal.ts'
import { as, field, type LargeFields, single } from './field.ts'
import { iso, plain, timestamp } from './forms.ts'
import * as kinds from './kinds.ts'
import { named } from './names.ts'
import * as readers from './readers.ts'
import { INSTANT, INTEGER, orNull } from './schema.ts'

/** The duration of an event in milliseconds. All covering indexes have these two columns. */
export const length = sql`(${table.end} - ${table.start})`

const integer = plain<number>(INTEGER)

/** The times of an event. */
export const TIME = {
  start: field({
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
    title: 'Start',
    filters: [
      named({ v3: 'timestamp_start', v4: 'start' }, instant(table.start, MILLISECONDS), {
        about: 'The start of the event',
        example: '2018-02-05T00:00:00Z',
      }),
    ],
    order: { v3: 'timestamp_start', v4: 'start', column: table.start },
    body: { read: readers.timestamp, schema: INSTANT, required: true },
    usual: ['timestamp_start', 'start', 'timestamp', 'time', 'datetime', 'date'],
  }),
  end: field({
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
    title: 'End',
    filters: [
      named({ v3: 'timestamp_end', v4: 'end' }, instant(table.end, MILLISECONDS), {
        about: 'The end of the event',
        example: '2018-02-06T00:00:00+01:00',
      }),
      named('duration', duration(length), { about: 'The time from start to end', example: 'PT21H2M' }),
    ],
    order: { v3: 'timestamp_end', v4: 'end', column: table.end },
    body: { read: readers.emptyAs(null, readers.timestamp), schema: orNull(INSTANT), follows: true },
    usual: ['timestamp_end', 'end'],
  }),
} satisfies LargeFields
