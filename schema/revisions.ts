import { sql } from 'drizzle-orm'
import { ACCESS_LEVELS } from '../src/access.ts'
import { revisions } from './tables.ts'

/** The columns of the revision of each access level, and of the time of its last write. The lowest level comes first. */
export const REVISIONS = [
  { level: ACCESS_LEVELS.Public, revision: revisions.publicRevision, changed: revisions.publicChanged },
  { level: ACCESS_LEVELS.Common, revision: revisions.commonRevision, changed: revisions.commonChanged },
  { level: ACCESS_LEVELS.Private, revision: revisions.privateRevision, changed: revisions.privateChanged },
  { level: ACCESS_LEVELS.Hidden, revision: revisions.revision, changed: revisions.changed },
] as const

/** The time of a write in SQL, in milliseconds since 1970. */
export const NOW = sql`CAST(1000 * unixepoch('subsec') AS INTEGER)`
