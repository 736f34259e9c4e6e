import { sql } from 'drizzle-orm'

/**
 * Writes the type of a column: of a domain the type below it. A text whose collation takes different texts as equal is
 * `collated`.
 */
export const TYPE_OF = sql`(WITH RECURSIVE below(oid, typmod) AS (SELECT a.atttypid, a.atttypmod UNION ALL
    SELECT t.typbasetype, t.typtypmod FROM below JOIN pg_type t ON t.oid = below.oid WHERE t.typtype = 'd')
  SELECT CASE WHEN t.typtype = 'e' THEN 'enum' WHEN t.typcategory = 'A' THEN 'array' ELSE format_type(t.oid, below.typmod) END
  FROM below JOIN pg_type t ON t.oid = below.oid WHERE t.typtype <> 'd')
  || CASE WHEN (SELECT collisdeterministic FROM pg_collation WHERE oid = a.attcollation) IS FALSE THEN ' collated' ELSE '' END`

/** The types of people's own columns, in the words of a description of columns (src/model/metadata.ts). */
const DESCRIBED = {
  integer: /^(smallint|integer|bigint)$/,
  number: /^(real|double precision|numeric.*)$/,
  boolean: /^boolean$/,
  date: /^date$/,
  datetime: /^timestamp/,
  string: /^(text|character.*|uuid|(.*\.)?citext|enum|time(\(.\))? .*)( collated)?$/,
  object: /^jsonb?$/,
  array: /^array$/,
} as const

export type OwnType = keyof typeof DESCRIBED

/** Returns the description of a type of PostgreSQL. Undefined: its columns are left out. */
export const describedType = (type: string): OwnType | undefined => {
  const [described] = Object.entries(DESCRIBED).find(([, pattern]) => pattern.test(type)) ?? []
  return described as OwnType | undefined // a name of the list
}
