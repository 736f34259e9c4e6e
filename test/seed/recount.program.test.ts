import { spawnSync } from 'node:child_process'
import { cpSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, inject, it } from 'vitest'
import { dump, query } from './dump.ts'
import { makeFolder } from './program.ts'

const at = makeFolder('recount')

const recount = (...args: string[]) =>
  spawnSync(process.execPath, ['seed/commands/recount.ts', ...args], { encoding: 'utf8' })

/** Makes a copy of the default data and changes it by SQL. */
const spoiled = (name: string, sql: string): string => {
  const state = at(name)
  cpSync(inject('seeded'), state, { recursive: true })
  const [file = ''] = globSync(join(state, 'v3/d1/*/*.sqlite')).filter((each) => !each.endsWith('metadata.sqlite'))
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
  return state
}

const revisionOf = (state: string) => Number(query(state, 'SELECT revision FROM revision')[0]?.revision)

it.each([
  [
    'counts',
    'UPDATE event_count SET public = public + 1 WHERE node % 3 = 0; DELETE FROM event_count WHERE node % 5 = 0',
  ],
  ['dictionaries', 'UPDATE category SET public = 7, hidden = 1; UPDATE object_model SET private = 3'],
  ['numbers of values', 'UPDATE event SET value_number = iif(id % 2, NULL, 7) WHERE id % 3 = 0'],
  ['series', 'UPDATE event_series SET event_count = 1, start = 0, "end" = NULL, west = -1, north = 90'],
])('npm run recount repairs damaged %s', (name, sql) => {
  const state = spoiled(name, sql)
  const [before, revision] = [dump(inject('seeded')), revisionOf(state)]
  expect(dump(state)).not.toEqual(before)
  expect(recount('--persist-to', state)).toMatchObject({ status: 0, stdout: 'Counted all events.\n', stderr: '' })
  expect(dump(state)).toEqual(before)
  expect(revisionOf(state)).toBeGreaterThan(revision)
})

it('npm run recount counts correctly after changes by SQL', () => {
  const sql = `DELETE FROM event WHERE id % 7 = 0 OR event_series_id = 3; UPDATE event SET start = start - 86400000 WHERE id % 5 = 0;
    UPDATE event_series SET access_modifier = 300 WHERE id = 2`
  const state = spoiled('changed', sql)
  expect(recount('--persist-to', state).status).toBe(0)
  expect(
    query(
      state,
      "SELECT public + common + private + hidden AS count FROM event_count WHERE tree = 'id' AND shift = 53",
    ),
  ).toEqual(query(state, 'SELECT count(*) AS count FROM event'))
  expect(query(state, "SELECT sum(hidden) AS count FROM event_count WHERE tree = 'start' AND shift = 39")).toEqual(
    query(
      state,
      'SELECT count(*) AS count FROM event JOIN event_series ON event_series.id = event_series_id WHERE access_modifier = 300',
    ),
  )
  expect(query(state, 'SELECT id, event_count, start, "end", west, north FROM event_series ORDER BY id')).toEqual(
    query(
      state,
      `SELECT event_series.id, count(event.id) AS event_count, min(event.start) AS start, max(event."end") AS "end",
        min(x) AS west, max(y) AS north FROM event_series LEFT JOIN event ON event_series_id = event_series.id GROUP BY 1 ORDER BY 1`,
    ),
  )
})

it.each<[string[], string]>([
  [['--persist-to', 'nowhere'], 'there is no database in nowhere: enter its folder after --persist-to'],
  [['--persist-to', 'x', '--remote'], '--persist-to and --remote each name a database: use one of them'],
])('npm run recount refuses %j', (args, reason) => {
  expect(recount(...args)).toMatchObject({ status: 1, stdout: '', stderr: `recount: ${reason}\n` })
})
