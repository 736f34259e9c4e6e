import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { Response } from 'miniflare'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { servePostgres } from './test/postgres/binding.ts'
import { EXHAUSTIVE } from './test/tags.ts'

const { FUZZ = '1000', FUZZ_SEED = '2', TEST_REPORTS } = process.env

/** Answers a file by its path, decompressed, or the names of the files in a folder. 404: the path does not exist. */
const serveFile = ({ url }: { readonly url: string }) => {
  const path = new URL(url).searchParams.get('path') ?? ''
  if (!existsSync(path)) return new Response(null, { status: 404 })
  if (statSync(path).isDirectory()) {
    const files = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isFile())
    return Response.json(files.map(({ name }) => name))
  }
  const content = readFileSync(path)
  return new Response(path.endsWith('.gz') ? gunzipSync(content) : content)
}

/** Small files that take long. They begin first, so that none runs alone at the end. */
const LONG = /\/(recorded|interrupted|start|locked)\.program\./

/**
 * Runs the files that begin with the default data one after another. They load it once, see test/database.ts. Larger files
 * begin earlier. Those of the browser come between those of programs, which leave a part of the processors free.
 */
class Ordered extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rankOf = ({ moduleId, project }: TestSpecification): number => {
      if (LONG.test(moduleId)) return Number.POSITIVE_INFINITY
      const text = readFileSync(moduleId, 'utf8')
      if (text.includes('beginWithSeed()')) return Number.MAX_VALUE
      return ['program', 'browser'].includes(project.name) ? text.length : 0
    }
    const ranks = new Map(files.map((file) => [file, rankOf(file)]))
    return sorted.sort((one, other) => {
      const [first = 0, second = 0] = [ranks.get(one), ranks.get(other)]
      return first === second ? 0 : second - first
    })
  }
}

/**
 * Four kinds of tests:
 * - `worker` runs inside workerd over a real D1. It has most of the tests. A test with the tag `exhaustive` repeats a
 *   behaviour with many inputs.
 * - `node` (*.node.test.ts) reads files of the project.
 * - `program` (*.program.test.ts) starts commands, the built Worker, and programs such as ogr2ogr.
 * - `browser` (*.browser.test.ts) opens the page in Chromium.
 */
export default defineConfig(async () => {
  // The tests start commands hundreds of times. Node compiles their code once.
  process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')
  // wrangler requires the folder of [assets].
  mkdirSync('dist/public', { recursive: true })
  return {
    test: {
      silent: 'passed-only' as const,
      maxWorkers: 2,
      sequence: { sequencer: Ordered },
      tags: [{ name: EXHAUSTIVE.tags, description: 'Repeats a behaviour with many inputs. `npm test` leaves it out.' }],
      // The CI adds up the reports of several runs.
      reporters: TEST_REPORTS ? ['default', 'json'] : ['default'],
      outputFile: TEST_REPORTS ? { json: join(TEST_REPORTS, `${process.pid}.json`) } : {},
      projects: [
        {
          plugins: [
            cloudflareTest({
              wrangler: { configPath: './wrangler.toml' },
              // Tests import what they need. Without this, the plugin loads the whole Worker for each run.
              main: './test/main.ts',
              miniflare: {
                // The replicas of test/platform/d1.ts.
                d1Databases: { REPLICA_A: 'replica-a', REPLICA_B: 'replica-b', REFERENCE: 'reference' },
                serviceBindings: {
                  TEST_FILES: serveFile, // see test/files.ts
                  TEST_POSTGRES: servePostgres, // see test/postgres/database.ts
                },
                bindings: {
                  TEST_MIGRATIONS: await readD1Migrations('schema/migrations'),
                  TEST_FUZZ: { count: Number(FUZZ), seed: Number(FUZZ_SEED) },
                },
              },
            }),
          ],
          test: {
            name: 'worker',
            include: ['test/**/*.test.ts'],
            exclude: ['test/**/*.{node,program,browser}.test.ts'],
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
            isolate: false,
            testTimeout: 60_000,
          },
        },
        {
          test: {
            name: 'program',
            include: ['test/**/*.program.test.ts'],
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
            globalSetup: ['test/browser/chromium.ts', 'test/built.ts', 'test/seeded.ts'],
            testTimeout: 90_000,
            hookTimeout: 120_000,
            // Other programs may use the machine at the same time.
            expect: { poll: { timeout: 20_000 } },
          },
        },
      ],
    },
  }
})
