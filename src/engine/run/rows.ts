import type { Search } from '../conditions/search.ts'
import type { ListedRow } from '../sql/columns.ts'
import { rowsByIds } from '../sql/columns.ts'
import type { SnapshotReader } from './snapshot.ts'

/** Reads complete rows by id. The answer has the order of `ids`. */
export const readRows = async (
  read: SnapshotReader,
  search: Search,
  ids: readonly number[],
): Promise<readonly ListedRow[]> => {
  if (ids.length === 0) return []
  const [unordered] = await read(rowsByIds(search, ids))
  const rows = new Map(unordered.map((row) => [row.rowId, row]))
  return ids.flatMap((rowId) => rows.get(rowId) ?? [])
}
