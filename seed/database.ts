import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { D1Database } from '@cloudflare/workers-types'
import type { Miniflare } from 'miniflare'
import { LoadError } from './error.ts'
import { areSuspended, restoreIndexes } from './indexes.ts'
import { migrate } from './migrate.ts'

/** A local database, and how to let go of it: `wrangler dev` opens the same file. */
export type Local = { readonly db: D1Database; readonly close: () => Promise<void> }

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, '..')
/** Where the local database is unless told otherwise. */
export const STATE = join(ROOT, '.wrangler/state')
/** Where the migrations are. */
export const MIGRATIONS = join(ROOT, 'schema/migrations')

/** Wrangler as a script for Node: not its bin, which starts this one and passes no signals on. */
export const WRANGLER = join(ROOT, 'node_modules/wrangler/wrangler-dist/cli.js')

/** What keeps wrangler from the network, from questions and from extras of its own. */
export const WRANGLER_ENV = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  X_LOCAL_EXPLORER: 'false',
}

/**
 * Opens the local D1 under a folder, as `wrangler dev --persist-to` names it, with every migration applied, and every
 * index there, also after a load that was cut short; but for what goes on with it.
 */
export async function openDatabase(persistTo = STATE, toLoad = false): Promise<Local> {
  const local = await connect(resolve(persistTo))
  await migrate(local.db, MIGRATIONS)
  return toLoad ? local : withIndexes(local)
}

async function withIndexes(local: Local): Promise<Local> {
  if (await areSuspended(local.db)) {
    console.error('A load was cut short: building its indexes.')
    await restoreIndexes(local.db)
  }
  return local
}

async function connect(folder: string): Promise<Local> {
  const miniflare = await run(folder)
  return { db: await miniflare.getD1Database('DB'), close: () => miniflare.dispose() }
}

/** What runs beside a local database: a module of a Worker, by default one that does nothing, on a port, by default any. */
export interface Runs {
  readonly script?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly port?: number
  /** The folder of what is served beside the Worker. */
  readonly assets?: string
  /** What the Worker logs is not printed. */
  readonly quiet?: boolean
}

/**
 * Runs a Worker on the local D1 under a folder by way of miniflare, which wrangler is built on: it starts in half the
 * time and memory, and answers without proxies. Loaded when needed only.
 */
export async function run(persistTo: string, runs: Runs = {}): Promise<Miniflare> {
  const { script = 'export default {}', variables = {}, port = 0, assets, quiet = false } = runs
  const texts = Object.entries(variables).map(([name, value]) => [name, { type: 'text' as const, value }])
  const { Miniflare } = await import('miniflare')
  return new Miniflare({
    port,
    cf: false,
    ...(quiet ? { handleStructuredLogs: () => {} } : {}),
    resourcePersistencePath: join(resolve(persistTo), 'v3'),
    workers: [
      {
        config: {
          name: 'local',
          compatibilityDate: ofConfiguration('compatibility_date'),
          ...(assets === undefined ? {} : { assets: { directory: assets, hasUserWorker: true } }),
          manifest: {
            mainModule: 'index.js',
            modulesRoot: '/',
            modules: { 'index.js': { type: 'esm', contents: script } },
          },
          env: { ...Object.fromEntries(texts), DB: { type: 'd1', id: ofConfiguration('database_id') } },
        },
        dev: { rootPath: ROOT },
      },
    ],
  })
}

/** A text of wrangler.toml. The id of the database names the file, for wrangler as well. */
export function ofConfiguration(name: string): string {
  const text = new RegExp(`^${name}\\s*=\\s*"(.+?)"`, 'm').exec(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8'))?.[1]
  if (text === undefined) throw new LoadError(`wrangler.toml has no ${name}: give it one`)
  return text
}
