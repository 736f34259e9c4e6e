import { lte, sql } from 'drizzle-orm'
import { eventSeries as table } from '../../schema/tables.ts'
import { ACCESS_LEVELS } from '../access.ts'
import { startsWithUuid, uuidPrefix } from '../filters/scalar.ts'

/** The names of the series, as a source of texts. */
export const name = { key: table.id, table, id: table.id, text: table.name, folded: table.nameFolded }

/** The series that a caller of this level sees. */
export const visible = (level: number) => (level >= ACCESS_LEVELS.Hidden ? null : lte(table.accessModifier, level))

/** The series whose uuid starts with the key, any case, with or without hyphens. */
export const find = (key: string) => {
  const digits = key.replaceAll('-', '')
  return /^[0-9a-f]{1,32}$/i.test(digits) ? startsWithUuid(table.uuid, sql`${uuidPrefix(digits)}`) : null
}
