import { serve } from './app.ts'
import { postgresEngine } from './engine/postgresEngine.ts'
import type { Env } from './http/env.ts'

/** The service on a database of PostgreSQL, which it only reads. */
export default serve(({ HYPERDRIVE }: Env & { readonly HYPERDRIVE: Hyperdrive }) => postgresEngine(HYPERDRIVE))
