import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gzipSync } from 'node:zlib'
import { databaseFile } from '../../../seed/local/database.ts'
import { buildWorker } from '../../../seed/serve/build.ts'
import { startWorker } from '../../worker.ts'
import { changesOf, KEY, VARIABLES } from '../stored.ts'

// Makes a database of this version by a load and by writes to a service. A folder with the name of the version keeps the
// database, an export and the changes. test/schema/databases.program.test.ts opens it in later versions. Run it once, before
// the tag.

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const folder = join(import.meta.dirname, version)
const work = mkdtempSync(join(tmpdir(), 'made-'))
const state = join(work, 'state')

const UUIDS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const
const [OPEN, HIDDEN] = UUIDS.map((uuid) => `/api/v4/eventseries/${uuid}/`)

const seriesOf = (uuid: string, i: number) => ({
  ...{ kind: 'event_series', id: i + 1, uuid, name: `Series ${i + 1} of Škoda`, description: 'About\nit' },
  ...{ observation_type: i + 1, statistic: 'raw', color: '#102030', access_modifier: i === 0 ? 'Public' : 'Hidden' },
  ...{ created: '2018-02-07T01:49:14.000001Z', last_modified: null },
})
const eventOf = (i: number) => ({
  ...{ kind: 'event', id: i + 1, series: (i % 2) + 1, category: `c${i % 3}`, value: i % 4 === 0 ? `${i}.5 m` : 'São' },
  ...{ start: (i - 5) * 10 ** (i % 13), end: (i - 5) * 10 ** (i % 13) + 3_600_000 * (i % 5) },
  ...{ coordinates: i % 6 === 0 ? null : [4.9 + i / 7, 52.1 - i / 3, i], external_id: i % 5 === 0 ? null : `e-${i}` },
  ...{ object: i % 3 === 0 ? { model: 'pump', id: i } : null, last_modified: null },
  ...(i % 2 === 0 && { attributes: { mag: i / 8, note: `n${i}`, deep: { list: [1, null, 'x'] } } }),
})
const RECORDS = [
  { kind: 'observation_type', id: 1, code: 'quake', name: 'Quake', unit: 'mm' },
  { kind: 'observation_type', id: 2, code: 'leak', name: 'Leak', unit: null },
  ...UUIDS.map(seriesOf),
  ...Array.from({ length: 40 }, (_, i) => eventOf(i)),
]

const run = (command: string, ...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [`seed/commands/${command}.ts`, ...args], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command}: ${stderr}`)
}

/** Writes through a service. Returns a mark from before, and the changes since. */
async function writeAll(): Promise<string> {
  const { address, close } = await startWorker(buildWorker(), state, VARIABLES, true, true)
  const write = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' }
    const answer = await fetch(`${address}${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  }
  try {
    const { mark } = JSON.parse(await changesOf(address, ''))
    const times = { category: 'new', start: '2020-02-29T00:00:00Z', end: '2020-03-01T00:00:00Z', value: '7' }
    await write('POST', `${OPEN}events/`, { type: 'Feature', geometry: null, properties: times })
    await write('PATCH', `${OPEN}events/3/`, { properties: { value: 'changed' } })
    await write('PATCH', '/api/v3/events/5/', { properties: { event_series: UUIDS[1] } })
    await write('DELETE', `${HIDDEN}events/8/`)
    await write('PATCH', `${OPEN}`, { description: 'Another one' })
    await write('PATCH', `${OPEN}metadata/`, { source: 'A survey' })
    const changes = JSON.parse(await changesOf(address, mark))
    return `${JSON.stringify({ after: mark, answer: changes }, null, 2)}\n`
  } finally {
    await close()
  }
}

try {
  writeFileSync(join(work, 'records.ndjson'), RECORDS.map((record) => `${JSON.stringify(record)}\n`).join(''))
  run('load', join(work, 'records.ndjson'), '--persist-to', state)
  const changes = await writeAll()
  mkdirSync(folder)
  writeFileSync(join(folder, 'changes.json'), changes)
  run('export', join(folder, 'export.ndjson'), '--persist-to', state)
  const db = new DatabaseSync(databaseFile(state))
  db.exec(`VACUUM INTO '${join(work, 'whole.sqlite')}'`)
  db.close()
  writeFileSync(join(folder, 'database.sqlite.gz'), gzipSync(readFileSync(join(work, 'whole.sqlite')), { level: 9 }))
} finally {
  rmSync(work, { recursive: true })
}
