import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('the migration is what npm run migration makes of schema/tables.ts', () => {
  const made = execFileSync(process.execPath, ['schema/migration.ts'], { encoding: 'utf8' })
  expect(readFileSync('schema/migrations/0000_tables.sql', 'utf8')).toBe(made)
})
