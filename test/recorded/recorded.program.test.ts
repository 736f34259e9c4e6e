/** @module-tag exhaustive */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { isAllowed, readAllowed } from './allowed.ts'
import { differencesOf, report } from './differences.ts'
import { openService, type Request } from './service.ts'
import { readSequence, sequenceNames, writeSequence } from './store.ts'

// Sends the recorded requests and compares the answers with the recorded ones. A difference is a fault, or belongs to
// allowed/, see allowed.ts. Each sequence starts on the default data and has writes between its reads.
//
// `npm run record` records all answers again. Then delete the files in allowed/. To add requests to a sequence:
// `RECORD_MORE=ogc=requests.ndjson npm run record`, with one `Request` of service.ts per line.

const { RECORD, RECORD_MORE = '' } = process.env
const SHOWN = 12
/** All differences of the last run. */
const REPORT = join(import.meta.dirname, '../../node_modules/.cache/recorded')

const allowed = readAllowed()
const used = new Set<object>()
const names = sequenceNames()
const replayed: string[] = []

it.each(names)('the requests of %s get the recorded answers', { timeout: 600_000 }, async (name) => {
  const { variables, exchanges } = readSequence(name)
  const folder = mkdtempSync(join(tmpdir(), 'recorded-'))
  cpSync(inject('seeded'), folder, { recursive: true })
  const { ask, close } = await openService(inject('worker'), folder, variables)
  try {
    if (RECORD) {
      const requests = [...exchanges.map(({ request }) => request), ...moreOf(name)]
      const again = []
      for (const request of requests) again.push({ request, answer: await ask(request) })
      writeSequence(name, { variables, exchanges: again })
      return
    }
    const reports: string[] = []
    for (const [i, { request, answer }] of exchanges.entries()) {
      const found = differencesOf(answer, await ask(request)).filter((difference) => {
        const rules = allowed.filter((rule) => isAllowed(rule, request, difference))
        for (const rule of rules) used.add(rule)
        return rules.length === 0
      })
      if (found.length > 0) reports.push(report(`${name} ${i}`, request, found))
    }
    mkdirSync(REPORT, { recursive: true })
    writeFileSync(join(REPORT, `${name}.txt`), reports.join('\n\n'))
    const summary = `${reports.length} of ${exchanges.length} answers differ, see node_modules/.cache/recorded/${name}.txt`
    if (reports.length > 0) expect.fail([summary, ...reports.slice(0, SHOWN)].join('\n\n'))
    replayed.push(name)
  } finally {
    await close()
    rmSync(folder, { recursive: true })
  }
})

it('every allowed difference occurs', ({ skip }) => {
  if (replayed.length < names.length) skip()
  expect(allowed.filter((rule) => !used.has(rule))).toEqual([])
})

/** Reads the requests to add to a sequence. */
function moreOf(sequence: string): Request[] {
  const [name, file = ''] = RECORD_MORE.split('=')
  if (name !== sequence) return []
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
