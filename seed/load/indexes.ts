import { getTableName, sql } from 'drizzle-orm'
import { recountBatches, recountStatements } from '../../schema/counts.ts'
import { listed, nameOf } from '../../schema/sql.ts'
import { events, suspendedIndexes } from '../../schema/tables.ts'
import { DERIVE_ALL } from '../../src/store/derived.ts'
import { RAISE_ALL, statement } from '../../src/store/statement.ts'
import { renumber } from './numbers.ts'
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
 * counts has its own transaction, because D1 limits a transaction to 30 seconds.
 */
export async function recount(db: Db): Promise<void> {
  await renumber(db)
  for (const batch of [...recountBatches(), [statement(DERIVE_ALL).sql]])
    await runBatch(db, [...batch.map((text) => statement(text)), RAISE_ALL])
}
