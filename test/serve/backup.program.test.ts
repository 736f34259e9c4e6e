import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, inject, it } from 'vitest'
import { databaseFile } from '../../seed/local/database.ts'
import { apiKeysOf, makeFolder, runCommand } from '../seed/program.ts'
import { giveDatabase, type OwnService, startOwn } from './own.ts'

const at = makeFolder('backup')
const headers = { Authorization: 'Bearer writer', 'Content-Type': 'application/json' }
const EVENTS = '/api/v3/events/'
const FILE = at('backup.sqlite')
const start = () => startOwn(at('state'), [], { API_KEYS: apiKeysOf({ writer: { read: 'Hidden', write: true } }) })
const backup = (...args: string[]) => runCommand('backup', [...args, '--persist-to', at('state')])

const ask = (service: OwnService, path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${service.port}${path}`, { headers, ...init })
const post = async (service: OwnService): Promise<void> => {
  const properties = { event_series: 1, category: 'c', value: 'new', timestamp_start: 0 }
  const body = JSON.stringify({ type: 'Feature', geometry: null, properties })
  expect((await ask(service, EVENTS, { method: 'POST', body })).status).toBe(201)
}
const countOf = async (service: OwnService): Promise<number> => {
  const { count } = (await (await ask(service, `${EVENTS}?value=new`)).json()) as { count: number }
  return count
}

beforeAll(() => {
  chmodSync(at(), 0o755)
  giveDatabase(inject('seeded'), at('state'))
})

it('npm run backup copies a database under writes, and restores it', async () => {
  const service = await start()
  await post(service)
  const { mark } = (await (await ask(service, '/api/v4/changes/')).json()) as { mark: string }
  const [done] = await Promise.all([backup(FILE), post(service)])
  expect(done).toMatchObject({ status: 0, stdout: `Wrote ${FILE}.\n`, stderr: '' })
  await post(service)
  expect(await countOf(service)).toBe(3)
  expect(await backup(FILE, '--restore')).toMatchObject({ status: 1, stderr: expect.stringContaining('end it first') })
  service.child.kill('SIGTERM')
  await service.ended
  // The database is damaged.
  writeFileSync(databaseFile(at('state')), 'damaged')
  expect(await backup(FILE, '--restore')).toMatchObject({ status: 0, stderr: '' })
  const restored = await start()
  expect([1, 2]).toContain(await countOf(restored))
  expect((await ask(restored, `/api/v4/changes/?after=${mark}`)).status).toBe(410)
  await post(restored)
  restored.child.kill('SIGTERM')
  await restored.ended
})

it('refuses a backup of a later version, and leaves the database', async () => {
  const later = new DatabaseSync(FILE)
  later.exec("INSERT INTO d1_migrations (name) VALUES ('0009_9.9.9.sql')")
  later.close()
  const before = readFileSync(databaseFile(at('state')))
  expect(await backup(FILE, '--restore')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('git checkout v9.9.9'),
  })
  expect(readFileSync(databaseFile(at('state')))).toEqual(before)
})

it('refuses a damaged file, a missing file and a missing database', async () => {
  const whole = readFileSync(FILE)
  writeFileSync(at('cut.sqlite'), whole.subarray(0, whole.length / 2))
  writeFileSync(at('text.sqlite'), 'text')
  for (const name of ['cut.sqlite', 'text.sqlite'])
    expect(await backup(at(name), '--restore')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is no whole backup'),
    })
  expect(await backup(at('none.sqlite'), '--restore')).toMatchObject({
    stderr: expect.stringContaining('there is no file'),
  })
  const { stderr } = await runCommand('backup', [at('x.sqlite'), '--persist-to', at('none')])
  expect(stderr).toContain('there is no database in')
})
