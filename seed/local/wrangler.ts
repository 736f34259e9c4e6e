import { type SpawnOptions, spawn } from 'node:child_process'
import { constants as access, accessSync, mkdirSync } from 'node:fs'
import { constants, homedir } from 'node:os'
import { join } from 'node:path'

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

/** Returns the environment for wrangler. It writes its logs beside the local database if the user has no home to write to. */
export function wranglerEnv(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, ...WRANGLER_ENV }
  const folder = env.XDG_CONFIG_HOME || join(homedir(), '.config')
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, access.W_OK)
    return env
  } catch {
    return { ...env, XDG_CONFIG_HOME: join(ROOT, '.wrangler/config') }
  }
}

/** Signals that end a program: Ctrl-C, kill, or a closed terminal. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs wrangler to its end and returns its exit code. It forwards signals. */
export function runWrangler(args: readonly string[], options: SpawnOptions): Promise<number> {
  const child = spawn(process.execPath, [WRANGLER, ...args], { stdio: 'inherit', ...options })
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}
