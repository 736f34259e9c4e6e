import { REVISIONS } from '../src/engine/state.ts'

/** Returns SQL that sets the revision and the time of the last write of all levels, each from its column. */
export const setRevisions = (revision: (column: string) => string, changed: (column: string) => string): string =>
  `UPDATE revision SET ${REVISIONS.map(
    (each) =>
      `${each.revision.name} = ${revision(each.revision.name)}, ${each.changed.name} = ${changed(each.changed.name)}`,
  )}`

const same = (column: string): string => column
const next = (column: string): string => `${column} + 1`

/** Raises the revision of all levels, like a write. */
export const RAISE_REVISIONS = setRevisions(next, () => "CAST(1000 * unixepoch('subsec') AS INTEGER)")
/** The next write at the same time. */
export const RAISE_AT_ONCE = setRevisions(next, same)
/** The database was rebuilt a millisecond later, up to the same revision. */
export const MAKE_LATER = setRevisions(same, next)
export const MAKE_EARLIER = setRevisions(same, (column) => `${column} - 1`)
