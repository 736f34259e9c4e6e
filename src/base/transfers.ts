import { badRequest, detail, tooLarge, unavailable } from './errors.ts'
import { inTime, type Lease } from './queue.ts'

export const SMALL = 65_536
/** A client may be so many milliseconds late while its transfer is small. A slow mobile connection needs a few. */
export const SMALL_LATE = 60_000

export interface Client {
  /** The digest of its key, or else its address. Null: it has no limit of its own. */
  readonly name: string | null
  /** The room that is kept for keys is for this client. */
  readonly hasKey: boolean
}

export interface Share {
  /** Holds more bytes. Throws a 503 if the room is full. */
  readonly grow: (bytes: number) => void
  readonly end: () => void
  /** Returns how much all shares hold together. */
  readonly total: () => number
}

/**
 * Makes a room of so many bytes, for bodies on their way to or from clients. One large body can always run alone. All
 * clients without a key hold at most `open` bytes. A client may hold a quarter of its room, or more while half of it is
 * free. Small bodies count for their own client alone, which may hold a quarter of its room in them. A share ends with
 * its lease.
 */
export const makeRoom = (all: number, open: number, refusal: string) => {
  const shares = new Set<{ readonly client: Client; readonly lease: Lease; bytes: number }>()
  return (client: Client, lease: Lease): Share => {
    for (const each of shares) if (Date.now() >= each.lease.until) shares.delete(each)
    const own = { client, lease, bytes: 0 }
    shares.add(own)
    /** Returns the bytes of all large shares, or of all small ones, of some clients. */
    const sumOf = (isLarge: boolean, counts: (other: Client) => boolean) => {
      const counted = [...shares].filter(({ client, bytes }) => bytes > SMALL === isLarge && counts(client))
      return counted.reduce((sum, { bytes }) => sum + bytes, 0)
    }
    const total = () => sumOf(true, () => true)
    const end = () => void shares.delete(own)
    const grow = (bytes: number) => {
      own.bytes += bytes
      const isLarge = own.bytes > SMALL
      const most = client.hasKey ? all : open
      const held = sumOf(true, ({ hasKey }) => client.hasKey || !hasKey)
      const isGreedy = client.name !== null && sumOf(isLarge, ({ name }) => name === client.name) > most / 4
      const isFull = isLarge ? total() > all || held > most || (isGreedy && held > most / 2) : isGreedy
      if (own.bytes === total() || !isFull) return
      end()
      throw unavailable(refusal)
    }
    return { grow, end, total }
  }
}

/** Lets a client move `speed` bytes a second, and be at most `late` milliseconds behind. */
export const paceOf = (speed: number, late: number) => {
  let [moved, left] = [0, SMALL_LATE]
  /** Notes bytes that the client moved in so many milliseconds. */
  const move = (bytes: number, took: number) => {
    moved += bytes
    left = Math.min(moved > SMALL ? late : SMALL_LATE, left - took + (bytes / speed) * 1000)
  }
  /** Returns the milliseconds in which the client must move again. */
  return { move, left: () => Math.max(0, left) }
}

/** A large body must bring so many bytes a second, and may be so many milliseconds late. */
const BROUGHT = 50_000
const BROUGHT_LATE = 10_000

/**
 * Reads a whole body, chunked or not. `grow` counts its bytes. Throws a 413 with `advice` for a body of more than `most`
 * bytes, and a 408 for a slow one.
 */
export const readBody = async (
  { body, headers }: Request,
  most: number,
  advice: string,
  grow: Share['grow'],
): Promise<ArrayBuffer> => {
  const refuseLong = (bytes: number) => {
    if (bytes > most) throw tooLarge(`The body has more than ${most} bytes. ${advice}`)
  }
  refuseLong(Number(headers.get('Content-Length')))
  if (body === null) return new ArrayBuffer(0)
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const pace = paceOf(BROUGHT, BROUGHT_LATE)
  let [bytes, length] = [new ArrayBuffer(0), 0]
  try {
    for (;;) {
      const asked = Date.now()
      const chunk = reader.read().catch(() => Promise.reject(badRequest('The body ended too early. Send it again.')))
      const { done, value } = await inTime(chunk, pace.left(), () => detail(408, SLOW))
      if (done) return bytes.transfer(length)
      const at = length
      length += value.length
      refuseLong(length)
      pace.move(value.length, Date.now() - asked)
      grow(value.length)
      // Double the buffer. A chunk may be one byte, and a list of chunks would take about 100 bytes for each.
      if (length > bytes.byteLength) bytes = bytes.transfer(Math.max(length, 2 * at))
      new Uint8Array(bytes).set(value, at)
    }
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error
  }
}

const SLOW = `The body came too slowly: a large one needs ${BROUGHT / 1000} KB a second, and a small one has a minute. Send it again, or in parts.`

type Bytes = Uint8Array<ArrayBuffer>

/** The end of a transfer to a client: complete, broken off by an error, left by the client, or not taken by it. */
export type SendEnd = 'whole' | 'broken' | 'left' | 'idle'

/** A client must take so many bytes a second, and may be a minute late. A proxy may take much at a time. */
const TAKEN = 10_000
const TAKEN_LATE = 60_000

/**
 * Sends bytes as fast as the client takes them: at most SMALL bytes and one piece wait for it. Breaks off after an
 * error, and if the client is too slow. The client then knows that the answer is incomplete. Calls `ended` once.
 */
export const sendPieces = (
  pieces: Generator<Bytes, void> | AsyncGenerator<Bytes, void>,
  ended: (end: SendEnd, error?: unknown) => void,
): ReadableStream<Bytes> => {
  const pace = paceOf(TAKEN, TAKEN_LATE)
  let [isOver, waiting, since] = [false, 0, Date.now()]
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = (how: SendEnd, error?: unknown) => {
    isOver = true
    clearTimeout(timer)
    ended(how, error)
  }
  const source: UnderlyingSource<Bytes> = {
    pull: async (controller) => {
      clearTimeout(timer)
      pace.move(waiting, Date.now() - since)
      try {
        const { done, value } = await pieces.next()
        // The client left during this read, so the bytes have no receiver.
        if (isOver) return
        if (done) {
          controller.close()
          return end('whole')
        }
        controller.enqueue(value)
        ;[waiting, since] = [value.length, Date.now()]
        timer = setTimeout(() => {
          controller.error(cut())
          end('idle')
          void pieces.return()
        }, pace.left())
      } catch (error) {
        if (isOver) return
        controller.error(cut())
        end('broken', error)
      }
    },
    cancel: async () => {
      end('left')
      await pieces.return()
    },
  }
  return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: SMALL }))
}

/** Cuts bytes into pieces. A slow client then takes a piece from time to time. */
export function* piecesOf(bytes: Uint8Array): Generator<Bytes, void> {
  for (let from = 0; from < bytes.length; from += SMALL) yield bytes.slice(from, from + SMALL)
}

/**
 * Returns the error that breaks the transfer off. workerd treats a retryable error as a lost connection. It logs all
 * other errors as faults of the Worker.
 */
const cut = () => Object.assign(new Error('The answer breaks off.'), { retryable: true })
