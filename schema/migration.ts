import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { additionsFor, declared, differencesOf, MIGRATIONS, migrated, migrationNames } from './shape.ts'

// Writes a migration for each table, column and index that schema/tables.ts has and the last migration lacks. D1 gives each
// file 30 seconds, so each statement has its own. Other changes need a migration by hand, and this names them.

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'))
/** The next version. A change of the tables is a minor version. */
const next = String(version).replace(/^(\d+)\.(\d+)\.\d+$/, (_, major, minor) => `${major}.${Number(minor) + 1}.0`)
const first = migrationNames().length
const nameOf = (i: number) => `${String(first + i).padStart(4, '0')}_${next.replace(/-.*/, '')}.sql`

const [made, wanted] = [migrated(), await declared()]
const statements = additionsFor(made, wanted)
for (const statement of statements) made.exec(statement)
const differences = differencesOf(made, wanted)
if (differences.length > 0) {
  console.error(
    `${differences.join('\n')}\nWrite schema/migrations/${nameOf(0)} by hand, and run npm run migration again.`,
  )
  process.exitCode = 1
} else {
  for (const [i, statement] of statements.entries()) writeFileSync(join(MIGRATIONS, nameOf(i)), `${statement};\n`)
  const names = statements.map((_, i) => nameOf(i)).join(', ')
  console.log(names === '' ? 'The migrations make the tables of schema/tables.ts.' : `Wrote ${names}`)
}
