import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { D1Database, D1PreparedStatement } from '@cloudflare/workers-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS, openDatabase, run } from '../../seed/database.ts'
import { loadFiles } from '../../seed/files.ts'
import { migrate, migrationsOf } from '../../seed/migrate.ts'
import { buildWorker, startWorker } from '../../seed/worker.ts'
import { exportTo } from '../../seed/write.ts'
import { emptyBatch, put, statements } from '../../src/write/batch.ts'
import { parseRecord } from '../../src/write/records.ts'
import { RAISE_REVISION } from '../../src/write/statement.ts'
import { dump } from './dump.ts'

const SEED = 'seed/seed.ndjson.gz'
const REQUESTS = [
  '/api/v3/events/?page_size=3',
  '/api/v3/events/?page_size=10000',
  '/api/v3/events/?page_size=10000&page=2',
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

const at = (name: string) => join(folder, name)
let folder: string
let script: string
let before: unknown[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'export-'))
  script = buildWorker()
  await into('first', [SEED])
  before = await answers('first')
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true }))

describe('what was exported and loaded', () => {
  it('is the same to every request, and byte for byte when exported again', { timeout: 120_000 }, async () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['seed/export.ts', at('first.ndjson.gz'), '--persist-to', at('first')],
      { encoding: 'utf8' },
    )
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: `Wrote 16231 events and 14 event series to ${at('first.ndjson.gz')}.\n`,
      stderr: '',
    })
    await into('second', [at('first.ndjson.gz')])
    expect(await answers('second')).toEqual(before)
    expect(await dump(at('second'))).toEqual(await dump(at('first')))
    const { db, close } = await openDatabase(at('second'))
    await exportTo(db, at('second.ndjson'))
    await close()
    expect(readFileSync(at('second.ndjson'))).toEqual(gunzipSync(readFileSync(at('first.ndjson.gz'))))
    expect(existsSync(at('second.ndjson.partial'))).toBe(false)
  })

  it('is the same by way of the pages of the event list', { timeout: 120_000 }, async () => {
    const lines = gunzipSync(readFileSync(SEED)).toString().split('\n')
    writeFileSync(
      at('series.ndjson'),
      lines
        .filter((line) => line !== '' && !line.startsWith('{"kind":"event",') && !line.startsWith('{"kind": "event",'))
        .join('\n'),
    )
    for (const [i, page] of [before[1], before[2]].entries()) writeFileSync(at(`page-${i}.json`), JSON.stringify(page))
    await into('third', [at('series.ndjson'), at('page-0.json'), at('page-1.json')])
    expect(await answers('third')).toEqual(before)
    const [first, third] = [await dump(at('first')), await dump(at('third'))]
    expect(third.event).toHaveLength(first.event?.length ?? 0)
    expect(third.event_count).toEqual(first.event_count)
  })
})

describe('exporting', () => {
  it('ends when the data changes meanwhile, and leaves no file', async () => {
    const { db, close } = await openDatabase(at('first'))
    let batches = 0
    const changing = {
      prepare: (sql: string) => db.prepare(sql),
      batch: async (all: D1PreparedStatement[]) => {
        batches += 1
        if (batches === 3) await db.prepare('UPDATE revision SET revision = revision + 1').run()
        return db.batch(all)
      },
    } as unknown as D1Database
    await expect(exportTo(changing, at('changed.ndjson'))).rejects.toThrow(
      'the data was changed while it was read: start again',
    )
    await expect(exportTo(db, at('none/changed.ndjson'))).rejects.toThrow(`cannot write ${at('none/changed.ndjson')}`)
    await expect(exportTo(db, at('ended.ndjson'), AbortSignal.abort())).rejects.toThrow('interrupted')
    await close()
    for (const name of ['changed', 'ended'])
      for (const end of ['', '.partial']) expect(existsSync(at(`${name}.ndjson${end}`))).toBe(false)
  })
})

describe('migrations', () => {
  it('applied to an empty database and to one loaded under the first, give the same', {
    timeout: 120_000,
  }, async () => {
    const [first = ''] = migrationsOf(MIGRATIONS)
    const miniflare = await run(at('old'))
    const db = await miniflare.getD1Database('DB')
    await migrate(db, MIGRATIONS, first)
    expect(await db.prepare('SELECT name FROM d1_migrations').raw()).toEqual([[first]])
    const batch = emptyBatch()
    for (const line of gunzipSync(readFileSync(SEED)).toString().trim().split('\n')) put(batch, parseRecord(line))
    const stored = statements(batch).filter((statement) => statement !== RAISE_REVISION)
    await db.batch([
      ...stored.map(({ sql, parameters }) => db.prepare(sql).bind(...parameters)),
      db.prepare('INSERT INTO revision (id, revision) VALUES (1, 1)'),
    ])
    await miniflare.dispose()
    expect(await answers('old')).toEqual(before)
    expect(await dump(at('old'))).toEqual(await dump(at('first')))
  })
})

async function into(name: string, files: string[]): Promise<void> {
  const { db, write, close } = await openDatabase(at(name))
  try {
    await loadFiles(db, files, { write })
  } finally {
    await close()
  }
}

/** The whole bodies of all requests, but for the hints, which are of one revision, and the port. */
async function answers(name: string): Promise<unknown[]> {
  const { address, close } = await startWorker(script, at(name), { ANONYMOUS_LEVEL: 'Hidden' }, 0, true)
  try {
    const all: unknown[] = []
    for (const path of REQUESTS) {
      const response = await fetch(address + path)
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
      all.push(JSON.parse((await response.text()).replaceAll(/hint=\w+&/g, '').replaceAll(address, '')))
    }
    return all
  } finally {
    await close()
  }
}
