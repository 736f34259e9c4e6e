import { type SQL, sql } from 'drizzle-orm'
import { eventSeries as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../access.ts'
import { caseFold } from '../filters/caseFold.ts'
import { fold } from '../filters/fold.ts'
import { choice, number, text as textFilter } from '../filters/scalar.ts'
import { instant, MICROSECONDS } from '../filters/temporal.ts'
import { canonicalUuid, uuid as uuidFilter } from '../filters/uuid.ts'
import { as, everywhere, type Fields, field, type JoinedRowOf, type RecordOf, type RowOf, single } from './field.ts'
import { accessForm, iso, nullable, plain } from './forms.ts'
import * as kinds from './kinds.ts'
import { named } from './names.ts'
import { emptyAs, MAX_NAME, as as read } from './readers.ts'
import { INTEGER, orNull, STRING, UUID } from './schema.ts'
import { EXTENT } from './seriesExtent.ts'
import { TYPE_OF_SERIES } from './seriesType.ts'

const text = plain<string>(STRING)
const integer = plain<number>(INTEGER)
const instantOf = iso(MICROSECONDS)

/** The schema of a colour: `#` and six hexadecimal digits. */
export const COLOR = { type: 'string', pattern: '^#[0-9A-Fa-f]{6}$' }
const ACCESS = { type: 'string', enum: Object.keys(ACCESS_LEVELS) }

/** The names of the series, for text filters. */
const name = { key: table.id, table, id: table.id, text: table.name, folded: table.nameFolded }

/** Checks that no series has this uuid. */
const NEW_UUID = {
  query: (values: string): SQL =>
    sql`SELECT given.value AS given, ${table.id} AS id FROM json_each(${values}) AS given JOIN ${table} ON ${table.uuid} = given.value`,
  message: () => 'Another series has this uuid. Leave it out to get a new one.',
  fresh: true,
} as const

/** The reason why no index covers these filters. */
const SHORT_TABLE = 'the table of series is short'

/** The fields of an event series. */
export const SERIES = {
  id: field({
    ...single('id', table.id),
    kind: kinds.positive('a positive integer'),
    on: { v3: null, v4: null, flat: null, ogc: null, tile: null, file: as('id', integer) },
    title: 'Id',
    filters: [named({ v3: 'id' }, number(table.id), { about: 'The id of the series', example: 5, rank: 1 })],
    order: { v3: 'id', v4: 'id', column: table.id },
  }),
  uuid: field({
    ...single('uuid', table.uuid),
    kind: kinds.uuid,
    on: {
      ...{ v3: null, v4: as('uuid', plain<string>(UUID)), flat: null, tile: null },
      ogc: as('uuid', plain<string>(UUID), {
        property: { kind: 'text', column: table.uuid, canonical: canonicalUuid },
      }),
      file: as('uuid', text),
    },
    title: 'Uuid',
    filters: [
      named('uuid', uuidFilter(table.uuid), {
        about: 'The uuid of the series',
        example: '99fe5d03-893d-5b20-8244-b9189db33e37',
      }),
    ],
    body: {
      schema: { ...orNull(UUID), description: 'Without a value, the series gets a new uuid.' },
      once: true,
      lookup: NEW_UUID,
    },
  }),
  name: field({
    ...single('name', table.name),
    kind: kinds.text('a text'),
    also: {
      columns: { nameFolded: table.nameFolded, nameCaseFolded: table.nameCaseFolded },
      of: (value) => ({ nameFolded: fold(value), nameCaseFolded: caseFold(value) }),
    },
    on: {
      ...{ ...everywhere('name', text), tile: null },
      ogc: as('name', text, { property: { kind: 'text', column: table.name, caseFolded: table.nameCaseFolded } }),
    },
    title: 'Name',
    filters: [named('name', textFilter(name), { about: 'The name of the series', example: 'Zomertijd Nederland' })],
    order: { v3: 'name', v4: 'name', column: table.name },
    body: { most: MAX_NAME, schema: { ...STRING, maxLength: MAX_NAME }, required: true },
  }),
  description: field({
    ...single('description', table.description),
    kind: kinds.text('a text, which may be empty'),
    otherwise: '',
    on: { ...everywhere('description', text), tile: null },
    title: 'Description',
    body: { schema: orNull(STRING) },
  }),
  ...TYPE_OF_SERIES,
  statistic: field({
    ...single('statistic', table.statistic),
    kind: kinds.text('a text, such as "raw"'),
    otherwise: 'raw',
    on: { ...everywhere('statistic', text), ogc: as('statistic', text, { rank: 1 }), tile: null },
    title: 'Statistic',
    body: { schema: orNull(STRING) },
  }),
  color: field({
    ...single('color', table.color),
    kind: kinds.color,
    on: {
      ...everywhere('color', plain<string>(COLOR)),
      ...{ ogc: as('color', text, { rank: 1 }), tile: null, file: as('color', text) },
    },
    title: 'Colour',
    body: { read: emptyAs(null, read(kinds.color)), schema: orNull(COLOR) },
  }),
  ...EXTENT,
  access_modifier: field({
    ...single('accessModifier', table.accessModifier),
    kind: kinds.accessLevel,
    on: {
      ...{ v3: null, flat: null, tile: null, v4: as('access_modifier', accessForm(ACCESS)) },
      ogc: as('access_modifier', accessForm(STRING), { rank: 1, property: null }),
      file: as('access_modifier', accessForm(STRING)),
    },
    title: 'Access level',
    filters: [
      named({ v4: 'access_modifier' }, choice(table.accessModifier, ACCESS_LEVELS), {
        about: 'The access level of the series, as a name or its number,',
        example: 'Public',
        unindexed: SHORT_TABLE,
      }),
    ],
    body: {
      schema: { ...orNull(ACCESS), enum: [...ACCESS.enum, null] },
      stays: true,
    },
  }),
  created: field({
    ...single('created', table.created),
    kind: kinds.microseconds,
    on: {
      ...{ v3: null, flat: null, tile: null, v4: as('created', instantOf, { rank: 1 }) },
      ogc: as('created', instantOf, { rank: 1, title: 'Made' }),
      file: as('created', instantOf),
    },
    title: 'Created',
    filters: [
      named({ v4: 'created' }, instant(table.created, MICROSECONDS), {
        about: 'The time at which the series was created',
        example: '2022-09-01T09:20:06Z',
        unindexed: SHORT_TABLE,
      }),
    ],
    order: { v3: 'created', v4: 'created', column: table.created },
  }),
  last_modified: field({
    ...single('lastModified', table.lastModified),
    kind: kinds.nullable(kinds.microseconds),
    otherwise: null,
    on: {
      ...{ v3: null, flat: null, tile: null, v4: as('last_modified', nullable(instantOf)) },
      ogc: as('last_modified', nullable(instantOf), { rank: 1 }),
      file: as('last_modified', nullable(instantOf)),
    },
    title: 'Last changed',
    filters: [
      named({ v4: 'last_modified' }, instant(table.lastModified, MICROSECONDS), {
        about: 'The time of the last change of the series',
        example: '2018-02-07T01:42:00Z',
        unindexed: SHORT_TABLE,
      }),
    ],
    order: { v3: 'last_modified', v4: 'last_modified', column: table.lastModified },
  }),
} satisfies Fields

/** A series. `created` and `last_modified` are in microseconds since 1970. `access_modifier` is a number. */
export type SeriesRecord = { readonly kind: 'event_series' } & RecordOf<typeof SERIES>
export type SeriesRow = RowOf<typeof SERIES>
export type JoinedSeriesRow = JoinedRowOf<typeof SERIES>
