import { ApiError } from '../errors.ts'
import { DataChanged } from '../query/db/snapshot.ts'
import type { Row } from '../query/table.ts'
import { type Writing, writeItems } from './items.ts'

/** How the sending of a stream ended: to its end, broken off here, or left by the client. */
export type Sent = 'whole' | 'broken' | 'left'

/** Bytes that wait for the client. No batch is read before it has taken some of them. */
const MOST_WAITING = 262_144
/** How many items are written at a time. */
const CHUNK = 500

/**
 * A list as a stream of bytes, read only as fast as the client takes it. Whatever goes wrong on the way breaks it off, so
 * that no client takes a part for the whole. `ended` is told once how it ended.
 */
export const streamOf = (
  writing: Writing,
  batches: AsyncGenerator<readonly Row[], void>,
  ended: (sent: Sent) => void,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  const texts = textsOf(writing, batches)
  let left = false
  const source: UnderlyingSource<Uint8Array> = {
    pull: async (controller) => {
      try {
        const { done, value } = await texts.next()
        // Left while this was read: there is nobody to send it to.
        if (left) return
        if (!done) return controller.enqueue(encoder.encode(value))
        controller.close()
        ended('whole')
      } catch (error) {
        if (left) return
        if (!(error instanceof ApiError || error instanceof DataChanged)) console.error(error)
        controller.error(cut())
        ended('broken')
      }
    },
    cancel: async () => {
      left = true
      ended('left')
      await texts.return()
    },
  }
  return new ReadableStream(source, new ByteLengthQueuingStrategy({ highWaterMark: MOST_WAITING }))
}

/** A body that is read while it is sent. `sent` tells how its sending ended. */
export interface Streamed {
  readonly body: ReadableStream<Uint8Array>
  readonly sent: Promise<Sent>
}

export const streamed = (writing: Writing, batches: AsyncGenerator<readonly Row[], void>): Streamed => {
  const { promise: sent, resolve } = Promise.withResolvers<Sent>()
  return { body: streamOf(writing, batches, resolve), sent }
}

/** Breaks the transfer off. workerd takes what may be tried again for a lost connection, and anything else for a fault of ours, which it logs. */
const cut = () => Object.assign(new Error('The answer breaks off.'), { retryable: true })

async function* textsOf(writing: Writing, batches: AsyncGenerator<readonly Row[], void>): AsyncGenerator<string, void> {
  if (writing.before !== '') yield writing.before
  let returned = 0
  for await (const rows of batches) {
    for (let from = 0; from < rows.length; from += CHUNK) {
      const chunk = rows.slice(from, from + CHUNK)
      yield writeItems(writing, chunk, returned > 0)
      returned += chunk.length
    }
  }
  const after = writing.after(returned)
  if (after !== '') yield after
}
