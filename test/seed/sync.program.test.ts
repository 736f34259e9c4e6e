import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { loadOptionsOf } from '../../seed/commands/loadOptions.ts'
import { load, loadFiles, type Outcome } from '../../seed/load/files.ts'
import { serviceTarget } from '../../seed/load/service.ts'
import { readAllEvents, readShort } from '../../seed/load/stored.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { type RunningWorker, startWorker } from '../worker.ts'
import { openLocal, readOptions } from './loading.ts'
import { apiKeysOf, makeFolder, runCommand } from './program.ts'

const { at, db } = openLocal('sync')

let files = 0
function fileOf(content: string): string {
  files += 1
  writeFileSync(at(`${files}.csv`), content)
  return at(`${files}.csv`)
}
const HEADER = 'id,time,lon,lat,value'
const rowOf = (id: string, value = 'a', time = '2020-01-01') => `${id},${time},5,52,${value}`
const csv = (...rows: string[]) => fileOf(`${[HEADER, ...rows].join('\n')}\n`)
/** Returns the rows of k0, k1 and so on. */
const rows = (count: number) => Array.from({ length: count }, (_, i) => rowOf(`k${i}`))
const without = (count: number, ...left: string[]) =>
  rows(count).filter((row) => !left.some((id) => row.startsWith(`${id},`)))

/** Where a load stores: the local database, or a service by its API. */
interface Place {
  readonly run: (file: string, options: string) => Promise<Outcome>
  /** Returns the external ids and values of a series. */
  readonly stored: (series: string) => Promise<string[]>
}

const local: Place = {
  run: (file, options) => loadFiles(db(), [file], loadOptionsOf(readOptions(options))),
  stored: async (series) => {
    const { series: all } = await readShort(db())
    const names: string[] = []
    for await (const { events } of readAllEvents(db(), all.find(({ name }) => name === series)?.id))
      names.push(...events.map(({ external_id, value }) => `${external_id ?? ''},${value}`))
    return names.sort()
  },
}

const KEY = 'writes'
const API_KEYS = apiKeysOf({
  [KEY]: { read: 'Hidden', write: true, name: 'load' },
  feed: { write: true, name: 'feed', series: ['feedfeed'] },
})
const state = makeFolder('sync-service')
let service: RunningWorker
/** A proxy that notes the requests. It breaks off the next stream of events after `breaksAt` bytes, unless that is 0. */
let proxy: Server
let [asked, breaksAt] = [[] as string[], 0]

beforeAll(async () => {
  await (await openDatabase(state())).close()
  service = await startWorker(inject('worker'), state(), { API_KEYS }, true)
  proxy = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    asked.push(`${method} ${url.replace(/[0-9a-f-]{36}/, 'UUID').replace(/\?.*/s, '')}`)
    const body = await buffer(request)
    const init = { method, headers: headers as Record<string, string>, ...(body.length > 0 && { body }) }
    const answer = await fetch(service.address + url, init)
    const bytes = Buffer.from(await answer.arrayBuffer())
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => !/coding|length/.test(name))),
    )
    const isBroken = breaksAt > 0 && url.includes('page_size=all')
    response.write(isBroken ? bytes.subarray(0, breaksAt) : bytes, () =>
      isBroken ? response.destroy() : response.end(),
    )
    if (isBroken) breaksAt = 0
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
}, 120_000)
beforeEach(() => {
  asked = []
})
afterAll(async () => {
  proxy.close()
  await service.close()
})

const remote: Place = {
  run: async (file, options) => {
    const settings = loadOptionsOf(readOptions(options))
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    return load(await serviceTarget({ address, key: KEY }, settings), [file], settings)
  },
  stored: async (series) => {
    const query = new URLSearchParams({
      event_series__name: series,
      fields: 'value,external_id',
      format: 'csv',
      page_size: 'all',
    })
    const answer = await fetch(`${service.address}/api/v3/events/?${query}`)
    const cells = (await answer.text()).trim().split('\r\n').slice(1)
    return cells.map((row) => row.replace(/^(.*?),(.*)$/, '$2,$1')).sort()
  },
}

const numbersOf = ({ totals, changed, stored, deletions }: Outcome) => [
  totals.event,
  changed,
  stored.event,
  deletions.count,
]
const READ = ['GET /api/v4/eventseries/', 'GET /api/v4/eventseries/UUID/events/']

