import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Changed, databaseSource } from '../../seed/load/export.ts'
import { readEvents, readNamed, readShort } from '../../seed/load/stored.ts'
import { MAX_BYTES } from '../../src/engine/limits.ts'

import { foundation, makeEvents, pour } from '../engine/world.ts'
import { load } from '../service.ts'
import { EXHAUSTIVE } from '../tags.ts'

const FIRST = 1_000_000
const LONG = { count: 150, characters: 290_000 }
const ids = Array.from({ length: LONG.count }, (_, i) => FIRST + i)

const reads: number[] = []
let onRead = async (_read: number): Promise<void> => {}
const noted = async <T>(answers: T): Promise<T> => {
  reads.push(JSON.stringify(answers).length)
  await onRead(reads.length)
  return answers
}
const originals = new WeakMap<object, D1PreparedStatement>()
const wrapped = (statement: D1PreparedStatement): D1PreparedStatement => {
  const wrapper = {
    bind: (...values: unknown[]) => wrapped(statement.bind(...values)),
    all: async () => noted(await statement.all()),
  } as unknown as D1PreparedStatement
  originals.set(wrapper, statement)
  return wrapper
}
/** The real database. It records the number of characters in each round trip. */
const db = {
  prepare: (text: string) => wrapped(env.DB.prepare(text)),
  batch: async (statements: D1PreparedStatement[]) =>
    noted(await env.DB.batch(statements.map((statement) => originals.get(statement) ?? statement))),
} as unknown as Parameters<typeof readShort>[0]

const text = (letter: string): string => `replace(hex(zeroblob(${LONG.characters / 2})), '0', '${letter}')`
const expectSmallReads = (): void => expect(Math.max(...reads)).toBeLessThan(MAX_BYTES + 1_500_000)

beforeAll(async () => {
  await load([...foundation, ...makeEvents(6000, 1)])
  await pour(ids.map((id, i) => ({ id, start: i, coordinates: [1, 1, 0] })))
  const list = `json_each('${JSON.stringify(ids)}')`
  await env.DB.batch(
    [
      `UPDATE event SET value = id || ${text('v')}, external_id = id WHERE id >= ${FIRST}`,
      `INSERT INTO event_series (id, uuid, name, name_folded, description, observation_type_id, statistic, color,
          access_modifier, created)
        SELECT value, '90000000-0000-4000-8000-00000' || value, 'Long', 'long', value || ${text('d')}, 1, 'raw', '#336699',
          0, 0 FROM ${list}`,
      `INSERT INTO observation_type (id, code, name) SELECT value, value, value || ${text('n')} FROM ${list}`,
    ].map((statement) => env.DB.prepare(statement)),
  )
})

beforeEach(() => {
  reads.length = 0
  onRead = async () => {}
})

describe(`${LONG.count} types, series and events of ${LONG.characters} characters`, EXHAUSTIVE, () => {
  it('are exported in reads of 8 MB, each record once and in the order of the ids', async () => {
    const seen = { observation_type: [] as number[], event_series: [] as number[], event: [] as number[] }
    for await (const records of databaseSource(db)())
      for (const { kind, id, ...record } of records) {
        seen[kind].push(id)
        if (id < FIRST) continue
        const { name, description, value } = record as Record<string, string>
        const long = { observation_type: name, event_series: description, event: value }[kind]
        expect([long?.slice(0, 7), long?.length]).toEqual([String(id), LONG.characters + 7])
        expect(Object.keys(record).filter((member) => member.startsWith('cut'))).toEqual([])
      }
    expectSmallReads()
    const stored = async (table: string) => {
      const { results } = await env.DB.prepare(`SELECT id FROM ${table} ORDER BY id`).all<{ id: number }>()
      return results.map(({ id }) => id)
    }
    for (const [kind, found] of Object.entries(seen)) expect(found).toEqual(await stored(kind))
  })

  it.each([1, 2, 3, 10, 18])('are an error if the data changes after read %i', async (at) => {
    onRead = async (read) => {
      if (read === at) await env.DB.prepare('UPDATE revision SET revision = revision + 1').run()
    }
    const read = async () => {
      for await (const _ of databaseSource(db)());
    }
    await expect(read()).rejects.toThrow(Changed)
    expect(reads.length).toBeGreaterThanOrEqual(at)
  })

  it('are found by their ids and by their external ids', async () => {
    const found = await readEvents(db, [1, ...ids])
    expect(found.map(({ id }) => id)).toEqual([1, ...ids])
    const named = await readNamed(
      db,
      ids.map((id) => ({ series: 1, external_id: String(id) })),
    )
    expect(named.map(({ id }) => id).sort()).toEqual(ids)
    for (const { id, value } of [...found.slice(1), ...named])
      expect(value.length - String(id).length).toBe(LONG.characters)
    expectSmallReads()
  })

  it('are all read by a check', async () => {
    const { types, series } = await readShort(db)
    const stored = (kind: string) => LONG.count + foundation.filter((record) => record.kind === kind).length
    expect([types.length, series.length]).toEqual([stored('observation_type'), stored('event_series')])
    expectSmallReads()
  })
})

it('usual records take one read for all types, one for all series, and one for every 5,000 events', async () => {
  await env.DB.batch(
    [
      `DELETE FROM event WHERE id >= ${FIRST}`,
      `DELETE FROM event_series WHERE id >= ${FIRST}`,
      `DELETE FROM observation_type WHERE id >= ${FIRST}`,
    ].map((statement) => env.DB.prepare(statement)),
  )
  let records = 0
  for await (const { length } of databaseSource(db)()) records += length
  expect([records, reads.length]).toEqual([6000 + foundation.length, 4])
})
