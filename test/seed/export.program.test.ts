import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { D1PreparedStatement } from '@cloudflare/workers-types'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { databaseSource, exportTo, serviceSource } from '../../seed/load/export.ts'
import { loadFiles } from '../../seed/load/files.ts'
import type { Db } from '../../seed/load/rows.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { startWorker } from '../worker.ts'
import { dump, query, tableOf } from './dump.ts'
import { apiKeysOf, makeFolder, runCommand } from './program.ts'

const KEY = 'sees-all'
const PRIVATE_KEY = 'sees-private'
const API_KEYS = apiKeysOf({ [KEY]: { read: 'Hidden', write: true }, [PRIVATE_KEY]: { read: 'Private' } })
const REQUESTS = [
  '/api/v3/events/?page_size=3',
  `/api/v3/events/?page_size=${MAX_PAGE_SIZE}`,
  `/api/v3/events/?page_size=${MAX_PAGE_SIZE}&page=2`,
  '/api/v3/events/?ordering=-timestamp_end&page=7',
  '/api/v3/events/?category=hurricane',
  '/api/v3/events/?object_type__model=storm&page_size=1',
  '/api/v3/events/?timestamp_start__gte=2018-02-05T00:00:00Z&event_series__name__icontains=earth',
  '/api/v3/events/?geom_within=POLYGON((3 50,8 50,8 54,3 54,3 50))',
  '/api/v3/events/2232/',
  '/api/v3/eventseries/?page_size=100',
  '/api/v4/eventseries/?page_size=100&ordering=-created',
  '/api/v4/observationtypes/',
]

const at = makeFolder('export')
let script: string
let before: unknown[]

beforeAll(async () => {
  script = inject('worker')
  cpSync(inject('seeded'), at('first'), { recursive: true })
  before = await answers('first')
}, 120_000)

