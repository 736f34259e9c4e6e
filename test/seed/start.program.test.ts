import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDatabase } from '../../seed/local/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'start-'))

afterAll(() => rmSync(folder, { recursive: true }))

it('npm start seeds an empty database once, serves it, and ends with the signal', async () => {
  const first = await start()
  expect(first.output).toContain('Loaded the seed: 16231 events in 14 event series.')
  expect((await fetch(`${first.address}/api/v3/events/?page_size=1`)).status).toBe(200)
  expect(await stop(first.child)).toBe(143)

  const { db, close } = await openDatabase(folder)
  expect(await db.prepare('SELECT revision FROM revision').first('revision')).toBe(1)
  await db.batch([db.prepare('DELETE FROM event'), db.prepare('DELETE FROM event_series WHERE id > 1')])
  await close()

  const second = await start()
  expect(second.output).not.toContain('Loaded')
  expect(await stop(second.child)).toBe(143)
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
function start(): Promise<{ child: ChildProcess; output: string; address: string }> {
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
