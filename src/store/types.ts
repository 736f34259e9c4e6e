import { sql } from 'drizzle-orm'
import { observationTypes } from '../../schema/tables.ts'
import type { Statement } from '../engine/run/database.ts'
import type { ObservationTypeRecord } from '../model/observationType.ts'
import { emptyBatch, put, statements } from './batch.ts'
import { guard } from './statement.ts'
import type { Writer } from './writable.ts'

/**
 * Returns the statements that store new observation types. The batch fails if another write took one of their codes.
 */
export const addTypes = (types: readonly ObservationTypeRecord[], { now }: Writer): Statement[] => {
  const batch = emptyBatch()
  for (const record of types) put(batch, record)
  return [areNew(types.map(({ code }) => code)), ...statements(batch, now)]
}

/** Fails a batch unless these codes are new. No index does this, because two types in a file may have the same code. */
const areNew = (codes: readonly string[]): Statement =>
  guard(
    sql`NOT EXISTS (SELECT 1 FROM ${observationTypes} WHERE ${observationTypes.code} IN (SELECT value FROM json_each(?1)))`,
    JSON.stringify(codes),
  )
