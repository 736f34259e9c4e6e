import type { Plan } from '../sql/plan.ts'

/** A plan as data. `path` is the way to the matches. If it names several, the database reads the one with the fewest rows. */
export interface ExplainedPlan {
  readonly path: string
  /** The estimated rows read, and the estimated matches. Null without an estimate. */
  readonly rows: number | null
  readonly matches: number | null
  readonly paths: readonly { readonly path: string; readonly rows: number }[]
}

const explain = ({ sources, rows, matches }: Plan): ExplainedPlan => ({
  path: sources.map(({ path }) => path.name).join(' or '),
  rows: Math.round(rows),
  matches: Math.round(matches),
  paths: sources.map(({ path }) => ({ path: path.name, rows: Math.round(path.rows) })),
})

/** The plan of a list that is read as a whole. */
export const WHOLE_TABLE: ExplainedPlan = { path: 'whole table', rows: null, matches: null, paths: [] }

/** Notes how a page is read, for the log and for the client. */
export const notePlan = ({ cost, explanation }: Noting, plan: Plan): void => {
  const explained = explain(plan)
  cost.plan = explained.path
  if (explanation !== null) explanation.plan = explained
}

interface Noting {
  readonly cost: { plan: string | null }
  readonly explanation: { plan: ExplainedPlan } | null
}
