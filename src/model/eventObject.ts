import { sql } from 'drizzle-orm'
import { events as table } from '../../schema/tables.ts'
import { ValueError } from '../errors.ts'
import { bare, integerOf, number, text, wholeText } from '../filters/scalar.ts'
import { model } from './dictionaries.ts'
import { as, type Form, field, type LargeFields, type Member } from './field.ts'
import { nullable, plain } from './forms.ts'
import * as kinds from './kinds.ts'
import { named } from './names.ts'
import { emptyAs, MAX_NAME, objectReference } from './readers.ts'
import { INTEGER, orNull, record, ref, STRING } from './schema.ts'

/** The schema of a model in a body. */
export const MODEL = { ...STRING, maxLength: MAX_NAME, pattern: '^[a-z0-9_]+$' }

/** Filters by `<model>$<object_id>`, split at the first `$` (SPEC 4.1). */
const object = bare('object', { type: 'string', pattern: '^[^$]+[$]-?\\d+$' }, (value) => {
  const [, given, id] = /^([^$]+)\$(.*)$/s.exec(value) ?? []
  if (given === undefined || id === undefined) throw new ValueError('Enter <model>$<object_id>, such as airport$986.')
  const number = integerOf(id)
  return [
    { kind: 'span', column: table.objectId, extent: [number, number] },
    { kind: 'entries', dictionary: model, match: sql`${model.text} = ${given}`, namesFewRows: true },
  ]
})

/** The object as v3 and v4 show it. */
const reference: Form<kinds.ObjectReference | null> = nullable({
  schema: ref('ObjectReference'),
  write: ({ model: type, id }) => ({ type, id }),
})

/** The object as two members, for programs that read tables. */
const objectParts: readonly Member<unknown, { readonly model: string | null; readonly objectId: number | null }>[] = [
  {
    ...{ name: 'object_type', schema: STRING, nullable: true, title: 'Model of the object' },
    write: (_, row) => row.model,
    property: { kind: 'text', column: model.text, caseFolded: model.caseFolded, dictionary: model },
  },
  {
    ...{ name: 'object_id', schema: INTEGER, nullable: true, title: 'Id of the object' },
    write: (_, row) => row.objectId,
    property: { kind: 'integer', column: table.objectId },
  },
]

const TYPE = { about: "The model of the event's object", example: 'storm' }

/** The object that an event happened to. */
export const OBJECT = {
  object: field({
    columns: { model, objectId: table.objectId },
    kind: kinds.nullable(kinds.objectReference),
    get: (row) => (row.model === null || row.objectId === null ? null : { model: row.model, id: row.objectId }),
    put: (value) => ({ model: value?.model ?? null, objectId: value?.id ?? null }),
    otherwise: null,
    on: {
      v3: as('object', reference),
      v4: as('object', reference, { rank: 2 }),
      flat: objectParts,
      ogc: objectParts,
      tile: null,
      file: as('object', nullable(plain({}))),
    },
    title: 'Object',
    filters: [
      named({ v3: 'object_type__model' }, text(model), TYPE),
      named({ v3: 'object_id' }, number(table.objectId), { about: "The id of the event's object", example: 371 }),
      named({ v3: 'object' }, object, { about: "The event's object, as <model>$<id>,", example: 'storm$371' }),
      named({ ogc: 'object_type' }, wholeText(model), { ...TYPE, rank: 6 }),
    ],
    body: {
      read: emptyAs(null, objectReference),
      schema: orNull(record({ type: MODEL, id: INTEGER })),
      ...{ most: MAX_NAME, text: 'object.model' },
    },
  }),
} satisfies LargeFields
