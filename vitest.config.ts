import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { writeAssets } from './src/browser/assets/build.ts'
import { CHROMIUM } from './test/browser/chromium.ts'

const SHARED = '../shared/data'

/** Real areas, how many events lie within each, and events beside the default data; null where the folder is not there. */
const readAreas = () => {
  if (!existsSync(SHARED)) return null
  const read = (name: string) => readFileSync(`${SHARED}/areas/${name}`, 'utf8')
  const counts = JSON.parse(read('COUNTS.json'))
  return {
    counts,
    areas: Object.fromEntries(Object.keys(counts).map((name) => [name, read(name)])),
    encodings: Object.fromEntries(
      readdirSync(`${SHARED}/areas/encodings`).map((name) => [name, read(`encodings/${name}`)]),
    ),
    extra: gunzipSync(readFileSync(`${SHARED}/extra.ndjson.gz`)).toString(),
  }
}

/** Tests run inside workerd over a real D1; those named *.node.test.ts start programs and read files, so run in Node; *.browser.test.ts look at the page in Chromium. */
export default defineConfig(async () => {
  // The folder of [assets] has to be there.
  await writeAssets()
  if (CHROMIUM === undefined) console.warn('No Chromium here: the tests of the page in a browser are skipped.')
  return {
    test: {
      silent: 'passed-only' as const,
      // Each of the projects waits for its own programs most of the time.
      maxWorkers: 2,
      projects: [
        {
          plugins: [
            cloudflareTest({
              wrangler: { configPath: './wrangler.toml' },
              miniflare: {
                // What lags behind the database of the Worker, see test/platform/d1.ts.
                d1Databases: { REPLICA_A: 'replica-a', REPLICA_B: 'replica-b', REFERENCE: 'reference' },
                bindings: {
                  TEST_MIGRATIONS: await readD1Migrations('schema/migrations'),
                  TEST_AREAS: readAreas(),
                  TEST_FUZZ: { count: Number(process.env.FUZZ ?? 1000), seed: Number(process.env.FUZZ_SEED ?? 2) },
                  TEST_SEED: gunzipSync(readFileSync('seed/seed.ndjson.gz')).toString(),
                },
              },
            }),
          ],
          test: {
            name: 'worker',
            include: ['test/**/*.test.ts'],
            exclude: ['test/**/*.node.test.ts', 'test/**/*.browser.test.ts'],
            isolate: false,
            testTimeout: 60_000,
            hookTimeout: 120_000,
            setupFiles: ['test/setup.ts'],
          },
        },
        {
          test: {
            name: 'node',
            include: ['test/**/*.node.test.ts'],
            globalSetup: ['test/built.ts', 'test/seeded.ts'],
            isolate: false,
            testTimeout: 60_000,
            hookTimeout: 60_000,
          },
        },
        {
          test: {
            name: 'browser',
            include: ['test/**/*.browser.test.ts'],
            globalSetup: ['test/built.ts'],
            testTimeout: 90_000,
            hookTimeout: 120_000,
            // One browser at a time: several would wait for each other.
            fileParallelism: false,
          },
        },
      ],
    },
  }
})
