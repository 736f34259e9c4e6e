/** How often one that waits looks whether it is its turn, in milliseconds. */
const LOOK = 20
/** After how many milliseconds a request that did not say that it ended is taken for gone, as when its client went away. */
const GONE = 30_000
/** Of how many names an isolate keeps what is running. */
const MAX_NAMES = 5000

/** When the requests that are worked at began, by the name that they go by, in milliseconds since 1970. */
const running = new Map<string, readonly number[]>()

/**
 * Waits until fewer than `most` requests of a name are worked at, and answers what is to be called when this one ends. While
 * it waits, `look` may throw. `gone`: another time than usual after which one is taken for gone. Each looks for itself: on Cloudflare a request cannot wake another.
 */
export const turn = async (
  name: string,
  most: number,
  clock: () => number,
  look: () => void = () => {},
  gone = GONE,
): Promise<() => void> => {
  const runningAt = (now: number) => (running.get(name) ?? []).filter((began) => now - began < gone)
  while (runningAt(clock()).length >= most) {
    await new Promise((resolve) => setTimeout(resolve, LOOK))
    look()
  }
  const began = clock()
  const now = [...runningAt(began), began]
  running.delete(name)
  running.set(name, now)
  forgetOldest(running, MAX_NAMES)
  return () => {
    const others = runningAt(began)
    const left = others.toSpliced(others.indexOf(began), others.includes(began) ? 1 : 0)
    if (left.length === 0) running.delete(name)
    else running.set(name, left)
  }
}

/** Takes the entry that was set first out of a map that has more than so many. */
export const forgetOldest = (entries: Map<string, unknown>, most: number): void => {
  const [oldest] = entries.size > most ? entries.keys() : []
  if (oldest !== undefined) entries.delete(oldest)
}
