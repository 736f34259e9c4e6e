import { join } from 'node:path'

/** The folder of the project. */
export const ROOT = join(import.meta.dirname, '../..')
/** The script of wrangler for Node. The bin of wrangler only starts this script, and forwards no signals. */
export const WRANGLER = join(ROOT, 'node_modules/wrangler/wrangler-dist/cli.js')

/** Variables that turn off metrics, the banner, requests to the network and the local tools of wrangler. */
export const WRANGLER_ENV = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  X_LOCAL_OBSERVABILITY: 'false',
  X_LOCAL_EXPLORER: 'false',
}
