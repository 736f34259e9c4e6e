import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseSource } from '../../seed/load/export.ts'
import { parseRecord } from '../../src/store/records.ts'
import type { LoadRecord } from '../records.ts'
import { beginWithSeed } from '../service.ts'
import { askBoth, recordedReads } from './corpus.ts'
import { hasPostgres, type PostgresDatabase } from './database.ts'
import { loadedPostgres } from './loaded.ts'

beginWithSeed()

const reads = await recordedReads()

describe.runIf(hasPostgres)('recorded requests over both engines', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    const records: LoadRecord[] = []
    for await (const batch of databaseSource(env.DB)())
      records.push(...batch.map((line) => parseRecord(JSON.stringify(line))))
    database = await loadedPostgres(records)
  })

  it('get equal answers', { timeout: 1_200_000 }, async () => {
    const kinds = new Map<string, [number, number]>()
    const lines: string[] = []
    for (const asked of reads.filter(({ path }) => /tiles/.test(path))) {
      const kind = /summary/.test(asked.path)
        ? 'summary'
        : /tiles/.test(asked.path)
          ? 'tiles'
          : /^\/ogc/.test(asked.path)
            ? 'ogc'
            : /^\/api/.test(asked.path)
              ? 'api'
              : 'other'
      const [one, other] = await askBoth(database, asked)
      const isEqual = JSON.stringify(one) === JSON.stringify(other)
      const counts = kinds.get(kind) ?? [0, 0]
      kinds.set(kind, [counts[0] + Number(isEqual), counts[1] + 1])
      if (!isEqual) {
        let i = 0
        while (one.body[i] === other.body[i] && i < one.body.length) i++
        lines.push(
          JSON.stringify({
            kind,
            m: asked.method,
            path: asked.path.slice(0, 300),
            body: typeof asked.body === 'string' ? asked.body.slice(0, 200) : undefined,
            s: [one.status, other.status],
            h: JSON.stringify(one.headers) === JSON.stringify(other.headers) ? undefined : [one.headers, other.headers],
            a: one.body.slice(Math.max(0, i - 80), i + 120),
            b: other.body.slice(Math.max(0, i - 80), i + 120),
          }),
        )
      }
    }
    console.log(JSON.stringify([...kinds]))
    for (const line of lines) console.log('DIFF ' + line)
    expect(lines.length).toBe(0)
  })
})
