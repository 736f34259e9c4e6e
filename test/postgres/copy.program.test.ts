import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leadingNumber } from '../../src/filters/numbers.ts'
import { type LoadRecord, parseRecord } from '../../src/store/records.ts'
import { isInstalled, type PostgresServer, runSql, startPostgres } from './server.ts'

const SEED = gunzipSync(readFileSync(join(import.meta.dirname, '../../seed/seed.ndjson.gz'))).toString()
/** Records whose values a copy could change. */
const ODD = [
  { kind: 'observation_type', id: 900, code: 'a,"b"', name: '{\\}', unit: 'm³' },
  {
    ...{ kind: 'event_series', id: 900, uuid: '0a3fd2e4-e4f6-464f-b861-9051626e9eb4', name: 'NULL', description: '' },
    ...{ observation_type: 900, statistic: 'event', color: '#AbCdEf', access_modifier: 'Hidden' },
    ...{ created: '1685-01-01T00:00:00.000001Z', last_modified: '2254-01-01T00:00:00.999999Z' },
    metadata: { source: 'S', fields: [{ name: 'value', title: '"V"', type: 'number' }] },
  },
  {
    ...{ kind: 'event', id: 9_007_199_254_740_991, series: 900, category: '', value: '1e3 {"a": \\N}\n\t\'' },
    ...{ start: Date.parse('0000-01-01T00:00:00.001Z'), end: Date.parse('9999-12-31T23:59:59.999Z') },
    ...{ coordinates: [-180, 5e-324, -1.7e308], external_id: '😀', object: { model: 'o', id: -5 } },
    ...{ last_modified: '2026-01-01T00:00:00.123457Z', attributes: { z: 1, a: { 10: 0.1, 2: [null] } } },
  },
  {
    kind: 'event',
    id: 900_000,
    series: 900,
    category: 'c',
    value: '',
    start: -1,
    end: -1,
    coordinates: null,
    object: null,
  },
].map((record) => JSON.stringify(record))

const micros = (column: string) => `(extract(epoch FROM ${column}) * 1000000)::bigint AS ${column}`
const millis = (column: string, name: string) => `(extract(epoch FROM ${column}) * 1000)::bigint AS ${name}`
const READS = {
  observation_type: 'SELECT id, code, name, unit FROM observation_type ORDER BY id',
  event_series: `SELECT id, uuid, name, description, observation_type_id AS observation_type, statistic, color,
    access_modifier, ${micros('created')}, ${micros('last_modified')}, metadata::text FROM event_series ORDER BY id`,
  event: `SELECT id, event_series_id AS series, category, value, value_number, ${millis('timestamp_start', 'start')},
    ${millis('timestamp_end', '"end"')}, ST_X(geometry) AS x, ST_Y(geometry) AS y, ST_Z(geometry) AS z,
    object_type, object_id, external_id, ${micros('last_modified')}, attributes::text FROM event ORDER BY id`,
}

/** Returns a record in the form of its row in READS. */
const rowOf = (record: LoadRecord): object => {
  const { kind: _, ...row } = record
  if (record.kind === 'event_series') return { ...row, metadata: textOf(record.metadata) }
  if (record.kind === 'observation_type') return row
  const { coordinates, object, attributes, value, ...rest } = record
  const [x = null, y = null, z = null] = coordinates ?? []
  const { kind: __, ...plain } = rest
  const objects = { object_type: object?.model ?? null, object_id: object?.id ?? null }
  return { ...plain, value, value_number: leadingNumber(value), x, y, z, ...objects, attributes: textOf(attributes) }
}
const textOf = (value: object | null | undefined) => (value == null ? null : JSON.stringify(value))

const copy = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['seed/commands/copy.ts', ...args], {
    encoding: 'utf8',
  })
  return { status, text: `${stdout}${stderr}` }
}

