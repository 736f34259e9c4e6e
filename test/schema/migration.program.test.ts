import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { recountStatements } from '../../schema/counts.ts'

const migration = readFileSync('schema/migrations/0000_schema.sql', 'utf8')

it('the migration is what npm run migration makes of schema/tables.ts', () => {
  const made = execFileSync(process.execPath, ['schema/migration.ts'], { encoding: 'utf8' })
  expect(migration).toBe(made)
})

// A database knows its counts by the name of its first migration. If this fails, give the migration another name, also in
// package.json and seed/local/migrate.ts, and enter the new digest here.
it('the name of the first migration belongs to these counts', () => {
  const digest = createHash('sha256').update(recountStatements().join('\n')).digest('hex')
  expect(digest.slice(0, 16)).toBe('bbfd6b6c1e923434')
})
