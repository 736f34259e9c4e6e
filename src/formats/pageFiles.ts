/**
 * The script and the styles of the page, below /assets/. `src/web/build.ts` writes a module with their names, which
 * replaces this one by an `alias` in wrangler.toml. Tests without a build have these names.
 */
export const PAGE_FILES = { script: 'page.js', styles: 'page.css' }
