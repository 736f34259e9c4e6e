import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type Client,
  makeRoom,
  paceOf,
  piecesOf,
  type SendEnd,
  type Share,
  SMALL,
  sendPieces,
} from '../../src/base/transfers.ts'
import { answer, bearer, load, type Options, send, withKey } from '../service.ts'
import { EXHAUSTIVE } from '../tags.ts'

// Answers that another test file left open would count.
vi.hoisted(() => vi.resetModules())

beforeAll(() => load())
afterEach(() => vi.useRealTimers())

/** A client of this name. In these tests, a capital letter is a key. */
const clientOf = (name: string | null): Client => ({ name, hasKey: name !== null && name !== name.toLowerCase() })
const MB = 1_000_000
const LASTING = { until: Number.POSITIVE_INFINITY }

/**
 * A step is a request of a client, whose share grows by some amounts in MB, and may end. The client `-` has no limit.
 * The answers are y, or n if the room is full.
 */
describe('a room of 30 MB, 10 of them for keys', () => {
  const full = { status: 503, headers: { 'Retry-After': '5' } }
  /** Returns false if the room is full. */
  const grows = (share: Share, bytes: number): boolean => {
    try {
      share.grow(bytes)
      return true
    } catch (error) {
      expect(error).toMatchObject(full)
      return false
    }
  }

  const few = 'a:0.05 '.repeat(100)
  const many = Array.from({ length: 100 }, (_, i) => `s${i}:0.06`).join(' ')
  it.each<[string, steps: string, grown: string]>([
    ['one client up to half of the room without keys', 'a:6,4,1', 'yyy'],
    ['two requests of one client', 'a:6 a:5 a:4', 'yny'],
    ['others up to a quarter of the room after a full client', 'a:10 b:5 b:1 c:5 d:1 K:7', 'yynyny'],
    ['clients without a key beside two keys', 'K:15 L:5 a:10 a:1', 'yyyn'],
    ['small transfers beside full clients', `a:10 b:5 d:5 a:0.01 c:${SMALL / MB},0.000001`, 'yyyyyn'],
    ['large transfers beside many small ones', `${many} a:10 b:5`, 'y'.repeat(102)],
    ['small transfers of one client up to a quarter of the room', `${few}a:0.05 a:6 b:0.05`, `${'y'.repeat(100)}nyy`],
    ['a client after its request ended', 'b:1 a:9:ends a:9', 'yyy'],
    ['a limited client beside an unlimited one', '-:15 a:6 a:5', 'yny'],
    ['one large transfer alone', 'a:50 b:1', 'yn'],
  ])('%s', (_, steps, expected) => {
    const room = makeRoom(30 * MB, 20 * MB, 'full')
    const grown = steps.split(' ').flatMap((step) => {
      const [client = '', amounts = '', ends] = step.split(':')
      const share = room(clientOf(client === '-' ? null : client), LASTING)
      const answers = amounts.split(',').map((amount) => grows(share, Math.round(Number(amount) * MB)))
      if (ends) share.end()
      return answers
    })
    expect(grown.map((one) => (one ? 'y' : 'n')).join('')).toBe(expected)
  })

  it('tells every request the bytes that all hold together', () => {
    const room = makeRoom(30 * MB, 20 * MB, 'full')
    const [first, second] = [room(clientOf('a'), LASTING), room(clientOf('b'), LASTING)]
    first.grow(4 * MB)
    second.grow(3 * MB)
    expect(first.total()).toBe(7 * MB)
    second.end()
    expect(first.total()).toBe(4 * MB)
  })

  it('drops a request at the end of its lease', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const room = makeRoom(30 * MB, 20 * MB, 'full')
    vi.setSystemTime(0)
    const lease = { until: 1000 }
    const growsAt = (time: number) => {
      vi.setSystemTime(time)
      return grows(room(clientOf('b'), LASTING), 15 * MB)
    }
    expect(grows(room(clientOf('a'), lease), 9 * MB)).toBe(true)
    expect(growsAt(999)).toBe(false)
    lease.until = 1500
    expect([growsAt(1499), growsAt(1500)]).toEqual([false, true])
  })
})

describe('a client at 50 KB a second, at most 10 seconds late', () => {
  it.each<[string, bytesIn: string, number]>([
    ['a minute before it moves', '', 60_000],
    ['the rest of a minute for a small transfer', '50/30000', 30_001],
    ['10 seconds after a large part', '1000000/1', 10_000],
    ['10 seconds after it becomes large, even late', '65536/59000 1000000/0', 10_000],
    ['less if it is slow', '1000000/0 50000/5000', 6_000],
    ['nothing if it is too slow', '1000000/0 50000/5000 50000/7000', 0],
    ['no more if it was fast', '1000000/0 1000000/0 0/9000', 1_000],
  ])('has %s left, after the bytes / milliseconds %j', (_, moves, left) => {
    const pace = paceOf(50_000, 10_000)
    for (const [, bytes, took] of moves.matchAll(/(\d+)\/(\d+)/g)) pace.move(Number(bytes), Number(took))
    expect(pace.left()).toBe(left)
  })
})

