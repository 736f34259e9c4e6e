import { setTimeout } from 'node:timers/promises'
import { RefusedRequest } from '../load/api.ts'
import type { FeedPart, sourceOf } from './source.ts'

/** A copy of a service. A kill at any moment loses nothing: the steps after the stored mark are applied again. */
export interface Copy {
  /** Null: the copy has nothing yet. */
  readonly mark: () => string | null
  /** Begins an empty copy in a new place. */
  readonly restart: () => Promise<void>
  readonly apply: (part: FeedPart) => Promise<void>
  /** Puts the new place where the copy was. */
  readonly finish: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The status if the service cannot tell the changes after a mark. */
const GONE = 410

/** The longest pause before everything is read again, in seconds. */
const MOST_PAUSE = 3600

type Source = ReturnType<typeof sourceOf>

interface Following {
  readonly signal: AbortSignal
  readonly isOnce: boolean
  readonly pause: number
  readonly say: (line: string) => void
}

/** Follows a service until a signal, or until the copy is equal. */
export async function follow(copy: Copy, source: Source, { signal, isOnce, pause, say }: Following): Promise<void> {
  const wait = (seconds: number) => setTimeout(1000 * seconds, undefined, { signal }).catch(() => {})
  let refusals = 0
  while (!signal.aborted) {
    const mark = copy.mark()
    const left = mark === null ? 'everything' : await applyChanges(copy, source, mark, say)
    if (left !== 'everything') refusals = 0
    if (left === 'nothing' && isOnce) return
    if (left === 'nothing') await wait(pause)
    if (left !== 'everything') continue
    if (mark !== null) say('The service cannot tell the changes since the last mark: reading everything again.')
    // A service that refuses each new mark is not read without end.
    if (refusals > 1) await wait(Math.min(MOST_PAUSE, 60 * 2 ** refusals))
    refusals += 1
    await readWhole(copy, source, signal, say)
  }
}

async function readWhole(copy: Copy, source: Source, signal: AbortSignal, say: Following['say']): Promise<void> {
  await copy.restart()
  let records = 0
  for await (const part of source.whole()) {
    if (signal.aborted) return
    await copy.apply(part)
    records += part.steps.length
  }
  await copy.finish()
  say(`Read ${records.toLocaleString('en')} records.`)
}

/** Applies the changes of one answer. Returns the part that is left: `everything` if the service cannot tell the changes. */
async function applyChanges(
  copy: Copy,
  source: Source,
  mark: string,
  say: Following['say'],
): Promise<'nothing' | 'more' | 'everything'> {
  const parts = source.after(mark)
  try {
    for (let steps = 0; ; ) {
      const { value, done } = await parts.next()
      if (done) {
        if (steps > 0) say(`Applied ${steps.toLocaleString('en')} changes.`)
        return value ? 'nothing' : 'more'
      }
      const isNew = value.mark !== null && value.mark !== mark
      if (value.steps.length > 0 || isNew) await copy.apply(value)
      // The last part has series whose events changed.
      if (value.mark === null) steps += value.steps.length
    }
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === GONE) return 'everything'
    throw error
  }
}
