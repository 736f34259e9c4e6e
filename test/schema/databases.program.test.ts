import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { version } from '../../package.json'
import { declared, differencesOf } from '../../schema/shape.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { refuseOthers } from '../../seed/local/migrate.ts'
import { query, tableOf } from '../seed/dump.ts'
import { makeFolder, runCommand } from '../seed/program.ts'
import { startWorker } from '../worker.ts'
import { changesOf, putDatabase, storedOf, VARIABLES, VERSIONS } from './stored.ts'

const at = makeFolder('databases')

// Before a release, `node test/schema/databases/make.ts` stores one.
it.skipIf(version.includes('-'))('this version has a stored database', () => {
  expect(VERSIONS).toContain(version)
})

it('a deployed database that lacks a migration is refused', async () => {
  const { db, close } = await openDatabase(at('deployed'))
  await refuseOthers(db)
  await db.prepare('DELETE FROM d1_migrations').run()
  await expect(refuseOthers(db)).rejects.toThrow(
    'the deployed database lacks 0000_1.0.0.sql: run npm run wrangler -- d1 migrations apply DB --remote',
  )
  await close()
})

/** Tables of D1, and the table of the migrations. */
const OTHERS = /(_cf_|sqlite_|d1_migrations)/

const tablesOf = (file: string): Record<string, unknown[]> => {
  const db = new DatabaseSync(file)
  try {
    const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
    const own = names.map(({ name }) => String(name)).filter((name) => !OTHERS.test(name))
    return Object.fromEntries(own.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]))
  } finally {
    db.close()
  }
}

const linesOf = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe.each(VERSIONS)('a database that version %s made', (made) => {
  const state = at(made)
  let file: string
  let before: Record<string, unknown[]>
  beforeAll(async () => {
    file = await putDatabase(made, state)
    before = tablesOf(file)
    const empty = Object.keys(before).filter((name) => before[name]?.length === 0)
    expect(empty).toEqual(['followed', 'load_progress', 'suspended_index'])
  })

  it('is exported with everything', async () => {
    const { status, stderr } = await runCommand('export', [at(`${made}.ndjson`), '--persist-to', state])
    expect([status, stderr]).toEqual([0, ''])
    const lines = linesOf(storedOf(made, 'export.ndjson').toString())
    const exported = linesOf(readFileSync(at(`${made}.ndjson`), 'utf8'))
    expect(exported).toHaveLength(lines.length)
    expect(exported).toMatchObject(lines)
  })

  it('keeps each row, and has the tables of schema/tables.ts', async () => {
    expect(tablesOf(file)).toMatchObject(before)
    const db = new DatabaseSync(file)
    expect(differencesOf(db, await declared()).filter((line) => !OTHERS.test(line))).toEqual([])
    db.close()
  })

  it('goes on with the copies that followed it', async () => {
    const { after, answer } = JSON.parse(storedOf(made, 'changes.json').toString())
    const { address, close } = await startWorker(inject('worker'), state, VARIABLES, true, true)
    try {
      const { changes } = JSON.parse(await changesOf(address, after))
      expect(changes).toMatchObject(answer.changes)
    } finally {
      await close()
    }
  })

  it('has counts that a recount does not change', async () => {
    const counts = () => [
      query(state, 'SELECT * FROM event_count WHERE public + common + private + hidden > 0 ORDER BY tree, shift, node'),
      ...['category', 'object_model', 'event_series'].map((table) => tableOf(state, table)),
    ]
    const counted = counts()
    expect(await runCommand('recount', ['--persist-to', state])).toMatchObject({ status: 0, stderr: '' })
    expect(counts()).toEqual(counted)
  })
})
