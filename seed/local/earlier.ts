import { globSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { TABLES } from '../../schema/all.ts'
import { eventCounts, suspendedIndexes } from '../../schema/tables.ts'
import { caseFold } from '../../src/filters/fold.ts'
import { leadingNumber } from '../../src/filters/leadingNumber.ts'
import { LoadError } from '../load/error.ts'
import { recount } from '../load/indexes.ts'
import type { Local } from './database.ts'
import { migrate } from './migrate.ts'

/** The folder of a local D1, in the folder of `--persist-to`. */
const D1 = 'v3/d1'
/** The new database counts its events itself, and has all indexes. */
const COPIED = TABLES.filter((table) => table !== eventCounts && table !== suspendedIndexes)

/** Computes the columns that the first checkouts did not have. */
const DERIVE = `
  UPDATE category SET case_folded = case_fold(text) WHERE case_folded = '';
  UPDATE object_model SET case_folded = case_fold(text) WHERE case_folded = '';
  UPDATE event_series SET name_case_folded = case_fold(name) WHERE name_case_folded = '';
  UPDATE event SET value_number = leading_number(value) WHERE value_number IS NULL;
  UPDATE event SET last_modified = coalesce((SELECT 1000 * changed FROM revision), 0) WHERE last_modified = 0;
  UPDATE revision SET all_revision = revision, all_changed = changed, public_revision = revision,
    public_changed = changed, common_revision = revision, common_changed = changed, private_revision = revision,
    private_changed = changed;`

/**
 * Moves the rows of a database with the tables of an earlier checkout into a new database. The earlier one stays in a
 * folder of its own. An interrupted move starts again, because the new database takes its place at the end.
 */
export async function moveRows(folder: string, open: (folder: string) => Promise<Local>): Promise<void> {
  const [next, earlier] = [join(folder, 'next'), join(folder, `earlier-${new Date().toISOString().replace(/\W/g, '')}`)]
  console.error('An earlier version made this database: moving its data into a new one.')
  rmSync(next, { recursive: true, force: true })
  const made = await open(next)
  if (!(await migrate(made.db).finally(made.close)))
    throw new LoadError('the migration lacks columns of schema/tables.ts: run npm run migration')
  copyRows(fileIn(folder), fileIn(next))
  const filled = await open(next)
  await recount(filled.db).finally(filled.close)
  mkdirSync(join(earlier, 'v3'), { recursive: true })
  renameSync(join(folder, D1), join(earlier, D1))
  renameSync(join(next, D1), join(folder, D1))
  rmSync(next, { recursive: true })
  console.error(`The data was moved. The earlier database stays in ${earlier}.`)
}

/** Copies all rows in one transaction. A column that only one of the databases has is left out. */
function copyRows(from: string, to: string): void {
  const db = new DatabaseSync(to, { enableForeignKeyConstraints: false })
  try {
    db.function('case_fold', { deterministic: true }, (text) => caseFold(String(text)))
    db.function('leading_number', { deterministic: true }, (text) => leadingNumber(String(text)))
    db.prepare('ATTACH ? AS earlier').run(from)
    db.exec('BEGIN')
    for (const table of COPIED) {
      const { name, columns } = getTableConfig(table)
      const stored = db.prepare("SELECT name FROM pragma_table_info(?, 'earlier')").all(name)
      const shared = columns.filter((column) => stored.some((each) => each.name === column.name))
      const names = shared.map((column) => `"${column.name}"`).join(', ')
      if (names !== '') db.exec(`INSERT INTO main.${name} (${names}) SELECT ${names} FROM earlier.${name}`)
    }
    db.exec(DERIVE)
    db.exec('COMMIT')
  } finally {
    db.close()
  }
}

function fileIn(folder: string): string {
  const [file] = globSync(join(folder, D1, '*/*.sqlite')).filter((name) => !name.endsWith('metadata.sqlite'))
  if (file === undefined) throw new LoadError(`there is no database in ${folder}`)
  return file
}
