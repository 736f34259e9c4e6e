import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll } from 'vitest'

/** Makes a folder, and removes it after the tests of a file. Returns the path of a name in it. */
export const makeFolder = (title: string) => {
  const folder = mkdtempSync(join(tmpdir(), `${title}-`))
  afterAll(() => rmSync(folder, { recursive: true }))
  return (name = ''): string => join(folder, name)
}

/** Returns the variable API_KEYS for these keys with their rights. */
export const apiKeysOf = (keys: Readonly<Record<string, object>>): string => {
  const entries = Object.entries(keys).map(([key, rights]) => [createHash('sha256').update(key).digest('hex'), rights])
  return JSON.stringify(Object.fromEntries(entries))
}

/** Runs a command in another process, because this one may serve the Worker. The key is in the variable EVENTS_KEY. */
export const runCommand = async (command: string, args: readonly string[], key = '') => {
  const env = { ...process.env, EVENTS_KEY: key }
  const child = spawn(process.execPath, [`seed/commands/${command}.ts`, ...args], { env })
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  // The lines of progress depend on the speed.
  return { status, stdout, stderr: stderr.replace(/^(Checking|Loading) \d+%.*\n/gm, '') }
}
