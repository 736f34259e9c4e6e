import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { makeCode } from '../../src/web/build.ts'
import { startWorker } from '../worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'version-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('the digest of the code', () => {
  it('is equal for equal code, and is in the built Worker', async () => {
    const [, digest = ''] = /^export const CODE = '([0-9a-f]{64})'\n$/.exec(await makeCode()) ?? []
    expect(await makeCode()).toContain(digest)
    expect(inject('worker')).toContain(digest)
  })

  it('lets npm run serve cache answers, and keeps the tags after a restart with other keys', async () => {
    const seeded = join(folder, 'seeded')
    cpSync(inject('seeded'), seeded, { recursive: true })
    const tags: (string | null)[] = []
    // Another key makes another version of the Worker.
    for (const API_KEYS of ['{}', '{"0":{}}']) {
      const { address, close } = await startWorker(
        inject('worker'),
        seeded,
        { SHOW_COST: 'true', BASE_URL: 'http://localhost', API_KEYS },
        true,
      )
      const ask = () => fetch(`${address}/api/v3/events/summary/`)
      let answer = await ask()
      // The Worker stores an answer after it is sent.
      for (let i = 0; i < 20 && !answer.headers.get('Server-Timing')?.includes('cache;desc="isolate"'); i++)
        answer = await ask()
      expect(answer.headers.get('Server-Timing')).toContain('cache;desc="isolate"')
      tags.push(answer.headers.get('ETag'))
      await close()
    }
    expect(tags[1]).toBe(tags[0])
  })
})
