import { sql } from 'drizzle-orm'
import { nameOf } from '../../schema/sql.ts'
import { events } from '../../schema/tables.ts'
import { leadingNumber } from '../../src/filters/numbers.ts'
import { integerOf } from '../../src/filters/sql.ts'
import { statement } from '../../src/store/statement.ts'
import { type Db, readRows, runBatch } from './rows.ts'

/** Values up to this many bytes are read together. Longer ones, up to 0.9 MB each, are read a few at a time. */
const SHORT = 2000

/** Reads the numbers at the beginning of all values again, and stores those that differ. */
export async function renumber(db: Db): Promise<void> {
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