describe('an exported and loaded database', () => {
  it('gives equal answers, and an equal file when exported again', { timeout: 120_000 }, async () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['seed/commands/export.ts', at('first.ndjson.gz'), '--persist-to', at('first')],
      { encoding: 'utf8' },
    )
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: `Wrote 16231 events and 14 event series to ${at('first.ndjson.gz')}.\n`,
      stderr: '',
    })
    await into('second', [at('first.ndjson.gz')])
    expect(await answers('second')).toEqual(before)
    expect(dump(at('second'))).toEqual(dump(at('first')))
    const stamps = 'SELECT id, last_modified FROM event ORDER BY id'
    expect(query(at('second'), stamps)).toEqual(query(at('first'), stamps))
    const { db, close } = await openDatabase(at('second'))
    await exportTo(databaseSource(db), at('second.ndjson'))
    await close()
    expect(readFileSync(at('second.ndjson')).equals(gunzipSync(readFileSync(at('first.ndjson.gz'))))).toBe(true)
    expect(existsSync(at('second.ndjson.partial'))).toBe(false)
  })

  it('gives an equal file through the service, and a smaller one without a key', { timeout: 120_000 }, async () => {
    const { address, close } = await startWorker(script, at('first'), { API_KEYS }, true)
    try {
      const all = await exportTo(serviceSource({ address, key: KEY }), at('service.ndjson.gz'))
      expect(all).toEqual({ observation_type: 4, event_series: 14, event: 16231 })
      const [ours, theirs] = ['first', 'service'].map((name) => gunzipSync(readFileSync(at(`${name}.ndjson.gz`))))
      expect(theirs?.equals(ours ?? Buffer.of())).toBe(true)
      const some = await exportTo(serviceSource({ address, key: null }), at('public.ndjson'))
      expect(some).toMatchObject({ event_series: 11, event: 15175 })
      const said = async (args: readonly string[] = [], key = '') => {
        const { status, stdout, stderr } = await runCommand(
          'export',
          [at('said.ndjson'), '--from', address, ...args],
          key,
        )
        return [status, stdout.replaceAll(at('said.ndjson'), 'FILE') + stderr]
      }
      const public_ = 'it has only the series that anyone sees, and none above Public'
      expect(await said()).toEqual([
        0,
        `Wrote 15175 events and 11 event series to FILE.\nThe file is not complete: ${public_}.\n`,
      ])
      expect(await said(['--key', KEY, '--complete'])).toEqual([0, 'Wrote 16231 events and 14 event series to FILE.\n'])
      expect(await said(['--complete', '--quiet'], KEY)).toEqual([0, ''])
      rmSync(at('said.ndjson'))
      for (const [args, sees] of [
        [[], public_],
        [['--key', PRIVATE_KEY], 'it has only the series that a Private key sees, and none above Private'],
      ] as const)
        expect(await said([...args, '--complete'])).toEqual([
          1,
          `export: ${sees}. For --complete, enter --key KEY with a key that reads Hidden\n`,
        ])
      expect(existsSync(at('said.ndjson'))).toBe(false)
      await expect(exportTo(serviceSource({ address, key: 'x' }), at('x.ndjson'))).rejects.toThrow('answers 401: ')
      expect(existsSync(at('x.ndjson'))).toBe(false)
    } finally {
      await close()
    }
  })

  it('gives a file of one state even if a client writes during the export', { timeout: 120_000 }, async () => {
    cpSync(inject('seeded'), at('busy'), { recursive: true })
    const { address, close } = await startWorker(script, at('busy'), { API_KEYS }, true)
    let [asked, waits] = [0, 0]
    // A proxy before the service. The seventh request reads the first events, and the proxy writes a series before it.
    const between = createServer(async (request, response) => {
      asked += 1
      if (asked === 7) {
        const body = JSON.stringify({ name: 'Meanwhile', observation_type: '/api/v4/observationtypes/1/' })
        const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' }
        await fetch(`${address}/api/v4/eventseries/`, { method: 'POST', body, headers })
      }
      const answer = await fetch(address + request.url, { headers: request.headers as Record<string, string> })
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => !/^content-|^transfer/.test(name)))
      response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()))
    })
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
    const source = serviceSource({ address: `http://127.0.0.1:${(between.address() as AddressInfo).port}`, key: KEY })
    try {
      const wait = async () => {
        waits += 1
      }
      expect(await exportTo(source, at('busy.ndjson'), { wait })).toMatchObject({ event_series: 15, event: 16231 })
      expect(waits).toBe(1)
      const isMade = (line: string) => line.includes('"name":"Meanwhile"')
      const [before, after] = [gunzipSync(readFileSync(at('first.ndjson.gz'))), readFileSync(at('busy.ndjson'))]
      const lines = after.toString().split('\n')
      expect(lines.filter(isMade)).toHaveLength(1)
      expect(lines.filter((line) => !isMade(line))).toEqual(before.toString().split('\n'))
    } finally {
      between.close()
      await close()
    }
  })
})

