import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { LoadError, reasonOf } from '../load/error.ts'
import { ROOT } from './wrangler.ts'

/** The settings of one deployment. It has the form of wrangler.toml and only the differences. Git ignores it. */
const OWN = 'deploy.toml'
/** The merged settings for wrangler. Paths are relative to this file, so it is in the folder of the project. */
const WRITTEN = 'wrangler.deploy.json'
/** The id in wrangler.toml. It means that there is only a local database. */
const NO_DATABASE = '00000000-0000-0000-0000-000000000000'

export interface Deployment {
  /** The path of the configuration for wrangler. */
  readonly config: string
  /** Null if no database is deployed. */
  readonly databaseId: string | null
  /** Null if no setting names it. Wrangler then uses the only account of the user who is logged in. */
  readonly accountId: string | null
}

/** Merges wrangler.toml and deploy.toml of a folder. If there is a deploy.toml, it writes the result for wrangler. */
export async function readDeployment(folder = ROOT): Promise<Deployment> {
  const [own, written, tracked] = [join(folder, OWN), join(folder, WRITTEN), join(folder, 'wrangler.toml')]
  const { experimental_readRawConfig: readRaw } = await import('wrangler')
  const read = (config: string): Table => {
    try {
      return readRaw({ config }).rawConfig as Table
    } catch (cause) {
      throw new LoadError(`${relative(folder, config)}: ${reasonOf(cause)}`, { cause })
    }
  }
  const base = read(tracked)
  const all = existsSync(own) ? (merged(base, read(own)) as Table) : base
  if (existsSync(own)) writeFileSync(written, `${JSON.stringify(all, null, 2)}\n`)
  const [database] = (all.d1_databases ?? []) as Table[]
  const id = text(database?.database_id)
  return {
    config: existsSync(own) ? written : tracked,
    databaseId: id === NO_DATABASE ? null : id,
    accountId: process.env.CLOUDFLARE_ACCOUNT_ID ?? text(all.account_id),
  }
}

/** The commands of D1 that use the local database if `--remote` is absent. */
const LOCAL = ['execute', 'export', 'migrations']

/** Returns the configuration for a command. The local database has the id in wrangler.toml, as npm start uses it. */
export const configFor = ({ config }: Deployment, [group = '', command = '', ...rest]: readonly string[]): string =>
  group === 'd1' && LOCAL.includes(command) && !rest.includes('--remote')
    ? join(dirname(config), 'wrangler.toml')
    : config

/** Throws LoadError if a command would deploy a Worker without a database. */
export function checkDeployable({ databaseId }: Deployment, args: readonly string[]): void {
  if (args[0] !== 'deploy' || databaseId !== null || args.includes('--dry-run')) return
  throw new LoadError(`no database yet: run npx wrangler d1 create events, and enter its id in ${OWN}`)
}

type Table = Readonly<Record<string, unknown>>

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the key that identifies a table in a list: its binding or its name. */
const nameOf = (value: unknown): unknown => (isTable(value) ? (value.binding ?? value.name) : undefined)

/** Merges tables key by key, and lists of named tables by name. Other values of `own` replace those of `base`. */
export const merged = (base: unknown, own: unknown): unknown => {
  if (isTable(base) && isTable(own)) {
    const entries = Object.keys(own).map((key) => [key, key in base ? merged(base[key], own[key]) : own[key]])
    return { ...base, ...Object.fromEntries(entries) }
  }
  if (!Array.isArray(base) || !Array.isArray(own) || own.some((each) => nameOf(each) === undefined)) return own
  const added = own.filter((each) => !base.some((table) => nameOf(table) === nameOf(each)))
  const mergedTables = base.map((each) => merged(each, own.find((table) => nameOf(table) === nameOf(each)) ?? each))
  return [...mergedTables, ...added]
}
