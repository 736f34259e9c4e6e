import { spawnSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { recountStatements } from '../../schema/counts.ts'
import { events } from '../../schema/tables.ts'
import { insertRecords } from '../../seed/load/insert.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { accessName } from '../../src/base/access.ts'
import { random, records } from '../bench/events.ts'
import type { LoadRecord, SeriesRecord } from '../records.ts'
import { wholeRecords } from '../records.ts'
import { dump, query } from './dump.ts'
import { makeFolder } from './program.ts'

const EVENTS = 3_000
const KILLS = 2
const MAX_RUNS = 12
const made = [...records(EVENTS)]
const loaded: SeriesRecord = {
  ...(made.find((record) => record.kind === 'event_series') as SeriesRecord),
  ...{ id: 99, uuid: '1f3fd2e4-e4f6-564f-b861-9051626e9eb4', name: 'Loaded' },
}

const at = makeFolder('interrupted')
let before: string

beforeAll(async () => {
  writeFileSync(at('events.ndjson'), made.map(lineOf).join('\n'))
  writeFileSync(at('events.csv'), ['x,y,start,end,category,value', ...made.map(rowOf)].join('\n'))
  before = at('before')
  const { db, close } = await openDatabase(before)
  await insertRecords(db, wholeRecords([...made.filter(({ kind }) => kind === 'observation_type'), loaded]))
  await close()
}, 60_000)

describe.each(['events.ndjson', 'events.csv'])('%s', (name) => {
  let [whole, reports] = ['', 0]

  beforeAll(() => {
    whole = copy(`${name}-whole`)
    reports = JSON.parse(load(whole, 0, 'SIGKILL', name).stdout).reports
  }, 60_000)

  it(`loads all events once after it was killed at ${KILLS} moments`, { timeout: 120_000 }, async () => {
    const state = copy(`${name}-killed`)
    const next = random(name.length)
    for (let kill = 0; kill < KILLS; kill++) {
      const report = Math.ceil(reports * (0.45 + 0.55 * next()))
      expect(load(state, report, 'SIGKILL', name)).toMatchObject({ signal: 'SIGKILL' })
    }
    expect(JSON.parse(load(state, 0, 'SIGKILL', name).stdout)).toEqual({ reports, finished: true })
    expect(dump(state)).toEqual(dump(whole))
    expect(dump(state).event).toHaveLength(EVENTS)
  })
})

describe('--sync', () => {
  const row = (id: number, value: string) => `k${id},5,52,2020-01-01,${value}`
  const fileOf = (name: string, ids: number[], value: (id: number) => string) =>
    writeFileSync(at(name), ['id,x,y,start,value', ...ids.map((id) => row(id, value(id)))].join('\n'))
  const upTo = (end: number) => Array.from({ length: end }, (_, i) => i)
  const shown = (state: string) => query(state, 'SELECT external_id, value FROM event ORDER BY external_id')
  const counts = (state: string) => query(state, 'SELECT event_count, west, start FROM event_series')

  it('ends as one run after kills while it reads, writes and deletes, and deletes last', { timeout: 300_000 }, () => {
    // On the second day, 900 of 3,000 events are gone, 700 are changed and 800 are new.
    fileOf('day1.csv', upTo(3_000), () => 'a')
    const left = upTo(3_800).filter((id) => id % 10 >= 3 || id >= 3_000)
    fileOf('day2.csv', left, (id) => (id % 3 === 0 ? 'b' : 'a'))
    const first = copy('sync-first')
    expect(load(first, 0, 'SIGKILL', 'day1.csv', '--sync').stdout).toContain('"finished":true')
    cpSync(first, at('sync-whole'), { recursive: true })
    cpSync(first, at('sync-killed'), { recursive: true })
    const whole = at('sync-whole')
    const { reports } = JSON.parse(load(whole, 0, 'SIGKILL', 'day2.csv', '--sync').stdout)
    const next = random(7)
    const gone = upTo(3_000).length - left.filter((id) => id < 3_000).length
    /** The numbers of new events and of deleted ones after each kill. */
    const states: [number, number][] = []
    let isFinished = false
    for (let run = 0; run < MAX_RUNS && !isFinished; run++) {
      // The first half of a run reads. A run that continues writes less, so a late moment would not come.
      const moment = Math.ceil(reports * (states.length === 0 ? 0.1 : 0.5 + 0.2 * next()))
      const { signal, stdout } = load(at('sync-killed'), moment, 'SIGKILL', 'day2.csv', '--sync')
      const events = shown(at('sync-killed'))
      const isDeleting = events.length < 3_800
      const stored = events.filter(({ external_id }) => Number(String(external_id).slice(1)) >= 3_000)
      if (isDeleting && stored.length < 800) expect(events.length - stored.length).toBe(3_000)
      isFinished = stdout.includes('"finished":true')
      if (!isFinished) expect(signal).toBe('SIGKILL')
      if (!isFinished) states.push([stored.length, 3_000 + stored.length - events.length])
    }
    expect([isFinished, gone]).toEqual([true, 900])
    expect(states[0]).toEqual([0, 0])
    expect(states.some(([added]) => added > 0 && added < 800)).toBe(true)
    expect(states.some(([added, deleted]) => added === 800 && deleted > 0 && deleted < gone)).toBe(true)
    expect(shown(at('sync-killed'))).toEqual(shown(whole))
    expect(counts(at('sync-killed'))).toEqual(counts(whole))
    expect(shown(whole)).toHaveLength(left.length)
  })
})

it('stops after a whole batch with Ctrl-C, and can be continued', { timeout: 120_000 }, async () => {
  const state = copy('ended')
  const ended = load(state, 45, 'SIGINT', 'events.ndjson')
  expect(ended).toMatchObject({ status: 0, signal: null })
  expect(JSON.parse(ended.stdout).finished).toBe(false)
  const stored = dump(state).event?.length ?? 0
  expect(stored).toBeGreaterThan(0)
  expect(stored).toBeLessThan(EVENTS)
  expect(JSON.parse(load(state, 0, 'SIGINT', 'events.ndjson').stdout).finished).toBe(true)
  expect(dump(state)).toEqual(dump(at('events.ndjson-whole')))
})

it('a database gets its indexes back after an interrupted load, when any other command opens it', async () => {
  const state = copy('opened')
  expect(load(state, 48, 'SIGKILL', 'events.ndjson')).toMatchObject({ signal: 'SIGKILL' })
  const indexes = getTableConfig(events).indexes.length
  expect(dump(state).suspended_index).toHaveLength(indexes + recountStatements().length)
  const { db, close } = await openDatabase(state)
  expect(
    await db.prepare("SELECT count(*) AS n FROM sqlite_master WHERE tbl_name = 'event' AND type = 'index'").first('n'),
  ).toBe(indexes)
  await close()
  expect(dump(state).suspended_index).toEqual([])
})

const load = (state: string, report: number, signal: string, name: string, ...options: string[]) =>
  spawnSync(process.execPath, ['test/seed/killed.ts', state, String(report), signal, at(name), ...options], {
    encoding: 'utf8',
  })

function copy(name: string): string {
  cpSync(before, at(name), { recursive: true })
  return at(name)
}

function lineOf(record: LoadRecord): string {
  if (record.kind !== 'event_series') return JSON.stringify(record)
  return JSON.stringify({
    ...record,
    access_modifier: accessName(record.access_modifier),
    created: '2020-09-13T12:26:40Z',
  })
}

const rowOf = (record: LoadRecord): string => {
  if (record.kind !== 'event') return ''
  const { coordinates, start, end, category, value } = record
  return [coordinates?.[0], coordinates?.[1], start, new Date(end).toISOString(), category, value].join(',')
}
