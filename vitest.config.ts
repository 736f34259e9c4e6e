import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

/** Tests run inside workerd over a real D1; those named *.node.test.ts start programs and read files, so run in Node. */
export default defineConfig(async () => ({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                TEST_MIGRATIONS: await readD1Migrations('schema/migrations'),
                TEST_SEED: gunzipSync(readFileSync('seed/seed.ndjson.gz')).toString(),
              },
            },
          }),
        ],
        test: {
          name: 'worker',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.node.test.ts'],
          isolate: false,
          setupFiles: ['test/setup.ts'],
        },
      },
      {
        test: { name: 'node', include: ['test/**/*.node.test.ts'], testTimeout: 60_000 },
      },
    ],
  },
}))
