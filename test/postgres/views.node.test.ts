import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { COLUMNS, COUNTS_VERSION, furtherColumns, viewsIn } from '../../src/engine/postgres/views.ts'
import { FURTHER } from '../../src/engine/stored.ts'

it('docs/postgres.md has each column of the views, with its type', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/postgres.md'), 'utf8')
  const [section = ''] = text.split('\n## The views\n')[1]?.split('\n## ') ?? []
  let view = ''
  const told = Array.from(section.matchAll(/^\| (.*?) ?\| (`.*?) \| (\w+\??) \|/gm)).flatMap(
    ([, named = '', columns = '', type]) => {
      view = named === '' ? view : named.replaceAll('`', '')
      return Array.from(columns.matchAll(/`(\w+)`/g), ([, column]) => [view, column, type])
    },
  )
  const known = Object.entries(COLUMNS).flatMap(([name, columns]) =>
    Array.from(columns, ([column, { kind, need }]) => [name, column, need === 'needed' ? kind : `${kind}?`]),
  )
  expect(told.sort()).toEqual(known.sort())
})

it('schema/postgres/tables.sql has each column of the views, except the texts of a description', () => {
  const text = readFileSync(join(import.meta.dirname, '../../schema/postgres/tables.sql'), 'utf8')
  for (const [view, columns] of Object.entries(COLUMNS)) {
    const [, body = ''] = new RegExp(`EXISTS ${view} \\((.*?)\n\\);`, 's').exec(text) ?? []
    const told = Array.from(body.matchAll(/^ {2}(\w+)/gm), ([, column]) => column)
    const known = [...columns.keys()].filter((name) => !Object.hasOwn(FURTHER.event_series, name))
    expect(told.sort()).toEqual(known.sort())
  }
})

it('a further column of a type that no answer shows is left out by its name', () => {
  const columns = { depth: 'real', lasts: 'interval', place: 'geometry(Point,28992)', found: 'bytea', tags: 'array' }
  const rows = Object.entries(columns).map(([name, type]) => ({
    view: 'event',
    name,
    type,
    comment: null,
    encoding: 'UTF8',
    shape: '',
    tables: null,
    isCounted: null,
  }))
  expect([...furtherColumns(viewsIn(rows), false).keys()]).toEqual(['lasts', 'place', 'found'])
})

// If this fails, a database may have the counts of an earlier script. Raise COUNTS_VERSION if it must run the new one.
it('the script of grade C belongs to its version', () => {
  const script = readFileSync(join(import.meta.dirname, '../../schema/postgres/grade-c.sql'), 'utf8')
  const digest = createHash('sha256')
    .update(script.replace(/--.*|\s/g, ''))
    .digest('hex')
  expect([COUNTS_VERSION, digest.slice(0, 16)]).toEqual([1, '2bf82e87881173a4'])
})
