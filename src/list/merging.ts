import { sql } from 'drizzle-orm'
import { type Mistakes, mistake } from '../mistakes.ts'
import type { Database } from '../query/db/d1.ts'
import { columnsOf } from '../query/db/sql.ts'
import type { Row } from '../query/table.ts'
import type { Resource } from '../resource.ts'
import type { Draft, Item } from '../store/fields.ts'
import type { Writable } from '../store/writable.ts'

/** Records that are posted, each with the id that it has or gets, in their order. */
export interface Merged {
  readonly records: readonly Draft[]
  readonly created: readonly Draft[]
  readonly changed: readonly Draft[]
  /** The rows of those that are as they were, or will be changed, by their place. */
  readonly rows: ReadonlyMap<number, Row>
  /** Each has a name: to post it again does nothing. */
  readonly isRepeatable: boolean
}

/** Finds of records with a name those that are stored under it. What is named twice is a mistake. */
export const merge = async (
  db: Database,
  resource: Resource & { readonly writable: Writable },
  records: readonly Draft[],
  items: readonly Item[],
  mistakes: Mistakes,
): Promise<Merged> => {
  const { keyed, recordOf } = resource.writable
  const names = records.map((record) => keyed?.nameOf(record) ?? null)
  const conditions = keyed?.conditions(records) ?? []
  const none = { records, created: records, changed: [], rows: new Map(), isRepeatable: false }
  if (keyed === undefined || conditions.length === 0) return none
  const answers = await db.read(
    ...conditions.map(
      (where) => sql`SELECT ${columnsOf(resource)} FROM ${resource.table} ${resource.joins ?? sql``} WHERE ${where}`,
    ),
  )
  const stored = new Map(answers.flat().map((row) => [keyed.nameOf(recordOf(row)), row]))
  const seen = new Set<string>()
  const [created, changed, rows] = [[] as Draft[], [] as Draft[], new Map<number, Row>()]
  const merged = records.map((record, i) => {
    const name = names[i] ?? null
    if (name !== null && seen.has(name))
      mistake(mistakes, `${items[i]?.at ?? ''}${keyed.path}`, 'Given more than once for a series. Give it once.')
    if (name !== null) seen.add(name)
    const row = name === null ? undefined : stored.get(name)
    if (row === undefined) {
      created.push(record)
      return record
    }
    rows.set(i, row)
    const whole = { ...record, id: row.id }
    if (!isSame(whole, recordOf(row))) changed.push(whole)
    return whole
  })
  return { records: merged, created, changed, rows, isRepeatable: names.every((name) => name !== null) }
}

/** Whether two records have the same members, in whatever order; one without a value is none. */
const isSame = (a: Draft, b: Draft): boolean => {
  const members = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...members].every((name) => JSON.stringify(a[name] ?? null) === JSON.stringify(b[name] ?? null))
}
