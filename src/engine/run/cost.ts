import type { Plan } from '../sql/plan.ts'

/**
 * `plan`: the name of the access path. `region`: where the last read was answered, null locally. The estimates of the
 * isolate are no cost of the request.
 */
export interface Cost {
  plan: string | null
  roundTrips: number
  rowsRead: number
  milliseconds: number
  region: string | null
}

/** The plan of the page, and the statements of each round trip. */
export interface Explanation {
  plan: ExplainedPlan
  readonly trips: (readonly RanStatement[])[]
}

/** A statement that the database ran, and the rows that it read. */
interface RanStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly rowsRead: number
  /** The lines of EXPLAIN QUERY PLAN. */
  readonly plan: readonly string[]
}

/** Notes the cost of a round trip. Returns the rows read. */
export const noteCost = (cost: Cost, results: readonly D1Result[]): number => {
  const rows = results.reduce((sum, { meta }) => sum + (meta.rows_read ?? 0), 0)
  cost.rowsRead += rows
  cost.region = regionOf(results.at(-1)?.meta)
  return rows
}

/** Returns the region that answered, and says if it is the primary. Returns null for a local database. */
const regionOf = (meta: D1Meta | undefined): string | null => {
  if (meta?.served_by_region === undefined) return null
  return meta.served_by_primary ? `${meta.served_by_region} primary` : meta.served_by_region
}

/** A plan as data. `path` is the way to the matches. If it names several, the database reads the one with the fewest rows. */
interface ExplainedPlan {
  readonly path: string
  /** The estimated rows read, and the estimated matches. Null without an estimate. */
  readonly rows: number | null
  readonly matches: number | null
  readonly paths: readonly { readonly path: string; readonly rows: number }[]
}

/** The plan of a list that is read as a whole. */
export const WHOLE_TABLE: ExplainedPlan = { path: 'whole table', rows: null, matches: null, paths: [] }

/** Notes how a page is read, for the log and for the client. */
export const notePlan = (
  { cost, explanation }: { readonly cost: Cost; readonly explanation: Explanation | null },
  { paths, rows, matches }: Plan,
): void => {
  const path = paths.map(({ name }) => name).join(' or ')
  cost.plan = path
  if (explanation === null) return
  const each = paths.map(({ name, rows }) => ({ path: name, rows: Math.round(rows) }))
  explanation.plan = { path, rows: Math.round(rows), matches: Math.round(matches), paths: each }
}
