import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plainSql } from '../../seed/postgres/script.ts'
import { isInstalled, type PostgresDatabase, type PostgresServer, runSql, startPostgres } from './server.ts'

const scriptOf = (name: string) =>
  plainSql(readFileSync(join(import.meta.dirname, `../../schema/postgres/${name}.sql`), 'utf8'))

/** A view whose reads take the seconds in the table `slowness`. */
const VIEWS = `CREATE TABLE slowness (seconds float8);
  INSERT INTO slowness VALUES (0);
  CREATE VIEW event AS SELECT e.* FROM stored e WHERE (SELECT pg_sleep(seconds) IS NOT NULL FROM slowness);`
const EVENTS = `ALTER TABLE event RENAME TO stored;
  INSERT INTO observation_type VALUES (1, 'T', 'Type');
  INSERT INTO event_series
    (id, uuid, name, description, observation_type_id, statistic, color, access_modifier, created)
  VALUES (1, '00000000-0000-0000-0000-000000000001', 'Series', '', 1, 'event', '#000000', 0, '2020-01-01Z');
  INSERT INTO stored (id, event_series_id, category, value, timestamp_start, timestamp_end)
  SELECT i, 1, 'c', 'value ' || i, '2020-01-01Z', '2020-01-02Z' FROM generate_series(1, 3000) AS i;`

const args = (database: string, port: string) => ['seed/commands/serve.ts', '--postgres', database, '--port', port]

/** Serves a database on a free port, and waits for the address. */
const serve = async (database: string) => {
  const child = spawn(process.execPath, args(database, '0'), { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  // Its log must be read to the end.
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text) => {
      output += String(text)
      const found = /Ready on (http:\S+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error(`ended: ${output}`)))
  })
  return { child, origin }
}

/** Sends a GET without the decompression of `fetch`. */
const read = async (address: string, headers: Record<string, string> = {}) => {
  const [response] = await once(get(address, { headers }), 'response')
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }
}

describe.runIf(isInstalled())('npm run serve -- --postgres', { timeout: 60_000 }, () => {
  let server: PostgresServer
  let database: PostgresDatabase
  let [child, origin]: [ChildProcess | null, string] = [null, '']
  beforeAll(async () => {
    server = (await startPostgres({ unix_socket_directories: tmpdir() })) as PostgresServer // it is installed
    database = await server.createDatabase([scriptOf('tables'), EVENTS, VIEWS, scriptOf('reader')])
    ;({ child, origin } = await serve(database.connectionString))
  })
  afterAll(async () => {
    child?.kill('SIGKILL')
    await server.stop()
  })

  const gzip = { 'Accept-Encoding': 'gzip' }
  const HTML = { Accept: 'text/html' }

  it.each([
    ['/api/v3/events/?page_size=20', {}],
    ['/api/v4/events.csv?page_size=all', {}],
    ['/api/v3/events/?page_size=20', HTML],
    ['/assets/docs.css', {}],
  ])('compresses %s for a client that accepts it, with %j', async (path, accept) => {
    const [plain, small] = [await read(origin + path, accept), await read(origin + path, { ...accept, ...gzip })]
    expect([plain.status, plain.headers['content-encoding']]).toEqual([200, undefined])
    expect(small.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: expect.stringContaining('Accept-Encoding'),
    })
    expect(small.body.length).toBeLessThan(plain.body.length)
    const withoutIds = (body: Buffer) => body.toString().replace(/hint=[^"&]*|"X-Request-Id","[^"]*"/gi, '')
    expect(withoutIds(gunzipSync(small.body))).toBe(withoutIds(plain.body))
  })

  it('compresses no answer without a body', async () => {
    const head = await fetch(`${origin}/api/v3/events/?page_size=20`, { method: 'HEAD', headers: gzip })
    expect([head.status, head.headers.get('Content-Encoding'), await head.text()]).toEqual([200, null, ''])
  })

  it('serves the files of the page with their headers', async () => {
    const page = await read(`${origin}/api/v3/events/`, HTML)
    const kept = /\/assets\/kept\/[\w.-]+\.js/.exec(page.body.toString())?.[0] ?? ''
    const { status, headers } = await read(origin + kept)
    expect([status, headers['cache-control'], headers['x-content-type-options']]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'nosniff',
    ])
    const icon = await read(`${origin}/assets/favicon.svg`)
    expect(icon.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'image/svg+xml' })
    const again = await read(`${origin}/assets/favicon.svg`, { 'If-None-Match': String(icon.headers.etag) })
    expect([again.status, again.body.length]).toEqual([304, 0])
    expect((await read(`${origin}/_headers`)).status).toBe(404)
  })

  it('takes no header of Cloudflare from outside', async () => {
    const { headers } = await read(`${origin}/healthz`, { 'CF-Ray': 'mine' })
    expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
  })

  it('ends the statement of a client that leaves', async () => {
    const working = async () =>
      (
        await runSql(
          database.owner,
          `SELECT FROM pg_stat_activity WHERE usename = 'events_reader' AND datname = current_database() AND state <> 'idle'`,
        )
      ).length
    await runSql(database.owner, 'UPDATE slowness SET seconds = 14')
    const client = new AbortController()
    const left = fetch(`${origin}/api/v3/events/?category=c`, { signal: client.signal }).catch(() => {})
    await expect.poll(working).toBe(1)
    client.abort()
    await left
    await expect.poll(working, { timeout: 10_000 }).toBe(0)
    await runSql(database.owner, 'UPDATE slowness SET seconds = 0')
    expect((await read(`${origin}/api/v3/events/?page_size=1`)).status).toBe(200)
  })

  it.each([
    (name: string, folder: string, port: number) =>
      `postgres://events_reader@${encodeURIComponent(folder)}:${port}/${name}`,
    (name: string, folder: string, port: number) =>
      `postgres:///${name}?host=${folder}&port=${port}&user=events_reader`,
  ])('serves a database behind a socket (%#)', async (addressOf) => {
    const name = new URL(database.connectionString).pathname.slice(1)
    const other = await serve(addressOf(name, tmpdir(), server.port))
    try {
      expect((await read(`${other.origin}/api/v3/events/?page_size=1`)).status).toBe(200)
    } finally {
      other.child.kill('SIGKILL')
    }
  })

  it('knows the hints of another process on the same database', async () => {
    const other = await serve(database.connectionString)
    try {
      const first = JSON.parse((await read(`${origin}/api/v3/events/?page_size=2`)).body.toString())
      const next = String(first.next).replace(origin, other.origin)
      const { results } = JSON.parse((await read(next)).body.toString())
      expect(results.map(({ id }: { readonly id: number }) => id)).toEqual([3, 4])
    } finally {
      const ended = once(other.child, 'exit')
      other.child.kill('SIGTERM')
      expect((await ended)[0]).toBe(0)
    }
  })

  it('refuses a port that is in use, and a database without views', async () => {
    const run = (address: string, port: string) =>
      spawnSync(process.execPath, args(address, port), { encoding: 'utf8', timeout: 20_000 }).stderr
    expect(run(database.connectionString, new URL(origin).port)).toMatch(/^serve: port \d+ is in use/)
    const empty = await server.createDatabase()
    expect(run(empty.connectionString, '0')).toContain('The role sees no view event')
  })
})
