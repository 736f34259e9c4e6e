import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ROOT } from '../../seed/local/wrangler.ts'
import { isInstalled, type PostgresServer, startPostgres } from '../postgres/server.ts'
import { apiKeysOf, makeFolder } from '../seed/program.ts'
import { type RunningWorker, startWorker } from '../worker.ts'
import { type Block, blocksOf, nameOf, PAPERS } from './blocks.ts'
import { ELSEWHERE, NOT_RUN } from './others.ts'

/** The address of the service in the papers. */
const TOLD = 'http://localhost:8787'
/** A key of the papers, which call it so. */
const KEYS = apiKeysOf({ KEY: { read: 'Hidden', write: true } })
const UUIDS = '99fe5d03-893d-5b20-8244-b9189db33e37,4df9f063-2b9c-5912-b69d-125657e72586'

/** Files that the papers name, and that a reader has. */
const FILES = {
  'all_week.csv':
    'time,latitude,longitude,depth,mag,id,place,type\n2026-01-01T00:00:00Z,61,-150,10,4.5,ak1,Alaska,earthquake\n',
  'feed.csv': 'id,time,lon,lat,value\nA-1,2026-01-01T00:00:00Z,5,52,0.4 m\nA-2,2026-01-01T00:00:00Z,5,53,0.5 m\n',
  'mine.csv': 'time,lon,lat,value\n2026-01-01T00:00:00Z,5,52,mine\n',
}

/** These files make a checkout. Its commands use a database of their own. */
const CHECKOUT = ['src', 'seed', 'schema', 'package.json', 'wrangler.toml', 'deploy.example.toml']

const at = makeFolder('papers')
let service: RunningWorker
let postgres: PostgresServer | null
/** Addresses of databases. `owned` has the table of an owner, and `npm run copy` fills `empty`. */
const databases = { owned: '', empty: '' }

/** The table that views-simple.sql expects. */
const PLACES = `CREATE TABLE places (id serial PRIMARY KEY, time timestamptz NOT NULL, geom geometry(Point, 4326), name text);
  INSERT INTO places (time, geom, name) VALUES ('2026-01-01T00:00:00Z', ST_SetSRID(ST_MakePoint(5.1, 52.1), 4326), 'Utrecht')`

beforeAll(async () => {
  postgres = isInstalled() ? await startPostgres() : null
  if (postgres !== null) {
    databases.owned = (await postgres.createDatabase([PLACES])).owner
    databases.empty = (await postgres.createDatabase()).owner
  }
  for (const path of CHECKOUT) cpSync(join(ROOT, path), at(path), { recursive: true })
  cpSync(at('schema/postgres/views-simple.sql'), at('views.sql'))
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(at(name), text)
  cpSync(inject('seeded'), at('.wrangler/state'), { recursive: true })
  service = await startWorker(inject('worker'), at('.wrangler/state'), { API_KEYS: KEYS }, true, true)
}, 60_000)
afterAll(async () => {
  await service?.close()
  await postgres?.stop()
})

/** Writes the addresses of this test in place of the told ones. */
const here = (code: string): string => {
  const database = code.includes('npm run copy') ? databases.empty : databases.owned
  return code
    .replaceAll(/http:\/\/(localhost|127\.0\.0\.1):8787|https:\/\/ADDRESS/g, service.address)
    .replaceAll(/postgres:\/\/owner@localhost\/events|(?<=-d )events(?= -)/g, database)
    .replaceAll('UUID,UUID', UUIDS)
}

const hasProgram = (name: string): boolean => spawnSync('which', [name]).status === 0
const MISSING = ['curl', 'jq', 'ogr2ogr', 'psql'].filter((name) => !hasProgram(name))
/** Programs of the blocks that this machine lacks. Without a server, it lacks psql. */
const missingIn = ({ code }: Block): string[] => {
  const missing = postgres === null ? [...MISSING, 'psql'] : MISSING
  return missing.filter((name) => new RegExp(`\\b${name} `).test(code))
}

/** curl fails for a fault of the service. Papers that show the answer may show a fault. */
const STRICT = 'curl() { command curl -f "$@"; }\n'

const run = async ({ code, shown }: Block) => {
  const script = `${shown === null ? STRICT : ''}${here(code)}`
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: at(), stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  // CSV ends its lines with CRLF.
  return { status, stdout: stdout.replaceAll(service.address, TOLD).replaceAll('\r', '').trimEnd(), stderr }
}

/** Parses one object, or a value in each line. The hints of pages differ. */
const valuesOf = (text: string): unknown[] => {
  const plain = text.replaceAll(/hint=[^&"]*/g, 'hint=')
  return plain.startsWith('{') ? [JSON.parse(plain)] : plain.split('\n').map((line) => JSON.parse(line))
}

describe.each(PAPERS)('%s', (paper) => {
  const blocks = blocksOf(paper).filter((block) => ![ELSEWHERE, NOT_RUN].some((list) => nameOf(block) in list))
  const named = blocks.map((block) => [`line ${block.line}: ${nameOf(block)}`, block] as const)

  it.each(named)('%s', async (_, block) => {
    const missing = missingIn(block)
    if (missing.length > 0) return console.warn(`${missing} is not installed, so ${paper}:${block.line} is skipped.`)
    const { status, stdout, stderr } = await run(block)
    expect(status, stderr).toBe(0)
    const { language, text: told = '' } = block.shown ?? {}
    if (language === 'json') expect(valuesOf(stdout)).toEqual(valuesOf(told))
    else if (language !== undefined) expect(stdout).toBe(told)
  })

  it('has only addresses that answer', async () => {
    const addresses = readFileSync(join(ROOT, paper), 'utf8').matchAll(/<(http:\/\/localhost:8787[^>]*)>/g)
    for (const [, address = ''] of addresses) {
      const answer = await fetch(here(address))
      await answer.arrayBuffer()
      expect([address, answer.status]).toEqual([address, 200])
    }
  })
})
