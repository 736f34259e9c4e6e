import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { worldMap } from './world.ts'

/**
 * The files of the page by path. A path is relative to the folder of `[assets]` in wrangler.toml, and to the address.
 */
export type Assets = ReadonlyMap<string, Uint8Array | string>

type File = [path: string, content: Uint8Array]

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'dist/public')
const require = createRequire(import.meta.url)

/** Browsers revalidate files with a constant name. They cache files whose name has a version or a digest. */
const HEADERS = `/assets/*
  X-Content-Type-Options: nosniff
  Cross-Origin-Resource-Policy: same-origin
  Cache-Control: no-cache
/assets/kept/*
  ! Cache-Control
  Cache-Control: public, max-age=31536000, immutable
`

/** Makes every file that browsers load. */
export async function makeAssets(): Promise<Assets> {
  const [maplibre, ...others] = libraries()
  const world = keep('world.json', JSON.stringify(worldMap()))
  const names = { MAPLIBRE_FILE: maplibre[0], WORLD_FILE: world[0], CODE_NAME: (await digestOfCode()).slice(0, 8) }
  return new Map<string, Uint8Array | string>([
    ['_headers', HEADERS],
    ['assets/favicon.svg', readFileSync(join(import.meta.dirname, 'favicon.svg'))],
    maplibre,
    ...others,
    world,
    ...(await bundle(names)),
  ])
}

/** The time that a file of an earlier build stays. After a deployment, an open page may still request it. */
const KEPT = 7 * 86_400_000 // milliseconds
const KEPT_FOLDER = join('assets', 'kept')

/**
 * Writes the files that differ from the files in the folder, and removes old files. Recent files in `assets/kept` stay.
 * Two runs at the same time do no harm.
 */
export async function writeAssets(folder = FOLDER): Promise<void> {
  const assets = await makeAssets()
  for (const [path, content] of assets) {
    const file = join(folder, path)
    if (existsSync(file) && readFileSync(file).equals(Buffer.from(content))) continue
    mkdirSync(dirname(file), { recursive: true })
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, content)
    renameSync(draft, file)
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name))
    if (!entry.isFile() || assets.has(path) || /\.\d+$/.test(path)) continue
    const since = dirname(path) === KEPT_FOLDER ? statSync(join(folder, path), { throwIfNoEntry: false })?.mtimeMs : 0
    if (Date.now() - (since ?? 0) > KEPT) rmSync(join(folder, path), { force: true })
  }
}

/** Bundles the scripts and styles of the page. Scripts that the first view does not need are in separate files. */
async function bundle(names: Readonly<Record<string, string>>): Promise<[string, Uint8Array][]> {
  const { outputFiles } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: ['app/page.tsx', 'app/docs.ts', 'styles/page.css', 'styles/map.css', 'styles/docs.css'],
    outdir: join(FOLDER, 'assets'),
    entryNames: '[name]',
    chunkNames: 'kept/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    define: Object.fromEntries(Object.entries(names).map(([name, text]) => [name, JSON.stringify(text)])),
    legalComments: 'none',
    write: false,
  })
  return outputFiles.map(({ path, contents, text }) => [
    relative(FOLDER, path),
    path.endsWith('/map.css') ? Buffer.from(withoutUnused(text)) : contents,
  ])
}

/** The controls of MapLibre that the map does not have. Their icons are most of its styles. */
const UNUSED =
  /maplibregl-(?:ctrl-(?:fullscreen|shrink|compass|geolocate|terrain|globe|attrib|logo)|user-location|marker|crosshair)/

/** Returns the styles without the rules of unused controls. */
const withoutUnused = (css: string): string =>
  css.replace(/([^{}]*)\{[^{}]*\}/g, (rule, selector) => (UNUSED.test(selector) ? '' : rule))

/**
 * Returns the published files of the libraries. MapLibre makes its worker from its own source text, which a bundler
 * would change. Swagger UI is bundled already.
 */
function libraries(): [File, ...File[]] {
  return [
    library('maplibre-gl', 'dist/maplibre-gl.js', 'maplibre-gl.js'),
    library('swagger-ui-dist', 'swagger-ui-bundle.js', 'swagger-ui.js'),
    library('swagger-ui-dist', 'swagger-ui.css', 'swagger-ui.css'),
  ]
}

/** Reads a file of a package. Its new name has the version of the package. */
function library(name: string, file: string, as: string): File {
  const { version } = require(`${name}/package.json`) as { version: string }
  const folder = dirname(require.resolve(`${name}/package.json`))
  return [`assets/kept/${as.replace('.', `-${version}.`)}`, readFileSync(join(folder, file))]
}

/** Returns a file under a name with a digest of its content. */
function keep(name: string, content: string): [string, string] {
  return [`assets/kept/${name.replace('.', `-${digestOf(content).slice(0, 8)}.`)}`, content]
}

const digestOf = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Makes the module that replaces src/request/code.ts in a build. */
export const makeCode = async (): Promise<string> => `export const CODE = '${await digestOfCode()}'\n`

/** Returns a digest of the Worker and its libraries. */
async function digestOfCode(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/index.ts'],
    bundle: true,
    format: 'esm',
    minify: true,
    write: false,
  })
  return digestOf(outputFiles[0]?.contents ?? '')
}

if (process.argv[1] === import.meta.filename) {
  await writeAssets()
  writeFileSync(join(ROOT, 'dist/code.ts'), await makeCode())
}
