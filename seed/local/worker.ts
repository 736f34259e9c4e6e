import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { LoadError } from '../load/error.ts'
import { ROOT, WRANGLER, wranglerEnv } from './wrangler.ts'

/** A module as wrangler would deploy it, and the files of the project and of packages whose code it has. */
export interface BuiltModule {
  readonly script: string
  readonly sources: readonly string[]
}

/** Builds the Worker as wrangler would deploy it. Throws LoadError if the build fails. */
export const buildWorker = (): string => buildModule('src/index.ts').script

/** Builds a module as wrangler would deploy it with some settings. Throws LoadError if the build fails. */
export function buildModule(entry: string, config = join(ROOT, 'wrangler.toml')): BuiltModule {
  const folder = mkdtempSync(join(tmpdir(), 'worker-'))
  const args = [WRANGLER, 'deploy', entry, '--config', config, '--dry-run', '--outdir', folder]
  try {
    const spawned = spawnSync(process.execPath, args, { cwd: ROOT, env: wranglerEnv(), encoding: 'utf8' })
    const { status, stdout, stderr } = spawned
    if (status !== 0) throw new LoadError(`the Worker cannot be built:\n${stdout}${stderr}`)
    const [script, map] = ['js', 'js.map'].map((end) =>
      readFileSync(join(folder, `${parse(entry).name}.${end}`), 'utf8'),
    )
    return { script: script ?? '', sources: JSON.parse(map ?? '').sources }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
