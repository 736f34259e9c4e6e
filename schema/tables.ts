import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { NOWHERE } from '../src/geometry/cell.ts'
import { classOf } from './durations.ts'

/**
 * Returns columns with the number of events, by the access modifier of their series. The batch of every write updates
 * them, so they are exact.
 */
const countColumns = () => ({
  public: integer().notNull().default(0),
  common: integer().notNull().default(0),
  private: integer().notNull().default(0),
  hidden: integer().notNull().default(0),
})

/** The type of the values that the events of a series have. */
export const observationTypes = sqliteTable('observation_type', {
  id: integer().primaryKey(),
  code: text().notNull(),
  name: text().notNull(),
  unit: text(),
})

/** A group of events with one access modifier. The columns from `eventCount` on are derived from its events. */
export const eventSeries = sqliteTable(
  'event_series',
  {
    id: integer().primaryKey(),
    /** The uuid in lower case with hyphens. */
    uuid: text().notNull().unique(),
    name: text().notNull(),
    nameFolded: text('name_folded').notNull(),
    /** The name in the folding of CASEI (src/filters/fold.ts). */
    nameCaseFolded: text('name_case_folded').notNull().default(''),
    description: text().notNull(),
    observationTypeId: integer('observation_type_id')
      .notNull()
      .references(() => observationTypes.id),
    statistic: text().notNull(),
    color: text().notNull(),
    /** Public 0, Common 100, Private 200, Hidden 300. */
    accessModifier: integer('access_modifier').notNull(),
    /** Microseconds since 1970. */
    created: integer().notNull(),
    lastModified: integer('last_modified'),
    /** Every write of the series or its events raises `revision`. `changed` is its time, in milliseconds since 1970. */
    revision: integer().notNull().default(0),
    changed: integer().notNull().default(0),
    eventCount: integer('event_count').notNull().default(0),
    /** The least start and the greatest end, in milliseconds since 1970. Null without events. */
    start: integer(),
    end: integer(),
    west: real(),
    east: real(),
    south: real(),
    north: real(),
    /** Its description (src/model/metadata.ts). Null before its first event. */
    metadata: text(),
  },
  (t) => [
    index('event_series_name').on(t.name),
    index('event_series_name_folded').on(t.nameFolded),
    index('event_series_name_case_folded').on(t.nameCaseFolded),
  ],
)

/** Declares a table with different texts. The lookups of the lists use `folded`, and CASEI uses `caseFolded`. */
const texts = <const N extends string>(name: N) =>
  sqliteTable(
    name,
    {
      id: integer().primaryKey(),
      text: text().notNull().unique(),
      folded: text().notNull(),
      caseFolded: text('case_folded').notNull().default(''),
      ...countColumns(),
    },
    (t) => [index(`${name}_folded`).on(t.folded), index(`${name}_case_folded`).on(t.caseFolded)],
  )

/** The texts of the categories of events, and of the models of their objects. */
export const [categories, objectModels] = [texts('category'), texts('object_model')]

/** An event at a place, from start to end in milliseconds since 1970. x, y and z are null if the place is unknown. */
export const events = sqliteTable(
  'event',
  {
    id: integer().primaryKey(),
    eventSeriesId: integer('event_series_id')
      .notNull()
      .references(() => eventSeries.id),
    categoryId: integer('category_id')
      .notNull()
      .references(() => categories.id),
    value: text().notNull(),
    /** The number at the beginning of the value (src/filters/numbers.ts). Null without a number. */
    valueNumber: real('value_number'),
    start: integer().notNull(),
    end: integer().notNull(),
    duration: integer().generatedAlwaysAs(sql`"end" - "start"`, { mode: 'virtual' }),
    x: real(),
    y: real(),
    z: real(),
    /**
     * The number of the finest quadtree cell of (x, y), see src/geometry/cell.ts. It preselects events in an area. It is -1
     * if the place is unknown.
     */
    cell: integer().notNull().default(NOWHERE),
    objectModelId: integer('object_model_id').references(() => objectModels.id),
    objectId: integer('object_id'),
    /** The time of the last write of the event, in microseconds since 1970. A later write has a greater value. */
    lastModified: integer('last_modified').notNull().default(0),
    /** The id of the event at its source. It is unique within a series. */
    externalId: text('external_id'),
    /** The event's own attributes, a JSON object as src/model/attributes.ts writes it. Null without attributes. */
    attributes: text(),
  },
  (t) => [
    // These indexes have the order of the id, or of a time and then the id. A page is read from them without sorting.
    index('event_by_series').on(t.eventSeriesId),
    index('event_by_category').on(t.categoryId),
    index('event_by_object_model').on(t.objectModelId).where(sql`"object_model_id" IS NOT NULL`),
    index('event_by_start').on(t.start),
    index('event_by_end').on(t.end),
    index('event_by_duration').on(t.duration),
    index('event_by_last_modified').on(t.lastModified),
    // It has the series, so that a wide range is counted without reading the table.
    index('event_by_value_number').on(t.valueNumber, t.id, t.eventSeriesId).where(sql`"value_number" IS NOT NULL`),
    uniqueIndex('event_by_external_id').on(t.externalId, t.eventSeriesId).where(sql`"external_id" IS NOT NULL`),
    // These indexes have all columns that filters use. They are enough to count, to test and to sort.
    index('event_of_series').on(t.eventSeriesId, t.start, t.end, t.categoryId, t.objectModelId, t.objectId, t.x, t.y),
    index('event_of_category').on(t.categoryId, t.start, t.end, t.eventSeriesId, t.objectModelId, t.objectId, t.x, t.y),
    index('event_of_object')
      .on(t.objectModelId, t.objectId, t.start, t.end, t.eventSeriesId, t.categoryId, t.x, t.y)
      .where(sql`"object_model_id" IS NOT NULL`),
    index('event_of_class').on(
      classOf('"end" - "start"'),
      ...([t.start, t.end, t.eventSeriesId, t.categoryId, t.objectModelId, t.objectId, t.x, t.y] as const),
    ),
    index('event_of_cell').on(
      ...([t.cell, t.x, t.y, t.start, t.end, t.eventSeriesId, t.categoryId, t.objectModelId, t.objectId] as const),
    ),
  ],
)

