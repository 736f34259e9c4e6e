import type { Row } from '../engine/conditions/table.ts'
import { DataChanged } from '../engine/run/snapshot.ts'
import { ApiError } from '../errors.ts'
import { type ItemWriter, writeItems, writeList } from './items.ts'

/** The end of a stream: complete, broken off by the Worker, or left by the client. */
export type StreamEnd = 'whole' | 'broken' | 'left'

/** The maximum number of bytes that wait for the client. The next batch is read after the client takes some of them. */
const MOST_WAITING = 262_144
/** The number of items that are written in one step. */
const CHUNK = 500

/** A list in an answer, and its rows. */
export type StreamPart = readonly [writing: ItemWriter, batches: AsyncGenerator<readonly Row[], void>]

/**
 * Returns lists, one after the other, as a stream of bytes. Reads only as fast as the client takes them. Any error breaks
 * the stream off. The client then knows that it is incomplete. Calls `ended` once at the end.
 */
export const streamOf = (
  parts: readonly StreamPart[],
  ended: (sent: StreamEnd) => void,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  const texts = textsOf(parts)
  let left = false
  const source: UnderlyingSource<Uint8Array> = {
    pull: async (controller) => {
      try {
        const { done, value } = await texts.next()
        // The client left during this read, so the text has no receiver.
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

/** A body that is read while it is sent. `sent` resolves to the end of the stream. */
export interface Streamed {
  readonly body: ReadableStream<Uint8Array>
  readonly sent: Promise<StreamEnd>
}

export const streamed = (...parts: readonly StreamPart[]): Streamed => {
  const { promise: sent, resolve } = Promise.withResolvers<StreamEnd>()
  return { body: streamOf(parts, resolve), sent }
}

/** Returns items as a text, or as a stream if `rest` reads them during sending. */
export const bodyOf = (
  writing: ItemWriter,
  rows: readonly Row[],
  rest: StreamPart[1] | null,
): { body: string } | Streamed => (rest === null ? { body: writeList(writing, rows) } : streamed([writing, rest]))

/**
 * Returns the error that breaks the transfer off. workerd treats a retryable error as a lost connection. It logs all
 * other errors as faults of the Worker.
 */
const cut = () => Object.assign(new Error('The answer breaks off.'), { retryable: true })

async function* textsOf(parts: readonly StreamPart[]): AsyncGenerator<string, void> {
  for (const part of parts) yield* textsOfPart(part)
}

async function* textsOfPart([writing, batches]: StreamPart): AsyncGenerator<string, void> {
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
