/** Milliseconds between two looks of a waiting request. It adds one for each request before it, up to the longest pause. */
const PAUSE = 20
const LONGEST_PAUSE = 250
/** A waiting request that has not looked for so many milliseconds was cancelled, so the next one goes first. */
const SILENT = 2_000
/** A request that runs for so many milliseconds was cancelled: it never says that it ended. */
const GONE = 30_000
/** The most names that an isolate remembers. */
const MAX_NAMES = 5000

/** The requests of one name. All times are in milliseconds since 1970. */
interface Line {
  last: number
  /** When each request began, by its number. */
  readonly running: Map<number, number>
  /** When each request last looked, by its number: the first to come is the first in the map. */
  readonly waiting: Map<number, number>
}

const lines = new Map<string, Line>()

/**
 * Waits until fewer than `most` requests of a name run, and all that came before have had their turn. Returns a function to
 * call when this one ends. `look` may throw while it waits. Each request looks for itself, as no request on Cloudflare can
 * wake another.
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
  for (const [other, looked] of waiting) {
    if (free <= 0 || other === number) break
    if (now - looked < SILENT) free -= 1
  }
  return free > 0
}

/** Requests far behind look less often. Thousands that wait would otherwise take all of the processor. */
const pauseOf = ({ waiting }: Line, number: number): number => {
  const [first = number] = waiting.keys()
  return Math.min(PAUSE + number - first, LONGEST_PAUSE)
}

/** Takes the entry that was set first out of a map that has more than so many. */
export const forgetOldest = (entries: Map<string, unknown>, most: number): void => {
  const [oldest] = entries.size > most ? entries.keys() : []
  if (oldest !== undefined) entries.delete(oldest)
}
