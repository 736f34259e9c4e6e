import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { getTableName, sql } from 'drizzle-orm'
import { TABLES } from './all.ts'
import { listed, NEW_KEY, nameOf, sqlText } from './sql.ts'
import { changes, eventCounts, followed, IS_COPY, markRules, sequences } from './tables.ts'

// Prints the migration that makes all tables. A dump has their order, so each table follows the tables that it needs.
const [none, all] = await Promise.all([generateSQLiteDrizzleJson({}), generateSQLiteDrizzleJson({ ...TABLES })])
const statements = (await generateSQLiteMigration(none, all)).map((statement) => statement.trim())
// A new node or change then writes no row for its primary key. Drizzle cannot declare this.
const bare = [eventCounts, changes].map((table) => `CREATE TABLE \`${getTableName(table)}\``)
const withoutRowid = (statement: string) =>
  bare.some((start) => statement.startsWith(start)) ? statement.replace(/;$/, ' WITHOUT ROWID;') : statement
const columns = listed([markRules.id, markRules.key].map(nameOf))
const firstKey = sqlText(sql`INSERT INTO ${markRules} (${columns}) VALUES (1, ${NEW_KEY})`)
// Each write takes a stamp or an id. A copy takes them while it has no row in `followed`, within its own transactions.
const refuseWrites = ['INSERT', 'UPDATE'].map((write) =>
  sqlText(sql`CREATE TRIGGER ${sql.identifier(`copy_${write.toLowerCase()}`)} BEFORE ${sql.raw(write)} ON ${sequences}
WHEN EXISTS (SELECT 1 FROM ${followed}) BEGIN SELECT RAISE(ABORT, ${IS_COPY}); END`),
)
const more = [firstKey, ...refuseWrites].map((statement) => `${statement};`)
console.log([...statements.map(withoutRowid), ...more].join('\n--> statement-breakpoint\n'))
