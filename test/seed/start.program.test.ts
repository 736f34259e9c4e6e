import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../seed/local/database.ts'
import { dump } from './dump.ts'
import { makeFolder } from './program.ts'

const at = makeFolder('start')

it('npm start seeds an empty database once, serves it, and ends with the signal', async () => {
  const first = await start(at())
  expect(first.output).toContain('Loaded the seed: 16231 events in 14 event series.')
  expect((await fetch(`${first.address}/api/v3/events/?page_size=1`)).status).toBe(200)
  expect(await stop(first.child)).toBe(143)

  const { db, close } = await openDatabase(at())
  expect(await db.prepare('SELECT revision FROM revision').first('revision')).toBe(1)
  await db.batch([db.prepare('DELETE FROM event'), db.prepare('DELETE FROM event_series WHERE id > 1')])
  await close()

  const second = await start(at())
  expect(second.output).not.toContain('Loaded')
  expect(await stop(second.child)).toBe(143)
})

/** A user such as nobody has no folder to write to. */
const HOMELESS = { ...process.env, HOME: '/dev/null', XDG_CONFIG_HOME: '' }

it('npm start -- --empty serves an empty database, also for a user without a home', async () => {
  const empty = await start(at('empty'), ['--empty'], HOMELESS)
  expect(empty.output).not.toContain('Loaded')
  const answer = await fetch(`${empty.address}/api/v3/events/?page_size=1`)
  expect(await answer.json()).toMatchObject({ count: 0 })
  expect(await stop(empty.child)).toBe(143)
})

it.each([
  ['load', ['seed/seed.ndjson.gz', '--persist-to', at('homeless')]],
  ['export', [at('homeless.ndjson'), '--persist-to', at('homeless')]],
  ['recount', ['--persist-to', at('homeless')]],
  ['key', []],
])('npm run %s needs no home', (command, args) => {
  expect(run(command, args, HOMELESS)).toMatchObject({ status: 0, stderr: expect.not.stringContaining('/dev/null') })
})

describe('a database of an earlier version is refused and stays as it is', () => {
  const state = at('earlier')
  const lines = at('lines.ndjson')
  beforeAll(async () => {
    const { db, close } = await openDatabase(state)
    await db.batch([
      db.prepare("UPDATE d1_migrations SET name = '0000_of_earlier.sql'"),
      db.prepare("INSERT INTO observation_type (id, code, name) VALUES (7, 'earlier', 'Earlier')"),
    ])
    await close()
    writeFileSync(lines, '{"kind": "observation_type", "id": 90, "code": "a", "name": "A", "unit": null}\n')
  })

  it.each([
    ['start', ['--port', '0']],
    ['load', [lines]],
    ['export', [at('out.ndjson')]],
    ['recount', []],
  ])('%s', (command, args) => {
    // Miniflare may add a table of its own.
    const { schema: _, ...before } = dump(state)
    expect(run(command, [...args, '--persist-to', state])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        `${command}: a version before 1.0.0 made the database in ${state}.\nRun git checkout v1.0.0-rc.1,`,
      ),
    })
    expect(dump(state)).toMatchObject(before)
  })
})

it('a database of a later version is refused with the version to check out, and does not change', async () => {
  const state = at('later')
  const { db, close } = await openDatabase(state)
  await db.batch([
    db.prepare('ALTER TABLE event ADD COLUMN newer'),
    ...['0001_1.1.0.sql', '0002_1.2.0.sql'].map((name) =>
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name),
    ),
  ])
  await close()
  const { schema: _, ...before } = dump(state)
  for (const [command = '', ...args] of [
    ['start', '--port', '0'],
    ['serve', '--port', '0'],
    ['load', 'seed/seed.ndjson.gz'],
    ['export', at('later.ndjson')],
    ['recount'],
  ])
    expect(run(command, [...args, '--persist-to', state])).toMatchObject({
      status: 1,
      stderr: `${command}: a later version changed the database in ${state}: it has 0002_1.2.0.sql.
Run git checkout v1.2.0 && npm ci. Then run the same command again.\n`,
    })
  expect(dump(state)).toMatchObject(before)
  expect(existsSync(at('later.ndjson'))).toBe(false)
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
function start(
  folder: string,
  more: readonly string[] = [],
  env = process.env,
): Promise<{ child: ChildProcess; output: string; address: string }> {
  const args = ['seed/commands/start.ts', '--port', '0', '--persist-to', folder, ...more]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
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

const run = (command: string, args: readonly string[], env = process.env) =>
  spawnSync(process.execPath, [`seed/commands/${command}.ts`, ...args], { encoding: 'utf8', timeout: 60_000, env })
