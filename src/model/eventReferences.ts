import { eventSeries, observationTypes, events as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../access.ts'
import { valueError } from '../errors.ts'
import { bare, oneOf } from '../filters/filter.ts'
import { number, parseInteger } from '../filters/numbers.ts'
import {
  canonicalUuid,
  choice,
  reference,
  referenceOrName,
  uuidPrefixes,
  wholeText,
  withText,
} from '../filters/references.ts'
import { text } from '../filters/text.ts'
import type { BodyField } from './body.ts'
import { as, borrowed, columnMember, integer, NOWHERE, named, nullable, ordered, plain, single } from './declare.ts'
import { model, namedSeries, series } from './dictionaries.ts'
import type { Fields } from './field.ts'
import * as kinds from './kinds.ts'
import { emptyAs, objectId, objectModel, objectOrNull, as as read, seriesReference } from './readers.ts'
import { INTEGER, orNull, record, ref, STRING, UUID } from './schema.ts'

const UUID_PROPERTY = { kind: 'text', column: eventSeries.uuid, dictionary: series, canonical: canonicalUuid } as const
const NAME = {
  told: { title: ['Name of the series', 'Naam van de reeks'], group: 'what' },
  about: 'The name of the series of the event',
  example: 'Atlantic storms 2010-2020',
} as const

const TYPES = { id: observationTypes.id, table: observationTypes, text: observationTypes.code }

/** The series of an event, with its name and colour. */
export const OWNER = {
  series: {
    ...single('series', table.eventSeriesId),
    joined: { uuid: eventSeries.uuid },
    kind: kinds.positive('the id of an event series'),
    on: {
      v3: as('event_series', integer),
      v4: null,
      flat: [columnMember('event_series', UUID, 'uuid')],
      ogc: [columnMember('event_series', UUID, 'uuid', { property: UUID_PROPERTY })],
      tile: [columnMember('event_series', UUID, 'uuid')],
      file: as('series', integer),
    },
    told: { title: ['Series', 'Reeks'], group: 'more', column: 2, order: 'event_series__name' },
    filters: [
      named({ v3: 'event_series' }, uuidPrefixes(series, eventSeries.uuid, 'event_series__id'), {
        about: 'The uuid of the series of the event',
        example: ['99fe5d0'],
        rank: 1,
      }),
      named({ v3: 'event_series__id' }, reference(series), {
        told: { title: ['Number of the series', 'Nummer van de reeks'] },
        about: 'The id of the series of the event, as events show it,',
        example: 5,
        rank: 1,
      }),
      named({ v3: 'event_series__name' }, text(series, 'iexact'), { ...NAME, rank: 1 }),
      named({ v3: 'event_series__observation_type' }, referenceOrName(series, eventSeries.observationTypeId, TYPES), {
        told: { title: ['Observation type', 'Soort waarneming'], group: 'what' },
        about: 'The observation type of the series of the event, as its id or its code,',
        example: 'wind_speed',
        rank: 1,
      }),
      named({ v3: 'event_series__access_modifier' }, choice(eventSeries.accessModifier, ACCESS_LEVELS, series), {
        told: { title: ['Access to the series', 'Toegang tot de reeks'] },
        about: 'The access level of the series of the event, as a name or its number,',
        example: 'Public',
        rank: 1,
      }),
      named({ ogc: 'event_series_name' }, wholeText(series), { ...NAME, rank: 7 }),
    ],
    orders: [ordered('event_series__name', series)],
    body: {
      kind: seriesReference,
      path: 'properties.event_series',
      schema: { anyOf: [INTEGER, UUID], description: 'The id or the uuid of the series.' },
      required: true,
      lookup: {
        query: namedSeries,
        message: (id) => `There is no event series ${id}. The series are listed at /api/v4/eventseries/.`,
      },
    },
    usual: ['event_series', 'series'],
  },
  series_name: {
    ...borrowed({ seriesName: series }),
    on: {
      ...NOWHERE,
      flat: [columnMember('event_series_name', STRING, 'seriesName')],
      ogc: [columnMember('event_series_name', STRING, 'seriesName')],
    },
    told: { title: ['Name of the series', 'Naam van de reeks'] },
  },
  series_color: {
    ...borrowed({ color: eventSeries.color }),
    on: { ...NOWHERE, tile: [columnMember('color', STRING, 'color')] },
    told: { title: ['Colour of the series', 'Kleur van de reeks'] },
  },
} satisfies Fields

/** The schema of a model in a body. */
const MODEL = { ...STRING, maxLength: kinds.MAX_NAME, pattern: '^[a-z0-9_]+$' }

/** Filters by `<model>$<object_id>`, split at the first `$` (SPEC 4.1). */
const object = bare('object', { type: 'string', pattern: '^[^$]+[$]-?\\d+$' }, (value) => {
  const [, given, id] = /^([^$]+)\$(.*)$/s.exec(value) ?? []
  if (given === undefined || id === undefined) throw valueError(['object'])
  const number = parseInteger(id)
  return [oneOf(table.objectId, [number]), withText(model, given)]
})

/** The object as v3 and v4 show it. */
const pair = nullable({
  schema: ref('ObjectReference'),
  write: ({ model: type, id }: kinds.ObjectReference) => ({ type, id }),
})

/** The object as two members, for programs that read tables. */
const parts = [
  columnMember('object_type', STRING, 'model', { nullable: true, title: 'Model of the object' }),
  columnMember('object_id', INTEGER, 'objectId', { nullable: true, title: 'Id of the object' }),
]

const TYPE = {
  told: { title: ['Kind of object', 'Soort object'], group: 'what' },
  about: "The model of the event's object",
  example: 'storm',
} as const

/** The object that an event happened to. */
export const OBJECT = {
  object: {
    columns: { model, objectId: table.objectId },
    kind: kinds.nullable(kinds.objectReference),
    get: (row: { readonly model: string | null; readonly objectId: number | null }) =>
      row.model === null || row.objectId === null ? null : { model: row.model, id: row.objectId },
    put: (value: kinds.ObjectReference | null) => ({ model: value?.model ?? null, objectId: value?.id ?? null }),
    otherwise: null,
    on: {
      v3: as('object', pair),
      v4: as('object', pair, { rank: 2 }),
      flat: parts,
      ogc: parts,
      tile: null,
      file: as('object', nullable(plain({}))),
    },
    told: { title: ['Object', 'Object'], group: 'more', column: 2, order: 'object_id', display: 'object' },
    filters: [
      named({ v3: 'object_type__model' }, text(model), TYPE),
      named({ v3: 'object_id' }, number(table.objectId), {
        told: { title: ['Number of the object', 'Nummer van het object'] },
        about: "The id of the event's object",
        example: 371,
      }),
      named({ v3: 'object' }, object, { about: "The event's object, as <model>$<id>,", example: 'storm$371' }),
      named({ ogc: 'object_type' }, wholeText(model), { ...TYPE, rank: 6 }),
    ],
    orders: [ordered('object_id', table.objectId)],
    body: {
      kind: objectOrNull,
      schema: orNull(record({ type: MODEL, id: INTEGER })),
    },
  },
} satisfies Fields

const STAYS = { stays: true } // PUT clears them through `object`

/** Returns the members of a body that give the two parts of an object. */
export const objectMembers = (prefix: string): Readonly<Record<string, BodyField>> => ({
  [`${prefix}object_type`]: {
    to: 'model',
    read: emptyAs(null, read(objectModel)),
    schema: orNull(MODEL),
    ...STAYS,
  },
  [`${prefix}object_id`]: { to: 'object_id', read: emptyAs(null, read(objectId)), schema: orNull(INTEGER), ...STAYS },
})
