/**
 * The digest of the code. `src/web/build.ts` writes a module with it, which replaces this one by an `alias`
 * in wrangler.toml. Null: nobody built the Worker, as in tests.
 */
export const CODE: string | null = null
