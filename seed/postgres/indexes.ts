import type { Client } from 'pg'
import { at } from '../../src/base/collections.ts'
import { reasonOf } from '../load/error.ts'
import { type ColumnSource, partsOf, type ViewPart } from './definition.ts'

/** A key is a column of the view of events, or an expression of several columns. */
type Key = string | ((columns: ViewPart['columns']) => ColumnSource | null)

const duration: Key = (columns) => {
  const [start, end] = [columns.get('timestamp_start'), columns.get('timestamp_end')]
  if (!start || !end || start.table !== end.table || start.sql === end.sql) return null
  return { table: start.table, sql: `(${end.sql}) - (${start.sql})` }
}

/**
 * The indexes of grade B. With the series, which decides who sees an event, a page far from the first comes from the
 * index alone. The duration has all columns that a query of it reads.
 */
const WANTED: readonly (readonly Key[])[] = [
  ['geometry'],
  ['id'],
  ['timestamp_start', 'timestamp_end'],
  ['timestamp_start', 'id', 'event_series_id'],
  ['timestamp_end', 'id', 'event_series_id'],
  ['event_series_id', 'timestamp_start'],
  ['event_series_id', 'timestamp_end'],
  ['category'],
  ['object_type', 'object_id', 'event_series_id'],
  ['object_id'],
  ['external_id', 'event_series_id'],
  ['last_modified', 'id'],
  ['value_number', 'id', 'event_series_id'],
  [duration, 'timestamp_end', 'timestamp_start'],
]

/** An index of a table. */
interface Index {
  readonly table: string
  readonly method: 'btree' | 'gist'
  readonly terms: readonly string[]
}

/** A table lacks the indexes `made`. PostgreSQL cannot make the indexes `refused`. */
interface Missing {
  readonly made: readonly Index[]
  readonly refused: readonly (Index & { readonly reason: string })[]
}

const HEAD = `-- The indexes of grade B that the tables of the view lack. CREATE INDEX stops writers of its table, and no readers.
-- On a busy table write CREATE INDEX CONCURRENTLY. It takes longer, and PostgreSQL refuses it for a table with partitions.
-- The index of a difference of times refuses infinite times, also in later writes. Leave it out for a table with such times.
`

/**
 * Writes SQL of the indexes of grade B that the tables of the views in a schema lack. PostgreSQL makes each of them on an empty
 * temporary table, and tells if another index serves it. No table is changed. Throws the error of the server.
 */
export const indexesScript = async (client: Client, schema: string): Promise<string> => {
  await client.query('BEGIN READ WRITE')
  try {
    const wanted = (await partsOf(client, `${schema}.event`)).flatMap(indexesOf)
    if (wanted.length === 0)
      return `-- No index helps the view ${schema}.event: it reads no table, or groups the rows of its table.\n`
    let script = ''
    for (const [table, indexes] of Map.groupBy(wanted, ({ table }) => table)) {
      const { made, refused } = await missingOn(client, table, indexes)
      for (const index of refused)
        script += `-- ${`${sqlOf(index)} is refused: ${index.reason}`.replace(/\s+/g, ' ')}\n`
      for (const index of made) script += `${sqlOf(index)};\n`
      if (made.length > 0) script += `ANALYZE ${table};\n`
    }
    return script === ''
      ? `-- The tables of the view ${schema}.event have all indexes of grade B.\n`
      : `${HEAD}${script}`
  } finally {
    await client.query('ROLLBACK')
  }
}

/** Returns the indexes of a part of a view. */
const indexesOf = (part: ViewPart): readonly Index[] => {
  const base = part.columns.get('id')?.table ?? null
  if (base === null) return []
  return WANTED.flatMap((keys) => {
    const terms = keys.map((key) => (typeof key === 'string' ? part.columns.get(key) : key(part.columns)) ?? NONE)
    // An index needs its first column. Only the series may be a constant.
    if (terms[0]?.table === null && keys[0] !== 'event_series_id') return []
    const method = keys[0] === 'geometry' ? 'gist' : 'btree'
    return withJoins(part, base, method, terms.filter(isColumn).filter(isNew))
  })
}

const NONE: ColumnSource = { table: null, sql: 'NULL' }

/** An expression that rows of a table have. */
type Column = ColumnSource & { readonly table: string }

const isColumn = (term: ColumnSource): term is Column => term.table !== null

const isNew = ({ table, sql }: ColumnSource, i: number, all: readonly ColumnSource[]): boolean =>
  all.findIndex((other) => other.table === table && other.sql === sql) === i

