import { chmodSync, cpSync } from 'node:fs'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { apiKeysOf, makeFolder, runCommand } from '../seed/program.ts'
import { type RunningWorker, startWorker } from '../worker.ts'
import { giveDatabase, type OwnService, startOwn } from './own.ts'

const at = makeFolder('standby')
const API_KEYS = apiKeysOf({ writer: { read: 'Hidden', write: true } })
const headers = { Authorization: 'Bearer writer', 'Content-Type': 'application/json' }
const EVENTS = '/api/v3/events/'

let source: RunningWorker
let copy: OwnService
beforeAll(async () => {
  chmodSync(at(), 0o755)
  cpSync(inject('seeded'), at('source'), { recursive: true })
  source = await startWorker(inject('worker'), at('source'), { API_KEYS }, true, true)
  const args = ['--follow', source.address, '--every', '0.1']
  giveDatabase(null, at('own'))
  copy = await startOwn(at('own/copy'), args, { API_KEYS, EVENTS_KEY: 'writer' })
}, 120_000)
afterAll(() => source.close())

const askCopy = (path: string, init = {}) => fetch(`http://127.0.0.1:${copy.port}${path}`, { headers, ...init })
const post = (address: string, value: string) => {
  const properties = { event_series: 1, category: 'c', value, timestamp_start: 0 }
  return fetch(address, {
    method: 'POST',
    headers,
    body: JSON.stringify({ type: 'Feature', geometry: null, properties }),
  })
}
// biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
const jsonOf = async (response: Response): Promise<any> => response.json()

/** The ids of the events of a service with a value. */
const eventsWith = async (address: string, value: string): Promise<number[]> =>
  (await jsonOf(await fetch(`${address}${EVENTS}?value=${value}`, { headers }))).results.map(
    ({ id }: { id: number }) => id,
  )
const copied = (value: string) => eventsWith(`http://127.0.0.1:${copy.port}`, value)

it('npm run serve -- --follow serves a copy, which follows and takes no writes', async () => {
  const count = async (address: string) => (await jsonOf(await fetch(`${address}${EVENTS}`, { headers }))).count
  expect(await count(`http://127.0.0.1:${copy.port}`)).toBe(await count(source.address))
  await post(source.address + EVENTS, 'first')
  const stored = await eventsWith(source.address, 'first')
  await expect.poll(() => copied('first'), { timeout: 20_000 }).toEqual(stored)
  const refused = await post(`http://127.0.0.1:${copy.port}${EVENTS}`, 'own')
  expect([refused.status, await refused.json()]).toEqual([
    403,
    { detail: expect.stringContaining('a copy of another one') },
  ])
})

it('it replaces the copy if its source cannot tell the changes', async () => {
  expect(await runCommand('recount', ['--persist-to', at('source')])).toMatchObject({ stderr: '', status: 0 })
  await post(source.address + EVENTS, 'second')
  const stored = await eventsWith(source.address, 'second')
  await expect.poll(() => copied('second'), { timeout: 50_000 }).toEqual(stored)
  expect((await askCopy('/readyz')).status).toBe(200)
})

it('it serves the copy while its source is away, and ends with a signal', async () => {
  await source.close()
  expect((await askCopy(`${EVENTS}?page_size=1`)).status).toBe(200)
  copy.child.kill('SIGTERM')
  expect(await copy.ended).toEqual([0, null])
})
