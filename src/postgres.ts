import { serve } from './app.ts'
import { keptFor } from './base/collections.ts'
import type { Engine } from './engine/engine.ts'
import { DEADLINES } from './engine/postgres/connection.ts'
import { postgresEngine } from './engine/postgres/engine.ts'
import { socketsTo } from './engine/postgres/sockets.ts'
import type { Env } from './http/env.ts'

/** The engine of each binding. */
const engineOf = keptFor(
  ({ connectionString }: Hyperdrive): Engine => postgresEngine(socketsTo(connectionString, DEADLINES)),
)

/** The service on a database of PostgreSQL, which it only reads. */
export default serve(({ HYPERDRIVE }: Env & { readonly HYPERDRIVE: Hyperdrive }) => engineOf(HYPERDRIVE))