describe.each([
  ['the local database', local],
  ['a service', remote],
])('--sync with %s', (_, { run, stored }) => {
  const sync = (series: string, file: string, options = '') =>
    run(file, `--series ${series} --key-column id --sync${options}`)

  it('stores what is new or changed, and deletes what the file lacks', { timeout: 60_000 }, async () => {
    expect(numbersOf(await sync('days', csv(...rows(20))))).toEqual([20, 0, 0, 0])
    const next = csv(
      ...without(20, 'k3', 'k4'),
      rowOf('k4', 'b'),
      rowOf('new,&=+', 'é'.repeat(3)).replace('new,&=+', '"new,&=+"'),
    )
    const before = await stored('days')
    expect(numbersOf(await sync('days', next, ' --dry-run'))).toEqual([1, 1, 18, 1])
    expect(await stored('days')).toEqual(before)
    expect(numbersOf(await sync('days', next))).toEqual([1, 1, 18, 1])
    const after = [...before.filter((each) => !/^k[34],/.test(each)), 'k4,b']
    expect((await stored('days')).filter((each) => each.startsWith('k'))).toEqual(after.sort())
    expect(await stored('days')).toHaveLength(20)
    expect(numbersOf(await sync('days', next))).toEqual([0, 0, 20, 0])
    // An id with a comma has a request of its own.
    expect(numbersOf(await sync('days', csv(...without(20, 'k3', 'k4'), rowOf('k4', 'b'))))).toEqual([0, 0, 19, 1])
    expect(await stored('days')).toEqual(after.sort())
  })

  it('needs --allow-deletions for more than a tenth, and stores nothing without it', { timeout: 60_000 }, async () => {
    await sync('tenth', csv(...rows(20)))
    const cut = csv(...rows(17), rowOf('new'))
    const refusal =
      '--sync would delete 3 of the 20 stored events of "tenth", more than a tenth. Is the file complete? If so, use --allow-deletions 3'
    await expect(sync('tenth', cut)).rejects.toThrow(refusal)
    await expect(sync('tenth', cut, ' --allow-deletions 2')).rejects.toThrow(
      '--sync would delete 3 events, more than --allow-deletions 2. Is the file complete? If so, use --allow-deletions 3',
    )
    expect(await sync('tenth', cut, ' --dry-run')).toMatchObject({ deletions: { count: 3, refusal } })
    expect(await stored('tenth')).toHaveLength(20)
    expect(numbersOf(await sync('tenth', cut, ' --allow-deletions 3'))).toEqual([1, 0, 17, 3])
    expect(await stored('tenth')).toHaveLength(18)
  })

  it('takes a file without rows only with --allow-deletions', { timeout: 60_000 }, async () => {
    await expect(sync('empty', csv())).rejects.toThrow(/^nothing to load: .* has no records$/)
    await sync('empty', csv(...rows(3)))
    await expect(sync('empty', csv())).rejects.toThrow('use --allow-deletions 3')
    expect(numbersOf(await sync('empty', csv(), ' --allow-deletions 3'))).toEqual([0, 0, 0, 3])
    expect((await stored('empty')).filter((each) => each !== '')).toEqual([])
  })

  it('also deletes events without an external id, and tells their number', { timeout: 60_000 }, async () => {
    await run(fileOf('time,lon,lat,value\n2020-01-01,5,52,x\n2020-01-02,5,52,y\n'), '--series keyless')
    await expect(sync('keyless', csv(rowOf('k1')))).rejects.toThrow(
      '--sync would delete 2 of the 2 stored events of "keyless", more than a tenth. 2 events of them without an external id.',
    )
    const outcome = await sync('keyless', csv(rowOf('k1')), ' --allow-deletions 2')
    expect([numbersOf(outcome), outcome.deletions.keyless]).toEqual([[1, 0, 0, 2], 2])
    expect(await stored('keyless')).toEqual(['k1,a'])
  })

  it('keeps the event of a faulty row', { timeout: 60_000 }, async () => {
    await sync('faulty', csv(...rows(20)))
    const faulty = csv(...without(20, 'k3', 'k4'), rowOf('k4', 'b', 'bad'))
    const outcome = await sync('faulty', faulty, ' --skip-invalid')
    expect([numbersOf(outcome), outcome.faultCount]).toEqual([[0, 0, 18, 1], 1])
    expect(await stored('faulty')).toEqual(
      without(20, 'k3')
        .map((row) => row.replace(/,.*,/, ','))
        .sort(),
    )
  })

  it.each([
    ['a row with another number of cells', 'k4,2020-01-01'],
    ['a row with an empty id', rowOf('')],
  ])('deletes nothing beside %s, and says why', { timeout: 60_000 }, async (name, row) => {
    await sync(name, csv(...rows(20)))
    const outcome = await sync(name, csv(...without(20, 'k3', 'k4'), row, rowOf('new')), ' --skip-invalid')
    expect(numbersOf(outcome)).toEqual([1, 0, 18, 0])
    expect(outcome.deletions.kept).toMatch(
      /^No event was deleted: .*, line 20 has a fault and no external id that can be read/,
    )
    expect(await stored(name)).toHaveLength(21)
  })
})

