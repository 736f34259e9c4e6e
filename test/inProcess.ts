import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { build, type Plugin } from 'esbuild'
import { run } from '../seed/local/database.ts'
import { ROOT } from '../seed/local/wrangler.ts'

/** The functions of each file that ran, by the path of the file from the root of the project. */
export type Ran = ReadonlyMap<string, readonly string[]>

/** The Worker in this process, so that Node can observe it. Its database is a copy. */
export interface InProcess {
  /** Sends a GET, and reads the answer to its end. Throws unless its status is 200. */
  readonly ask: (path: string) => Promise<void>
  /** Returns the functions of the project that run while a request is answered. */
  readonly functionsOf: (path: string) => Promise<Ran>
  readonly close: () => Promise<void>
}

/** The name of the script in V8's report. */
const SCRIPT = 'worker-in-process.js'

/** Bundles the Worker and runs it on a copy of the database in `seeded`. `plugins` may change its code. */
export const openInProcess = async (seeded: string, plugins: Plugin[] = []): Promise<InProcess> => {
  const text = await bundle(plugins)
  const module: { exports?: { default: { fetch: Fetch } } } = {}
  compileFunction(text, ['module'], { filename: SCRIPT })(module)
  const fetch = module.exports?.default.fetch
  if (fetch === undefined) throw new Error('The bundle exports no Worker')
  const folder = mkdtempSync(join(tmpdir(), 'in-process-'))
  cpSync(seeded, folder, { recursive: true })
  const miniflare = await run(folder)
  const db = await miniflare.getD1Database('DB')
  const ask = async (path: string) => {
    const context = { waitUntil: () => {}, passThroughOnException: () => {} }
    const answer = await fetch(new Request(`http://localhost${path}`), { DB: db, ANONYMOUS_LEVEL: 'Hidden' }, context)
    const body = await answer.text()
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${body}`)
  }
  return {
    ask,
    functionsOf: async (path) => ranIn(text, await coverage(() => ask(path))),
    close: async () => {
      await miniflare.dispose()
      rmSync(folder, { recursive: true })
    },
  }
}

type Fetch = (request: Request, env: object, context: object) => Promise<Response>

/** Writes the Worker as one script. A comment with the path of a file stands before its code. */
const bundle = async (plugins: Plugin[]): Promise<string> => {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/index.ts'],
    bundle: true,
    write: false,
    format: 'cjs',
    mainFields: ['module', 'main'],
    plugins,
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** The function's name, and the position of its first character in the script. */
type Called = readonly [name: string, position: number]

/** Returns the functions of the script that V8 calls during a task. */
const coverage = async (task: () => Promise<void>): Promise<Called[]> => {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await task()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const functions = result.filter(({ url }) => url === SCRIPT).flatMap((script) => script.functions)
    return functions.flatMap(({ functionName, ranges }) =>
      ranges
        .slice(0, 1)
        .flatMap(({ count, startOffset }): Called[] => (count > 0 ? [[functionName, startOffset]] : [])),
    )
  } finally {
    session.disconnect()
  }
}

/** Groups functions by the file that the comment above them names. Leaves libraries out. */
const ranIn = (text: string, called: readonly Called[]): Ran => {
  const files = Array.from(text.matchAll(/^\/\/ (\S+\.\w+)$/gm), ({ 1: file = '', index }) => ({ file, index }))
  const ran = new Map<string, string[]>()
  for (const [name, position] of called) {
    const file = files.findLast(({ index }) => index < position)?.file ?? ''
    if (file.startsWith('src/')) ran.set(file, [...(ran.get(file) ?? []), name || '(closure)'])
  }
  return new Map([...ran].sort())
}
