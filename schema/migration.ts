import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { TABLES } from './all.ts'

// Prints the migration that makes all tables. A dump has their order, so each table follows the tables that it needs.
const [none, all] = await Promise.all([generateSQLiteDrizzleJson({}), generateSQLiteDrizzleJson({ ...TABLES })])
const statements = await generateSQLiteMigration(none, all)
console.log(statements.map((statement) => statement.trim()).join('\n--> statement-breakpoint\n'))
