import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { loadFiles } from '../../seed/load/files.ts'
import { readAllEvents } from '../../seed/load/stored.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { MAX_PAGE_SIZE } from '../../src/lists/resource.ts'
import { type RunningWorker, startWorker } from '../worker.ts'
import { makeFolder } from './program.ts'

const SEED = join(import.meta.dirname, '../../seed/seed.ndjson.gz')
const at = makeFolder('roundtrip')
let service: RunningWorker
let before: readonly object[]

const eventsIn = async (state: string): Promise<readonly object[]> => {
  const { db, close } = await openDatabase(state)
  const events = []
  for await (const batch of readAllEvents(db)) events.push(...batch.events)
  await close()
  // Only an export contains the time of the last change.
  return events.map(({ last_modified: _, ...event }) => event)
}

const loadInto = async (state: string, file: string, options = {}) => {
  const { db, close } = await openDatabase(state)
  const outcome = await loadFiles(db, [file], options)
  await close()
  return outcome
}

/** Values that a spreadsheet or a parser might change, such as texts that look like numbers, times or formulas. */
const NASTY = [
  { value: '=1+1', external_id: '007' },
  { value: '1e3', external_id: "'s-a,b" },
  { value: 'two\nlines, "quoted"', external_id: '2018-02-05' },
  { value: '4.5', external_id: '4,5' },
  { value: '-1,5e3;2', external_id: "'-0.5" },
  { value: '', start: -62167219200000, end: 253402300799999, external_id: ' x ' },
].map((more, i) => ({
  ...{ kind: 'event', id: 100_001 + i, series: 10, category: `${i}`, start: i - 2, end: i + 2 },
  ...{ coordinates: i % 2 === 0 ? null : [-0.1, 1e-7, -2.5], object: null, ...more },
}))

/** Every tenth event of the default data. */
const isChosen = (line: string, i: number) => !line.startsWith('{"kind":"event",') || i % 10 === 0

beforeAll(async () => {
  const lines = gunzipSync(readFileSync(SEED)).toString().trim().split('\n').filter(isChosen)
  writeFileSync(at('nasty.ndjson'), NASTY.map((event) => JSON.stringify(event)).join('\n'))
  writeFileSync(at('series.ndjson'), lines.filter((line) => !line.startsWith('{"kind":"event",')).join('\n'))
  await loadInto(at('series'), at('series.ndjson'))
  writeFileSync(at('some.ndjson'), lines.join('\n'))
  await loadInto(at('state'), at('some.ndjson'))
  await loadInto(at('state'), at('nasty.ndjson'))
  before = await eventsIn(at('state'))
  service = await startWorker(inject('worker'), at('state'), { ANONYMOUS_LEVEL: 'Hidden' }, true)
}, 120_000)

afterAll(async () => {
  await service?.close()
})

it.each(['csv', 'spreadsheet', 'spreadsheet&locale=nl', 'geojson', 'ndjson', 'json'])(
  'a download as %s can be loaded to the same events',
  { timeout: 120_000 },
  async (format) => {
    const size = format === 'json' ? MAX_PAGE_SIZE : 'all'
    const response = await fetch(`${service.address}/api/v3/events/?format=${format}&page_size=${size}`)
    const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'page.json'
    writeFileSync(at(name), Buffer.from(await response.arrayBuffer()))
    cpSync(at('series'), at(format), { recursive: true })
    const outcome = await loadInto(at(format), at(name))
    expect(outcome.totals).toEqual({ observation_type: 0, event_series: 0, event: before.length })
    expect(outcome.survey.filter((line) => line.startsWith('Not loaded'))).toEqual([])
    const plain = (events: readonly object[]) =>
      events.map((event) => ({ ...event, external_id: undefined, attributes: undefined }))
    // An item of version 3 has no external id and no attributes.
    if (/json$/.test(format) && format !== 'geojson') expect(plain(await eventsIn(at(format)))).toEqual(plain(before))
    else expect(await eventsIn(at(format))).toEqual(before)
    const again = await loadInto(at(format), at(name))
    expect([again.totals.event, again.stored.event]).toEqual([0, before.length])
  },
)
