import { badRequest, bodyTimeout, unavailable } from './errors.ts'

/**
 * A transfer is a body on its way to or from a client. It holds memory while it is under way, so it must move, and it
 * needs room. Small transfers always have room.
 */

/** The bytes of a small transfer. */
export const SMALL = 65_536
/** A client may be so many milliseconds late while its transfer is small. A slow mobile connection needs a few. */
const SMALL_LATE = 60_000

/** The client of a transfer. */
export interface Client {
  /** The digest of its key, or else its address. Null: it has no limit of its own. */
  readonly name: string | null
  /** The room that is kept for keys is for this client. */
  readonly hasKey: boolean
}

/** The part of a room that one transfer holds. */
export interface Share {
  /** Holds more bytes. Returns false, and changes nothing, if the room has less than `bytes` left. */
  readonly grow: (bytes: number) => boolean
  /** Gives the whole share back. */
  readonly end: () => void
  /** Returns how much all shares hold together. */
  readonly total: () => number
}

interface Held {
  readonly client: Client
  /** The time when it last grew, in milliseconds since 1970. */
  grown: number
  bytes: number
}

/** Opens a share of a room. Each limit is at least `least`, so that one large transfer can always run alone. */
export type Room = (client: Client, clock: () => number, least?: number) => Share

/**
 * Makes a room of so many bytes. Clients without a key leave `forKeys` of it free. A client may hold half of the room
 * that it may use. A cancelled request never gives its share back, so a share ends `gone` milliseconds after it grew.
 */
export const makeRoom = (all: number, forKeys: number, gone: number): Room => {
  const shares = new Set<Held>()
  return (client, clock, least = 0) => {
    for (const held of shares) if (clock() - held.grown >= gone) shares.delete(held)
    const held: Held = { client, grown: clock(), bytes: 0 }
    shares.add(held)
    const sumOf = (counts: (other: Held) => boolean) =>
      [...shares].reduce((sum, other) => sum + (counts(other) ? other.bytes : 0), 0)
    const isOwn = (other: Held) => other.client.name === client.name
    // Small transfers never take room from large ones.
    const isLarge = (other: Held) => other === held || other.bytes > SMALL
    const isRival = (other: Held) => isLarge(other) && (client.hasKey || !other.client.hasKey)
    const most = client.hasKey ? all : all - forKeys
    const grow = (bytes: number) => {
      const fits = (limit: number, counts: (other: Held) => boolean) => sumOf(counts) + bytes <= Math.max(limit, least)
      const isAdmitted =
        (client.name === null || fits(most / 2, isOwn)) &&
        (held.bytes + bytes <= SMALL || (fits(all, isLarge) && fits(most, isRival)))
      if (!isAdmitted) return false
      held.bytes += bytes
      held.grown = clock()
      return true
    }
    return { grow, end: () => void shares.delete(held), total: () => sumOf(() => true) }
  }
}

/** How late a client is. */
export interface Pace {
  /** Notes bytes that the client moved in so many milliseconds. */
  readonly move: (bytes: number, took: number) => void
  /** Returns the milliseconds in which the client must move again. */
  readonly left: () => number
}

/** Lets a client move `speed` bytes a second, and be at most `late` milliseconds behind. */
export const paceOf = (speed: number, late: number): Pace => {
  let [moved, left] = [0, SMALL_LATE]
  const move = (bytes: number, took: number) => {
    moved += bytes
    left = Math.min(moved > SMALL ? late : SMALL_LATE, left - took + (bytes / speed) * 1000)
  }
  return { move, left: () => Math.max(0, left) }
}

/** A large body must bring so many bytes a second, and may be so many milliseconds late. */
const BROUGHT = 50_000
const BROUGHT_LATE = 10_000

/** The most bytes of one body, and the function that throws the error for a longer one. */
interface BodyLimit {
  readonly most: number
  readonly refuse: () => never
}

/**
 * Reads a whole body, chunked or not, and counts its bytes in `share`. Throws a 413 for a long body and a 408 for a
 * slow one. Throws a 503 if the isolate holds too many bytes.
 */
export const readBody = async (
  { body, headers }: Request,
  { most, refuse }: BodyLimit,
  share: Share,
  clock: () => number,
): Promise<ArrayBuffer> => {
  if (Number(headers.get('Content-Length')) > most) refuse()
  if (body === null) return new ArrayBuffer(0)
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const pace = paceOf(BROUGHT, BROUGHT_LATE)
  let [bytes, length] = [new ArrayBuffer(0), 0]
  try {
    for (;;) {
      const asked = clock()
      const { done, value } = await inTime(reader.read(), pace.left())
      if (done) return bytes.transfer(length)
      const at = length
      length += value.length
      if (length > most) refuse()
      pace.move(value.length, clock() - asked)
      if (!share.grow(value.length)) throw unavailable(BUSY)
      // Double the buffer. A chunk may be one byte, and a list of chunks would take about 100 bytes for each.
      if (length > bytes.byteLength) bytes = bytes.transfer(Math.max(length, 2 * at))
      new Uint8Array(bytes).set(value, at)
    }
  } catch (error) {
    reader.cancel().catch(() => {})
    throw error
  }
}

const BUSY = 'The service is busy with the bodies of other requests. Try again in a few seconds.'

/** Waits for the next chunk. Throws a 408 after so many milliseconds. */
const inTime = async <T>(chunk: Promise<T>, most: number): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(bodyTimeout(BROUGHT / 1000)), most)
  })
  try {
    return await Promise.race([
      chunk.catch(() => Promise.reject(badRequest('The body ended too early. Send it again.'))),
      late,
    ])
  } finally {
    clearTimeout(timer)
  }
}

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
