import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { databaseSource } from '../../seed/load/export.ts'
import { serve } from '../../src/app.ts'
import { d1Engine } from '../../src/engine/d1/engine.ts'
import type { Engine, Reader } from '../../src/engine/engine.ts'
import { FORM } from '../../src/http/route.ts'
import { parseRecord } from '../../src/store/records.ts'
import { fileDatabase } from '../database.ts'
import type { Level } from '../engine/world.ts'
import { engineOn, hasPostgres } from '../postgres/database.ts'
import { GRADE_B, GRADE_C } from '../postgres/grades.ts'
import { loadedPostgres } from '../postgres/loaded.ts'
import { arraysOf } from '../question/arrays.ts'
import { printCondition } from '../question/print.ts'
import type { LoadRecord } from '../records.ts'
import { load, ORIGIN } from '../service.ts'
import { splitRows } from '../tags.ts'

type EngineName = 'arrays' | 'D1' | 'PostgreSQL' | 'PostgreSQL with indexes'

export type Found = readonly number[] | { readonly faults: readonly string[] }

/** A request for a list, and the ids of all rows that match. The same request goes to each engine. */
export interface Row {
  /** The parameters, or the whole address of another list. Values need no percent-encoding. */
  readonly asks: string
  /** The condition in print. Absent: the row looks only at the ids. */
  readonly question?: string
  /** The ids in the order of the answer, or the parameters that a 400 names. Absent: those that the arrays find. */
  readonly finds?: Found
  /** The level of the caller. Absent: Public. */
  readonly level?: Level
  /** The row is not true today: the runner demands that it fails on each of these engines. */
  readonly fails?: readonly EngineName[]
}

/** A fault above the engines fails on each of them. */
export const EVERYWHERE: readonly EngineName[] = ['arrays', 'D1', 'PostgreSQL', 'PostgreSQL with indexes']

/** The condition that an engine gets is null if the request is refused before. The pages together have `count` rows. */
interface Answer {
  readonly question: string | null
  readonly finds: Found
  readonly count: number | null
}

/** Returns the address of a row. `#` and `+` are plain characters of a value. */
const addressOf = ({ asks }: Row): string => {
  const address = asks.startsWith('/') ? asks : `/api/v4/events/?page_size=1000&fields=id&${asks}`
  return ORIGIN + encodeURI(address).replaceAll('#', '%23').replaceAll('+', '%2B')
}

/** Longer queries are posted. */
const MAX_QUERY = 15_000

/** Sends a request to the service over one engine. With `form`, it is a posted query. */
export const fetchFrom = async (
  engine: Engine,
  address: string,
  level: Level = 'Public',
  form: string | null = null,
): Promise<Response> => {
  if (form === null && address.length > MAX_QUERY) {
    const query = address.indexOf('?')
    return fetchFrom(engine, address.slice(0, query), level, address.slice(query + 1))
  }
  const posted = { method: 'POST', headers: { 'Content-Type': FORM }, body: form }
  const request = new Request(address, form === null ? {} : posted)
  const env = { DB: fileDatabase(), STATE_SECONDS: '0', ANONYMOUS_LEVEL: level }
  return serve(() => engine).fetch(request, env, createExecutionContext())
}

