import { beforeAll, describe, expect, it, vi } from 'vitest'
import { freshPostgres, hasPostgres, type PostgresDatabase, sqlIn } from './database.ts'
import { type Binding, inEachRuntime, proxied, send as sendIn, told, untilGone as untilGoneIn } from './faulty.ts'
import { GRADE_B } from './grades.ts'
import { rowsOf, SLOW_VIEW, TABLES } from './rows.ts'

const EVENTS = 40_000
/** More than the ids of a part. */
const MANY = 100_001
const ALL = '/api/v4/events.csv?page_size=all'

/** Returns the number of lines that came, and whether the answer was whole. */
const readAll = async (body: ReadableStream<Uint8Array> | null, onFirst = async () => {}) => {
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  let [text, isWhole] = ['', true]
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (text === '') await onFirst()
      text += part.value
    }
  } catch {
    isWhole = false
  }
  return { lines: text.split('\n').length - 2, isWhole }
}

describe.runIf(hasPostgres)('a stream whose ids come in parts', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await freshPostgres(TABLES, rowsOf(MANY), GRADE_B)
  })

  it.each(['', '&ordering=timestamp_start', '&ordering=-timestamp_start', '&ordering=-value'])(
    'has each event once%s',
    async (order) => {
      const response = await sendIn(database, `/api/v3/events.csv?page_size=all&fields=id${order}`)
      const ids = (await response.text()).trim().split(/\s+/).slice(1).map(Number)
      expect([ids.length, new Set(ids).size]).toEqual([MANY, MANY])
      const isDown = order.includes('-timestamp')
      if (!order.includes('value')) expect(ids.every((id, i) => id === (isDown ? MANY - i : i + 1))).toBe(true)
    },
  )
})

inEachRuntime('a stream of all events, in %s', (runtime) => {
  const send = (binding: Binding, path: string, init?: RequestInit) => sendIn(binding, path, { runtime, ...init })
  const untilGone = (database: PostgresDatabase) => untilGoneIn(database, runtime)
  let database: PostgresDatabase
  const log = vi.spyOn(console, 'error').mockReturnValue()
  beforeAll(async () => {
    database = await freshPostgres(TABLES, rowsOf(EVENTS), SLOW_VIEW)
  })
  const backends = "FROM pg_stat_activity WHERE usename = 'events_reader' AND datname = current_database()"

  it('is whole, and leaves no connection', async () => {
    const response = await send(database, ALL)
    expect(response.status).toBe(200)
    expect(await readAll(response.body)).toEqual({ lines: EVENTS, isWhole: true })
    await untilGone(database)
  })

  it.each([999, 1000, 3000, 7000, 7001])(
    'is whole with %i events, also if a batch ends with the last one',
    async (count) => {
      const response = await send(database, `${ALL}&id__lte=${count}`)
      expect(await readAll(response.body)).toEqual({ lines: count, isWhole: true })
      await untilGone(database)
    },
  )

  it('is a 503 if its connection breaks before its first rows have come', async () => {
    const proxy = await proxied(database)
    await proxy.pass({ bytes: 50_000, end: 'cut' })
    expect(await told(proxy, ALL, { runtime })).toMatchObject({ status: 503, retry: '5' })
    await untilGone(database)
  })

  // The ids of all events come first, and have 900,000 bytes.
  it.each([1_000_000, 1_500_000, 2_000_000])('breaks off if its connection does, after %i bytes', async (bytes) => {
    const proxy = await proxied(database)
    await proxy.pass({ bytes, end: 'cut' })
    const response = await send(proxy, ALL)
    expect(response.status).toBe(200)
    const { lines, isWhole } = await readAll(response.body)
    expect(isWhole).toBe(false)
    expect(lines).toBeLessThan(EVENTS)
    await untilGone(database)
  })

  it('breaks off if its server is silent', async () => {
    const proxy = await proxied(database)
    await proxy.pass({ bytes: 1_000_000, end: 'silence' })
    const { isWhole } = await readAll((await send(proxy, ALL)).body)
    expect(isWhole).toBe(false)
    if (runtime === 'workerd') await expect.poll(() => proxy.clients()).toBe(0)
    await untilGone(database)
  })

  it('holds no connection while its client reads nothing, so that its owner can change the tables', async () => {
    const response = await send(database, ALL)
    const ended = await readAll(response.body, async () => {
      await untilGone(database)
      await sqlIn(database, 'ALTER TABLE stored_event ADD COLUMN spare int')
    })
    expect(ended).toEqual({ lines: EVENTS, isWhole: true })
    await untilGone(database)
  })

  it('has one snapshot if it is consistent, and breaks off if its backend is terminated', async () => {
    const response = await send(database, `${ALL}&consistent=true`)
    const ended = await readAll(response.body, async () => {
      expect(await sqlIn(database, `SELECT pg_terminate_backend(pid) AS done ${backends}`)).toEqual([{ done: true }])
    })
    expect(ended.isWhole).toBe(false)
    expect(ended.lines).toBeLessThan(EVENTS)
    await untilGone(database)
  })

  it('breaks off if it is consistent and its client is slow', async () => {
    const response = await send(database, `${ALL}&consistent=true`)
    const ended = await readAll(response.body, () => untilGone(database))
    expect(ended.isWhole).toBe(false)
  })

  it('leaves no connection if its client goes away', async () => {
    const response = await send(database, ALL)
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await reader.cancel()
    await untilGone(database)
  })

  it('leaves no connection after HEAD', async () => {
    const response = await send(database, ALL, { method: 'HEAD' })
    expect([response.status, response.headers.get('X-Total-Count')]).toEqual([200, String(EVENTS)])
    await untilGone(database)
  })

  it('is a 503 if its first rows are too slow', async () => {
    await sqlIn(database, 'UPDATE slowness SET of_value = 5')
    expect(await told(database, ALL, { runtime })).toMatchObject({ status: 503, retry: '5' })
    if (runtime === 'workerd') expect(log.mock.calls.flat().join()).toContain('57014')
    await sqlIn(database, 'UPDATE slowness SET of_value = 0')
    await untilGone(database)
  })
})