describe('every column of the tables', () => {
  const RECORDS = [
    { kind: 'observation_type', id: 7, code: 'wave', name: 'Wave height', unit: 'm' },
    {
      ...{ kind: 'event_series', id: 8, uuid: '1f3fd2e4-e4f6-564f-b861-9051626e9eb4', name: 'Waves', statistic: 'max' },
      ...{ description: 'At sea', observation_type: 7, color: '#102030', access_modifier: 'Private' },
      ...{ created: '2018-02-07T01:49:14.000001Z', last_modified: '2019-03-08T02:50:15.000002Z' },
      metadata: {
        ...{ source: 'Buoys', source_url: 'https://example.org/', license: 'MIT', contact: 'a@example.org' },
        fields: [
          { name: 'attributes__period', title: 'Period', type: 'number', unit: 's' },
          { name: 'attributes__gauge', type: 'string' },
          { name: 'value', title: 'Height', type: 'number', unit: 'm' },
          { name: 'category', type: 'string' },
          { name: 'timestamp_start', type: 'datetime' },
          { name: 'timestamp_end', type: 'datetime' },
          { name: 'external_id', type: 'string' },
        ],
        more: false,
      },
    },
    {
      ...{ kind: 'event', id: 9, series: 8, category: 'storm', value: '4.5', start: 1000, end: 2000 },
      ...{ coordinates: [5.1, 52.2, 3.3], object: { model: 'buoy', id: 6 }, external_id: 'w-1' },
      ...{ last_modified: '2031-04-09T03:51:16.000003Z', attributes: { period: 7.5, gauge: 'west' } },
    },
  ]
  const TABLES = ['observation_type', 'event_series', 'event']
  const rowsOf = (state: string) => TABLES.map((table) => tableOf(at(state), table))

  it('has the same values after an export and a load, from the database and from the service', {
    timeout: 120_000,
  }, async () => {
    writeFileSync(at('full.ndjson'), RECORDS.map((record) => JSON.stringify(record)).join('\n'))
    await into('full', [at('full.ndjson')])
    const rows = rowsOf('full')
    // No column may have the value that it would have if an export lost it.
    for (const [row] of rows)
      expect(Object.entries(row ?? {}).filter(([, value]) => [null, 0, ''].includes(value as null))).toEqual([])
    const { db, close } = await openDatabase(at('full'))
    await exportTo(databaseSource(db), at('from-database.ndjson'))
    await close()
    const service = await startWorker(script, at('full'), { API_KEYS }, true)
    await exportTo(serviceSource({ address: service.address, key: KEY }), at('from-service.ndjson'))
    await service.close()
    const written = readFileSync(at('from-database.ndjson'), 'utf8').trim().split('\n')
    expect(written.map((line) => JSON.parse(line))).toEqual(RECORDS)
    expect(readFileSync(at('from-service.ndjson'), 'utf8').trim().split('\n')).toEqual(written)
    await into('full-again', [at('from-service.ndjson')])
    expect(rowsOf('full-again')).toEqual(rows)
  })

  it('has all events if their texts fill several pages, and a second load adds nothing', {
    timeout: 120_000,
  }, async () => {
    const long = { ...RECORDS[2], value: '界'.repeat(10_000) }
    const events = Array.from({ length: 600 }, (_, i) => ({ ...long, id: i + 1, external_id: `long-${i}` }))
    const lines = [...RECORDS.slice(0, 2), ...events].map((record) => JSON.stringify(record))
    writeFileSync(at('long.ndjson'), lines.join('\n'))
    await into('long', [at('long.ndjson')])
    const service = await startWorker(script, at('long'), { API_KEYS }, true)
    const { address } = service
    await exportTo(serviceSource({ address, key: KEY }), at('long-again.ndjson'))
    const { stdout, stderr } = await runCommand('load', [at('long-again.ndjson'), '--to', address], KEY)
    await service.close()
    const written = readFileSync(at('long-again.ndjson'), 'utf8').trim().split('\n')
    const ids = written
      .slice(2)
      .map((line) => JSON.parse(line))
      .map(({ id, value }) => value.length === 10_000 && id)
    expect(ids).toEqual(events.map(({ id }) => id))
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^Loaded 0 events/m), ''])
  })

  it('gets later timestamps for later writes, and a second load of the export changes nothing', async () => {
    const event = { ...RECORDS[2], id: 10, external_id: 'w-2', last_modified: null }
    writeFileSync(at('later.ndjson'), JSON.stringify(event))
    await into('full-again', [at('later.ndjson')])
    const [first, second] = query(at('full-again'), 'SELECT last_modified AS at FROM event ORDER BY id')
    expect(Number(second?.at)).toBeGreaterThan(Number(first?.at))
    const { db, close } = await openDatabase(at('full-again'))
    await db.prepare('UPDATE event SET last_modified = last_modified + 5').run()
    const { stored, totals } = await loadFiles(db, [at('full.ndjson')])
    await close()
    expect([stored, totals]).toEqual([
      { observation_type: 1, event_series: 1, event: 1 },
      { observation_type: 0, event_series: 0, event: 0 },
    ])
  })
})

