/** The bindings and variables of the Worker, see wrangler.toml. */
export interface Env {
  DB: D1Database
  ANONYMOUS_LEVEL?: string
  API_KEYS?: string
  /** More of them: a secret holds some 38. */
  [more: `API_KEYS_${number}`]: string
  BASE_URL?: string
  BODY_LIMIT?: string
  CACHE_LEVEL?: string
  CACHE_SECONDS?: string
  DESCRIPTION?: string
  MAP_STYLE?: string
  ROWS_PER_MINUTE?: string
  SHOW_COST?: string
  TITLE?: string
  WRITE_LIMIT?: string
  /** Which version of the Worker this is; absent: none is known. */
  CF_VERSION_METADATA?: { readonly id: string }
  /** Cloudflare's rate limiting; absent: none. */
  RATE_LIMITER?: RateLimit
}
