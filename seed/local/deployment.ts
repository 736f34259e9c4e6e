import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject } from '../../src/model/kinds.ts'
import { LoadError, reasonOf } from '../load/error.ts'
import { ROOT } from './wrangler.ts'

/** The settings of one deployment. It has the form of wrangler.toml and only the differences. Git ignores it. */
const OWN = 'deploy.toml'
/** The merged settings for wrangler. Paths are relative to this file, so it is in the folder of the project. */
const WRITTEN = 'wrangler.deploy.json'
/** The settings that a service on PostgreSQL has instead. A user copies them to deploy.toml. */
const POSTGRES = 'deploy.postgres.example.toml'
/** The merged settings of a local service on PostgreSQL. */
const POSTGRES_WRITTEN = 'wrangler.postgres.json'
/** The id in wrangler.toml. It means that there is only a local database. */
const NO_DATABASE = '00000000-0000-0000-0000-000000000000'

export interface Deployment {
  /** The path of the configuration for wrangler. */
  readonly config: string
  /** The id of the D1 database. Null if none is deployed. */
  readonly databaseId: string | null
  /** The id of the Hyperdrive, which leads to PostgreSQL. It is empty before a user enters it. Null: there is none. */
  readonly hyperdriveId: string | null
  /** Null if no setting names it. Wrangler then uses the only account of the user who is logged in. */
  readonly accountId: string | null
}

/** Merges wrangler.toml and deploy.toml of a folder. If there is a deploy.toml, it writes the result for wrangler. */
export async function readDeployment(folder = ROOT): Promise<Deployment> {
  const read = await reader(folder)
  const base = read('wrangler.toml')
  const isDeployed = existsSync(join(folder, OWN))
  const all = isDeployed ? (merged(base, read(OWN)) as Table) : base
  if (isDeployed) write(join(folder, WRITTEN), all)
  const [database] = (all.d1_databases ?? []) as Table[]
  const [hyperdrive] = (all.hyperdrive ?? []) as Table[]
  const id = text(database?.database_id)
  return {
    config: join(folder, isDeployed ? WRITTEN : 'wrangler.toml'),
    databaseId: id === NO_DATABASE ? null : id,
    hyperdriveId: hyperdrive === undefined ? null : String(hyperdrive.id ?? ''),
    accountId: process.env.CLOUDFLARE_ACCOUNT_ID ?? text(all.account_id),
  }
}

/** Writes the settings of a local service on PostgreSQL for wrangler. Returns their path. */
export async function writePostgresConfig(): Promise<string> {
  const read = await reader(ROOT)
  const config = join(ROOT, POSTGRES_WRITTEN)
  write(config, merged(read('wrangler.toml'), read(POSTGRES)))
  return config
}

/** Returns a function that reads the settings in a file of a folder. It throws LoadError for a file that is not TOML. */
async function reader(folder: string): Promise<(file: string) => Table> {
  const { experimental_readRawConfig: readRaw } = await import('wrangler')
  return (file) => {
    try {
      return readRaw({ config: join(folder, file) }).rawConfig as Table
    } catch (cause) {
      throw new LoadError(`${file}: ${reasonOf(cause)}`, { cause })
    }
  }
}

/** Writes settings, unless the file has them already. Another program may read it at the same time. */
function write(file: string, settings: unknown): void {
  const content = `${JSON.stringify(settings, null, 2)}\n`
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return
  writeFileSync(`${file}.${process.pid}`, content)
  renameSync(`${file}.${process.pid}`, file)
}

/** The commands of D1 that use the local database if `--remote` is absent. */
const LOCAL = ['execute', 'export', 'migrations']

/** Returns the configuration for a command. The local database has the id in wrangler.toml, as npm start uses it. */
export const configFor = ({ config }: Deployment, [group = '', command = '', ...rest]: readonly string[]): string =>
  group === 'd1' && LOCAL.includes(command) && !rest.includes('--remote')
    ? join(dirname(config), 'wrangler.toml')
    : config

/** Throws LoadError if a command would deploy a Worker without a database. */
export function checkDeployable({ databaseId, hyperdriveId }: Deployment, args: readonly string[]): void {
  if (args[0] !== 'deploy' || args.includes('--dry-run')) return
  if (hyperdriveId === '') throw new LoadError(`no Hyperdrive yet: see docs/postgres.md, and enter its id in ${OWN}`)
  if (hyperdriveId !== null || databaseId !== null) return
  throw new LoadError(`no database yet: run npx wrangler d1 create events, and enter its id in ${OWN}`)
}

type Table = Readonly<Record<string, unknown>>

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Returns the key that identifies a table in a list: its binding or its name. */
const nameOf = (value: unknown): unknown => (isObject(value) ? (value.binding ?? value.name) : undefined)

/**
 * Merges tables key by key, and lists of named tables by name. Other values of `own` replace those of `base`, also an
 * empty list.
 */
export const merged = (base: unknown, own: unknown): unknown => {
  if (isObject(base) && isObject(own)) {
    const entries = Object.keys(own).map((key) => [key, key in base ? merged(base[key], own[key]) : own[key]])
    return { ...base, ...Object.fromEntries(entries) }
  }
  if (!Array.isArray(base) || !Array.isArray(own) || own.length === 0) return own
  if (own.some((each) => nameOf(each) === undefined)) return own
  const added = own.filter((each) => !base.some((table) => nameOf(table) === nameOf(each)))
  const mergedTables = base.map((each) => merged(each, own.find((table) => nameOf(table) === nameOf(each)) ?? each))
  return [...mergedTables, ...added]
}
