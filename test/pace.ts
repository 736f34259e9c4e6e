import { expect } from 'vitest'
import { send } from './service.ts'

/** Returns the duration of some work in milliseconds. It waits, because the clock of a Worker stands still meanwhile. */
export const durationOf = async (work: () => Promise<unknown>): Promise<number> => {
  await scheduler.wait(1)
  const from = Date.now()
  await work()
  await scheduler.wait(1)
  return Date.now() - from
}

const SMALL = '/api/v3/events/?page_size=1'

/** Returns the milliseconds of a small request now: the middle one of nine. It takes 5 ms alone on a machine. */
const small = async (): Promise<number> => {
  const times: number[] = []
  for (let i = 0; i < 9; i++)
    times.push(await durationOf(() => send(SMALL, { headers: { 'Cache-Control': 'no-cache' } })))
  return times.sort((a, b) => a - b)[4] ?? 0
}

/**
 * Tests if a duration is longer than so many small requests. Each limit of time in a test counts them, because a busy
 * machine slows them as well. None takes less than a millisecond.
 */
export const isLonger = async (milliseconds: number, requests: number): Promise<boolean> =>
  milliseconds > requests && milliseconds > requests * (await small())

/** Expects a duration of at most so many small requests. It measures again, up to twice: the machine may become busy. */
export const expectPace = async (requests: number, measure: () => Promise<number>, title?: string): Promise<void> => {
  const seen: number[] = []
  for (;;) {
    seen.push(await measure())
    if (!(await isLonger(seen.at(-1) ?? 0, requests))) return
    if (seen.length === 3) expect.fail(`${title ?? 'It'} takes longer than ${requests} small requests: ${seen} ms`)
  }
}
