import { badRequest } from './errors.ts'

/**
 * The work of a request in the Worker. Its unit is about the time of reading one row: 1.4 µs. Loops count what they do,
 * because the clock of Cloudflare stands still while a Worker computes.
 */
export interface Work {
  /**
   * Runs steps to their end. After some milliseconds of work, the next `yield` lets the isolate serve other requests.
   * Throws a 400 if the request has done too much.
   */
  readonly run: <T>(steps: Steps<T>) => Promise<T>
}

/** The units of a millisecond. */
export const UNITS_A_MILLISECOND = 700

/** A computation that others may interrupt at each `yield`. */
export type Steps<T> = Generator<void, T>

/** The steps of a regular expression in a unit. A step is one instruction for one character. */
const STEPS = 500
/** The tests in a unit if an edge is near the point, and if it is not. An exact test takes 50 times as long. */
const NEAR_EDGES = 6
const EDGES = 300
/** The numbers in a unit that a row adds to groups. */
const TALLIES = 8
/** The units of a distance on the ellipsoid, which takes 3 to 4 µs. */
const DISTANCE = 2

/** The most units of one request in the Worker: 3 to 7 seconds. */
const MAX_UNITS = 5_000_000
/** Other requests have their turn after so many units. An expression takes at most 15 µs for one. */
const SLICE = 4000

/** The units that this isolate has done, by kind. Between two `await` they belong to one request. */
const units = { edges: 0, steps: 0, distances: 0, tallies: 0 }

const sumOf = ({ edges, steps, distances, tallies }: typeof units): number => edges + steps + distances + tallies

export const countEdges = (edges: number, near = 0): void => {
  units.edges += edges / EDGES + near / NEAR_EDGES
}

export const countSteps = (instructions: number, characters: number): void => {
  units.steps += (instructions * characters) / STEPS
}

export const countDistance = (): void => {
  units.distances += DISTANCE
}

/** Counts that a row adds a number to so many groups. */
export const countTallies = (groups: number): void => {
  units.tallies += groups / TALLIES
}

/** Counts the work of one request. `charge` receives the units. */
export const makeWork = (charge: (units: number) => void = () => {}): Work => {
  const spent = { edges: 0, steps: 0, distances: 0, tallies: 0 }
  const run = async <T>(steps: Steps<T>): Promise<T> => {
    for (;;) {
      const before = { ...units }
      const { done, value } = untilSlice(steps)
      for (const kind of KINDS) spent[kind] += units[kind] - before[kind]
      charge(Math.ceil(sumOf(units) - sumOf(before)))
      if (sumOf(spent) > MAX_UNITS) throw badRequest(MESSAGES[KINDS.reduce((a, b) => (spent[b] > spent[a] ? b : a))])
      if (done) return value
      await scheduler.wait(0)
    }
  }
  return { run }
}

const KINDS = ['edges', 'steps', 'distances', 'tallies'] as const

/** The message for a request whose most units are of one kind. */
const MESSAGES = {
  edges: 'This geometry has too many long edges for so many events. Simplify it, or add a filter, such as a period.',
  steps:
    'This search takes too long for so many texts. Add a filter, such as a period, or enter smaller repetition counts in expressions.',
  distances: `One request computes at most ${(MAX_UNITS / DISTANCE).toLocaleString('en')} distances. Enter a smaller radius, or add a filter, such as a period.`,
  tallies:
    'This summary adds up too many numbers. Enter fewer names in facets and in statistics, or add a filter, such as a period.',
}

const untilSlice = <T>(steps: Steps<T>): IteratorResult<void, T> => {
  const end = sumOf(units) + SLICE
  for (;;) {
    const result = steps.next()
    if (result.done || sumOf(units) >= end) return result
  }
}
