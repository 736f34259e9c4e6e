import { type SQL, sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../../base/access.ts'
import { at } from '../../base/collections.ts'
import { FIELDS, type FieldName, type ListName } from '../../question/fields.ts'
import type { Row } from '../engine.ts'
import type { Grade } from '../state.ts'
import { isToldBy } from './faults.ts'
import { shownIn } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import { integer, named } from './sql.ts'
import type { Transaction } from './transaction.ts'
import { furtherColumns, VIEWS_QUERY, type Views, viewsIn } from './views.ts'

/** Selects a row of each list with all its fields, in the form of answers. */
const rowsOf = (views: Views): readonly SQL[] =>
  Object.entries(FIELDS).map(([key, fields]) => {
    const list = key as ListName // it has no other keys
    const names = Object.keys(fields) as FieldName[]
    const columns = named(shownIn(views, list, names))
    const source = sourceOf(views, ACCESS_LEVELS.Hidden, list, names, sql`SELECT id FROM event_series LIMIT 1`)
    return sql`${selectFrom(source, columns, null)} LIMIT 1`
  })

/**
 * Reads the views in a transaction of its own, and plans the statements of the service. With `reads`, it also runs them: a
 * view of a foreign server has a plan, even if the server is away. The plans of the probes show the indexes. Throws the
 * error of the server.
 */
export const inspect = async (send: Transaction['send'], reads: boolean): Promise<Views> => {
  const [found] = await send([VIEWS_QUERY])
  const columns = viewsIn(found as never) // the rows of the query
  if (columns.faults.length > 0) return columns
  const rows = rowsOf(columns).map((query) => (reads ? query : sql`EXPLAIN ${query}`))
  try {
    const probes = probesOf(columns)
    const explained = probes.map(([, probe]) => sql`EXPLAIN ${probe}`)
    const [ids = [], ...answers] = await send([LONG_IDS, ...rows, NO_SCANS, ...explained])
    const plans = answers.slice(rows.length + 1)
    const indexes = new Set(probes.filter(([name], i) => hasIndex(name, at(plans, i))).map(([name]) => name))
    return { ...columns, indexes, faults: longIdFaults(ids) }
  } catch (error) {
    if (error instanceof Error && isToldBy(error)) return { ...columns, faults: [unreadable(error)] }
    throw error
  }
}

/** Selects the least and the greatest id of each view. An index has them at its ends. */
const ENDS = ['event', 'event_series', 'observation_type'].flatMap((view) =>
  [sql`min`, sql`max`].map((end) => sql`SELECT ${view}::text AS view, ${end}(id) AS id FROM ${sql.identifier(view)}`),
)

/** Finds the ids that JavaScript does not have. */
const LONG_IDS: SQL<Row> = sql`SELECT view, id::text FROM (${sql.join(ENDS, sql` UNION ALL `)}) AS ids
  WHERE abs(id::numeric) > ${integer(Number.MAX_SAFE_INTEGER)}`

/** Returns a fault for each of these ids. */
const longIdFaults = (rows: readonly Row[]): readonly string[] =>
  rows.map(
    ({ view, id }) =>
      `The view ${view} has the id ${id}. An id is at most ${Number.MAX_SAFE_INTEGER}: show a smaller key, such as a column GENERATED ALWAYS AS IDENTITY.`,
  )

/** Returns the fault of views whose columns are right, but which the server cannot read. PostgreSQL may have advice. */
const unreadable = (error: Error & { readonly code?: string; readonly hint?: string | undefined }): string => {
  const advice = error.code === '42501' ? 'The owner of a view needs SELECT on its tables.' : (error.hint ?? '')
  return `PostgreSQL cannot read the views: ${error.message}. ${advice}`.trim()
}

/**
 * Statements that are fast only with an index, by the names of the indexes. The second one for `series` finds views of several
 * tables, each with one constant series.
 */
const PROBES: readonly (readonly [name: string, probe: SQL])[] = [
  ['category', sql`SELECT category FROM event WHERE category > '' ORDER BY category LIMIT 1`],
  ['object_type', sql`SELECT object_type FROM event WHERE object_type > '' ORDER BY object_type LIMIT 1`],
  ['id', sql`SELECT id FROM event ORDER BY id LIMIT 1`],
  ['duration', sql`SELECT id FROM event ORDER BY timestamp_end - timestamp_start LIMIT 1`],
  ['start', sql`SELECT id FROM event ORDER BY timestamp_start LIMIT 1`],
  ['series', sql`SELECT id FROM event ORDER BY event_series_id, timestamp_start LIMIT 1`],
  ['series', sql`SELECT id FROM event WHERE event_series_id = (SELECT 1) ORDER BY timestamp_start LIMIT 1`],
  ['place', sql`SELECT id FROM event WHERE geometry && ST_MakeEnvelope(0, 0, 1, 1, 4326)`],
]

/** Lets the server look for indexes, although small tables need none. It stays until the end of the transaction. */
const NO_SCANS = sql`SELECT set_config('enable_seqscan', 'off', true), set_config('enable_sort', 'off', true),
  set_config('enable_incremental_sort', 'off', true)`

/** Returns the probes of a view. Only the text of a plain text is in its index. */
const probesOf = ({ columns: { event } }: Views) =>
  PROBES.filter(([name]) => {
    const isText = name === 'category' || name === 'object_type'
    return !isText || /^(text|character varying[^ ]*)$/.test(event.get(name) ?? '')
  })

/** A plan that sorts, reads all rows, or looks for a series among the rows of a table: the result of the inner query. */
const SLOW = /^(.*-> +)?Sort\b|Seq Scan on|Join Filter|^ *(Filter|Index Cond):.*(\$0|InitPlan)/m

/**
 * Tests if a plan uses indexes alone. PostgreSQL reads an index without a condition only for its order. If all events of a
 * table have one constant series, an index of the starts is enough for `series`.
 */
const hasIndex = (name: string, lines: readonly Row[]): boolean => {
  const plan = lines.map((line) => `${line['QUERY PLAN']}\n`).join('')
  const readsWhole = /Index (Only )?Scan .*\n(?!.*Index Cond)/.test(plan)
  return /Index/.test(plan) && !SLOW.test(plan) && !(name === 'place' && readsWhole)
}

/** The probes that grade B needs, with the columns of their indexes. */
const GRADE_B = {
  start: 'timestamp_start, id',
  series: 'event_series_id, timestamp_start',
  place: 'geometry gist_geometry_ops_2d',
} as const

const missingIn = ({ indexes }: Views) => Object.entries(GRADE_B).filter(([name]) => !indexes.has(name))

/** Returns the grade of a database: A has views, B also indexes, and C also its state and counts. */
export const gradeOf = (views: Views): Grade => {
  if (views.hasCounts) return 'C'
  return missingIn(views).length === 0 ? 'B' : 'A'
}

export const OTHER_COUNTS =
  'Grade C counted other views, or another version made its counts. Run the output of npm run indexes with --grade c again.'

/** Returns sentences about what an owner can improve in views without faults. */
export const adviceOf = (views: Views): readonly string[] => {
  const indexes = missingIn(views).map(
    ([, columns]) =>
      `PostgreSQL finds no index on (${columns}) of the view event. Grade B needs one: npm run indexes prints it.`,
  )
  const counts = views.hasCounts === null ? [OTHER_COUNTS] : []
  const leftOut = Array.from(furtherColumns(views, false), ([name, type]) => `${name} (${type})`)
  const hidden =
    leftOut.length === 0
      ? []
      : [`No answer shows these columns of the view event: ${leftOut.join(', ')}. Show them as text.`]
  return [...indexes, ...counts, ...hidden]
}
