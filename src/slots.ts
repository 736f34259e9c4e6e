import { forgetOldest } from './collections.ts'

/** Milliseconds between two tries of a waiting request. Each request before it adds one, up to the longest pause. */
const PAUSE = 20
const LONGEST_PAUSE = 250
/** A waiting request that has not tried for so many milliseconds counts as cancelled, so the next one goes first. */
const SILENT = 2_000
/** A request that runs for so many milliseconds counts as cancelled: it never reports its end. */
const GONE = 30_000
/** The most names that an isolate remembers. */
const MAX_NAMES = 5000

/** The requests with one name. All times are in milliseconds since 1970. */
interface Line {
  last: number
  /** The start of each request, by its number. */
  readonly running: Map<number, number>
  /** The last try of each request, by its number, in the order of arrival. */
  readonly waiting: Map<number, number>
}

const lines = new Map<string, Line>()

/**
 * Waits until fewer than `most` requests with a name run, and no earlier one waits. `look` runs after each pause and
 * may throw. Returns a function to call when this request ends.
 */
export const turn = async (
  name: string,
  most: number,
  clock: () => number,
  look: () => void = () => {},
  gone = GONE,
): Promise<() => void> => {
  const line = lineOf(name)
  const number = ++line.last
  try {
    // Each request tries by itself, because on Cloudflare one request cannot wake another.
    while (!isNext(line, number, most, clock(), gone)) {
      line.waiting.set(number, clock())
      await new Promise((resolve) => setTimeout(resolve, pauseOf(line, number)))
      look()
    }
    line.running.set(number, clock())
  } finally {
    line.waiting.delete(number)
  }
  return () => {
    line.running.delete(number)
    if (line.running.size + line.waiting.size === 0 && lines.get(name) === line) lines.delete(name)
  }
}

const lineOf = (name: string): Line => {
  const line = lines.get(name) ?? { last: 0, running: new Map(), waiting: new Map() }
  lines.delete(name)
  lines.set(name, line)
  forgetOldest(lines, MAX_NAMES)
  return line
}

const isNext = ({ running, waiting }: Line, number: number, most: number, now: number, gone: number): boolean => {
  for (const [other, began] of running) if (now - began >= gone) running.delete(other)
  let free = most - running.size
  for (const [other, tried] of waiting) {
    if (free <= 0 || other === number) break
    if (now - tried < SILENT) free -= 1
  }
  return free > 0
}

/** Requests far behind try less often. Thousands of waiting requests would otherwise use the whole processor. */
const pauseOf = ({ waiting }: Line, number: number): number => {
  const [first = number] = waiting.keys()
  return Math.min(PAUSE + number - first, LONGEST_PAUSE)
}