describe('a client that takes an answer', () => {
  /** Sends 10 pieces. The client takes one after each pause of so many seconds. Returns the end, and the seconds. */
  const sendTo = async (pause: number, pieces = 10): Promise<[SendEnd | null, number]> => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    let [end, seconds]: [SendEnd | null, number] = [null, 0]
    const stream = sendPieces(piecesOf(new Uint8Array(pieces * SMALL)), (how) => {
      end = how
    })
    const reader = stream.getReader()
    const taken = async () => {
      await reader.read().catch(() => {})
      await scheduler.wait(0)
    }
    for (; end === null && seconds < 1000; seconds += 1) {
      if (seconds % pause === pause - 1) await taken()
      await vi.advanceTimersByTimeAsync(1000)
    }
    return [end, seconds]
  }

  it.each<[string, number, SendEnd]>([
    ['every second gets it whole', 1, 'whole'],
    ['every 6 seconds, so 10 KB a second, gets it whole', 6, 'whole'],
    ['every 20 seconds, so 3 KB a second, loses it', 20, 'idle'],
  ])('%s', async (_, pause, end) => {
    expect((await sendTo(pause))[0]).toBe(end)
  })

  it('but takes nothing loses it after a minute', async () => {
    expect(await sendTo(1000)).toEqual(['idle', 60])
  })

  it('and leaves lets no timer run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const ended = vi.fn()
    const stream = sendPieces(piecesOf(new Uint8Array(10 * SMALL)), ended)
    const reader = stream.getReader()
    await reader.read()
    await reader.cancel()
    expect([vi.getTimerCount(), ended.mock.calls]).toEqual([0, [['left', undefined]]])
  })
})

const EVENTS = '/api/v3/events/'
const from = (address: string): Options => ({ headers: { 'CF-Connecting-IP': address } })
/** The same client with a key. */
const keyed = async (key: 'common' | 'private' | 'hidden', address: string): Promise<Options> => ({
  ...(await withKey(key)),
  headers: { ...bearer(key), 'CF-Connecting-IP': address },
})
const BUSY =
  'Too many large answers wait for their clients. Read the ones that you asked for, and try again in a few seconds.'

/** Asks so many times, and returns the answers without reading them. */
const openMany = async (count: number, path: string, options: Options): Promise<Response[]> => {
  const open: Response[] = []
  for (let i = 0; i < count; i++) open.push(await send(path, options))
  return open
}
const statusesOf = (responses: readonly Response[]) => responses.map(({ status }) => status)
const leave = async (responses: readonly Response[]) => {
  for (const { body } of responses) await body?.cancel()
  await scheduler.wait(1)
}

describe.each([
  ['pages that are not read', `${EVENTS}?page_size=9000&format=geojson`, 3, 4, EXHAUSTIVE],
  ['whole results that are not read', `${EVENTS}?page_size=all&format=ndjson`, 4, 6, {}],
] as const)('%s', (_, path, most, mostWithKey, options) => {
  it('hold as many bytes as one client may have, and then are a 503', async () => {
    const open = await openMany(most + 1, path, from('192.0.2.57'))
    expect(statusesOf(open)).toEqual([...Array.from({ length: most }, () => 200), 503])
    const refused = open.at(-1)
    const { headers } = refused ?? new Response()
    expect(await refused?.json()).toEqual({ detail: BUSY })
    expect(
      ['Retry-After', 'ETag', 'Last-Modified', 'Link', 'X-Total-Count', 'Content-Disposition'].map((name) =>
        headers.get(name),
      ),
    ).toEqual(['5', null, null, null, null, null])
    expect((await answer(`${EVENTS}?page_size=1`, from('192.0.2.57'))).status).toBe(200)
    expect((await send(path, { ...from('192.0.2.57'), method: 'HEAD' })).status).toBe(200)
    await open[0]?.arrayBuffer()
    await open[1]?.body?.cancel()
    await scheduler.wait(1)
    const more = await openMany(2, path, from('192.0.2.57'))
    expect(statusesOf(more)).toEqual([200, 200])
    await leave([...open.slice(2, most), ...more])
  })

  it('leave room for callers with a key, whatever their address', options, async () => {
    const open = await openMany(most, path, from('192.0.2.60'))
    for (let i = 0; open.at(-1)?.status === 200; i++) open.push(await send(path, from(`192.0.2.${160 + i}`)))
    // Each of some others got one.
    expect(open.length).toBeGreaterThan(most + 2)
    const withKeys = await openMany(1, path, await keyed('common', '192.0.2.60'))
    expect(statusesOf(withKeys)).toEqual([200])
    await leave([...open.slice(0, -1), ...withKeys])
  })

  it('count by the key of their caller', options, async () => {
    const open: Response[] = []
    for (let i = 0; i <= mostWithKey; i++) open.push(await send(path, await keyed('common', `192.0.2.${70 + i}`)))
    expect(statusesOf(open)).toEqual([...Array.from({ length: mostWithKey }, () => 200), 503])
    const other = await openMany(1, path, await keyed('private', '192.0.2.70'))
    expect(statusesOf(other)).toEqual([200])
    await leave([...open.slice(0, -1), ...other])
  })
})

it('a download that fails frees its room', async () => {
  const path = '/api/v4/eventseries/00000000-0000-0000-0000-000000000000/events/?format=csv&page_size=all'
  for (let i = 0; i < 6; i++) expect((await send(path, from('192.0.2.58'))).status).toBe(404)
})
