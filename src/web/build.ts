import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { build, type OutputFile, type Plugin } from 'esbuild'
import { WORKERS, writeLicences } from './licences.ts'
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
export const makeAssets = async (): Promise<Assets> => (await makePage()).assets

/** Makes every file, and the module that replaces src/formats/pageFiles.ts in a build. */
async function makePage(): Promise<{ assets: Assets; pageFiles: string }> {
  const maplibre = library('maplibre-gl', 'dist/maplibre-gl.js', 'maplibre-gl.js')
  const coarse = keep('world-coarse.json', worldMap('110m', 0, 1))
  const world = keep('world.json', worldMap('50m', 0.001, 2))
  const names = { MAPLIBRE_FILE: maplibre[0], COARSE_WORLD_FILE: coarse[0], WORLD_FILE: world[0] }
  const { files, script, styles } = await bundlePage(names)
  const assets = new Map<string, Uint8Array | string>([
    ['_headers', HEADERS],
    ['assets/favicon.svg', readFileSync(join(import.meta.dirname, 'favicon.svg'))],
    ['assets/licences.txt', await writeLicences()],
    maplibre,
    library('swagger-ui-dist', 'swagger-ui-bundle.js', 'swagger-ui.js'),
    library('swagger-ui-dist', 'swagger-ui.css', 'swagger-ui.css'),
    coarse,
    world,
    ...files,
    ...(await bundleOthers()),
  ])
  return { assets, pageFiles: `export const PAGE_FILES = ${JSON.stringify({ script, styles })}\n` }
}

/** Writes a file as a whole, unless it has the content already. Another build may read it. */
function store(file: string, content: Uint8Array | string): void {
  if (existsSync(file) && readFileSync(file).equals(Buffer.from(content))) return
  mkdirSync(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, content)
  renameSync(draft, file)
}

/** The time that a file of an earlier build stays. After a deployment, an open page may still request it. */
const KEPT = 7 * 86_400_000 // milliseconds
const KEPT_FOLDER = join('assets', 'kept')

/**
 * Writes the files that differ from the files in the folder, and removes old files. Recent files in `assets/kept` stay.
 * Two runs at the same time do no harm. Returns the module that replaces src/formats/pageFiles.ts in a build.
 */
export async function writeAssets(folder = FOLDER): Promise<string> {
  const { assets, pageFiles } = await makePage()
  for (const [path, content] of assets) {
    store(join(folder, path), content)
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name))
    if (!entry.isFile() || assets.has(path) || /\.\d+$/.test(path)) continue
    const since = dirname(path) === KEPT_FOLDER ? statSync(join(folder, path), { throwIfNoEntry: false })?.mtimeMs : 0
    if (Date.now() - (since ?? 0) > KEPT) rmSync(join(folder, path), { force: true })
  }
  return pageFiles
}

const BUNDLED = {
  absWorkingDir: import.meta.dirname,
  outdir: join(FOLDER, 'assets'),
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  banner: { js: '// Licences: /assets/licences.txt', css: '/* Licences: /assets/licences.txt */' },
  write: false,
} as const

/** The entry of the page. It has the modules that the first view needs. */
const ENTRY = 'app/page.tsx'

/** Lets each module that is loaded later import the entry. Then esbuild puts all modules of the entry into one file. */
const IN_ONE_FILE: Plugin = {
  name: 'in one file',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: join(resolveDir, path), pluginData: true } : null,
    )
    onLoad({ filter: /\.tsx?$/ }, ({ path, pluginData }) => {
      if (pluginData !== true) return null
      const contents = `${readFileSync(path, 'utf8')}\nimport '${join(import.meta.dirname, ENTRY)}'`
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
    })
  },
}

/** Bundles the page. Returns the names of its first script and of its styles, below /assets/. */
async function bundlePage(names: Readonly<Record<string, string>>) {
  const { outputFiles, metafile } = await build({
    ...BUNDLED,
    entryPoints: [ENTRY, 'styles/page.css'],
    plugins: [IN_ONE_FILE],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: 'kept/[name]-[hash]',
    chunkNames: 'kept/[name]-[hash]',
    splitting: true,
    define: Object.fromEntries(Object.entries(names).map(([name, text]) => [name, JSON.stringify(text)])),
    metafile: true,
  })
  const outputs = Object.entries(metafile.outputs)
  const nameOf = (path = '') => relative(BUNDLED.outdir, join(BUNDLED.absWorkingDir, path))
  const [entry, { imports = [] } = {}] = outputs.find(([, { entryPoint }]) => entryPoint === ENTRY) ?? []
  const [styles] = outputs.find(([path]) => path.endsWith('.css')) ?? []
  const files = pathsOf(outputFiles).filter(([path]) => path !== join('assets', nameOf(entry)))
  return { files, script: nameOf(imports[0]?.path), styles: nameOf(styles) }
}

/** Bundles the script and styles of /docs, and the styles of the map. */
async function bundleOthers(): Promise<File[]> {
  const entryPoints = ['app/docs.ts', 'styles/docs.css', 'styles/map.css']
  const { outputFiles } = await build({ ...BUNDLED, entryPoints, entryNames: '[name]' })
  return pathsOf(outputFiles).map(([path, contents]) => {
    const isOfMap = path.endsWith('map.css')
    return [path, isOfMap ? Buffer.from(withoutUnused(Buffer.from(contents).toString())) : contents]
  })
}

const pathsOf = (files: readonly OutputFile[]): File[] =>
  files.map(({ path, contents }) => [relative(FOLDER, path), contents])

/** The controls of MapLibre that the map does not have. Their icons are most of its styles. */
const UNUSED =
  /maplibregl-(?:ctrl-(?:fullscreen|shrink|compass|geolocate|terrain|globe|logo)|user-location|marker|crosshair)/

/** Returns the styles without the rules of unused controls. */
const withoutUnused = (css: string): string =>
  css.replace(/([^{}]*)\{[^{}]*\}/g, (rule, selector) => (UNUSED.test(selector) ? '' : rule))

/**
 * Reads a published file of a package. Its new name has the version of the package. MapLibre makes its worker from its
 * own source text, which a bundler would change, and Swagger UI is bundled already.
 */
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

/**
 * Makes the module that replaces src/http/code.ts in a build. It has a digest of the Workers and their libraries. One
 * digest for both entries fits every build, also if two builds write it at the same time.
 */
export async function makeCode(): Promise<string> {
  const { outputFiles } = await build({ ...WORKERS, minify: true })
  const digests = outputFiles.map(({ contents }) => digestOf(contents))
  return `export const CODE = '${digestOf(digests.join())}'\n`
}

if (process.argv[1] === import.meta.filename) {
  store(join(ROOT, 'dist/pageFiles.ts'), await writeAssets())
  store(join(ROOT, 'dist/code.ts'), await makeCode())
}
