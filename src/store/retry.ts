import { unavailable } from '../errors.ts'

const MAX_ATTEMPTS = 5

/**
 * Tries a write until it succeeds. `attempt` returns null if another write came first. Throws a 503 after five
 * attempts.
 */
export const untilWritten = async <T>(
  attempt: (which: { readonly isFirst: boolean; readonly isLast: boolean }) => Promise<T | null>,
): Promise<T> => {
  for (let attempts = 1; attempts <= MAX_ATTEMPTS; attempts++) {
    const answer = await attempt({ isFirst: attempts === 1, isLast: attempts === MAX_ATTEMPTS })
    if (answer !== null) return answer
  }
  throw unavailable()
}

/** The most rows that one transaction of a delete in steps deletes. */
export const STEP = 5000
const MAX_TIME = 20_000 // milliseconds

/** Limits a delete in steps: it ends after 20 seconds, or after five refused transactions in a row. */
export const limitSteps = () => {
  const started = Date.now()
  let refusals = 0
  return {
    isReached: (): boolean => Date.now() - started > MAX_TIME || refusals === MAX_ATTEMPTS,
    note: (isDone: boolean): void => {
      refusals = isDone ? 0 : refusals + 1
    },
  }
}
