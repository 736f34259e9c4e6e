import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'

const read = (file: string): string => readFileSync(file, 'utf8')
const tableIn = (text: string): string => /CREATE TABLE `revision`[^;]*/.exec(text)?.[0] ?? ''
const columnsOf = (db: DatabaseSync) =>
  db.prepare("SELECT name, type FROM pragma_table_info('revision') ORDER BY 1").all()

it('the statements of the changelog give each level the state of a database of 1.0.0-rc.1', () => {
  const [db, made] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')]
  made.exec(tableIn(read('schema/migrations/0000_tables.sql')))
  db.exec(
    'CREATE TABLE revision (id integer PRIMARY KEY NOT NULL, revision integer NOT NULL, changed integer DEFAULT 0 NOT NULL)',
  )
  db.exec('CREATE TABLE event_series (id integer PRIMARY KEY NOT NULL)')
  db.exec('INSERT INTO revision VALUES (1, 7, 1000)')
  db.exec(/--command "([^"]*)"/.exec(read('CHANGELOG.md'))?.[1] ?? '')
  expect(columnsOf(db)).toEqual(columnsOf(made))
  const { id: _, ...row } = db.prepare('SELECT * FROM revision').get() ?? {}
  expect(new Set(Object.values(row))).toEqual(new Set([7, 1000]))
})
