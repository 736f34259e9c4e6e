import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import { LoadError } from '../load/error.ts'
import { PAGE_FILES } from '../local/configuration.ts'
import { ROOT, WRANGLER, wranglerEnv } from '../local/wrangler.ts'

const FOLDER = join(ROOT, 'dist')
const WORKER = join(FOLDER, 'index.js')
const NODE = join(FOLDER, 'node.mjs')

/** What a build depends on. */
const SOURCES = ['src', 'schema', 'package.json', 'package-lock.json', 'wrangler.toml']

/** Returns the Worker as it is deployed. Each function of this file builds only if the code is newer than the last build. */
export const builtWorker = (): string => {
  if (isOld(WORKER)) {
    const draft = `${WORKER}.${process.pid}`
    writeFileSync(draft, buildWorker())
    renameSync(draft, WORKER)
  }
  return readFileSync(WORKER, 'utf8')
}

/** Returns the address of the module with the Worker for Node, which is built as wrangler builds the Worker. */
export const builtNode = async (): Promise<string> => {
  if (isOld(NODE)) {
    const { status, stderr } = spawnSync(process.execPath, ['src/web/build.ts'], { cwd: ROOT, encoding: 'utf8' })
    if (status !== 0) throw new LoadError(`the files of the page cannot be built:\n${stderr}`)
    await bundle()
  }
  return pathToFileURL(NODE).href
}

const bundle = async (): Promise<void> => {
  const { build } = await import('esbuild')
  const draft = `${NODE}.${process.pid}`
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/node.ts'],
    outfile: draft,
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['pg', '@hono/node-server'],
    logLevel: 'silent',
    plugins: [WRITTEN],
  }).catch((cause: unknown) => {
    throw new LoadError('the service for Node cannot be built', { cause })
  })
  renameSync(draft, NODE)
}

/** Replaces modules of the source by modules that a build writes, as `alias` in wrangler.toml does. */
const WRITTEN: Plugin = {
  name: 'written modules',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/(code|pageFiles)\.ts$/ }, ({ path }) => ({ path: join(FOLDER, path) })),
}

/** Tests if a built file is missing, or older than the code. Throws LoadError if this user may not write a new one. */
const isOld = (file: string): boolean => {
  const newest = Math.max(...SOURCES.map((name) => timeOf(join(ROOT, name))))
  const isWhole = existsSync(file) && existsSync(join(PAGE_FILES, '_headers'))
  if (isWhole && statSync(file).mtimeMs > newest) return false
  try {
    mkdirSync(FOLDER, { recursive: true })
    accessSync(FOLDER, constants.W_OK)
    return true
  } catch (cause) {
    const advice = 'run npm run build as the user who owns the code'
    throw new LoadError(`the code is newer than its build in ${FOLDER}, which this user may not write: ${advice}`, {
      cause,
    })
  }
}

const timeOf = (path: string): number => {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => timeOf(join(path, name))))
}

/** A module as wrangler would deploy it, and the files of the project and of packages whose code it has. */
interface BuiltModule {
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
