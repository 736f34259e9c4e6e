import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll } from 'vitest'

/** Every file starts from an empty, migrated database. */
beforeAll(async () => {
  // Woken first: one that had not been asked for a while was seen to keep its rows.
  await env.DB.prepare('SELECT 1').run()
  await reset()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
})
