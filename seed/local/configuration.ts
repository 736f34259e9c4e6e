import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { ROOT } from './wrangler.ts'

/** The parts of wrangler.toml that programs of the project read. */
interface Configuration {
  readonly compatibility_date: string
  readonly vars: Readonly<Record<string, string>>
  readonly assets: { readonly directory: string }
  readonly d1_databases: readonly [{ readonly database_id: string }]
  readonly ratelimits: readonly [{ readonly name: string; readonly namespace_id: string; readonly simple: RateLimits }]
}

/** The most requests of one client in a period of seconds. */
export interface RateLimits {
  readonly limit: number
  readonly period: 10 | 60
}

/** wrangler.toml. wrangler itself checks it, but takes a second to read it. */
export const CONFIGURATION = parse(readFileSync(join(ROOT, 'wrangler.toml'), 'utf8')) as unknown as Configuration

/** The folder with the files of the page. */
export const PAGE_FILES = join(ROOT, CONFIGURATION.assets.directory)
