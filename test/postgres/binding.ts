import { Response } from 'miniflare'
import { isInstalled, type PostgresServer, runSql, startPostgres } from './server.ts'

/** The server of this run. Tests that need none do not start it. */
let server: Promise<PostgresServer | null> | null = null

interface Asked {
  readonly url: string
  readonly method: string
  readonly json: () => Promise<unknown>
}

/**
 * Answers the requests of test/postgres/database.ts. GET / tells if PostgreSQL is installed. POST /databases makes a
 * database, and POST /sql runs SQL. A fault of the SQL is a 400 with its message.
 */
export const servePostgres = async (request: Asked): Promise<Response> => {
  try {
    if (request.method === 'GET') return Response.json(isInstalled())
    if (new URL(request.url).pathname === '/databases') {
      const { sql } = (await request.json()) as { sql: string[] } // as database.ts sends it
      server ??= startPostgres()
      return Response.json(await (await server)?.createDatabase(sql))
    }
    const { connectionString, sql } = (await request.json()) as { connectionString: string; sql: string }
    return Response.json(await runSql(connectionString, sql))
  } catch (error) {
    return new Response(error instanceof Error ? error.message : String(error), { status: 400 })
  }
}
