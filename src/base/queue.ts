import { forgetOldest } from './collections.ts'

/** Milliseconds between two tries of a waiting request. Each request before it adds one, up to the longest pause. */
const PAUSE = 20
const LONGEST_PAUSE = 250
/** A waiting request that has not tried for so many milliseconds counts as cancelled, so the next one goes first. */
const SILENT = 2_000
const MAX_NAMES = 5000

/**
 * When a request loses its turns and its room, in milliseconds since 1970. A cancelled request never reports its end, so
 * running work moves it.
 */
export interface Lease {
  until: number
}

/** Keeps what a request holds for so many milliseconds from now. Computing work calls it more often than each 5 s. */
export const hold = (lease: Lease, milliseconds = 5_000): void => {
  lease.until = Date.now() + milliseconds
}

/** The requests with one name. All times are in milliseconds since 1970. */
interface Queue {
  last: number
  readonly running: Set<Lease>
  /** The last try of each request, by its number, in the order of arrival. */
  readonly waiting: Map<number, number>
}

const queues = new Map<string, Queue>()

/**
 * Waits until fewer than `most` requests with a name run, and no earlier one waits. `look` runs after each pause and
 * may throw. Returns a function to call when this request ends.
 */
export const turn = async (lease: Lease, name: string, most: number, look = () => {}): Promise<() => void> => {
  const queue = queues.get(name) ?? { last: 0, running: new Set(), waiting: new Map() }
  queues.delete(name)
  queues.set(name, queue)
  forgetOldest(queues, MAX_NAMES)
  const { running, waiting } = queue
  const number = ++queue.last
  try {
    // Each request tries by itself, because on Cloudflare one request cannot wake another.
    while (!isNext(queue, number, most, Date.now())) {
      waiting.set(number, Date.now())
      // Requests far behind try less often. Thousands of them would otherwise use the whole processor.
      const [first = number] = waiting.keys()
      const pause = Math.min(PAUSE + number - first, LONGEST_PAUSE)
      await new Promise((resolve) => setTimeout(resolve, pause))
      hold(lease)
      look()
    }
    hold(lease)
    running.add(lease)
  } finally {
    waiting.delete(number)
  }
  return () => {
    running.delete(lease)
    if (running.size + waiting.size === 0 && queues.get(name) === queue) queues.delete(name)
  }
}

const isNext = ({ running, waiting }: Queue, number: number, most: number, now: number): boolean => {
  for (const lease of running) if (now >= lease.until) running.delete(lease)
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
