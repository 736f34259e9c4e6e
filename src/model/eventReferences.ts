import { ACCESS_LEVELS } from '../base/access.ts'
import { valueError } from '../base/errors.ts'
import { INTEGER, orNull, record, ref, STRING, UUID } from '../base/schema.ts'
import { bare } from '../filters/filter.ts'
import { number, parseInteger } from '../filters/numbers.ts'
import {
  canonicalUuid,
  choice,
  isText,
  reference,
  referenceOrName,
  uuidPrefixes,
  wholeText,
} from '../filters/references.ts'
import { text } from '../filters/text.ts'
import { oneOf } from '../question/condition.ts'
import { type BodyField, emptyAs } from './body.ts'
import { type Fields, named, ordered } from './field.ts'
import * as kinds from './kinds.ts'
import type { EventRow, ObjectReference } from './types.ts'

const UUID_PROPERTY = { field: 'series_uuid', canonical: canonicalUuid } as const
const BY_UUID = { name: 'event_series', schema: UUID, part: 'series_uuid' } as const
const NAMED = [{ name: 'event_series_name', schema: STRING, part: 'series_name' }] as const
const NAME = {
  told: { title: ['Name of the series', 'Naam van de reeks'], group: 'what' },
  about: 'The name of the series of the event',
  example: 'Atlantic storms 2010-2020',
} as const

const seriesId = kinds.positive('the id of an event series')

/** The id of a series, or its full uuid. */
export const seriesReference: kinds.Kind<number | string> = {
  schema: { anyOf: [INTEGER, UUID], description: 'The id or the uuid of the series.' },
  expected: 'the id of an event series, such as 1, or its full uuid',
  read: (value) => seriesId.read(value) ?? kinds.uuid.read(value),
}

/** The series of an event, with its name and colour. */
export const OWNER = {
  series: {
    told: { title: ['Series', 'Reeks'], group: 'more', column: 3, order: 'event_series__name' },
    kind: { ...seriesId, sent: seriesReference },
    on: {
      v3: 'event_series',
      flat: [BY_UUID],
      ogc: [{ ...BY_UUID, property: UUID_PROPERTY }],
      tile: [BY_UUID],
      file: 'series',
    },
    filters: [
      named({ v3: 'event_series' }, uuidPrefixes('series_uuid', 'event_series__id'), {
        about: 'The uuid of the series of the event',
        example: ['99fe5d0'],
        rank: 1,
      }),
      named({ v3: 'event_series__id' }, reference('series'), {
        told: { title: ['Number of the series', 'Nummer van de reeks'] },
        about: 'The id of the series of the event, as events show it,',
        example: 5,
        rank: 1,
      }),
      named({ v3: 'event_series__name' }, text('series_name', 'iexact'), { ...NAME, rank: 1 }),
      named(
        { v3: 'event_series__observation_type' },
        referenceOrName('series_observation_type', 'series_observation_type_code'),
        {
          told: { title: ['Observation type', 'Soort waarneming'], group: 'what' },
          about: 'The observation type of the series of the event, as its id or its code,',
          example: 'wind_speed',
          rank: 1,
        },
      ),
      named({ v3: 'event_series__access_modifier' }, choice('series_access_modifier', ACCESS_LEVELS), {
        told: { title: ['Access to the series', 'Toegang tot de reeks'] },
        about: 'The access level of the series of the event, as a name or its number,',
        example: 'Public',
        rank: 1,
      }),
      named({ ogc: 'event_series_name' }, wholeText('series_name'), { ...NAME, rank: 7 }),
    ],
    orders: [ordered('event_series__name', 'series_name')],
    body: {
      path: 'properties.event_series',
      required: true,
      lookup: {
        rows: 'seriesByIdOrUuid',
        message: (id) => `There is no event series ${id}. The series are listed at /api/v4/eventseries/.`,
      },
    },
    usual: ['event_series', 'series'],
  },
  series_name: {
    told: { title: ['Name of the series', 'Naam van de reeks'] },
    parts: [],
    on: { flat: NAMED, ogc: NAMED },
  },
  series_color: {
    told: { title: ['Colour of the series', 'Kleur van de reeks'] },
    parts: [],
    on: { tile: [{ name: 'color', schema: STRING, part: 'series_color' }] },
  },
} satisfies Fields

