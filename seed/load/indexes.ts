import { getTableName, sql } from 'drizzle-orm'
import { recountBatches, recountStatements } from '../../schema/counts.ts'
import { listed, nameOf } from '../../schema/sql.ts'
import { eventSeries, events, suspendedIndexes } from '../../schema/tables.ts'
import { integerOf } from '../../src/engine/d1/sql.ts'
import { leadingNumber } from '../../src/filters/numbers.ts'
import { type MetadataRow, metadataOf } from '../../src/model/metadata.ts'
import { NEW_MARKS } from '../../src/store/changes.ts'
import { DESCRIBE_ALL } from '../../src/store/metadata.ts'
import { DERIVE_ALL, RAISE_ALL, statement } from '../../src/store/statement.ts'
import { oneLine, shown } from './error.ts'
import { type Db, readRow, readRows, runBatch } from './rows.ts'

const { name, definition } = suspendedIndexes
const SUSPEND = sql`INSERT INTO ${suspendedIndexes} (${listed([name, definition].map(nameOf))})`
const INDEXES = sql`FROM sqlite_master WHERE type = 'index' AND tbl_name = ${getTableName(events)} AND sql IS NOT NULL`

/**
 * Drops the indexes of the table of events, because a bulk load is faster without them. Their definitions are stored.
 * Rows stored from now on do not update the counts. Call restoreIndexes afterwards.
 */
export async function suspendIndexes(db: Db): Promise<void> {
  const indexes = (await readRows(db, sql<{ readonly name: string }>`SELECT name ${INDEXES}`)).flat()
  await runBatch(db, [
    statement(sql`${SUSPEND} SELECT name, sql ${INDEXES}`),
    ...indexes.map(({ name }) => statement(`DROP INDEX "${name}"`)),
    statement(
      sql`${SUSPEND} SELECT printf('count %03d', key), value FROM json_each(?1)`,
      JSON.stringify(recountStatements()),
    ),
  ])
}

/** An index to build, or a step of the count. */
interface StepRow {
  readonly name: string
  readonly step: string
}

/**
 * Builds the suspended indexes, then counts all events. An interrupted run can be continued. Each step raises the
 * revision, because answers show the counts.
 */
export async function restoreIndexes(db: Db): Promise<void> {
  const order = sql`ORDER BY ${name} LIKE 'count %', rowid`
  const steps = sql<StepRow>`SELECT ${name} AS name, ${definition} AS step FROM ${suspendedIndexes} ${order}`
  for (const { name: done, step } of (await readRows(db, steps)).flat())
    await runBatch(db, [
      statement(step),
      statement(sql`DELETE FROM ${suspendedIndexes} WHERE ${name} = ?1`, done),
      RAISE_ALL,
    ])
}

export const areSuspended = async (db: Db): Promise<boolean> =>
  (await readRow(db, sql`SELECT 1 FROM ${suspendedIndexes}`)) !== undefined

/**
 * Computes the numbers of values, all counts, and the derived columns of the series, and raises the revision. Each tree of
 * counts has its own transaction, because D1 limits a transaction to 30 seconds. Returns lines about columns whose type changed.
 */
export async function recount(db: Db): Promise<string[]> {
  const described = sql<MetadataRow & { readonly id: number; readonly name: string }>`
    SELECT ${eventSeries.id} AS id, ${eventSeries.name} AS name, ${eventSeries.metadata} AS metadata FROM ${eventSeries} ORDER BY ${eventSeries.id}`
  const [before] = await readRows(db, described)
  await renumber(db)
  await endMarks(db)
  for (const batch of [...recountBatches(), [statement(DERIVE_ALL).sql], [statement(DESCRIBE_ALL).sql]])
    await runBatch(db, [...batch.map((text) => statement(text)), RAISE_ALL])
  const [after] = await readRows(db, described)
  return after.flatMap((row) => {
    const old = new Map(
      metadataOf(before.find(({ id }) => id === row.id) ?? row).fields.map(({ name, type }) => [name, type]),
    )
    return metadataOf(row).fields.flatMap(({ name, type }) => {
      const from = old.get(name) ?? type
      return from === type ? [] : [`${shown(row.name)}: the type of ${oneLine(name)} changes from ${from} to ${type}.`]
    })
  })
}

/** Refuses all marks and tags that were given before. The changes are unknown that were made by SQL, or that a backup lacks. */
export const endMarks = (db: Db): Promise<unknown> => runBatch(db, [NEW_MARKS, RAISE_ALL])

/** Values up to this many bytes are read together. Longer ones, up to 0.9 MB each, are read a few at a time. */
const SHORT = 2000

/** Reads the numbers at the beginning of all values again, and stores those that differ. */
async function renumber(db: Db): Promise<void> {
  await renumberSome(db, sql`<= ${integerOf(SHORT)}`, 2000)
  await renumberSome(db, sql`> ${integerOf(SHORT)}`, 4)
}

interface ValueRow {
  readonly id: number
  readonly value: string
  readonly number: number | null
}

/** Does this for the values whose bytes fulfil a condition, so many at once. */
async function renumberSome(db: Db, bytes: ReturnType<typeof sql>, rows: number): Promise<void> {
  const { id, value, valueNumber } = events
  for (let after = 0; ; ) {
    const query = sql<ValueRow>`SELECT ${id} AS id, ${value} AS value, ${valueNumber} AS number
      FROM ${events} NOT INDEXED WHERE ${id} > ${integerOf(after)} AND octet_length(${value}) ${bytes}
        AND (${value} GLOB '*[0-9]*' OR ${valueNumber} IS NOT NULL) ORDER BY ${id} LIMIT ${integerOf(rows)}`
    const [read] = await readRows(db, query)
    const wrong = read
      .map((row) => ({ ...row, right: leadingNumber(row.value) }))
      .flatMap(({ id, number, right }) => (number === right ? [] : [[id, right]]))
    const update = sql`UPDATE ${events} SET ${nameOf(valueNumber)} = row.value ->> 1
      FROM json_each(?1) AS row WHERE ${id} = row.value ->> 0`
    if (wrong.length > 0) await runBatch(db, [statement(update, JSON.stringify(wrong))])
    const last = read.at(-1)
    if (last === undefined) return
    after = last.id
  }
}
