import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { getTableName } from 'drizzle-orm'
import { TABLES } from './all.ts'
import { eventCounts } from './tables.ts'

// Prints the migration that makes all tables. A dump has their order, so each table follows the tables that it needs.
const [none, all] = await Promise.all([generateSQLiteDrizzleJson({}), generateSQLiteDrizzleJson({ ...TABLES })])
const statements = (await generateSQLiteMigration(none, all)).map((statement) => statement.trim())
// A new node then writes no row for its primary key. Drizzle cannot declare this.
const withoutRowid = (statement: string) =>
  statement.startsWith(`CREATE TABLE \`${getTableName(eventCounts)}\``)
    ? statement.replace(/;$/, ' WITHOUT ROWID;')
    : statement
console.log(statements.map(withoutRowid).join('\n--> statement-breakpoint\n'))
