import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../seed/local/database.ts'
import { dump } from './dump.ts'

const folder = mkdtempSync(join(tmpdir(), 'start-'))

afterAll(() => rmSync(folder, { recursive: true }))

it('npm start seeds an empty database once, serves it, and ends with the signal', async () => {
  const first = await start(folder)
  expect(first.output).toContain('Loaded the seed: 16231 events in 14 event series.')
  expect((await fetch(`${first.address}/api/v3/events/?page_size=1`)).status).toBe(200)
  expect(await stop(first.child)).toBe(143)

  const { db, close } = await openDatabase(folder)
  expect(await db.prepare('SELECT revision FROM revision').first('revision')).toBe(1)
  await db.batch([db.prepare('DELETE FROM event'), db.prepare('DELETE FROM event_series WHERE id > 1')])
  await close()

  const second = await start(folder)
  expect(second.output).not.toContain('Loaded')
  expect(await stop(second.child)).toBe(143)
})

describe('a database of an earlier version is refused and stays as it is', () => {
  const state = join(folder, 'earlier')
  const lines = join(folder, 'lines.ndjson')
  beforeAll(async () => {
    await fill(state)
    writeFileSync(lines, '{"kind": "observation_type", "id": 90, "code": "a", "name": "A", "unit": null}\n')
  })

  it.each([
    ['start', ['--port', '0']],
    ['load', [lines]],
    ['export', [join(folder, 'out.ndjson')]],
    ['recount', []],
  ])('%s', (command, args) => {
    // Miniflare may add a table of its own.
    const { schema: _, ...before } = dump(state)
    expect(run(command, [...args, '--persist-to', state])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`${command}: an earlier version made the database in ${state}: export it with`),
    })
    expect(dump(state)).toMatchObject(before)
  })

  it.each(['DROP INDEX event_by_end', 'ALTER TABLE event DROP COLUMN z'])('after %s', async (change) => {
    const other = join(folder, change)
    const { db, close } = await openDatabase(other)
    await db.prepare(change).run()
    await close()
    expect(run('start', ['--port', '0', '--persist-to', other])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('an earlier version made the database'),
    })
  })
})

it('npm start explains its options', () => {
  const help = spawnSync(process.execPath, ['seed/commands/start.ts', '--help'], { encoding: 'utf8' })
  expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage: npm start [-- OPTION...]') })
  const fault = spawnSync(process.execPath, ['seed/commands/start.ts', '--persist-to'], { encoding: 'utf8' })
  expect(fault).toMatchObject({
    status: 1,
    stderr: 'start: --persist-to needs a folder: enter one, such as --persist-to /tmp/state\n',
  })
})

/** Starts on a free port and waits for the address. */
function start(folder: string): Promise<{ child: ChildProcess; output: string; address: string }> {
  const args = ['seed/commands/start.ts', '--port', '0', '--persist-to', folder]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (text) => {
      output += text
      const address = /Ready on (http:\S+)/.exec(output)?.[1]
      if (address) resolve({ child, output, address })
    })
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
}

function stop(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  child.kill('SIGTERM')
  return ended
}

const run = (command: string, args: readonly string[]) =>
  spawnSync(process.execPath, [`seed/commands/${command}.ts`, ...args], { encoding: 'utf8', timeout: 60_000 })

/** Fills a new database with the tables and rows of test/seed/earlier.sql. */
async function fill(state: string): Promise<void> {
  const { close } = await openDatabase(state)
  await close()
  const [file = ''] = globSync(join(state, 'v3/d1/*/*.sqlite')).filter((each) => !each.endsWith('metadata.sqlite'))
  for (const each of globSync(`${file}*`)) rmSync(each)
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  db.exec(readFileSync(join(import.meta.dirname, 'earlier.sql'), 'utf8'))
  db.close()
}
