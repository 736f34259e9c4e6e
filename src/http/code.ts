/**
 * The digest of the code. `src/browser/assets/build.ts` makes a module with it, and `alias` in wrangler.toml puts that module
 * in place of this one. Null: nobody built the Worker, as in tests.
 */
export const CODE: string | null = null
