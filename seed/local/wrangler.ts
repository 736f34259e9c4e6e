import { join } from 'node:path'

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, '../..')
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
