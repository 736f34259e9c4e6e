import { fetchItem } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { notFound } from '../errors.ts'
import type { Resource } from '../resource.ts'
import type { RequestContext } from './context.ts'

/**
 * Returns the list at an address. It may belong to an item of another list: throws a 404 if the caller does not see
 * that item.
 */
export const listUnder = async (
  c: RequestContext,
  resource: Resource,
  db: Database,
  level: number,
): Promise<Resource> => {
  const { under } = resource
  if (under === undefined) return resource
  const { parent, of } = under
  const row = await fetchItem(db, parent, parent.find(c.req.param(parent.key.name) ?? ''), level)
  if (row === null) throw notFound()
  return of(row)
}

/** Throws a 404 if a key in the address can name no item. It reads nothing from the database. */
export const refuseOtherKeys = (c: RequestContext, { under, find }: Resource, key?: string): void => {
  const parent = under?.parent
  const isParent = parent === undefined || parent.find(c.req.param(parent.key.name) ?? '') !== null
  if (!isParent || (key !== undefined && find(key) === null)) throw notFound()
}
