import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plainSql } from '../../seed/postgres/script.ts'
import { checkedService } from '../../seed/postgres/service.ts'
import { isInstalled, type PostgresServer, startPostgres } from './server.ts'

const scriptOf = (name: string) =>
  plainSql(readFileSync(join(import.meta.dirname, `../../schema/postgres/${name}.sql`), 'utf8'))

/** A table of an owner, as views-simple.sql expects it, with a role that has a password. */
const PLACES = `CREATE TABLE places (id serial PRIMARY KEY, time timestamptz NOT NULL, geom geometry(Point, 4326), name text);
  INSERT INTO places (time, geom, name) VALUES
    ('2026-01-01T00:00:00Z', ST_SetSRID(ST_MakePoint(5.1, 52.1), 4326), 'Utrecht'),
    ('2026-02-01T00:00:00Z', ST_SetSRID(ST_MakePoint(4.9, 52.4), 4326), 'Amsterdam')`

const argsOf = (...args: readonly string[]) => ['seed/commands/start.ts', '--port', '0', ...args]

/** Starts on a free port and waits for the address. */
const start = async (address: string, env: NodeJS.ProcessEnv = {}) => {
  const child = spawn(process.execPath, argsOf('--postgres', address), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  let output = ''
  for await (const text of child.stdout) {
    output += String(text)
    const origin = /Ready on (http:\S+)/.exec(output)?.[1]
    if (origin !== undefined) return { child, origin, output }
  }
  throw new Error(`ended: ${output}`)
}

const stop = async (child: ChildProcess): Promise<unknown> => {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  return (await ended)[0]
}

describe.runIf(isInstalled())('npm start -- --postgres', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = (await startPostgres()) as PostgresServer // it is installed
  })
  afterAll(() => server.stop())

  it('serves the views over a table, and ends with the signal', { timeout: 120_000 }, async () => {
    const { connectionString } = await server.createDatabase([PLACES, scriptOf('views-simple'), scriptOf('reader')])
    const { child, origin, output } = await start(connectionString, { PGPASSWORD: 'sec/ret' })
    try {
      expect(output).not.toContain('sec/ret')
      expect(output).toContain('PostgreSQL finds no index on (timestamp_start, id) of the view event.')
      const answer = await fetch(`${origin}/api/v3/events/?bbox=5,52,6,53`)
      expect(await answer.json()).toMatchObject({ count: 1, results: [{ properties: { value: 'Utrecht' } }] })
      expect((await fetch(`${origin}/assets/favicon.svg`)).status).toBe(200)
      // All users of a machine see the arguments of programs.
      const programs = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).stdout
      expect(programs).toContain(connectionString)
      expect(programs).not.toMatch(/sec(\/|%2F)ret/)
    } finally {
      expect(await stop(child)).toBe(143)
    }
  })

  it('names a view that has a plan, and cannot be read', async () => {
    const views = scriptOf('views-simple').replace('p.id,', 'p.id / 0 AS id,')
    const { connectionString } = await server.createDatabase([PLACES, views, scriptOf('reader')])
    expect(run('--postgres', connectionString)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('\n  PostgreSQL cannot read the views: division by zero.\n'),
    })
  })

  it('names each fault of the views', async () => {
    const table = 'CREATE TABLE event (id bigint, geometry geometry(Polygon, 4326))'
    const { connectionString } = await server.createDatabase([table])
    const { status, stdout, stderr } = run('--postgres', connectionString)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr.split('\n')).toEqual(
      expect.arrayContaining([
        'start: the database does not have the views of docs/postgres.md:',
        '  The role sees no view observation_type. Create it, and run reader.sql.',
        '  The view event has no column event_series_id. It must be bigint.',
        expect.stringContaining('  The column geometry of the view event is geometry(Polygon,4326). It must be'),
      ]),
    )
  })
})

const run = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, argsOf(...args), { encoding: 'utf8' })
  return { status, stdout, stderr }
}

const ENTER = 'enter one, such as postgres://events_reader@localhost/events'
const ENCODED =
  'A password may be in PGPASSWORD. In an address, write its @ as %40, : as %3A, / as %2F, # as %23, % as %25'

it.each([
  [['--postgres'], `start: --postgres needs an address: ${ENTER}\n`],
  [['--postgres', 'localhost'], `start: --postgres is "localhost": ${ENTER}. ${ENCODED}\n`],
  [
    ['--postgres', 'postgres://u:secret@127.0.0.1:1/d'],
    'start: cannot connect to PostgreSQL: connect ECONNREFUSED 127.0.0.1:1\n',
  ],
  [
    ['--postgres=postgres://u@127.0.0.1:1/d', '--empty'],
    'start: --empty is for a local database: leave it out with --postgres\n',
  ],
])('npm start -- %j is refused', (args, stderr) => {
  expect(run(...args)).toEqual({ status: 1, stdout: '', stderr })
})

describe('an address that wrangler cannot serve', () => {
  it.each(['p@s:s', 's/ecret', 's?e', '1/e', '1?e@', '1#e', 's%r', 'p@s:s/w%rd?#é+ &=1', '//1 %'])(
    'hides the password %j, which is not encoded',
    async (password) => {
      const refused = checkedService(`postgres://u:${password}@h/d`)
      await expect(refused).rejects.toThrow(`--postgres is "postgres://u:...@h/d": ${ENTER}. ${ENCODED}`)
    },
  )

  it.each([
    ['postgres:///d?host=/run/postgresql', 'a socket'],
    ['postgres://u@%2Frun%2Fpostgresql/d', 'a socket'],
    ['postgres://u:...@h/d?sslmode=require&options=-c%20search_path%3Dx', 'the parameter options'],
    ['postgresql://u@h/d?sslmode=verify-full&sslrootcert=ca.pem', 'the parameter sslrootcert'],
    ['postgres://u@h:1/d?password=...&application_name=x', 'the parameter password'],
  ])('%s names %s', async (address, unknown) => {
    const advice = `wrangler does not serve ${unknown}. Run npm run serve -- --postgres with this address`
    const refused = checkedService(address.replace('...', 'secret'))
    await expect(refused).rejects.toThrow(`--postgres is "${address}": ${advice}`)
  })
})
