import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '../../src/base/errors.ts'
import { hold } from '../../src/base/queue.ts'
import { clientOf } from '../../src/http/caller.ts'
import { charge, readInTurn, refuseExcess, takeLargeTurn, takeTurn } from '../../src/http/limits.ts'
import { databaseTaking, databaseWith } from '../isolates.ts'
import { durationOf, expectPace } from '../pace.ts'
import { load, send, withKey } from '../service.ts'
import { feature } from '../store/writer.ts'
import { EXHAUSTIVE } from '../tags.ts'

// Streams that another test file left open would count.
vi.hoisted(() => vi.resetModules())

describe('the address identifies a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:DB8:0:0:ffff:1:2:3', '2001:db8:0:0'],
    ['2001:0db8:0000:0001::', '2001:db8:0:1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001::', '2001:0:0:0'],
    ['172.32.0.1', '172.32.0.1'],
    ['100.64.0.1', '100.64.0.1'],
  ])('%s is the client %s', (address, client) => {
    expect(clientOf(address)).toBe(client)
  })

  const local = ['127.0.0.1', '::ffff:127.0.0.1', '10.1.2.3', '192.168.1.9', '172.16.0.1']
  it.each([null, '', '::1', 'fd00::1', 'fe80::1', ...local])('%s is not limited', (address) => {
    expect(clientOf(address)).toBe(null)
  })
})

const DB = {} as D1Database
const SECOND = 1000 // milliseconds

describe('three requests of a client run at a time', () => {
  const env = { DB, ROWS_PER_MINUTE: '1000' }
  let now = 0
  beforeEach(() => {
    vi.spyOn(Date, 'now').mockImplementation(() => now)
  })
  afterEach(() => vi.restoreAllMocks())
  const take = (client: string | null, at = 0, vars: { DB: D1Database; ROWS_PER_MINUTE?: string } = env) => {
    now = at
    return takeTurn({ until: 0 }, client, vars)
  }
  const isWaiting = async (turn: Promise<unknown>) =>
    (await Promise.race([turn.then(() => 'now'), Promise.resolve().then(() => Promise.resolve('later'))])) === 'later'
  const three = (client: string) => Promise.all(Array.from({ length: 3 }, () => take(client)))

  it('the fourth waits until one ends', async () => {
    const [end] = await three('192.0.2.71')
    const fourth = take('192.0.2.71')
    expect(await isWaiting(fourth)).toBe(true)
    end?.()
    await fourth
    expect(await isWaiting(take('192.0.2.71', 4_999))).toBe(true)
  })

  it('waiting requests start in the order of their arrival', async () => {
    const ends = await three('192.0.2.76')
    const order: number[] = []
    const waiting = [1, 2, 3, 4, 5].map((number) =>
      take('192.0.2.76').then((end) => {
        order.push(number)
        end()
      }),
    )
    ends[0]?.()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3, 4, 5])
  })

  it('a cancelled request does not delay the next', async () => {
    const [end] = await three('192.0.2.77')
    // The timer of a cancelled request never fires.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    take('192.0.2.77')
    vi.useRealTimers()
    end?.()
    expect(await isWaiting(take('192.0.2.77', 1999))).toBe(true)
    await take('192.0.2.77', 4000)
  })

  it('a small request of another client waits no longer than 200 small ones behind 1,000', EXHAUSTIVE, async () => {
    const ends = await three('192.0.2.78')
    const waiting = Array.from({ length: 1000 }, () => take('192.0.2.78').then((done) => done()))
    const other = async () =>
      expect((await send('/healthz', { headers: { 'CF-Connecting-IP': '192.0.2.79' } })).status).toBe(200)
    for (let i = 0; i < 9; i++) {
      await expectPace(200, () => durationOf(other))
      await scheduler.wait(20)
    }
    for (const end of ends) end()
    await Promise.all(waiting)
  })

  it('requests of other clients start at once, but not those of a client that may read any number of rows', async () => {
    await three('192.0.2.72')
    for (const client of ['192.0.2.73', null]) expect((await take(client))()).toBe(undefined)
    expect(await isWaiting(take('192.0.2.72', 0, { DB, ROWS_PER_MINUTE: '0' }))).toBe(true)
  })

  it('a waiting request is a 429 if the others read too many rows', async () => {
    const [end] = await three('192.0.2.74')
    const fourth = take('192.0.2.74')
    charge('192.0.2.74', env, 3000, 0)
    end?.()
    await expect(fourth).rejects.toMatchObject({ status: 429 })
  })

  it('one large body is read at a time, from any client', async () => {
    const end = await takeLargeTurn({ until: 0 }, 5_000_000)
    const second = takeLargeTurn({ until: 0 }, 500_001)
    expect(await isWaiting(second)).toBe(true)
    await takeLargeTurn({ until: 0 }, 500_000)
    end()
    ;(await second)()
  })

  it('a request that never ends frees its turn after 5 seconds without work', async () => {
    await three('192.0.2.75')
    expect(await isWaiting(take('192.0.2.75', 4_999))).toBe(true)
    await take('192.0.2.75', 5_000)
  })

  it('work renews all turns of its request', async () => {
    now = 0
    const lease = { until: 0 }
    const ends = [await takeLargeTurn(lease, 1_000_000), await takeTurn(lease, '192.0.2.80', env)]
    const next = takeLargeTurn({ until: 0 }, 1_000_000)
    for (const [at, milliseconds] of [[4_000], [8_000, 30_000]] as const) {
      now = at
      hold(lease, milliseconds)
    }
    now = 37_999
    expect(await isWaiting(next)).toBe(true)
    now = 38_000
    for (const end of [...ends, await next]) end()
  })

  it('a running statement holds the turn of its request up to its deadline', async () => {
    const isAnswered = async (answer: Promise<Response>) =>
      (await Promise.race([answer, scheduler.wait(500).then(() => null)])) !== null
    const { promise, resolve } = Promise.withResolvers<void>()
    let sent = 0
    const DB = databaseWith(async (real) => {
      sent += 1
      await promise
      return real()
    })
    const headers = { 'CF-Connecting-IP': '192.0.2.81' }
    const ask = (vars: object) =>
      send('/api/v3/events/?category__regex=a', { headers, vars: { ROWS_PER_MINUTE: '1000000', ...vars } })
    now = 0
    const running = [1, 2, 3].map(() => ask({ DB }))
    while (sent < 3) await scheduler.wait(1)
    const fourth = ask({})
    now = 9_999
    expect(await isAnswered(fourth)).toBe(false)
    now = 10_000
    expect((await fourth).status).toBe(200)
    resolve()
    for (const each of running) expect((await each).status).toBe(200)
  })
})

