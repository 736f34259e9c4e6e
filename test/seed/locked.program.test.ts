import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { query } from './dump.ts'
import { makeFolder, runCommand } from './program.ts'

const at = makeFolder('locked')
const state = at('state')

writeFileSync(at('a.csv'), 'time,lon,lat,value\n2020-01-01,5,52,a\n')
writeFileSync(at('b.csv'), 'time,lon,lat,value\n2020-01-02,5,52,b\n')
const load = (name: string) => runCommand('load', [at(name), '--series', 'Locked', '--persist-to', state])

/** Locks the file of the database as a service does that writes, for so many milliseconds. */
async function locked<T>(milliseconds: number, run: () => Promise<T>): Promise<T> {
  const [file = ''] = globSync(join(state, 'v3/d1/*/*.sqlite')).filter((name) => !name.endsWith('metadata.sqlite'))
  const db = new DatabaseSync(file)
  db.exec('BEGIN IMMEDIATE')
  const timer = setTimeout(() => db.exec('ROLLBACK'), milliseconds)
  try {
    return await run()
  } finally {
    clearTimeout(timer)
    db.close()
  }
}

it('a load and an export wait while a service writes to the database, and say no word of it', async () => {
  expect(await load('a.csv')).toMatchObject({ status: 0 })
  expect(await locked(2000, () => load('b.csv'))).toMatchObject({ status: 0, stderr: '' })
  expect(query(state, 'SELECT value FROM event')).toEqual([{ value: 'a' }, { value: 'b' }])
  const exported = () => runCommand('export', [at('out.ndjson'), '--persist-to', state])
  expect(await locked(2000, exported)).toMatchObject({ status: 0, stderr: '' })
})

it('a load that waits for more than half a minute says why, without a stack', { timeout: 120_000 }, async () => {
  const { status, stderr } = await locked(100_000, () => load('a.csv'))
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^load: another program keeps writing to the database: run the same command again.*\n$/),
  ])
})
