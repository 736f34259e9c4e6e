import type { Engine } from '../engine/engine.ts'

/** The bindings and variables of the Worker, with the engine of its database. */
export interface Bound extends Env {
  ENGINE: Engine
}

/** The bindings and variables of the Worker, see wrangler.toml. A service that only reads PostgreSQL has no `DB`. */
export interface Env {
  DB: D1Database
  ANONYMOUS_LEVEL?: string
  API_KEYS?: string
  /** More keys. One secret holds about 38. */
  [more: `API_KEYS_${number}`]: string
  BASE_URL?: string
  BODY_LIMIT?: string
  CACHE_LEVEL?: string
  CACHE_SECONDS?: string
  DESCRIPTION?: string
  FRAME_ANCESTORS?: string
  /** Takes a line of the log. Absent: the console does, which the runtime reads. */
  LOG?: (line: string) => void
  MAP_STYLE?: string
  ROWS_PER_MINUTE?: string
  /** Signs hints if there are no keys. */
  SECRET?: string
  SHOW_COST?: string
  STATE_SECONDS?: string
  TITLE?: string
  WRITE_LIMIT?: string
  /** The version of the Worker. Absent outside Cloudflare. */
  CF_VERSION_METADATA?: { readonly id: string }
  /** Cloudflare's rate limiter. Absent: the number of requests has no limit. */
  RATE_LIMITER?: RateLimit
}