describe.runIf(isInstalled())('npm run copy', () => {
  let server: PostgresServer
  const folder = mkdtempSync(join(tmpdir(), 'copy-'))
  const fileOf = (name: string, text: string): string => {
    const file = join(folder, name)
    writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text)
    return file
  }
  beforeAll(async () => {
    server = (await startPostgres()) as PostgresServer // it is installed
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  it('copies each record of the default data, and odd ones', async () => {
    const { owner } = await server.createDatabase()
    const text = `${SEED}${ODD.join('\n')}\n`
    const { status, text: told } = copy(fileOf('all.ndjson.gz', text), owner)
    expect([status, told]).toEqual([
      0,
      expect.stringMatching(/^Copied 16233 events and 15 event series in [\d.]+ s\.\n$/),
    ])
    const records = text.trim().split('\n').map(parseRecord)
    for (const [kind, sql] of Object.entries(READS)) {
      const rows = records
        .filter((record) => record.kind === kind)
        .sort((a, b) => a.id - b.id)
        .map(rowOf)
      expect(await runSql(owner, sql)).toEqual(rows)
    }
  })

  it('derives the columns of series, and counts', async () => {
    const { owner } = await server.createDatabase()
    copy(fileOf('all.ndjson', `${SEED}${ODD.join('\n')}\n`), owner, '--quiet')
    const derived = `SELECT count(*) AS wrong FROM event_series s LEFT JOIN LATERAL (
        SELECT count(*) AS n, min(timestamp_start) AS first, max(timestamp_end) AS last, min(ST_X(geometry)) AS west,
          max(ST_Y(geometry)) AS north FROM event e WHERE e.event_series_id = s.id) e ON true
      WHERE (s.event_count, s.timestamp_start, s.timestamp_end, s.west, s.north)
        IS DISTINCT FROM (e.n, e.first, e.last, e.west, e.north)`
    expect(await runSql(owner, derived)).toEqual([{ wrong: 0 }])
    expect(await runSql(owner, 'SELECT sum(count)::bigint AS count FROM event_count')).toEqual([{ count: 16_233 }])
    const indexes = "SELECT count(*) > 10 AS many FROM pg_indexes WHERE tablename = 'event'"
    expect(await runSql(owner, indexes)).toEqual([{ many: true }])
  })

  it('refuses tables with rows', async () => {
    const { owner } = await server.createDatabase()
    const file = fileOf('odd.ndjson', ODD.join('\n'))
    expect(copy(file, owner).status).toBe(0)
    const advice = 'copy into an empty database, or run DROP TABLE event, event_series, observation_type'
    expect(copy(file, owner)).toEqual({ status: 1, text: `copy: the table event has rows: ${advice}\n` })
  })

  it.each([
    ['a line that is no record', [...ODD, '{}'], /faulty\.ndjson, line 5: "kind" is missing: enter one of .*/],
    ['an event without its series', ODD.slice(2), /PostgreSQL refuses: .*foreign key.*\(event_series_id\)=\(900\)/],
    ['two events with one id', [...ODD, ...ODD.slice(2)], /PostgreSQL refuses: duplicate key .*already exists/],
  ])('stores nothing from a file with %s', async (_, lines, reason) => {
    const { owner } = await server.createDatabase()
    const { status, text } = copy(fileOf('faulty.ndjson', lines.join('\n')), owner)
    expect([status, text]).toEqual([1, expect.stringMatching(reason)])
    expect(await runSql(owner, "SELECT to_regclass('event') AS made")).toEqual([{ made: null }])
  })

  it.each([
    [[], 'FILE is missing'],
    [['a.ndjson'], 'ADDRESS is missing: enter one such as postgres://user@localhost/events'],
    [['a.ndjson', 'localhost'], 'the second argument is no address: enter one such as'],
    [['a.ndjson', 'postgres://user:secret@127.0.0.1:1/events'], 'cannot connect to PostgreSQL: connect ECONNREFUSED'],
  ])('refuses %j', (args, reason) => {
    const { status, text } = copy(...args)
    expect([status, text]).toEqual([1, expect.stringContaining(`copy: ${reason}`)])
    expect(text).not.toContain('secret')
  })
})
