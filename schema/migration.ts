import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { getTableName, sql } from 'drizzle-orm'
import { TABLES } from './all.ts'
import { listed, NEW_KEY, nameOf, sqlText } from './sql.ts'
import { changes, eventCounts, markRules } from './tables.ts'

// Prints the migration that makes all tables. A dump has their order, so each table follows the tables that it needs.
const [none, all] = await Promise.all([generateSQLiteDrizzleJson({}), generateSQLiteDrizzleJson({ ...TABLES })])
const statements = (await generateSQLiteMigration(none, all)).map((statement) => statement.trim())
// A new node or change then writes no row for its primary key. Drizzle cannot declare this.
const bare = [eventCounts, changes].map((table) => `CREATE TABLE \`${getTableName(table)}\``)
const withoutRowid = (statement: string) =>
  bare.some((start) => statement.startsWith(start)) ? statement.replace(/;$/, ' WITHOUT ROWID;') : statement
const columns = listed([markRules.id, markRules.key].map(nameOf))
const firstKey = sqlText(sql`INSERT INTO ${markRules} (${columns}) VALUES (1, ${NEW_KEY})`)
console.log([...statements.map(withoutRowid), `${firstKey};`].join('\n--> statement-breakpoint\n'))
