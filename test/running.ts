import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, inject } from 'vitest'
import type { EventRecord } from './records.ts'
import { type RunningWorker, startWorker } from './worker.ts'

/** The deployed form of the Worker with the default data. All tests of a file share it. */
export interface Running {
  /** It has no slash at its end. It is known inside a test. */
  readonly address: string
  /** A folder for the files of the tests. */
  readonly folder: string
}

/** Runs the Worker while the tests of a file run. `alone` omits the static assets. */
export const runService = (variables: Readonly<Record<string, string>> = {}, alone = false): Running => {
  const folder = mkdtempSync(join(tmpdir(), 'running-'))
  let service: RunningWorker
  beforeAll(async () => {
    cpSync(inject('seeded'), join(folder, 'state'), { recursive: true })
    service = await startWorker(inject('worker'), join(folder, 'state'), variables, true, alone)
  }, 120_000)
  afterAll(async () => {
    await service?.close()
    rmSync(folder, { recursive: true })
  })
  return {
    folder,
    get address() {
      return service.address
    },
  }
}

/** Reads the events of the default data. */
export const readSeedEvents = (): EventRecord[] =>
  gunzipSync(readFileSync(join(import.meta.dirname, '../seed/seed.ndjson.gz')))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === 'event')
