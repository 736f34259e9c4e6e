import { sql } from 'drizzle-orm'
import { REVISIONS } from '../../../schema/revisions.ts'
import { revisions } from '../../../schema/tables.ts'
import { namedColumns } from '../../filters/sql.ts'
import type { Row } from '../conditions/table.ts'

const COLUMNS = Object.fromEntries(
  REVISIONS.flatMap(({ level, revision, changed }) => [
    [`revision${level}`, revision],
    [`changed${level}`, changed],
  ]),
)

/** Reads the states of all levels, which are one row. */
export const STATES = sql<Row>`SELECT ${namedColumns(COLUMNS)} FROM ${revisions}`
