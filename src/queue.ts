import { forgetOldest } from './collections.ts'

/** Milliseconds between two tries of a waiting request. Each request before it adds one, up to the longest pause. */
const PAUSE = 20
const LONGEST_PAUSE = 250
/** A waiting request that has not tried for so many milliseconds counts as cancelled, so the next one goes first. */
const SILENT = 2_000
/** A request that runs for so many milliseconds counts as cancelled: it never reports its end. */
const GONE = 30_000
const MAX_NAMES = 5000

/** The requests with one name. All times are in milliseconds since 1970. */
interface Queue {
  last: number
  /** The start of each request, by its number. */
  readonly running: Map<number, number>
  /** The last try of each request, by its number, in the order of arrival. */
  readonly waiting: Map<number, number>
}

const queues = new Map<string, Queue>()

/**
 * Waits until fewer than `most` requests with a name run, and no earlier one waits. `look` runs after each pause and
 * may throw. Returns a function to call when this request ends.
 */
export const turn = async (name: string, most: number, look = () => {}, gone = GONE): Promise<() => void> => {
  const queue = queues.get(name) ?? { last: 0, running: new Map(), waiting: new Map() }
  queues.delete(name)
  queues.set(name, queue)
  forgetOldest(queues, MAX_NAMES)
  const { running, waiting } = queue
  const number = ++queue.last
  try {
    // Each request tries by itself, because on Cloudflare one request cannot wake another.
    while (!isNext(queue, number, most, Date.now(), gone)) {
      waiting.set(number, Date.now())
      // Requests far behind try less often. Thousands of them would otherwise use the whole processor.
      const [first = number] = waiting.keys()
      const pause = Math.min(PAUSE + number - first, LONGEST_PAUSE)
      await new Promise((resolve) => setTimeout(resolve, pause))
      look()
    }
    running.set(number, Date.now())
  } finally {
    waiting.delete(number)
  }
  return () => {
    running.delete(number)
    if (running.size + waiting.size === 0 && queues.get(name) === queue) queues.delete(name)
  }
}

const isNext = ({ running, waiting }: Queue, number: number, most: number, now: number, gone: number): boolean => {
  for (const [other, began] of running) if (now - began >= gone) running.delete(other)
  let free = most - running.size
  for (const [other, tried] of waiting) {
    if (free <= 0 || other === number) break
    if (now - tried < SILENT) free -= 1
  }
  return free > 0
}

/** Waits for a promise. Rejects with the error that `late` makes if it takes more than so many milliseconds. */
export const inTime = async <T>(promise: Promise<T>, most: number, late: () => Error): Promise<T> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), most)
  })
  try {
    return await Promise.race([promise, end])
  } finally {
    clearTimeout(timer)
  }
}