/** Returns an index. If it is on another table, PostgreSQL also needs the indexes of the joins from there to the events. */
const withJoins = (
  part: ViewPart,
  base: string,
  method: Index['method'],
  terms: readonly Column[],
): readonly Index[] => {
  const [first] = terms
  if (first === undefined) return []
  const of = (table: string) => terms.filter((term) => term.table === table).map(({ sql }) => sql)
  const own = { table: first.table, method, terms: of(first.table) }
  const steps = stepsTo(part.joins, first.table, base) ?? []
  const entered = steps.map(({ table, sql }) => {
    const index: Index = { table, method: 'btree', terms: table === base ? [sql, ...of(base)] : [sql] }
    return index
  })
  return [own, ...entered]
}

/** Returns the columns that joins enter on the way from a table to another one. Null: no joins lead there. */
const stepsTo = (joins: ViewPart['joins'], from: string, to: string): readonly Column[] | null => {
  if (from === to) return []
  for (const join of joins) {
    const [here, there] = join[0].table === from ? join : [join[1], join[0]]
    if (here.table !== from || there.table === from || !isColumn(there)) continue
    const others = joins.filter((each) => each !== join)
    const rest = stepsTo(others, there.table, to)
    if (rest !== null) return [there, ...rest]
  }
  return null
}

/** The keys of an index, with their types of order. */
interface Described {
  readonly name: string
  readonly isTrial: boolean
  readonly method: string
  readonly keys: readonly string[]
}

/** Describes the indexes of two tables that serve each query of their keys. */
const DESCRIBED = `SELECT c.relname AS name, i.indrelid = $2::regclass AS "isTrial", m.amname AS method,
    array_agg(concat_ws(' ', pg_get_indexdef(c.oid, n, false), i.indclass[n - 1], i.indcollation[n - 1],
      i.indoption[n - 1]) ORDER BY n) AS keys
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam
  CROSS JOIN generate_series(1, i.indnkeyatts) AS n
  WHERE i.indrelid IN ($1::regclass, $2::regclass) AND i.indisvalid AND i.indpred IS NULL GROUP BY 1, 2, 3`

/** The texts of a table whose cast to text changes no index. */
const PLAIN = `SELECT quote_ident(attname) AS name FROM pg_attribute
  WHERE attrelid = $1::regclass AND atttypid = 'varchar'::regtype AND NOT attisdropped`

const missingOn = async (client: Client, table: string, indexes: readonly Index[]): Promise<Missing> => {
  const trial = 'pg_temp.trial'
  await client.query(`CREATE TEMP TABLE trial (LIKE ${table})`)
  const { rows: plain } = await client.query<{ name: string }>(PLAIN, [trial])
  const casts = new Map(plain.map(({ name }) => [`(${name})::text`, name]))
  const [tried, refused]: [Map<string, Index>, (Index & { reason: string })[]] = [new Map(), []]
  for (const [i, { terms, ...index }] of indexes.entries()) {
    const simple = { ...index, terms: terms.map((term) => casts.get(term) ?? term) }
    const name = `trial_${i}`
    await client.query('SAVEPOINT tried')
    await client.query(sqlOf(simple, trial, name)).then(
      () => tried.set(name, simple),
      async (error) => {
        await client.query('ROLLBACK TO tried')
        refused.push({ ...simple, reason: reasonOf(error) })
      },
    )
  }
  const { rows } = await client.query<Described>(DESCRIBED, [table, trial])
  await client.query(`DROP TABLE ${trial}`)
  const made = [...tried].flatMap(([name, index]) => (isServed(name, rows) ? [] : [index]))
  return { made, refused }
}

/** Tests if the keys of an index are the first ones of another. The first of two equal trials is made. */
const isServed = (name: string, all: readonly Described[]): boolean => {
  const trials = all.filter((each) => each.isTrial && each.name === name)
  const own = at(trials, 0)
  const number = (trial: string) => Number(trial.replace('trial_', ''))
  return all.some((other) => {
    const begins = own.keys.every((key, i) => key === other.keys[i]) && own.method === other.method
    const isEqual = own.keys.length === other.keys.length
    return begins && (!other.isTrial || !isEqual || number(other.name) < number(name))
  })
}

/** Writes the SQL of an index. Without a name, PostgreSQL finds one that no other index has. */
const sqlOf = ({ table, method, terms }: Index, on = table, name = ''): string =>
  `CREATE INDEX ${name && `${name} `}ON ${on} USING ${method} (${terms.map(written).join(', ')})`

const written = (term: string): string => (/^([a-z_][\w$]*|"([^"]|"")*")$/.test(term) ? term : `(${term})`)