describe('a service', () => {
  const OPTIONS = '--series asked --key-column id'

  it('gets two requests for a file that is stored, with --sync or without', { timeout: 60_000 }, async () => {
    const file = csv(...rows(50))
    await remote.run(file, OPTIONS)
    for (const options of ['', ' --sync', ' --sync --dry-run']) {
      asked = []
      expect(numbersOf(await remote.run(file, OPTIONS + options))).toEqual([0, 0, 50, 0])
      expect(asked).toEqual(READ)
    }
  })

  it('gets only the rows that changed', { timeout: 60_000 }, async () => {
    const outcome = await remote.run(csv(...without(50, 'k1'), rowOf('k1', 'b')), OPTIONS)
    expect(numbersOf(outcome)).toEqual([0, 1, 49, 0])
    expect(asked.filter((each) => !each.endsWith('/metadata/'))).toEqual([...READ, 'POST /api/v3/events/'])
  })

  it('is asked for the rows of a short file, and not for a long series', { timeout: 60_000 }, async () => {
    expect(numbersOf(await remote.run(csv(rowOf('k2'), rowOf('k3', 'b')), OPTIONS))).toEqual([0, 1, 1, 0])
    expect(asked.slice(0, 3)).toEqual([...READ, 'POST /api/v3/events/'])
  })

  it('continues a stream of events that breaks off', { timeout: 60_000 }, async () => {
    asked = []
    breaksAt = 2_000
    expect(numbersOf(await remote.run(csv(...without(50, 'k1', 'k3')), `${OPTIONS} --sync`))).toEqual([0, 0, 48, 2])
    expect(asked.filter((each) => each.startsWith('GET'))).toEqual([...READ, READ[1]])
    expect(await remote.stored('asked')).toHaveLength(48)
  })
})

it('--sync holds for the series that a file names', { timeout: 60_000 }, async () => {
  for (const name of ['one', 'two', 'three']) await local.run(csv(...rows(10)), `--series ${name} --key-column id`)
  const { series } = await readShort(db())
  const uuidOf = (name: string) => series.find((each) => each.name === name)?.uuid
  const named = [
    ...without(10, 'k3').map((row) => `${row},${uuidOf('one')}`),
    ...rows(10).map((row) => `${row},${uuidOf('two')}`),
  ]
  const file = fileOf([`${HEADER},event_series`, ...named].join('\n'))
  expect(numbersOf(await local.run(file, '--key-column id --sync'))).toEqual([0, 0, 19, 1])
  const left = await Promise.all(['one', 'two', 'three'].map((name) => local.stored(name)))
  expect(left.map(({ length }) => length)).toEqual([9, 10, 10])
})

it('deletions are told to those who follow the changes', async () => {
  await local.run(csv(...rows(10)), '--series told --key-column id')
  await local.run(csv(...without(10, 'k3')), '--series told --key-column id --sync')
  const { results } = await db().prepare(`SELECT external_id FROM change WHERE external_id = 'k3'`).all()
  expect(results.length).toBeGreaterThan(0)
})

it.each([
  ['--series S --sync', HEADER, '--sync compares external ids: name their column with --key-column COLUMN'],
  ['--series S --key-column id --sync', `${HEADER},load_fault`, /has rejected rows only, .*: load it without --sync$/],
  ['--series S --key-column id --allow-deletions 5', HEADER, '--allow-deletions is for --sync: add --sync'],
  ['--series S --key-column id --sync --allow-deletions x', HEADER, 'enter the most events that may be deleted'],
])('the options %s are refused', async (options, header, message) => {
  const file = fileOf(`${header}\n${rowOf('k1')}${header === HEADER ? '' : ',bad'}\n`)
  await expect((async () => local.run(file, options))()).rejects.toThrow(message)
})