describe('an export', () => {
  /** Wraps a database that is changed before some batches. */
  const changing = (db: Db, before: (batch: number) => boolean) => {
    let batches = 0
    return {
      prepare: (sql: string) => db.prepare(sql),
      batch: async (all: D1PreparedStatement[]) => {
        batches += 1
        if (before(batches)) await db.prepare('UPDATE revision SET revision = revision + 1').run()
        return db.batch(all)
      },
    } as unknown as Db
  }

  it('starts again if the data changes, and fails without a file if the data changes every time', async () => {
    const { db, close } = await openDatabase(at('first'))
    const waits: number[] = []
    const wait = async (milliseconds: number) => void waits.push(milliseconds)
    const source = databaseSource(changing(db, (batch) => batch === 3))
    expect(await exportTo(source, at('calm.ndjson'), { wait })).toMatchObject({ event: 16231 })
    expect(readFileSync(at('calm.ndjson')).equals(gunzipSync(readFileSync(at('first.ndjson.gz'))))).toBe(true)
    expect(waits).toEqual([2000])
    await expect(exportTo(databaseSource(changing(db, () => true)), at('changed.ndjson'), { wait })).rejects.toThrow(
      'the data changed during the export, again and again for 30 minutes. Start the export when there are fewer writes',
    )
    expect(waits.slice(1, 8)).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    expect(waits.slice(1).reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(30 * 60_000)
    const whole = databaseSource(db)
    await expect(exportTo(whole, at('none/changed.ndjson'))).rejects.toThrow(
      `cannot write ${at('none/changed.ndjson')}`,
    )
    await expect(exportTo(whole, at('ended.ndjson'), { signal: AbortSignal.abort() })).rejects.toThrow('interrupted')
    await close()
    for (const name of ['changed', 'ended'])
      for (const end of ['', '.partial']) expect(existsSync(at(`${name}.ndjson${end}`))).toBe(false)
  })

  it.each(['a.csv', 'a.GEOJSON', 'a.json', 'a.csv.gz', 'a.ndjson.zip', 'a.sqlite'])('to %s is refused', (name) => {
    const { status, stderr } = runExport([at(name), '--persist-to', at('first')])
    expect([status, stderr]).toEqual([
      1,
      `export: ${at(name)} does not fit: an export is newline-delimited JSON. Use a name that ends in .ndjson or .ndjson.gz\n`,
    ])
    expect(existsSync(at(name))).toBe(false)
  })

  it.each<[string[], string]>([
    [['--persist-to', 'nowhere'], 'there is no database in nowhere: enter its folder after --persist-to'],
    [['--from', 'x'], '--from is "x": enter an address, such as http://localhost:8787'],
    [['--key', 'x'], '--key needs --from URL'],
    [['--remote', '--from', 'http://x'], '--persist-to, --remote and --from each name a source: use one of them'],
  ])('with %j is refused', (args, reason) => {
    expect(runExport([at('b.ndjson'), ...args])).toMatchObject({ status: 1, stdout: '', stderr: `export: ${reason}\n` })
    expect([existsSync('nowhere'), existsSync(at('b.ndjson'))]).toEqual([false, false])
  })
})

const runExport = (args: readonly string[]) =>
  spawnSync(process.execPath, ['seed/commands/export.ts', ...args], { encoding: 'utf8' })

async function into(name: string, files: string[]): Promise<void> {
  const { db, write, close } = await openDatabase(at(name))
  try {
    await loadFiles(db, files, { write })
  } finally {
    await close()
  }
}

/**
 * Returns the bodies of all requests. Hints depend on the revision, so they are removed, like the address with its
 * port.
 */
async function answers(name: string): Promise<unknown[]> {
  const { address, close } = await startWorker(script, at(name), { ANONYMOUS_LEVEL: 'Hidden' }, true)
  try {
    const all: unknown[] = []
    for (const path of REQUESTS) {
      const response = await fetch(address + path)
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
      all.push(JSON.parse((await response.text()).replaceAll(/hint=[\w-]+&/g, '').replaceAll(address, '')))
    }
    return all
  } finally {
    await close()
  }
}