it('two batches of streams are read at a time', async () => {
  const [first, second] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  const seen: number[] = []
  const read = (promise: Promise<number>) => readInTurn({ until: 0 }, () => promise).then((number) => seen.push(number))
  const all = [read(first.promise), read(second.promise), read(Promise.resolve(3)), read(Promise.resolve(4))]
  await scheduler.wait(50)
  expect(seen).toEqual([])
  second.resolve(2)
  while (seen.length < 3) await scheduler.wait(1)
  expect(seen).toEqual([2, 3, 4])
  first.resolve(1)
  await Promise.all(all)
})

describe('the rows that a client read are forgotten at a constant rate', () => {
  const env = { DB, ROWS_PER_MINUTE: '1000' }
  /** Returns the seconds that a client must wait. 0: it may send now. */
  const waitOf = async (client: string, now: number, vars = env): Promise<number> => {
    try {
      await refuseExcess(client, vars, now)
      return 0
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      expect(error.status).toBe(429)
      return Number(error.headers['Retry-After'])
    }
  }

  it.each<[reads: Record<number, number>, now: number, wait: number]>([
    [{}, 0, 0],
    [{ 0: 1000 }, 0, 0],
    [{ 0: 1001 }, 0, 1],
    [{ 0: 1001 }, 1, 0],
    [{ 0: 2000 }, 0, 60],
    [{ 0: 2000 }, 30, 30],
    [{ 0: 2000 }, 60, 0],
    [{ 0: 1100 }, 0, 6],
    [{ 0: 500, 60: 600 }, 60, 0],
    [{ 0: 900, 30: 900 }, 30, 18],
    [{ 0: 100_000 }, 0, 5940],
  ])('rows at seconds %j, at %j: %j seconds to wait', async (reads, now, wait) => {
    const client = crypto.randomUUID()
    // Two reads at one time add up.
    for (const [second, rows] of Object.entries(reads))
      for (const half of [rows / 2, rows / 2]) charge(client, env, half, Number(second) * SECOND)
    expect(await waitOf(client, now * SECOND)).toBe(wait)
  })

  it('separately for each client', async () => {
    charge('192.0.2.1', env, 5000, 0)
    expect([await waitOf('192.0.2.1', 0), await waitOf('192.0.2.2', 0)]).toEqual([240, 0])
  })

  it.each(['', '0', 'much', '-5'])('and are not counted if ROWS_PER_MINUTE is %j', async (ROWS_PER_MINUTE) => {
    const client = crypto.randomUUID()
    charge(client, { DB, ROWS_PER_MINUTE }, 1e9, 0)
    expect(await waitOf(client, 0, { DB, ROWS_PER_MINUTE })).toBe(0)
  })

  it('and at once for a client that was not seen among 5,000 others', async () => {
    const first = crypto.randomUUID()
    charge(first, env, 1e6, 0)
    for (let i = 0; i < 4999; i++) charge(`other ${i}`, env, 1, 0)
    expect(await waitOf(first, 0)).toBeGreaterThan(0)
    charge('one more', env, 1, 0)
    expect(await waitOf(first, 0)).toBe(0)
  })
})

