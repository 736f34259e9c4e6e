import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LoadError } from '../load/error.ts'
import { buildNode } from '../local/node.ts'
import { buildWorker } from '../local/worker.ts'
import { ROOT } from '../local/wrangler.ts'

const FOLDER = join(ROOT, 'dist')
const WORKER = join(FOLDER, 'index.js')
const NODE = join(FOLDER, 'node.mjs')

/** What a build depends on. */
const SOURCES = ['src', 'schema', 'package.json', 'package-lock.json', 'wrangler.toml'].map((name) => join(ROOT, name))

/** Returns the Worker as it is deployed. It builds the Worker if the code is newer than the last build. */
export const builtWorker = (): string => {
  if (!isNew(WORKER)) {
    checkFolder()
    writeFileSync(WORKER, buildWorker())
  }
  return readFileSync(WORKER, 'utf8')
}

/** Returns the address of the module for Node. It builds the module if the code is newer than the last build. */
export const builtNode = async (): Promise<string> => {
  if (!isNew(NODE)) {
    checkFolder()
    await buildNode(NODE)
  }
  return pathToFileURL(NODE).href
}

/** Tests if a built file is newer than the code. */
const isNew = (file: string): boolean => existsSync(file) && statSync(file).mtimeMs > Math.max(...SOURCES.map(timeOf))

const timeOf = (path: string): number => {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => timeOf(join(path, name))))
}

/** Throws LoadError if this user may not write the built files. */
const checkFolder = (): void => {
  try {
    mkdirSync(FOLDER, { recursive: true })
    accessSync(FOLDER, constants.W_OK)
  } catch (cause) {
    const advice = 'run npm run build as the user who owns the code'
    throw new LoadError(`the code is newer than its build, and this user may not write to ${FOLDER}: ${advice}`, {
      cause,
    })
  }
}
