import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { createPlatform, OVERLOAD, type Platform, type Sickness, TRANSIENT } from './d1.ts'
import { faultOf, faultOfRows, isWrite, MAX_ANSWER, MAX_VALUE } from './limits.ts'

beforeAll(async () => {
  for (const db of [env.REPLICA_A, env.REPLICA_B]) await applyD1Migrations(db, env.TEST_MIGRATIONS)
})

const ARGUMENTS = (count: number) => Array(count).fill('1').join(', ')
const TOO_BIG = 'string or blob too big: SQLITE_TOOBIG'

describe('the simulated D1 has the documented limit of', () => {
  it.each<[string, string, unknown[], string | null]>([
    ['a text of 2,000,000 bytes', 'SELECT ?', ['a'.repeat(MAX_VALUE)], null],
    ['a text of 2,000,001 bytes', 'SELECT ?', ['a'.repeat(MAX_VALUE + 1)], TOO_BIG],
    ['a text of fewer characters and more bytes', 'SELECT ?', ['é'.repeat(MAX_VALUE / 2 + 1)], TOO_BIG],
    ['100 parameters', 'SELECT 1', Array(100).fill('1'), null],
    ['101 parameters', 'SELECT 1', Array(101).fill('1'), 'too many SQL variables: SQLITE_ERROR'],
    ['100,000 bytes of SQL', `SELECT 1${' '.repeat(99_992)}`, [], null],
    ['100,001 bytes of SQL', `SELECT 1${' '.repeat(99_993)}`, [], 'statement too long: SQLITE_TOOBIG'],
    ['32 arguments', `SELECT max(${ARGUMENTS(32)})`, [], null],
    ['33 arguments', `SELECT max(${ARGUMENTS(33)})`, [], 'too many arguments on function (33): SQLITE_ERROR'],
    [
      '33 arguments in a nested call',
      `SELECT min(1, max (${ARGUMENTS(33)}), 3)`,
      [],
      'too many arguments on function (33): SQLITE_ERROR',
    ],
    ['a list after IN', `SELECT 1 WHERE 1 IN (${ARGUMENTS(40)})`, [], null],
    ['lists of columns and values', `INSERT INTO event (${ARGUMENTS(40)}) VALUES (${ARGUMENTS(40)})`, [], null],
    ['commas in a text', `SELECT max('${ARGUMENTS(40)}', "a,b(")`, [], null],
  ])('%s', (_, sql, parameters, fault) => {
    expect(faultOf({ sql, parameters })).toBe(fault)
  })

  it('2,000,000 bytes in a row and 32 MiB in an answer', () => {
    const half = 'a'.repeat(MAX_VALUE / 2)
    expect(faultOfRows([[{ a: half, b: half }]])).toBe(null)
    expect(faultOfRows([[{ a: half, b: half, c: 1 }]])).toBe(TOO_BIG)
    const rows = Array(Math.floor(MAX_ANSWER / half.length)).fill({ a: half })
    expect(faultOfRows([rows])).toBe(null)
    expect(faultOfRows([rows, [{ a: half }]])).toBe('the answer has more than 32 MiB')
  })

  it('1,000 queries in each invocation', async () => {
    const platform = createPlatform(env.DB, [], 1)
    for (const db of [platform.binding(), platform.binding()]) {
      await db.batch(Array.from({ length: 999 }, () => db.prepare('SELECT 1')))
      expect(await db.prepare('SELECT 2 AS two').first('two')).toBe(2)
      await expect(db.prepare('SELECT 1').all()).rejects.toThrow('D1_ERROR: Too many queries')
    }
  })
})

it.each([
  ['SELECT revision FROM revision', false],
  ["SELECT 'INSERT INTO a'", false],
  ['WITH a AS (SELECT 1) SELECT * FROM a', false],
  ['INSERT INTO a SELECT 1 WHERE true ON CONFLICT (a) DO UPDATE SET a = 2', true],
  ['WITH a AS (SELECT 1) UPDATE b SET c = 1', true],
  ['\n  DELETE FROM a', true],
])('%s is a write: %s', (sql, writes) => {
  expect(isWrite({ sql, parameters: [] })).toBe(writes)
})