/** Filters by `<model>$<object_id>`, split at the first `$` (SPEC 4.1). */
const object = bare('object', { type: 'string', pattern: '^[^$]+[$]-?\\d+$' }, (value) => {
  const [, given, id] = /^([^$]+)\$(.*)$/s.exec(value) ?? []
  if (given === undefined || id === undefined) throw valueError(['object'])
  const number = parseInteger(id)
  return [oneOf('object_id', [number]), isText('object_type', [given])]
})

/** The schema of a model in a body. */
const MODEL = { ...STRING, maxLength: kinds.MAX_NAME, pattern: '^[a-z0-9_]+$' }
const { read: readText } = kinds.text('', kinds.MAX_NAME)

const readObject = (value: unknown): ObjectReference | undefined => {
  const { model, id, ...others } = kinds.isObject(value) ? value : {}
  const isReference = typeof model === 'string' && /^[a-z0-9_]+$/.test(model) && Number.isSafeInteger(id)
  if (!isReference || Object.keys(others).length > 0 || readText(model) === undefined) return undefined
  return { model, id: Number(id) }
}

/** Files name the model of an object `model`. Answers and bodies name it `type`. */
const objectKind: kinds.Kind<ObjectReference> = {
  schema: ref('ObjectReference'),
  write: ({ model: type, id }: ObjectReference) => ({ type, id }),
  expected: 'a model of a-z, 0-9, _ and an integer id, such as {"model": "storm", "id": 12}',
  read: readObject,
  sent: {
    schema: record({ type: MODEL, id: INTEGER }),
    expected: 'a model of a-z, 0-9, _ and an integer id, such as {"type": "storm", "id": 12}',
    read: (value) =>
      readObject(
        kinds.isObject(value) && Object.keys(value).length === 2 ? { model: value.type, id: value.id } : value,
      ),
  },
}

/** The object as two members, for programs that read tables. */
const PARTS = [
  { name: 'object_type', schema: STRING, part: 'object_type', nullable: true, title: 'Model of the object' },
  { name: 'object_id', schema: INTEGER, part: 'object_id', nullable: true, title: 'Id of the object' },
] as const

const TYPE = {
  told: { title: ['Kind of object', 'Soort object'], group: 'what' },
  about: "The model of the event's object",
  example: 'storm',
} as const

/** The object that an event happened to. */
export const OBJECT = {
  object: {
    told: { title: ['Object', 'Object'], group: 'more', column: 2, order: 'object_id', display: 'object' },
    parts: ['object_type', 'object_id'],
    kind: kinds.nullable(objectKind),
    get: ({ object_type: model, object_id: id }: EventRow) => (model === null || id === null ? null : { model, id }),
    put: (value: ObjectReference | null) => ({ object_type: value?.model ?? null, object_id: value?.id ?? null }),
    otherwise: null,
    on: {
      v3: 'object',
      v4: [{ name: 'object', rank: 2 }],
      flat: PARTS,
      ogc: PARTS,
      file: [{ name: 'object', write: (value) => value }],
    },
    filters: [
      named({ v3: 'object_type__model' }, text('object_type'), TYPE),
      named({ v3: 'object_id' }, number('object_id'), {
        told: { title: ['Number of the object', 'Nummer van het object'] },
        about: "The id of the event's object",
        example: 371,
      }),
      named({ v3: 'object' }, object, { about: "The event's object, as <model>$<id>,", example: 'storm$371' }),
      named({ ogc: 'object_type' }, wholeText('object_type'), { ...TYPE, rank: 6 }),
    ],
    orders: [ordered('object_id')],
    body: {},
  },
} satisfies Fields

/** The members of a body that give the two parts of an object. PUT clears them through `object`. */
export const OBJECT_MEMBERS: Readonly<Record<string, BodyField>> = {
  'properties.object_type': {
    to: 'model',
    read: emptyAs(null, {
      expected: 'a model of a-z, 0-9, _, such as "storm", or null',
      read: (value) => readObject({ model: value, id: 1 })?.model,
    }),
    // The empty text clears the member.
    schema: { ...orNull(MODEL), pattern: '^[a-z0-9_]*$' },
    stays: true,
  },
  'properties.object_id': {
    to: 'object_id',
    read: emptyAs(null, {
      expected: 'an integer, such as 12, or null',
      read: (value) => readObject({ model: 'any', id: value })?.id,
    }),
    schema: orNull(INTEGER),
    stays: true,
  },
}
