import { accessName } from '../access.ts'
import type { Schema } from '../filters/lookups.ts'
import { isoInstant } from '../filters/temporal.ts'
import type { Form } from './field.ts'
import { INSTANT, TIMESTAMP } from './schema.ts'

/** Writes a value unchanged. */
export const plain = <V>(schema: Schema): Form<V> => ({ schema, write: (value) => value })

/** Writes null as null. */
export const nullable = <V>({ write, ...form }: Form<V>): Form<V | null> => ({
  ...form,
  nullable: true,
  write: (value, links) => (value === null ? null : write(value, links)),
})

/** Writes milliseconds since 1970 as a number. */
export const timestamp: Form<number> = plain(TIMESTAMP)

/** Writes an instant in ISO 8601. `unit` is the unit of the value in microseconds. */
export const iso = (unit: bigint): Form<number> => ({
  schema: INSTANT,
  unit,
  write: (value) => isoInstant(value, unit),
})

/** Writes the name of an access level. */
export const accessForm = (schema: Schema): Form<number> => ({ schema, write: (level) => accessName(level) })
