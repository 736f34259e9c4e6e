import { type SQL, sql } from 'drizzle-orm'
import { nameOf } from '../../schema/sql.ts'
import { categories, eventSeries, events } from '../../schema/tables.ts'
import { EMPTY, MAX_FIELDS } from '../model/metadata.ts'

const { metadata } = eventSeries
/** The stored description of a new series. */
export const NEW = JSON.stringify(EMPTY)
const DESCRIBED = sql`json_each(${metadata}, '$.fields')`

/** The type of several values in SQL. `type` is the type of each. Null: there is none. */
const typeOfAll = (type: SQL): SQL => sql`CASE count(${type}) WHEN 0 THEN NULL ELSE CASE
  WHEN count(DISTINCT ${type}) = 1 THEN min(${type})
  WHEN sum(${type} NOT IN ('integer', 'number')) = 0 THEN 'number' ELSE 'string' END END`

/** GDAL reads integers of 32 bits. Longer ones are numbers, which it reads as doubles. */
const JSON_TYPE = sql`CASE member.type WHEN 'real' THEN 'number' WHEN 'integer' THEN
  iif(member.atom BETWEEN -2147483648 AND 2147483647, 'integer', 'number') WHEN 'text' THEN 'string'
  WHEN 'true' THEN 'boolean' WHEN 'false' THEN 'boolean' ELSE member.type END`

/** A value is a number if the whole text is one, as JSON writes it. An empty one has no type. */
const VALUE_TYPE = sql`CASE WHEN ${events.value} <> '' THEN CASE iif(json_valid(${events.value}), json_type(${events.value}), 'text')
  WHEN 'integer' THEN 'integer' WHEN 'real' THEN 'number' ELSE 'string' END END`

const isAny = (condition: SQL, type: string): SQL => sql`iif(max(${condition}), ${type}, NULL)`

/** The fields that all events can have, for each series. A field without a value is null. */
const ownOf = (source: SQL): SQL => sql`SELECT ${events.eventSeriesId} AS series, json_object(
    'value', ${typeOfAll(VALUE_TYPE)},
    'category', ${isAny(sql`${events.categoryId} NOT IN (SELECT ${categories.id} FROM ${categories} WHERE ${categories.text} = '')`, 'string')},
    'timestamp_start', 'datetime',
    'timestamp_end', ${isAny(sql`${events.end} > ${events.start}`, 'datetime')},
    'external_id', ${isAny(sql`${events.externalId} IS NOT NULL`, 'string')}) AS own
  FROM ${source} GROUP BY 1`

/** The fields of some events by series, with their types and places. Attributes follow the others. */
const fieldsOf = (source: SQL): SQL => sql`
  SELECT series, member.key AS name, member.value AS type, member.id AS place
    FROM (${ownOf(source)}) CROSS JOIN json_each(own) AS member WHERE member.value IS NOT NULL
  UNION ALL
  SELECT ${events.eventSeriesId}, 'attributes__' || member.key, ${typeOfAll(JSON_TYPE)}, 1000 + min(member.id)
    FROM ${source} CROSS JOIN json_each(${events.attributes}) AS member WHERE member.type <> 'null' GROUP BY 1, 2`

/** The type of a stored field after a write with another type. It only becomes wider. */
const WIDENED = sql`CASE
  WHEN found.type IS NULL OR old.value ->> 'type' IN (found.type, 'string', 'datetime', 'date') THEN old.value ->> 'type'
  WHEN old.value ->> 'type' IN ('integer', 'number') AND found.type IN ('integer', 'number') THEN 'number'
  ELSE 'string' END`

const FOUND = sql`found ON found.series = ${eventSeries.id} AND found.name = old.value ->> 'name'`
const IS_NEW = sql`found.series = ${eventSeries.id}
  AND found.name NOT IN (SELECT old.value ->> 'name' FROM ${DESCRIBED} AS old)`

/** A quick test, which most writes do not pass: a found field differs from all that are described. */
const DIFFERS = sql`EXISTS (SELECT name, type FROM found WHERE series = ${eventSeries.id}
  EXCEPT SELECT old.value ->> 'name', old.value ->> 'type' FROM ${DESCRIBED} AS old)`

/** Writes the description of a series. It has these old fields, and as many new fields as it has room for. */
const describedBy = (old: SQL): SQL => sql`(SELECT json_patch(
    json_set(coalesce(${metadata}, ${NEW}), '$.fields', json(json_group_array(json(field)) FILTER (WHERE number <= ${MAX_FIELDS}))),
    iif(count(*) > ${MAX_FIELDS}, '{"more":true}', '{}'))
  FROM (SELECT field, row_number() OVER (ORDER BY place, name) AS number FROM (${old} UNION ALL
    SELECT 10000 + found.place, found.name, json_object('name', found.name, 'type', found.type) FROM found WHERE ${IS_NEW})
  ORDER BY number))`

/**
 * Adds the fields of stored events to the descriptions of their series. The parameter is a JSON array of their ids. It
 * writes only the series whose events have a new field, or a field of another type.
 */
export const DESCRIBE = sql`
  WITH found AS MATERIALIZED (${fieldsOf(sql`json_each(?1) AS row CROSS JOIN ${events} ON ${events.id} = row.value`)})
  UPDATE ${eventSeries} SET ${nameOf(metadata)} = ${describedBy(sql`
    SELECT old.key AS place, '' AS name, json_set(old.value, '$.type', ${WIDENED}) AS field
    FROM ${DESCRIBED} AS old LEFT JOIN ${FOUND}`)}
  WHERE ${eventSeries.id} IN (SELECT series FROM found) AND ${DIFFERS} AND (
    EXISTS (SELECT 1 FROM found WHERE ${IS_NEW} AND ${metadata} ->> '$.more' IS NOT true)
    OR EXISTS (SELECT 1 FROM ${DESCRIBED} AS old JOIN ${FOUND} WHERE ${WIDENED} <> old.value ->> 'type'))`

/** Describes the fields of all series again. Fields without events go, and the others keep their titles and units. */
export const DESCRIBE_ALL = sql`
  WITH found AS MATERIALIZED (${fieldsOf(sql`${events}`)})
  UPDATE ${eventSeries} SET ${nameOf(metadata)} = ${describedBy(sql`
    SELECT old.key AS place, '' AS name,
      json_set(old.value, '$.type', iif(old.value ->> 'type' IN ('datetime', 'date'), old.value ->> 'type', found.type)) AS field
    FROM ${DESCRIBED} AS old JOIN ${FOUND}`)}`
