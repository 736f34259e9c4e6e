import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { insertRecords } from '../../seed/load/insert.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { random } from '../bench/events.ts'
import { pick, skewed } from '../bench/skewed.ts'
import { wholeRecords } from '../records.ts'
import { EXHAUSTIVE } from '../tags.ts'
import { type RunningWorker, startWorker } from '../worker.ts'
import { apiKeysOf, makeFolder, runCommand } from './program.ts'

const KEYS = { all: { read: 'Hidden', write: true }, private: { read: 'Private' }, common: { read: 'Common' } }
const CALLERS = ['', 'common', 'private', 'all']
const EVENTS = '/api/v3/events/'
const SERIES = '/api/v4/eventseries/'

const at = makeFolder('follow')
let service: RunningWorker

beforeAll(async () => {
  const { db, close } = await openDatabase(at('service'))
  await insertRecords(db, wholeRecords(skewed(300)))
  await close()
  service = await startWorker(inject('worker'), at('service'), { API_KEYS: apiKeysOf(KEYS) }, true, true)
}, 60_000)
afterAll(() => service?.close())

const ask = async (method: string, path: string, body?: object) => {
  const headers = { Authorization: 'Bearer all', 'Content-Type': 'application/json' }
  const response = await fetch(`${service.address}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the shapes are what the tests look at.
  return { status: response.status, body: (response.status === 204 ? null : await response.json()) as any }
}

const idsIn = async (): Promise<number[]> =>
  (await ask('GET', `${EVENTS}?page_size=1000`)).body.results.map(({ id }: { id: number }) => id)
const uuidsIn = async (): Promise<string[]> =>
  (await ask('GET', `${SERIES}?page_size=100`)).body.results.map(({ uuid }: { uuid: string }) => uuid)

type Random = () => number
const LEVELS = ['Public', 'Common', 'Private', 'Hidden']

const eventOf = (next: Random, event_series: string) => ({
  type: 'Feature',
  geometry: pick(next, [null, { type: 'Point', coordinates: [5 + next(), 52] }]),
  properties: {
    event_series,
    category: pick(next, ['flood', 'quake']),
    value: `${next()}`,
    timestamp_start: Math.floor(1e12 * next()),
    external_id: pick(next, [null, 'a', 'b', 'c']),
    attributes: pick(next, [{}, { mag: next() }, { mag: 'high' }]),
  },
})

/** One write of a client that may do anything. */
const writeOnce = async (next: Random): Promise<unknown> => {
  const [ids, uuids] = [await idsIn(), await uuidsIn()]
  const [event, series] = [`${EVENTS}${pick(next, ids)}/`, `${SERIES}${pick(next, uuids)}/`]
  return pick(next, [
    ...Array.from({ length: 5 }, () => () => ask('POST', EVENTS, eventOf(next, pick(next, uuids)))),
    ...Array.from({ length: 3 }, () => () => ask('PATCH', event, eventOf(next, pick(next, uuids)))),
    ...Array.from({ length: 3 }, () => () => ask('DELETE', event)),
    () => ask('DELETE', `${series}events/?category=flood`),
    () => ask('PATCH', series, { access_modifier: pick(next, LEVELS), description: `${next()}` }),
    () => ask('PATCH', `${series}metadata/`, { source: `${next()}` }),
    () => ask('POST', SERIES, { name: `N${next()}`, observation_type: 1, access_modifier: pick(next, LEVELS) }),
    () => (uuids.length > 5 ? ask('DELETE', `${series}?events=delete`) : null),
    () => ask('POST', '/api/v4/observationtypes/', { code: `c${next()}`, name: 'C', unit: null }),
  ])()
}

const copyArgs = (place: string) => [
  '--from',
  service.address,
  '--once',
  ...(place.endsWith('.ndjson') ? [at(place)] : ['--persist-to', at(place)]),
]

/** Runs a follower, and kills it after some milliseconds. Returns true if it ended by itself. */
const killed = async (caller: string, place: string, after: number): Promise<boolean> => {
  const child = spawn(process.execPath, ['seed/commands/follow.ts', ...copyArgs(place)], {
    env: { ...process.env, EVENTS_KEY: caller },
    stdio: 'ignore',
  })
  const ended = once(child, 'close')
  await Promise.race([ended, setTimeout(after)])
  child.kill('SIGKILL')
  const [, signal] = await ended
  return signal === null
}

/** Returns the lines of an export, sorted. */
const exported = async (...args: readonly string[]): Promise<string[]> => {
  const [caller = '', ...from] = args
  const { status, stderr } = await runCommand('export', [at('export.ndjson'), ...from], caller)
  expect([status, stderr]).toEqual([0, ''])
  return linesOf('export.ndjson').sort()
}

const linesOf = (file: string): string[] => readFileSync(at(file), 'utf8').trim().split('\n')

/** Returns what the lines of a file leave: the last of each record. */
const leftBy = (lines: readonly string[]): string[] => {
  const records = new Map<string, { kind: string; series?: number }>()
  for (const line of lines) {
    const { kind, id, ...record } = JSON.parse(line)
    if (kind === 'gone') records.delete(`event ${id}`)
    else if (kind === 'dropped') {
      records.delete(`event_series ${id}`)
      for (const [key, { kind, series }] of records) if (kind === 'event' && series === id) records.delete(key)
    } else if (kind !== 'mark') records.set(`${kind} ${id}`, { kind, id, ...record } as never)
  }
  return [...records.values()].map((record) => JSON.stringify(record)).sort()
}

/** Writes at random while followers of each level run, and are killed. Then each copy is equal to an export of its level. */
const expectCopies = async (seed: number, writes: number, kills: number, callers = CALLERS): Promise<void> => {
  const next = random(seed)
  const places = callers.flatMap(
    (caller) =>
      [
        [caller, `copy${seed}-${caller}`],
        [caller, `copy${seed}-${caller}.ndjson`],
      ] as const,
  )
  let isOver = false
  for (const [caller, place] of places) await runCommand('follow', copyArgs(place), caller)
  const follow = async () => {
    for (let count = 0; count < kills; count++) {
      const [caller, place] = pick(next, places)
      await killed(caller, place, 400 + 2500 * next())
    }
    isOver = true
  }
  const write = async () => {
    for (let count = 0; count < writes || !isOver; count++) await writeOnce(next)
  }
  await Promise.all([follow(), write()])
  for (const [caller, place] of places) {
    expect(await runCommand('follow', copyArgs(place), caller)).toMatchObject({ status: 0, stderr: '' })
    const whole = await exported(caller, '--from', service.address)
    const isFile = place.endsWith('.ndjson')
    expect(isFile ? leftBy(linesOf(place)) : await exported('', '--persist-to', at(place)), place).toEqual(whole)
  }
}

describe('a copy that follows a service', () => {
  it('is equal to it after kills at any moment', { timeout: 240_000 }, () => expectCopies(1, 30, 3, ['', 'all']))
  it('is equal to it after many kills and writes', { ...EXHAUSTIVE, timeout: 900_000 }, () =>
    expectCopies(2, Number(process.env.FOLLOW_WRITES ?? 200), Number(process.env.FOLLOW_KILLS ?? 8)),
  )

  it('tells what it did, and does nothing if nothing changed', async () => {
    const args = copyArgs('told')
    expect((await runCommand('follow', args, 'all')).stdout).toMatch(/^Read [\d,]+ records\.\n$/)
    expect(await runCommand('follow', args, 'all')).toEqual({ status: 0, stdout: '', stderr: '' })
    await ask(
      'POST',
      EVENTS,
      eventOf(() => 0.5, (await uuidsIn())[0] ?? ''),
    )
    expect((await runCommand('follow', args, 'all')).stdout).toMatch(/^Applied \d changes\.\n$/)
  })

  it('reads everything again after a 410, and replaces the copy', async () => {
    const [folder, file] = [copyArgs('again'), copyArgs('again.ndjson')]
    for (const args of [folder, file]) await runCommand('follow', args)
    const { db, close } = await openDatabase(at('service'))
    await db.prepare('UPDATE mark_rule SET key = lower(hex(randomblob(32)))').run()
    await close()
    await ask('POST', SERIES, { name: 'New', observation_type: 1, access_modifier: 'Public' })
    for (const args of [folder, file])
      expect(await runCommand('follow', args)).toMatchObject({
        status: 0,
        stderr: '',
        stdout: expect.stringMatching(/reading everything again\.\nRead /),
      })
    const whole = await exported('', '--from', service.address)
    expect(await exported('', '--persist-to', at('again'))).toEqual(whole)
    expect(leftBy(linesOf('again.ndjson'))).toEqual(whole)
  })

  it('stores the events that came while their series was hidden, after the series', async () => {
    const uuid = (await ask('POST', SERIES, { name: 'Hid', observation_type: 1, access_modifier: 'Hidden' })).body.uuid
    const post = (value: number) =>
      ask('POST', EVENTS, {
        ...eventOf(() => 0.1, uuid),
        id: undefined,
        properties: { event_series: uuid, category: 'x', value: `${value}`, timestamp_start: value },
      })
    await post(1)
    const args = copyArgs('shown')
    await runCommand('follow', args)
    await post(2)
    await ask('PATCH', `${SERIES}${uuid}/`, { access_modifier: 'Public' })
    expect(await runCommand('follow', args)).toMatchObject({ status: 0, stderr: '' })
    expect(await exported('', '--persist-to', at('shown'))).toEqual(await exported('', '--from', service.address))
  })

  it('takes no other writes', async () => {
    await runCommand('follow', copyArgs('closed'))
    writeFileSync(at('more.csv'), 'start,x,y\n2020-01-01,5,52\n')
    const loaded = await runCommand('load', [at('more.csv'), '--series', 'More', '--persist-to', at('closed')])
    expect(loaded).toMatchObject({ status: 1, stderr: expect.stringContaining('write to the service that it follows') })
    const copy = await startWorker(inject('worker'), at('closed'), { API_KEYS: apiKeysOf(KEYS) }, true, true)
    try {
      const headers = { Authorization: 'Bearer all', 'Content-Type': 'application/json' }
      const [uuid = ''] = await uuidsIn()
      const body = JSON.stringify(eventOf(() => 0.123, uuid))
      const response = await fetch(`${copy.address}${EVENTS}`, { method: 'POST', headers, body })
      expect([response.status, await response.json()]).toEqual([
        403,
        { detail: expect.stringContaining('a copy of another one') },
      ])
    } finally {
      await copy.close()
    }
  })

  it.each([
    [['--once'], '--from is missing'],
    [['--from', 'http://localhost:1', '--once'], 'enter FILE, or a folder after --persist-to, but not both'],
    [['x.ndjson', '--from', 'http://localhost:1', '--every', 'x'], '--every needs a number of seconds'],
    [['package.json', '--from', 'http://localhost:1'], 'package.json is no copy of a service'],
  ])('%j is refused', async (args, fault) => {
    expect(await runCommand('follow', args)).toMatchObject({ status: 1, stderr: expect.stringContaining(fault) })
  })
})
