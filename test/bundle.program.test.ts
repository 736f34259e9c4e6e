import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { writePostgresConfig } from '../seed/local/deployment.ts'
import { ROOT, WRANGLER, WRANGLER_ENV } from '../seed/local/wrangler.ts'
import { buildModule } from '../seed/serve/build.ts'

/** Milliseconds of CPU before the first request of an isolate. */
const STARTUP = 400
const TRIES = 5

const [D1, POSTGRES] = ['wrangler.toml', relative(ROOT, await writePostgresConfig())]

/**
 * The entries, their settings, and the most bytes of the Worker, minified and gzipped as Cloudflare measures it. Every new
 * isolate reads and compiles it. A service on D1 does not pay for PostgreSQL.
 */
const WORKERS: [entry: string, config: string, budget: number, hasPg: boolean][] = [
  ['src/index.ts', D1, 255 * 1024, false],
  ['src/postgres.ts', POSTGRES, 307 * 1024, true],
]

it.each(WORKERS)(
  '%s with %s stays within its size limit, and has pg only if it needs it',
  (entry, config, budget, hasPg) => {
    const { script, sources } = buildModule(entry, join(ROOT, config))
    expect(gzipSync(script).length).toBeLessThanOrEqual(budget)
    const packages = sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [])
    expect(packages).toContain('hono')
    expect(packages.some((name) => /^(pg|postgres)/.test(name))).toBe(hasPg)
    // A Worker has no pool.
    expect(packages).not.toContain('pg-pool')
    expect(sources.some((source) => source.includes('src/engine/postgres/'))).toBe(hasPg)
  },
)

it.each([D1, POSTGRES])('the Worker of %s starts within its time limit', { timeout: 120_000 }, (config) => {
  const busy = [startup(config)]
  // Other programs slow the processor down, so the shortest of several profiles is the best one.
  while (Math.min(...busy) >= STARTUP && busy.length < TRIES) busy.push(startup(config))
  expect(Math.min(...busy)).toBeGreaterThan(0)
  expect(Math.min(...busy)).toBeLessThan(STARTUP)
})

/** Milliseconds that the Worker was busy before its first request. */
function startup(config: string): number {
  const folder = mkdtempSync(join(tmpdir(), 'startup-'))
  try {
    const profile = join(folder, 'startup.cpuprofile')
    const args = [WRANGLER, 'check', 'startup', `--args=--config=${config}`, '--outfile', profile]
    const { status, stderr } = spawnSync(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...WRANGLER_ENV },
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, expect.any(String)])
    return busyOf(JSON.parse(readFileSync(profile, 'utf8')))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A profile of V8. It has the node of each sample, and the microseconds since the sample before. */
interface Profile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Returns the milliseconds in a profile without the idle ones. */
function busyOf({ nodes, samples, timeDeltas }: Profile): number {
  const idle = nodes.filter(({ callFrame }) => callFrame.functionName === '(idle)').map(({ id }) => id)
  return timeDeltas.reduce((sum, delta, i) => sum + (idle.includes(samples[i] ?? 0) ? 0 : delta), 0) / 1000
}
