import { type SQL, sql } from 'drizzle-orm'
import type { Area } from '../geometry/within.ts'
import { cellsOf, FEW } from './area.ts'
import { candidatesIn, hitsOf, inCells } from './cells.ts'
import { checkWork, MAX_SHIPPED } from './effort.ts'
import { conditionsBeside, narrowestOf, type Resolved, resolve } from './resolve.ts'
import type { Search } from './search.ts'
import { onLead } from './ship.ts'
import { all, each } from './sql.ts'
import { EVERYTHING, entered, type Lead } from './walk.ts'

/** How many rows are read one after the other in the time of one that an index leads to. */
const SCANNED = 8

/** A query of the start and the cell of every row that matches, each row once, in whatever order. */
export const matchesOf = async (search: Search): Promise<SQL> => {
  if (search.area !== null) return within(search, search.area)
  const resolved = await resolve(search)
  const narrowest = narrowestOf(resolved.leads)
  const lead = narrowest.rows * SCANNED < resolved.statistics.total ? narrowest : EVERYTHING
  const from = entered(search, lead)
  return rows(search, sql`${from.table} WHERE ${all([from.where, conditionsBeside(resolved, lead)])}`)
}

/**
 * Of an area: what another filter leads to is brought here and tested, if that is less than what the cells hold; else what
 * lies in cells wholly inside is taken as it is, and only what lies in cells at the boundary is tested.
 */
const within = async (search: Search, area: Area): Promise<SQL> => {
  const resolved = await resolve(search, FEW)
  const { covering, inside, atBoundary } = cellsOf(search, area, resolved)
  const lead = narrowestOf(resolved.leads)
  const led = lead.rows <= Math.min(inside + atBoundary, MAX_SHIPPED) ? await ledTo(search, area, resolved, lead) : null
  if (led !== null) return led
  checkWork(area, atBoundary)
  const where = conditionsBeside(resolved, EVERYTHING)
  const boundary = inCells(search, covering.boundary, where)
  const [candidates = []] = await search.read(candidatesIn(search, boundary))
  const { ids } = await hitsOf(search, area, candidates, boundary)
  // By their ids, which are few bytes each and sorted first: twice as fast as from the index to each row in turn.
  const interior = sql`SELECT ${search.resource.id} FROM ${inCells(search, covering.interior, sql`1`)}`
  return among(search, sql`${interior} UNION ALL ${ids}`, where)
}

/** Null where a lead leads to more than are brought here. */
const ledTo = async (search: Search, area: Area, resolved: Resolved, lead: Lead): Promise<SQL | null> => {
  checkWork(area, lead.rows)
  const query = onLead(search, lead, conditionsBeside(resolved, lead))
  const [candidates = []] = await search.read(sql`${query} LIMIT ${MAX_SHIPPED + 1}`)
  if (candidates.length > MAX_SHIPPED) return null
  const hits = candidates.filter(({ placeX, placeY }) => area.contains(placeX, placeY))
  return among(search, each(hits.map((row): number => row.rowId)), null)
}

const rows = ({ ways: { trees } }: Search, from: SQL): SQL =>
  sql`SELECT ${trees.start} AS start, ${trees.cell} AS cell FROM ${from}`

const among = (search: Search, ids: SQL, where: SQL | null): SQL =>
  rows(search, sql`${search.resource.table} NOT INDEXED WHERE ${all([sql`${search.resource.id} IN (${ids})`, where])}`)
