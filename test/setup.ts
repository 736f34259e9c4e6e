import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll } from 'vitest'
import { cancelUnread } from './unread.ts'

/** Each file starts with an empty, migrated database. */
beforeAll(async () => {
  // Read first: after a long pause, `reset` left rows in the database.
  await env.DB.prepare('SELECT 1').run()
  await reset()
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
})

afterAll(cancelUnread)
