import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildWorker } from '../seed/worker.ts'

/** Bytes of the Worker, minified and gzipped as Cloudflare measures it: every new isolate reads and compiles it. */
const BUDGET = 144 * 1024

it('the Worker as it is deployed stays within its budget', () => {
  expect(gzipSync(buildWorker()).length).toBeLessThanOrEqual(BUDGET)
})
