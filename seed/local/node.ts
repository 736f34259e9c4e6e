import { spawnSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { LoadError } from '../load/error.ts'
import { ROOT } from './wrangler.ts'

/** Builds the service for Node into a file, as wrangler builds the Worker. Throws LoadError if the build fails. */
export const buildNode = async (file: string): Promise<void> => {
  const { status, stderr } = spawnSync(process.execPath, ['src/web/build.ts'], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new LoadError(`the files of the page cannot be built:\n${stderr}`)
  const draft = `${file}.${process.pid}`
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
  renameSync(draft, file)
}

/** Replaces modules of the source by modules that a build writes, as `alias` in wrangler.toml does. */
const WRITTEN: Plugin = {
  name: 'written modules',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/(code|pageFiles)\.ts$/ }, ({ path }) => ({ path: join(ROOT, 'dist', path) })),
}