/** Sends a request, and returns what the row is about. The ids and the condition are those of the page that it reads. */
export const answerOf = async (name: EngineName, engine: Engine, row: Row): Promise<Answer> => {
  let answer: Answer = { question: null, finds: [], count: null }
  const open: Engine['open'] = (session) => {
    const reader = engine.open(session)
    const page: Reader['page'] = async (list, question, reads) => {
      const found = await reader.page(list, question, reads)
      answer = {
        question: printCondition(question.where),
        finds: found.rows.map(({ id }) => Number(id)),
        count: found.count,
      }
      // The service cannot write the rows of the arrays, which have instants in ticks.
      return name === 'arrays' ? { ...found, rows: [] } : found
    }
    return { ...reader, page }
  }
  const response = await fetchFrom({ ...engine, open }, addressOf(row), row.level)
  const body: { readonly errors?: object } = await response.json()
  if (response.status === 400)
    return { question: null, finds: { faults: Object.keys(body.errors ?? body) }, count: null }
  if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`)
  return answer
}

const MAX_TITLE = 100

/**
 * Loads records into D1. Copies them with all that D1 derives into PostgreSQL without and with all indexes, if the machine has
 * it, and runs `more` there.
 */
export const databasesWith = async (
  records: readonly LoadRecord[],
  ...more: readonly string[]
): Promise<Map<EngineName, Engine>> => {
  await load(records)
  const engines = new Map<EngineName, Engine>([['D1', d1Engine(fileDatabase())]])
  if (!hasPostgres) return engines
  const stored: LoadRecord[] = []
  for await (const batch of databaseSource(env.DB)())
    stored.push(...batch.map((record) => parseRecord(JSON.stringify(record))))
  engines.set('PostgreSQL', engineOn(await loadedPostgres(stored, ...more)))
  engines.set('PostgreSQL with indexes', engineOn(await loadedPostgres(stored, ...more, GRADE_B, GRADE_C)))
  return engines
}

/** Sends a request to the service over one database. With `form`, it is a posted query. */
export type Send = (path: string, form?: string) => Promise<Response>

/** Loads records before the tests of a file, as `databasesWith`. Returns how each database is asked. */
export const servicesWith = (
  records: readonly LoadRecord[],
  ...more: readonly string[]
): readonly (readonly [name: string, send: Send])[] => {
  const engines = new Map<EngineName, Engine>()
  beforeAll(async () => {
    for (const [name, engine] of await databasesWith(records, ...more)) engines.set(name, engine)
  })
  const names: readonly EngineName[] = hasPostgres ? ['D1', 'PostgreSQL'] : ['D1']
  // The hook has set each of them.
  return names.map(
    (name) => [name, (path, form) => fetchFrom(engines.get(name) as Engine, ORIGIN + path, 'Public', form)] as const,
  )
}

type Engines = ReadonlyMap<EngineName, Engine>

const expectRow = async (engines: Engines, row: Row): Promise<void> => {
  let [wanted, counted]: [Found | undefined, number | null | undefined] = [row.finds, undefined]
  for (const [name, engine] of engines) {
    const { question, finds, count } = await answerOf(name, engine, row)
    // The arrays are the first.
    wanted ??= finds
    counted ??= count
    const isAsked = question === null || row.question === undefined || question === row.question
    if (row.fails?.includes(name)) {
      const isRight = isAsked && JSON.stringify(finds) === JSON.stringify(wanted)
      expect(isRight, `${name} gives the wanted answer. Remove its name from fails.`).toBe(false)
      continue
    }
    expect(finds, `${name}: ${row.asks}`).toEqual(wanted)
    expect(count, `the count of ${name}: ${row.asks}`).toBe(counted)
    if (!isAsked) expect(question, name).toBe(row.question)
  }
}

/**
 * Makes a test for each row. Each asks the arrays, D1 and PostgreSQL with the same records. A file has one world. Returns
 * the engines.
 */
export const testRows = (
  records: readonly LoadRecord[],
  tables: Readonly<Record<string, readonly Row[]>>,
): Map<EngineName, Engine> => {
  const engines = new Map<EngineName, Engine>([['arrays', arraysOf(records)]])
  beforeAll(async () => {
    for (const [name, engine] of await databasesWith(records)) engines.set(name, engine)
  })

  describe.each(Object.entries(tables))('%s', (_, rows) => {
    it.each(rows.map((row) => [row.asks.slice(0, MAX_TITLE), row] as const))('%s', async (_, row) => {
      await expectRow(engines, row)
    })
  })
  return engines
}

/** Makes a test of many rows. `npm test` asks every `n`-th of them. */
export const testMany = (title: string, n: number, engines: Engines, rows: readonly Row[]): void => {
  for (const [options, some] of splitRows(n, rows))
    it(`${title}: ${some.length}`, { ...options, timeout: 600_000 }, async () => {
      for (const row of some) await expectRow(engines, row)
    })
}
