import type { Env } from './env.ts'
import { badRequest, bodyTimeout, tooLarge, unavailable } from './errors.ts'
import { makeRoom, paceOf, type Share } from './transfers.ts'

/**
 * An isolate holds so many bytes of bodies. A part of them is for keys that write. It has 128 MB, and the work
 * on a body takes 80 MB.
 */
const ALL_BYTES = 20_000_000
const KEY_BYTES = 10_000_000
/** A large body must bring so many bytes a second, and may be so many milliseconds late. */
const SPEED = 50_000
const LATE = 10_000
/** A request whose body has not grown for so many milliseconds counts as cancelled. */
const GONE = 120_000

/** The most bytes of one body, and the function that throws the error for a longer one. */
export interface BodyLimit {
  readonly most: number
  readonly refuse: () => never
}

/** The most bytes of a body, for a write and for a query. The variables WRITE_LIMIT and BODY_LIMIT replace them. */
const WRITE_LIMIT = 10_000_000
const BODY_LIMIT = 5_000_000

export const bodyLimitOf = (env: Env, isWrite: boolean): BodyLimit => {
  const [most, advice] = isWrite
    ? [Number(env.WRITE_LIMIT) || WRITE_LIMIT, 'Send fewer items, and the rest in another request.']
    : [Number(env.BODY_LIMIT) || BODY_LIMIT, 'Send a shorter query, such as a simpler geometry.']
  const refuse = (): never => {
    throw tooLarge(`The body has more than ${most} bytes. ${advice}`)
  }
  return { most, refuse }
}

/** Counts the bytes of all bodies in the isolate. */
export const bodyBytes = makeRoom(ALL_BYTES, KEY_BYTES, GONE)

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
  const pace = paceOf(SPEED, LATE)
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
    timer = setTimeout(() => reject(bodyTimeout(SPEED / 1000)), most)
  })
  try {
    return await Promise.race([chunk.catch(refuseBroken), late])
  } finally {
    clearTimeout(timer)
  }
}

const refuseBroken = (): never => {
  throw badRequest('The body ended too early. Send it again.')
}
