import { readFileSync } from 'node:fs'
import { Miniflare } from 'miniflare'

const port = Number(process.argv[2] ?? 8799),
  folder = process.argv[3] ?? '.wrangler/state'
const mf = new Miniflare({
  port,
  cf: false,
  resourcePersistencePath: folder + '/v3',
  workers: [
    {
      config: {
        name: 'w',
        compatibilityDate: '2026-10-20',
        manifest: {
          mainModule: 'index.js',
          modulesRoot: '/',
          modules: { 'index.js': { type: 'esm', contents: readFileSync('dist/index.js', 'utf8') } },
        },
        env: {
          SHOW_COST: { type: 'text', value: 'true' },
          DB: { type: 'd1', id: '00000000-0000-0000-0000-000000000000' },
        },
      },
      dev: { rootPath: process.cwd() },
    },
  ],
} as any)
await mf.ready
console.log('ready', port)
