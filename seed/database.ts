import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import { LoadError } from './records.ts'

/** A local database, and how to let go of it: `wrangler dev` opens the same file. */
export type Local = { readonly db: D1Database; readonly close: () => Promise<void> }

const ROOT = join(import.meta.dirname, '..')
const MIGRATIONS = join(ROOT, 'schema/migrations')

/** Wrangler, as a script for Node. */
export const WRANGLER = join(ROOT, 'node_modules/wrangler/bin/wrangler.js')

/** What keeps wrangler from the network, from questions and from extras of its own. */
export const WRANGLER_ENV = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  X_LOCAL_EXPLORER: 'false',
}

/** Opens the local D1 under a folder, as `wrangler dev --persist-to` names it, with every migration applied. */
export async function openDatabase(persistTo = join(ROOT, '.wrangler/state')): Promise<Local> {
  const folder = resolve(persistTo)
  const local = await connect(folder)
  if (await isMigrated(local.db)) return local
  await local.close()
  migrate(folder)
  return connect(folder)
}

async function connect(folder: string): Promise<Local> {
  Object.assign(process.env, WRANGLER_ENV)
  const { getPlatformProxy } = await import('wrangler') // only now, as it reads the environment when it is imported
  const { env, dispose } = await getPlatformProxy<{ DB: D1Database }>({
    configPath: join(ROOT, 'wrangler.toml'),
    persist: { path: join(folder, 'v3') },
    envFiles: [],
    remoteBindings: false,
  })
  return { db: env.DB, close: dispose }
}

async function isMigrated(db: D1Database): Promise<boolean> {
  const journal = await db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").first()
  if (!journal) return false
  const { results } = await db.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  const applied = new Set(results.map(({ name }) => name))
  return readdirSync(MIGRATIONS).every((name) => !name.endsWith('.sql') || applied.has(name))
}

function migrate(folder: string): void {
  const args = [WRANGLER, 'd1', 'migrations', 'apply', 'DB', '--local', '--persist-to', folder]
  const env = { ...process.env, ...WRANGLER_ENV, CI: 'true' }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' })
  if (status !== 0) throw new LoadError(`the migrations of ${folder} failed:\n${stdout}${stderr}`)
}
