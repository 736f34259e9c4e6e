import { type SQL, sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** How many events there are, by the access modifier of their series: kept exact in the batch of every write. */
const kept = () => ({
  public: integer().notNull().default(0),
  common: integer().notNull().default(0),
  private: integer().notNull().default(0),
  hidden: integer().notNull().default(0),
})

/** What is observed: the kind of value that the events of a series carry. */
export const observationTypes = sqliteTable('observation_type', {
  id: integer().primaryKey(),
  code: text().notNull(),
  name: text().notNull(),
  unit: text(),
})

/** A group of events with one access modifier. Everything from `eventCount` on is derived from its events. */
export const eventSeries = sqliteTable(
  'event_series',
  {
    id: integer().primaryKey(),
    /** Lower case, with hyphens. */
    uuid: text().notNull().unique(),
    name: text().notNull(),
    nameFolded: text('name_folded').notNull(),
    /** The name as CASEI compares it (src/filters/caseFold.ts). */
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
    eventCount: integer('event_count').notNull().default(0),
    /** Milliseconds since 1970: the least start and the greatest end. */
    start: integer(),
    end: integer(),
    west: real(),
    east: real(),
    south: real(),
    north: real(),
  },
  (t) => [
    index('event_series_name').on(t.name),
    index('event_series_name_folded').on(t.nameFolded),
    index('event_series_name_case_folded').on(t.nameCaseFolded),
  ],
)

/** The texts of `event.category`, each once, folded as the lists compare it and as CASEI does. */
export const categories = sqliteTable(
  'category',
  {
    id: integer().primaryKey(),
    text: text().notNull().unique(),
    folded: text().notNull(),
    caseFolded: text('case_folded').notNull().default(''),
    ...kept(),
  },
  (t) => [index('category_folded').on(t.folded), index('category_case_folded').on(t.caseFolded)],
)

/** The names of the models that objects of events belong to, each once. */
export const objectModels = sqliteTable(
  'object_model',
  {
    id: integer().primaryKey(),
    text: text().notNull().unique(),
    folded: text().notNull(),
    caseFolded: text('case_folded').notNull().default(''),
    ...kept(),
  },
  (t) => [index('object_model_folded').on(t.folded), index('object_model_case_folded').on(t.caseFolded)],
)

/** The classes of durations: a duration of class k is less than 2^k milliseconds; the last class has no end. */
export const DURATION_CLASSES = [16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40, 54] as const

/** The class of a duration, in SQL. Comparisons of integers, as an index must hold the same on every machine. */
const classOf = (duration: string): SQL => {
  const cases = DURATION_CLASSES.slice(0, -1).map((bits) => `WHEN ${duration} < ${2 ** bits} THEN ${bits}`)
  return sql.raw(`(CASE ${cases.join(' ')} ELSE ${DURATION_CLASSES.at(-1)} END)`)
}

/** The class of an event's duration: what the index event_of_class is entered with. No column, which would not be covered. */
export const durationClass = classOf('"event"."end" - "event"."start"')

/** Something that happened at a place (x, y, z null when unknown) from start to end (milliseconds since 1970). */
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
    start: integer().notNull(),
    end: integer().notNull(),
    duration: integer().generatedAlwaysAs(sql`"end" - "start"`, { mode: 'virtual' }),
    x: real(),
    y: real(),
    z: real(),
    /** The quadtree cell of (x, y), see src/geometry/cell.ts: the prefilter of geom_within. */
    cell: integer(),
    objectModelId: integer('object_model_id').references(() => objectModels.id),
    objectId: integer('object_id'),
    /** Microseconds since 1970: when it was stored as it is. Of what is stored later it is greater. */
    lastModified: integer('last_modified').notNull().default(0),
    /** What its source calls it: of one series no two events have the same. */
    externalId: text('external_id'),
  },
  (t) => [
    // In the order of the id, or of a time and then the id: a page is read from these without sorting.
    index('event_by_series').on(t.eventSeriesId),
    index('event_by_category').on(t.categoryId),
    index('event_by_object_model').on(t.objectModelId).where(sql`"object_model_id" IS NOT NULL`),
    index('event_by_start').on(t.start),
    index('event_by_end').on(t.end),
    index('event_by_duration').on(t.duration),
    index('event_by_last_modified').on(t.lastModified),
    uniqueIndex('event_by_external_id').on(t.externalId, t.eventSeriesId).where(sql`"external_id" IS NOT NULL`),
    // With all columns that filters ask for: counting, testing and sorting take place in these.
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
 * How many events there are in each node of the trees of schema/counts.ts: the events whose value, shifted right by
 * `shift` bits, is `node`.
 */
export const eventCounts = sqliteTable(
  'event_count',
  {
    tree: text({ enum: ['id', 'cell', 'start', 'end', 'class'] }).notNull(),
    shift: integer().notNull(),
    node: integer().notNull(),
    /** The least value of the node: nodes of all sizes within a range of values stand side by side by it. */
    first: integer().generatedAlwaysAs(sql`node << shift`, { mode: 'virtual' }),
    ...kept(),
  },
  (t) => [primaryKey({ columns: [t.tree, t.shift, t.node] }), index('event_count_by_first').on(t.tree, t.first)],
)

/** One row: a number raised in the same batch as every write, and when that was, in milliseconds since 1970. */
export const revisions = sqliteTable('revision', {
  id: integer().primaryKey(),
  revision: integer().notNull(),
  changed: integer().notNull().default(0),
})

/**
 * The greatest number that was given to a row of a table: no number is given twice, also when its row is deleted. And the
 * last stamp of a write of events, `event_modified`, in microseconds since 1970.
 */
export const sequences = sqliteTable('sequence', {
  name: text().primaryKey(),
  last: integer().notNull(),
})

/** Posts under an Idempotency-Key, kept for a day, and what was answered: a repeat is answered the same. */
export const idempotencyKeys = sqliteTable(
  'idempotency_key',
  {
    /** SHA-256 of the caller and the key. */
    id: text().primaryKey(),
    /** SHA-256 of what was posted, and where. */
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
 * How far files without ids are loaded, by the SHA-256 of a file and of how it is read: its first so many records are
 * stored, or left out for good. Raised in the batch that stores them, so that loading it again goes on from there.
 */
export const loads = sqliteTable('load_progress', {
  digest: text().primaryKey(),
  passed: integer().notNull(),
})

/** The indexes that stand aside while very much is loaded, see seed/load/indexes.ts; empty at all other times. */
export const suspendedIndexes = sqliteTable('suspended_index', {
  name: text().primaryKey(),
  definition: text().notNull(),
})
