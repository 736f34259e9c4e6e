import { existsSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { LoadError } from '../load/error.ts'
import { ROOT } from './wrangler.ts'

/** What a deployer says, in the form of wrangler.toml: only what differs from it. Git ignores it. */
const OWN = 'deploy.toml'
/** Both together, as wrangler is given them: in the folder of the project, as their paths begin there. */
const WRITTEN = 'wrangler.deploy.json'
/** Stands in wrangler.toml for a database that is local only. */
const NO_DATABASE = '00000000-0000-0000-0000-000000000000'

/** How the service is deployed. */
export interface Deployment {
  /** The file that wrangler is to read. */
  readonly config: string
  /** Null while there is none but the local one. */
  readonly databaseId: string | null
  /** Null where wrangler is to find out: by CLOUDFLARE_ACCOUNT_ID, or as the only account of whoever is logged in. */
  readonly accountId: string | null
}

/** How the service is deployed from a folder: by its wrangler.toml, with what deploy.toml says otherwise. */
export async function readDeployment(folder = ROOT): Promise<Deployment> {
  const [own, written, tracked] = [join(folder, OWN), join(folder, WRITTEN), join(folder, 'wrangler.toml')]
  const { experimental_readRawConfig: readRaw } = await import('wrangler')
  const read = (config: string): Table => {
    try {
      return readRaw({ config }).rawConfig as Table
    } catch (cause) {
      throw new LoadError(`${relative(folder, config)}: ${cause instanceof Error ? cause.message : cause}`, { cause })
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

/** Throws LoadError where a command of wrangler would deploy a Worker that has no database. */
export function checkDeployable({ databaseId }: Deployment, args: readonly string[]): void {
  if (args[0] !== 'deploy' || databaseId !== null || args.includes('--dry-run')) return
  throw new LoadError(`no database yet: npx wrangler d1 create events, and put its id into ${OWN}`)
}

type Table = Readonly<Record<string, unknown>>

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

/** By what a table in a list is told from others. */
const nameOf = (value: unknown): unknown => (isTable(value) ? (value.binding ?? value.name) : undefined)

/** What stands in both is that of the second: tables key by key, of lists the tables of one name; else the whole. */
export const merged = (base: unknown, own: unknown): unknown => {
  if (isTable(base) && isTable(own)) {
    const both = Object.keys(own).map((key) => [key, key in base ? merged(base[key], own[key]) : own[key]])
    return { ...base, ...Object.fromEntries(both) }
  }
  if (!Array.isArray(base) || !Array.isArray(own) || own.some((each) => nameOf(each) === undefined)) return own
  const others = own.filter((each) => !base.some((there) => nameOf(there) === nameOf(each)))
  const known = base.map((each) => merged(each, own.find((said) => nameOf(said) === nameOf(each)) ?? each))
  return [...known, ...others]
}