/**
 * The number of events in each node of the trees of schema/trees.ts. An event belongs to a node if its value, shifted
 * right by `shift` bits, is `node`.
 */
export const eventCounts = sqliteTable(
  'event_count',
  {
    tree: text({ enum: ['id', 'cell', 'start', 'end', 'duration'] }).notNull(),
    shift: integer().notNull(),
    node: integer().notNull(),
    ...countColumns(),
  },
  (t) => [primaryKey({ columns: [t.tree, t.shift, t.node] })],
)

/**
 * One row. The batch of every write raises the revision of each access level whose callers can see the write. `changed`
 * is the time of the last such write, in milliseconds since 1970. `revision` and `changed` belong to the level Hidden,
 * which sees all writes.
 */
export const revisions = sqliteTable('revision', {
  id: integer().primaryKey(),
  publicRevision: integer('public_revision').notNull().default(0),
  publicChanged: integer('public_changed').notNull().default(0),
  commonRevision: integer('common_revision').notNull().default(0),
  commonChanged: integer('common_changed').notNull().default(0),
  privateRevision: integer('private_revision').notNull().default(0),
  privateChanged: integer('private_changed').notNull().default(0),
  revision: integer().notNull(),
  changed: integer().notNull().default(0),
})

/**
 * The greatest id that was given to a row of a table. No id is given twice, even after its row is deleted. The row
 * `event_modified` has the last stamp of a write of events, in microseconds since 1970.
 */
export const sequences = sqliteTable('sequence', {
  name: text().primaryKey(),
  last: integer().notNull(),
})

/**
 * Deleted and moved events, and the writes of series and types. The batch of a write adds its rows. A changed event has no
 * row, because its `last_modified` shows the change.
 */
export const changes = sqliteTable(
  'change',
  {
    /** The stamp of the write, in microseconds since 1970. */
    stamp: integer().notNull(),
    /** An observation type 0, a series 1, or an event 3 that left its series. Stored events have 2 in this order. */
    kind: integer().notNull(),
    id: integer().notNull(),
    /** The uuid of a series. An event has the uuid of its series before the write. Null for a type. */
    series: text(),
    /** The access modifier of the series before the write. A new series has its first one. */
    level: integer(),
    /** The id of the series that a moved event went to. Null: it is deleted. */
    movedTo: integer('moved_to'),
    externalId: text('external_id'),
  },
  (t) => [primaryKey({ columns: [t.stamp, t.kind, t.id] })],
)

/**
 * One row. `key` seals the marks of copies. A new key ends all earlier marks, for example after a restore. The table of
 * changes may lack changes up to the stamp `complete`.
 */
export const markRules = sqliteTable('mark_rule', {
  id: integer().primaryKey(),
  key: text().notNull(),
  complete: integer().notNull().default(0),
})

/** The fault of a write to a copy. */
export const IS_COPY = 'this database is a copy: write to the service that it follows'

/** One row if the database is a copy of a service, which `npm run follow` keeps. It has the mark of the copy. */
export const followed = sqliteTable('followed', {
  id: integer().primaryKey(),
  source: text().notNull(),
  mark: text().notNull(),
})

/** The POSTs with an Idempotency-Key and their answers, for a day. A repeated POST gets the same answer. */
export const idempotencyKeys = sqliteTable(
  'idempotency_key',
  {
    /** SHA-256 of the caller and the key. */
    id: text().primaryKey(),
    /** SHA-256 of the body and the address. */
    request: text().notNull(),
    status: integer().notNull().default(201),
    location: text(),
    body: text().notNull(),
    /** Milliseconds since 1970. */
    created: integer().notNull(),
  },
  (t) => [index('idempotency_key_by_created').on(t.created)],
)

/**
 * The progress of loading files without ids. `digest` is the SHA-256 of a file and of the way to read it. The first
 * `passed` records of the file are stored, or skipped for good. The batch that stores records raises it, so a repeated
 * load continues there.
 */
export const loads = sqliteTable('load_progress', {
  digest: text().primaryKey(),
  passed: integer().notNull(),
})

/** The indexes that are dropped during a very large load, see seed/load/indexes.ts. Otherwise it is empty. */
export const suspendedIndexes = sqliteTable('suspended_index', {
  name: text().primaryKey(),
  definition: text().notNull(),
})
