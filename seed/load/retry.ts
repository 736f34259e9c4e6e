import { setTimeout } from 'node:timers/promises'

/** Waits for so many milliseconds. */
export type Wait = (milliseconds: number) => Promise<unknown>

const TRIES = 6
const MAX_PAUSE = 60 // seconds

/**
 * Runs a function up to six times, with growing pauses between. `pauseOf` returns the seconds to wait after an error: 0
 * for the usual pause, null if a retry cannot help.
 */
export async function retry<T>(
  run: () => Promise<T>,
  pauseOf: (error: unknown) => number | null,
  wait: Wait = setTimeout,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (error) {
      const pause = pauseOf(error)
      if (tries === TRIES || pause === null) throw error
      await wait(1000 * Math.min(MAX_PAUSE, pause || 2 ** (tries - 1)))
    }
  }
}
