import { lte, sql } from 'drizzle-orm'
import { eventSeries, events as table } from '../../schema/tables.ts'
import { reference, text, wholeText } from '../filters/scalar.ts'
import { canonicalUuid, uuidPrefixes } from '../filters/uuid.ts'
import { series } from './dictionaries.ts'
import { as, derivedField, field, type LargeFields, single } from './field.ts'
import { plain } from './forms.ts'
import * as kinds from './kinds.ts'
import { named } from './names.ts'
import { seriesReference } from './readers.ts'
import { INTEGER, STRING, UUID } from './schema.ts'

const integer = plain<number>(INTEGER)

const NAME = { about: 'The name of the series of the event', example: 'Atlantic storms 2010-2020' }

/** The series of an event, with its name and colour. */
export const OWNER = {
  series: field({
    ...single('series', table.eventSeriesId),
    joined: { uuid: eventSeries.uuid },
    kind: kinds.positive('the id of an event series'),
    on: {
      v3: as('event_series', integer),
      v4: null,
      flat: [{ name: 'event_series', schema: UUID, write: (_, { uuid }) => uuid }],
      ogc: [
        {
          name: 'event_series',
          schema: UUID,
          write: (_, { uuid }) => uuid,
          property: { kind: 'text', column: eventSeries.uuid, dictionary: series, canonical: canonicalUuid },
        },
      ],
      tile: [{ name: 'event_series', schema: UUID, write: (_, { uuid }) => uuid }],
      file: as('series', integer),
    },
    title: 'Series',
    filters: [
      named({ v3: 'event_series' }, uuidPrefixes(series, eventSeries.uuid, 'event_series__id'), {
        about: 'The uuid of the series of the event',
        example: ['99fe5d0'],
        rank: 1,
      }),
      named({ v3: 'event_series__id' }, reference(series), {
        about: 'The id of the series of the event, as events show it,',
        example: 5,
        rank: 1,
      }),
      named({ v3: 'event_series__name' }, text(series, 'iexact'), { ...NAME, rank: 1 }),
      named({ ogc: 'event_series_name' }, wholeText(series), { ...NAME, rank: 7 }),
    ],
    body: {
      read: seriesReference,
      path: 'properties.event_series',
      schema: { anyOf: [INTEGER, UUID], description: 'The id or the uuid of the series.' },
      required: true,
      lookup: {
        query: (values, level) => sql`SELECT given.value AS given, ${eventSeries.id} AS id
          FROM json_each(${values}) AS given CROSS JOIN ${eventSeries}
          ON ${eventSeries.id} = given.value OR ${eventSeries.uuid} = given.value
          WHERE ${lte(eventSeries.accessModifier, level)}`,
        message: (id) => `There is no event series ${id}. The series are listed at /api/v4/eventseries/.`,
      },
    },
    usual: ['event_series', 'series'],
  }),
  series_name: derivedField(
    {},
    () => null,
  )({
    joined: { seriesName: eventSeries.name },
    on: {
      ...{ v3: null, v4: null, tile: null, file: null },
      flat: [{ name: 'event_series_name', schema: STRING, write: (_, { seriesName }) => seriesName }],
      ogc: [
        {
          name: 'event_series_name',
          schema: STRING,
          write: (_, { seriesName }) => seriesName,
          property: { kind: 'text', column: series.text, caseFolded: eventSeries.nameCaseFolded, dictionary: series },
        },
      ],
    },
    title: 'Name of the series',
  }),
  series_color: derivedField(
    {},
    () => null,
  )({
    joined: { color: eventSeries.color },
    on: {
      ...{ v3: null, v4: null, flat: null, ogc: null, file: null },
      tile: [{ name: 'color', schema: STRING, write: (_, { color }) => color }],
    },
    title: 'Colour of the series',
  }),
} satisfies LargeFields
