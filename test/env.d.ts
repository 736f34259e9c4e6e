import type { D1Migration } from '@cloudflare/vitest-plugin'

declare global {
  namespace Cloudflare {
    /** The bindings of the tests, see vitest.config.ts. */
    interface Env {
      DB: D1Database
      /** More databases, see test/platform/d1.ts. */
      REPLICA_A: D1Database
      REPLICA_B: D1Database
      REFERENCE: D1Database
      TEST_MIGRATIONS: D1Migration[]
      /** Serves files to test/files.ts. */
      TEST_FILES: Fetcher
      /** Makes databases for test/postgres/database.ts. */
      TEST_POSTGRES: Fetcher
      TEST_FUZZ: { readonly count: number; readonly seed: number }
    }
  }
}
