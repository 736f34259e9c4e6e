import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'

const ROOT = join(import.meta.dirname, '../..')
const MODULES = join(ROOT, 'node_modules')

/** Bundles the Workers of both entries, with the modules of packages that wrangler would take. */
export const WORKERS = {
  absWorkingDir: ROOT,
  entryPoints: ['src/index.ts', 'src/postgres.ts'],
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*', ...builtinModules],
  write: false,
} as const satisfies BuildOptions

/** Writes the licences of all packages whose code or data is in the Workers or in the files of the page. */
export async function writeLicences(): Promise<string> {
  const published = ['maplibre-gl', 'swagger-ui-dist', 'world-atlas'].map((name) => join(MODULES, name))
  const folders = new Set([...published, ...inMaplibre(), ...(await inBundles())])
  return [...folders].map(licenceOf).sort().join('\n')
}

/** Returns the folders of the packages whose code is in the scripts or in the Workers. */
async function inBundles(): Promise<string[]> {
  const { metafile } = await build({
    ...WORKERS,
    entryPoints: [...WORKERS.entryPoints, 'src/web/app/page.tsx', 'src/web/app/docs.ts'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
  })
  const files = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  return files.flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput === 0 ? [] : (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(join(ROOT, path))?.[0] ?? []),
  )
}

/** Returns the folders of the packages in MapLibre's published script. Its source map names them. */
function inMaplibre(): string[] {
  const own = join(MODULES, 'maplibre-gl')
  const { sources } = JSON.parse(readFileSync(join(own, 'dist/maplibre-gl.js.map'), 'utf8')) as { sources: string[] }
  return sources.flatMap((source) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source) ?? []
    if (name === undefined) return []
    return [join(own, 'node_modules', name), join(MODULES, name)].find((folder) => existsSync(folder)) ?? []
  })
}

/** Writes the name and the notices of a package. A few packages state their licence only in package.json. */
function licenceOf(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const notices = readdirSync(folder)
    .filter((file) => /^(?:licen[cs]e|notice)|^swagger-ui-bundle.*licen[cs]e/i.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim())
  const by = author?.name ?? author
  return [`${name} ${version}, ${license}${by ? `, ${by}` : ''}`, ...notices, ''].join('\n\n')
}
