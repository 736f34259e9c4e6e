import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { recountStatements } from '../../schema/counts.ts'
import { additionsFor, declared, differencesOf, migrated, migrationNames } from '../../schema/shape.ts'

it('all migrations together make the tables of schema/tables.ts', async () => {
  expect(differencesOf(migrated(), await declared())).toEqual([])
})

it('the name of a migration has its number and its version', () => {
  for (const [i, name] of migrationNames().entries()) {
    expect(name).toMatch(/^\d{4}_\d+\.\d+\.0\.sql$/)
    expect(Number(name.slice(0, 4))).toBe(i)
  }
})

// If this fails, stored counts are read as others. Write a migration that counts them again, and enter its name and digest.
it('the last migration with counts belongs to these counts', () => {
  const digest = createHash('sha256').update(recountStatements().join('\n')).digest('hex')
  expect(['0000_1.0.0.sql', digest.slice(0, 16)]).toEqual([expect.toBeOneOf(migrationNames()), 'bbfd6b6c1e923434'])
})

describe('npm run migration, with tables that have a change', () => {
  /** Makes tables as Drizzle writes them. */
  const tables = (...statements: string[]) => {
    const db = new DatabaseSync(':memory:')
    for (const statement of statements) {
      const isTable = statement.startsWith('CREATE TABLE')
      db.exec((isTable ? statement.replace('(', '(\n\t').replaceAll(', ', ',\n\t') : statement).replaceAll('"', '`'))
    }
    return db
  }
  const OLD = [
    'CREATE TABLE "t" ("id" integer PRIMARY KEY NOT NULL, "a" text NOT NULL)',
    'CREATE INDEX "t_a" ON "t" ("a")',
  ] as const
  const [TABLE, INDEX] = OLD

  it.each([
    ['a column', [TABLE.replace('"a"', '"b" real, "a"'), INDEX], ['ALTER TABLE `t` ADD `b` real']],
    [
      'a column with a default',
      [TABLE.replace('"a"', '"b" real DEFAULT 3 NOT NULL, "a"'), INDEX],
      ['ALTER TABLE `t` ADD `b` real DEFAULT 3 NOT NULL'],
    ],
    ['an index', [...OLD, 'CREATE INDEX "t_b" ON "t" ("id")'], ['CREATE INDEX `t_b` ON `t` (`id`)']],
    ['a table', [...OLD, 'CREATE TABLE "u" ("id" integer)'], ['CREATE TABLE `u` (\n\t`id` integer)']],
  ])('writes what adds %s', (_, changed, statements) => {
    const [made, wanted] = [tables(...OLD), tables(...changed)]
    const additions = additionsFor(made, wanted)
    for (const statement of additions) made.exec(statement)
    expect([additions, differencesOf(made, wanted)]).toEqual([statements, []])
  })

  it.each([
    [
      'a column NOT NULL without a default',
      [TABLE.replace('"a"', '"b" real NOT NULL, "a"'), INDEX],
      ['The migrations do not make the column t.b real NOT NULL'],
    ],
    [
      'a reference',
      [TABLE.replace(')', ', FOREIGN KEY ("a") REFERENCES "t"("id"))'), INDEX],
      ['The migrations do not make the reference t.a to t id NO ACTION NO ACTION'],
    ],
    [
      'another type',
      [TABLE.replace('text', 'real'), INDEX],
      [
        'The migrations do not make the column t.a real NOT NULL',
        'schema/tables.ts does not have the column t.a text NOT NULL',
      ],
    ],
    ['no index', [TABLE], ['schema/tables.ts does not have CREATE INDEX "t_a" ON "t" ("a")']],
    [
      'no rowid',
      [`${TABLE} WITHOUT ROWID`, INDEX],
      ['The migrations do not make the table t without rowid', 'schema/tables.ts does not have the table t'],
    ],
  ])('names what it cannot add: %s', (_, changed, differences) => {
    const [made, wanted] = [tables(...OLD), tables(...changed)]
    for (const statement of additionsFor(made, wanted)) made.exec(statement)
    expect(differencesOf(made, wanted)).toEqual(differences)
  })
})