it('the command tells the deletions, and its exit code', { timeout: 60_000 }, async () => {
  const folder = makeFolder('sync-command')
  const run = async (file: string, ...args: string[]) => {
    const options = ['--series', 'S', '--key-column', 'id', '--sync', '--persist-to', folder(), ...args]
    const { status, stdout, stderr } = await runCommand('load', [file, ...options])
    return [status, /^(Loaded|Would load) .*$/m.exec(stdout)?.[0].replace(/[\d.]+ s/, 'n s'), stderr]
  }
  await run(csv(...rows(20)))
  expect(await run(csv(...without(20, 'k3')))).toEqual([
    0,
    'Loaded 0 events and 0 event series in n s. 19 events and 0 event series were stored already. 1 event was deleted.',
    '',
  ])
  const [status, summary, fault] = await run(csv(...rows(10)), '--dry-run')
  expect([status, summary]).toEqual([1, expect.stringContaining('10 events would be deleted.')])
  expect(fault).toContain('use --allow-deletions 10')
  const kept = await run(csv(...without(20, 'k3', 'k4'), rowOf('')), '--skip-invalid')
  expect(kept).toEqual([
    2,
    expect.stringContaining('0 events were deleted. 1 faulty record was left out.'),
    expect.stringContaining('No event was deleted: '),
  ])
})

it('the commands of the guide keep a series like its source, and tell by mail what is wrong', {
  timeout: 120_000,
}, async () => {
  const guide = readFileSync('docs/loading.md', 'utf8').split('### A night, from cron to mail')[1] ?? ''
  const [, script = '', crontab = ''] = /```sh\n(.*?)```.*?```crontab\n(.*?)```/s.exec(guide) ?? []
  const folder = makeFolder('sync-night')
  /** Puts the paths and addresses of the test in place of those of the guide. */
  const here = (text: string) =>
    text
      .replaceAll('https://ADDRESS', service.address)
      .replaceAll('https://SOURCE/feed.csv', `file://${folder('source.csv')}`)
      .replaceAll(/\b(feed|rejects)\.csv/g, (name) => folder(name))
      .replaceAll('fresh.sh', folder('fresh.sh'))
      .replaceAll('cd /srv/events', `cd ${process.cwd()}`)
  writeFileSync(folder('fresh.sh'), here(script))
  const lines = crontab.split('\n').flatMap((line) => /^\d+ \d+ \* \* \* (.*)/.exec(line)?.[1] ?? [])
  expect(lines).toHaveLength(2)
  /** Runs a line as cron does. Returns what it mails. */
  const mailOf = (line = '') => {
    const child = spawn('sh', ['-c', here(line)], { env: { ...process.env, EVENTS_KEY: KEY } })
    return Promise.all([text(child.stdout), text(child.stderr)]).then((texts) => texts.join(''))
  }
  const night = async (...given: string[]) => {
    writeFileSync(folder('source.csv'), [HEADER, ...given].join('\n'))
    return mailOf(lines[0])
  }
  expect(await mailOf(lines[1])).toBe('Water levels: no new row for 26 hours\n')
  expect(await night(...rows(20))).toBe('')
  expect(await mailOf(lines[1])).toBe('')
  expect(await night(...without(20, 'k3'))).toBe('')
  expect(await night(...rows(5))).toContain('load: --sync would delete 15 of the 19 stored events')
  expect(await night(...without(20, 'k3'), rowOf('new', 'b', 'bad'))).toMatch(/^Left out: .*line 21: /)
  expect(await remote.stored('Water levels')).toHaveLength(19)
  const late = here(script).replace('26 hours ago', '26 hours')
  writeFileSync(folder('fresh.sh'), late)
  expect(await mailOf(lines[1])).toBe('Water levels: no new row for 26 hours\n')
})

it('a key for some series keeps one of them equal to a file, and writes no other', { timeout: 120_000 }, async () => {
  const make = {
    name: 'fed',
    observation_type: 'load',
    uuid: 'feedfeed-0000-4000-8000-000000000000',
    access_modifier: 'Common',
  }
  const sent = { method: 'POST', headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' } }
  const post = async (path: string, body: object) =>
    (await fetch(`${service.address}/api/v4/${path}/`, { ...sent, body: JSON.stringify(body) })).status
  await post('observationtypes', { code: 'load', name: 'Load' })
  expect(await post('eventseries', make)).toBe(201)
  expect(await post('eventseries', { ...make, uuid: undefined, name: 'other' })).toBe(201)
  const options = ['--key-column', 'id', '--sync', '--allow-deletions', '5', '--to', service.address, '--quiet']
  const load = async (series: string, ...lines: string[]) => {
    const { status, stderr } = await runCommand('load', [csv(...lines), '--series', series, ...options], 'feed')
    return [status, stderr]
  }
  expect(await load('fed', ...rows(4))).toEqual([0, ''])
  expect(await load('fed', ...without(4, 'k1'), rowOf('k9', 'b'))).toEqual([0, ''])
  for (const series of ['other', 'new'])
    expect(await load(series, ...rows(4))).toEqual([
      1,
      expect.stringContaining('This key writes only events and descriptions'),
    ])
})