describe('a client over its rows per minute', () => {
  beforeAll(() => load())
  beforeEach(() => vi.restoreAllMocks())

  const TIMELESS = databaseTaking(0)
  const ask = (path: string, address: string, ROWS_PER_MINUTE = '2000') =>
    send(path, { headers: { 'CF-Connecting-IP': address }, vars: { DB: TIMELESS, ROWS_PER_MINUTE } })
  const EVENTS = '/api/v3/events/'

  it('waits with every kind of request, and no other client waits', async () => {
    const now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now)
    const most = '50000'
    const statuses: number[] = []
    for (let i = 0; i < 20; i++)
      statuses.push((await ask(`${EVENTS}summary/?bins=${i + 1}`, '192.0.2.50', most)).status)
    expect([statuses[0], statuses.at(-1), new Set(statuses)]).toEqual([200, 429, new Set([200, 429])])
    expect(statuses).toEqual([...statuses].sort())
    const refused = await ask(`${EVENTS}1/`, '192.0.2.50', most)
    const seconds = Number(refused.headers.get('Retry-After'))
    expect(seconds).toBeGreaterThan(0)
    expect([refused.status, await refused.json()]).toEqual([
      429,
      {
        detail: `Your requests of the last minute read more of the database than one client may read. Try again in ${seconds} seconds. To read less, add a filter, or enter a smaller area or a lower page.`,
      },
    ])
    expect((await ask(`${EVENTS}1/`, '192.0.2.51', most)).status).toBe(200)
    vi.spyOn(Date, 'now').mockImplementation(() => now + seconds * 1000)
    expect((await ask(`${EVENTS}1/`, '192.0.2.50', most)).status).toBe(200)
  })

  it('may send any number of cheap requests', async () => {
    for (let i = 0; i < 40; i++) expect((await ask(`${EVENTS}${i + 1}/`, '192.0.2.52')).status).toBe(200)
  })

  it('may write without a limit', async () => {
    const { headers, vars } = await withKey('writer')
    const sent = { ...headers, 'Content-Type': 'application/json', 'CF-Connecting-IP': '192.0.2.54' }
    const body = JSON.stringify(Array.from({ length: 500 }, () => feature()))
    for (let i = 0; i < 3; i++) {
      const options = { method: 'POST', headers: sent, body, vars: { ...vars, ROWS_PER_MINUTE: '2000' } }
      expect((await send(EVENTS, options)).status).toBe(201)
    }
  })

  it('pays for a whole result in advance, and receives it to the end', async () => {
    const response = await ask(`${EVENTS}?format=csv&page_size=all`, '192.0.2.53')
    expect((await ask(`${EVENTS}1/`, '192.0.2.53')).status).toBe(429)
    const count = Number(response.headers.get('X-Total-Count'))
    expect((await response.text()).trim().split('\n')).toHaveLength(count + 1)
  })

  it('pays for a request that is still running', async () => {
    const now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now)
    const { promise: second, resolve: goOn } = Promise.withResolvers<void>()
    let batches = 0
    const DB = databaseWith(async (real) => {
      batches += 1
      if (batches === 2) await second
      return real()
    })
    // An area that the Worker tests takes two round trips.
    const triangle = 'POLYGON((-100 20,-60 20,-60 50,-100 20))'
    const [path, headers] = [`${EVENTS}summary/?geom_within=${triangle}`, { 'CF-Connecting-IP': '192.0.2.55' }]
    const vars = { DB, ROWS_PER_MINUTE: '1000000' }
    charge('192.0.2.55', vars, 1_000_000, Date.now())
    const running = send(path, { headers, vars })
    while (batches < 2) await scheduler.wait(1)
    expect((await ask(`${EVENTS}1/`, '192.0.2.55', vars.ROWS_PER_MINUTE)).status).toBe(429)
    goOn()
    expect((await running).status).toBe(200)
  })

  it('pays a fixed price for a read that failed', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const DB = databaseWith(() =>
      Promise.reject(new Error('D1_ERROR: D1 DB exceeded its CPU time limit and was reset.')),
    )
    const failing = { headers: { 'CF-Connecting-IP': '192.0.2.56' }, vars: { DB, ROWS_PER_MINUTE: '10000000' } }
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await send(`${EVENTS}?q=a`, failing)).status)
    expect(statuses).toEqual([503, 503, 503, 429])
    log.mockRestore()
  })

  it('pays half of its rows of one minute for a failed read', async () => {
    const client = crypto.randomUUID()
    const few = { DB, ROWS_PER_MINUTE: '1000' }
    charge(client, few, null, 0)
    charge(client, few, null, 0)
    await refuseExcess(client, few, 0)
    charge(client, few, 1, 0)
    await expect(refuseExcess(client, few, 0)).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '1' } })
  })

  it('has no limit on the local machine', async () => {
    for (let i = 0; i < 3; i++) expect((await ask(`${EVENTS}summary/`, '127.0.0.1')).status).toBe(200)
  })
})
