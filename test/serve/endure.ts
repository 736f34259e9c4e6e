import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { loadFiles } from '../../seed/load/files.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { ROOT } from '../../seed/local/wrangler.ts'
import { findPort } from '../postgres/server.ts'

/**
 * Clients read and write for some minutes, while the service may be killed. It prints memory and open files, and tests that each
 * write that got an answer is stored once: node test/serve/endure.ts --minutes 60 --clients 8 --kills 0 --pause 100
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    clients: { type: 'string', default: '8' },
    kills: { type: 'string', default: '20' },
    pause: { type: 'string', default: '0' },
  },
})
const [minutes, clients, kills, pause] = [values.minutes, values.clients, values.kills, values.pause].map(Number)

const folder = mkdtempSync(join(tmpdir(), 'endure-'))
const { db, write, close } = await openDatabase(folder)
await loadFiles(db, [join(ROOT, 'seed/seed.ndjson.gz')], { write })
await close()
const port = await findPort()
const address = `http://127.0.0.1:${port}`
const headers = { Authorization: 'Bearer all', 'Content-Type': 'application/json' }

/** Starts the service, and waits until it answers. Its log is read and dropped. */
const start = async () => {
  const args = ['--max-semi-space-size=8', 'seed/commands/serve.ts', '--persist-to', folder, '--port', String(port)]
  const digest = createHash('sha256').update('all').digest('hex')
  const env = { ...process.env, API_KEYS: JSON.stringify({ [digest]: { read: 'Hidden', write: true } }) }
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  for await (const line of createInterface(child.stdout)) if (line.startsWith('Ready')) break
  child.stdout.resume()
  return child
}

const READS = [
  '/api/v3/events/?page_size=20',
  '/api/v3/events/?ordering=-timestamp_start&page_size=50',
  '/api/v3/events/?category=hurricane&page_size=10',
  '/api/v3/events/summary/?facets=category',
  '/api/v4/events.csv?page_size=all',
  '/api/v4/eventseries/',
  '/ogc/collections/events/tiles/WebMercatorQuad/2/1/1',
  '/api/v4/changes/',
]

let [child, isOver, isDown] = [await start(), false, false]
const tally = { reads: 0, writes: 0, refused: 0, failed: 0, broken: 0 }
const stored: string[] = []

/** Reads and writes one after the other. While the service is down, requests are refused or break off. */
const work = async (client: number): Promise<void> => {
  for (let turn = 0; !isOver; turn++) {
    const name = `${client}-${turn}`
    const properties = {
      event_series: 1 + (turn % 3),
      category: 'c',
      value: name,
      timestamp_start: turn,
      external_id: name,
    }
    const body = JSON.stringify({ type: 'Feature', geometry: { type: 'Point', coordinates: [5, 52] }, properties })
    const isWrite = turn % 4 === 0
    const path = isWrite ? '/api/v3/events/' : (READS[(turn + client) % READS.length] ?? '/')
    try {
      const response = await fetch(address + path, { headers, ...(isWrite && { method: 'POST', body }) })
      await response.arrayBuffer()
      if (response.status === 201) stored.push(name)
      tally[response.status >= 500 ? 'failed' : response.status >= 400 ? 'refused' : isWrite ? 'writes' : 'reads'] += 1
    } catch (error) {
      tally.broken += 1
      if (!isDown && kills === 0) console.error(error)
      await setTimeout(50)
    }
    if (pause) await setTimeout(pause)
  }
}

/** The resident memory in MB of the programs of the service, and their open files. */
const measure = (): string => {
  const list = execFileSync('ps', ['-o', 'pid=,rss=', '-g', String(child.pid)], { encoding: 'utf8' })
  const programs = list
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return programs
    .map(([pid, rss = 0]) => `${Math.round(rss / 1024)} MB and ${readdirSync(`/proc/${pid}/fd`).length} files`)
    .join(', ')
}

const began = Date.now()
const ends = began + (minutes ?? 1) * 60_000
const workers = Array.from({ length: clients ?? 1 }, (_, client) => work(client))
const marks = [1, 5, 15, 30, 45, 60].filter((minute) => minute <= (minutes ?? 1))
for (let killed = 0; Date.now() < ends; ) {
  await setTimeout(kills ? ((minutes ?? 1) * 60_000) / (kills + 1) : 1000)
  if (marks[0] !== undefined && Date.now() - began > marks[0] * 60_000)
    console.log(`minute ${marks.shift()}: ${measure()}; ${JSON.stringify(tally)}`)
  if (killed >= (kills ?? 0)) continue
  killed += 1
  isDown = true
  const ended = once(child, 'exit')
  process.kill(-Number(child.pid), 'SIGKILL')
  await ended
  child = await start()
  isDown = false
}
isOver = true
await Promise.all(workers)
const took = (Date.now() - began) / 1000
console.log(
  `end: ${measure()}; ${JSON.stringify(tally)}; ${Math.round((tally.reads + tally.writes) / took)} requests a second`,
)

const lines = (await (await fetch(`${address}/api/v4/events.ndjson?page_size=all&category=c`, { headers })).text())
  .trim()
  .split('\n')
const found = Map.groupBy(lines, (line) => JSON.parse(line).properties?.external_id ?? JSON.parse(line).external_id)
const lost = stored.filter((name) => found.get(name)?.length !== 1)
const { count } = (await (await fetch(`${address}/api/v3/events/?page_size=1`, { headers })).json()) as {
  count: number
}
const all = 16_231 + lines.length
console.log(`${stored.length} answered writes, ${lost.length} lost or twice; count ${count}, expected ${all}`)
process.kill(-Number(child.pid), 'SIGTERM')
await once(child, 'exit')
rmSync(folder, { recursive: true })
process.exitCode = lost.length > 0 || count !== all ? 1 : 0
