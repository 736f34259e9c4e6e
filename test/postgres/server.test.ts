import { Client } from 'pg'
import { CloudflareSocket } from 'pg-cloudflare'
import { describe, expect, it } from 'vitest'
import { freshPostgres, hasPostgres, type PostgresDatabase, sqlIn } from './database.ts'

/** Connects from workerd. Pipelined queries travel together. */
const connect = async ({ connectionString }: PostgresDatabase): Promise<Client> => {
  const client = new Client({ connectionString, pipeline: true, stream: () => new CloudflareSocket(false) })
  // A socket reports its own end as an error, after `end` has resolved.
  client.on('error', () => {})
  await client.connect()
  return client
}

const PLACES = `CREATE TABLE place (id bigint, at geometry(Point, 4326));
  INSERT INTO place VALUES (1, ST_SetSRID(ST_Point(5, 52), 4326)), (2, NULL)`

describe.runIf(hasPostgres)('a database of a test', () => {
  it('answers pipelined queries from workerd', async () => {
    const client = await connect(await freshPostgres(PLACES))
    const [places, version] = await Promise.all([
      client.query('SELECT id, ST_X(at) AS x FROM place WHERE id < $1 ORDER BY id', [9]),
      client.query('SELECT postgis_version() AS version'),
    ])
    expect(places.rows).toEqual([
      { id: '1', x: 5 },
      { id: '2', x: null },
    ])
    expect(version.rows).toEqual([{ version: expect.stringMatching(/^3\./) }])
    await client.end()
  })

  it('is read only for the role of its address', async () => {
    const client = await connect(await freshPostgres(PLACES))
    await expect(client.query('DELETE FROM place')).rejects.toThrow('read-only transaction')
    await client.query('SET default_transaction_read_only = off')
    await expect(client.query('DELETE FROM place')).rejects.toThrow('permission denied')
    await client.end()
  })

  it('is of one test only', async () => {
    const [one, other] = await Promise.all([freshPostgres(PLACES), freshPostgres(PLACES, 'DELETE FROM place')])
    const count = 'SELECT count(*) AS count FROM place'
    expect([await sqlIn(one, count), await sqlIn(other, count)]).toEqual([[{ count: 2 }], [{ count: 0 }]])
  })

  it('tells a fault of the SQL', async () => {
    await expect(freshPostgres('SELECT none')).rejects.toThrow('column "none" does not exist')
  })
})