describe('replicas of the simulated D1', () => {
  const NAME = 'SELECT last FROM sequence WHERE name = ?'
  const put = (db: D1Database | D1DatabaseSession, name: string, value: number) =>
    db
      .prepare(
        'INSERT INTO sequence (name, last) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET last = excluded.last',
      )
      .bind(name, value)
      .run()
  const lagging = () => {
    const platform = createPlatform(env.DB, [env.REPLICA_A, env.REPLICA_B], 3)
    platform.weather.follows = 0
    return { platform, db: platform.binding() }
  }
  const read = (db: D1Database | D1DatabaseSession, name: string) => db.prepare(NAME).bind(name).first('last')

  it('answer with the data they have, or wait for the data of a bookmark', async () => {
    const { platform, db } = lagging()
    await put(db, 'a', 1)
    const writer = db.withSession('first-primary')
    expect(writer.getBookmark()).toBe(null)
    await put(writer, 'a', 2)
    expect(await read(db, 'a')).toBe(2)
    expect(await read(db.withSession('first-unconstrained'), 'a')).toBe(null)
    const bookmark = writer.getBookmark() ?? ''
    expect(bookmark).toMatch(/^[0-9a-f]{8}(-[0-9a-f]+){3}$/)
    expect(platform.stateOf(bookmark)).toBe(2)
    const reader = db.withSession(bookmark)
    expect(reader.getBookmark()).toBe(bookmark)
    expect(await read(reader, 'a')).toBe(2)
  })

  it('serve every query but the first of a first-primary session', async () => {
    const { db } = lagging()
    await put(db, 'b', 1)
    const session = db.withSession('first-primary')
    expect(await read(session, 'b')).toBe(1)
    await put(db, 'b', 2)
    expect(await read(session, 'b')).toBe(1)
    expect(await read(db.withSession('first-primary'), 'b')).toBe(2)
  })

  it('refuse a bookmark of another database, and an invalid one', async () => {
    const { db } = lagging()
    const [first, other] = [db.withSession(), createPlatform(env.DB, [], 9).binding().withSession('first-primary')]
    await Promise.all([read(first, 'c'), put(other, 'c', 1)])
    const [head = ''] = (first.getBookmark() ?? '').split('-')
    for (const bookmark of [other.getBookmark() ?? '', `${head}-1`])
      await expect(read(db.withSession(bookmark), 'c'), bookmark).rejects.toThrow('D1_ERROR: Invalid bookmark.')
  })

  /** Returns true if a call will wait forever: it is still open although no call is active. */
  const isWaiting = async ({ isIdle }: Platform, call: Promise<unknown>) => {
    let ended = false
    const end = () => {
      ended = true
    }
    call.then(end, end)
    do await scheduler.wait(0)
    while (!ended && !isIdle())
    return !ended
  }

  it('wait for a bookmark of the future without an error', async () => {
    const { platform, db } = lagging()
    const first = db.withSession()
    await read(first, 'c')
    const [, ...rest] = (first.getBookmark() ?? '').split('-')
    const future = db.withSession(['00000005', ...rest].join('-'))
    expect(await isWaiting(platform, read(future, 'c'))).toBe(true)
    expect(await isWaiting(platform, read(db.withSession('first-primary'), 'c'))).toBe(false)
  })

  it.each<[Sickness, number, string[]]>([
    ['fails', 1, ['failed', 'old']],
    ['fails', 0, ['failed', 'old']],
    ['stalls', 1, ['old', 'waits']],
    ['lags', 1, ['new', 'old']],
  ])('can fail one by one: a copy that %s, number %i', async (how, copy, expected) => {
    const { platform, db } = lagging()
    await put(db, how, 1)
    Object.assign(platform.weather, { follows: how === 'lags' ? 1 : 0, sick: { copy, how } })
    const outcomes = new Set<string>()
    for (let i = 0; i < 12; i++) {
      const call = read(copy === 0 && i % 2 === 0 ? db : db.withSession(), how)
      if (await isWaiting(platform, call)) outcomes.add('waits')
      else
        outcomes.add(
          await call.then(
            (value) => (value === null ? 'old' : 'new'),
            () => 'failed',
          ),
        )
    }
    expect([...outcomes].sort()).toEqual(expected)
  })

  it('end with the same rows as the primary', async () => {
    const { platform, db } = lagging()
    for (let i = 0; i < 3; i++)
      await db.prepare("INSERT INTO sequence (name, last) SELECT 'd' || ?, 1e6 * unixepoch('subsec')").bind(i).run()
    platform.weather.follows = 1
    const rows = (of: D1Database | D1DatabaseSession) =>
      of.prepare("SELECT name, last FROM sequence WHERE name LIKE 'd%' ORDER BY name").all()
    const [held, replicated] = [await rows(db), await rows(db.withSession())]
    expect(held.results).toHaveLength(3)
    expect(replicated.results).toEqual(held.results)
  })
})

describe('faults of the simulated D1', () => {
  it('happen before a write, or lose its answer', async () => {
    const platform = createPlatform(env.DB, [], 5)
    const db = platform.binding()
    const add = () => db.prepare("INSERT INTO sequence (name, last) VALUES ('e' || random(), 1)").run()
    platform.weather.fails = 1
    for (let i = 0; i < 5; i++) await expect(add()).rejects.toSatisfy(isTransient)
    expect(platform.stored()).toBe(0)
    Object.assign(platform.weather, { fails: 0, loses: 1 })
    for (let i = 0; i < 5; i++) await expect(add()).rejects.toSatisfy(isTransient)
    expect(platform.stored()).toBe(5)
    Object.assign(platform.weather, { loses: 0, overloads: 1 })
    for (let i = 0; i < 5; i++) await expect(add()).rejects.toSatisfy(isOverload)
    expect(platform.stored()).toBe(5)
  })

  it('are the same for the same seed', async () => {
    const outcomes = async () => {
      const platform = createPlatform(env.DB, [], 7)
      Object.assign(platform.weather, { fails: 0.4, loses: 0.3 })
      const said: unknown[] = []
      for (let i = 0; i < 20; i++) said.push(await platform.binding().prepare('SELECT 1').first('1').catch(String))
      return said
    }
    expect(await outcomes()).toEqual(await outcomes())
  })

  it('and its clock, which moves only with a call', async () => {
    const platform = createPlatform(env.DB, [], 1)
    const before = platform.now()
    while (Date.now() === before);
    expect(platform.now()).toBe(before)
    await platform.binding().prepare('SELECT 1').all()
    expect(platform.now()).toBeGreaterThan(before)
  })
})

const isOneOf = (reasons: readonly string[]) => (error: unknown) =>
  reasons.some((reason) => String(error) === `Error: D1_ERROR: ${reason}`)
const [isTransient, isOverload] = [isOneOf(TRANSIENT), isOneOf(OVERLOAD)]
