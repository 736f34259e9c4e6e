import type { Attempt } from './ask.ts'
import { type Difference, differencesOf, withoutSecrets } from './differences.ts'
import type { Log } from './log.ts'

/** How many different requests, and how many lines of the log. */
interface Share {
  readonly requests: number
  readonly inLog: number
}

/** A kind of difference, with the path of its example. */
interface Kind extends Share, Difference {
  readonly path: string
}

export type Report = ReturnType<ReturnType<typeof createReport>['end']>
type Sample = readonly [milliseconds: number, times: number]

const NONE: Share = { requests: 0, inLog: 0 }
const plus = ({ requests, inLog }: Share, times: number): Share => ({ requests: requests + 1, inLog: inLog + times })

/** Compares and counts the answers of a run. `ignored` has the kinds of differences to leave out. */
export function createReport({ others, unread }: Log, ignored: readonly string[]) {
  let [compared, differing] = [NONE, NONE]
  const kinds = new Map<string, Kind>()
  const [old, now]: [Sample[], Sample[]] = [[], []]
  const add = (path: string, times: number, one: Attempt, other: Attempt): void => {
    const differences = differencesOf(one, other).filter(({ kind }) => !ignored.includes(kind))
    compared = plus(compared, times)
    if (differences.length > 0) differing = plus(differing, times)
    for (const difference of differences) {
      const known = kinds.get(difference.kind) ?? { ...NONE, ...difference, path: withoutSecrets(path) }
      kinds.set(difference.kind, { ...known, ...plus(known, times) })
    }
    if (!('fault' in one)) old.push([one.milliseconds, times])
    if (!('fault' in other)) now.push([other.milliseconds, times])
  }
  const end = () => ({
    compared,
    differing,
    kinds: [...kinds.values()].sort((one, other) => other.inLog - one.inLog),
    milliseconds: { old: timesOf(old), new: timesOf(now) },
    leftOut: { methods: others, lines: unread },
  })
  return { add, end }
}

/** Returns percentiles of times. A time counts once for each line of the log. Null: there are no times. */
function timesOf(samples: readonly Sample[]) {
  const sorted = samples.toSorted(([one], [other]) => one - other)
  let passed = 0
  const ends = sorted.map(([milliseconds, times]) => {
    passed += times
    return [Math.round(milliseconds), passed] as const
  })
  const percentile = (percent: number) => ends.find(([, end]) => end >= (passed * percent) / 100)?.[0] ?? null
  return { median: percentile(50), p95: percentile(95) }
}

/** Writes a report for people. */
export function textOf({ compared, differing, kinds, milliseconds, leftOut: { methods, lines } }: Report): string {
  const others = Object.entries(methods).map(([method, count]) => `${count} ${method}`)
  return [
    `Compared ${counted(compared)}. The answers to ${counted(differing)} differ.`,
    others.length > 0 ? `Left out: ${others.join(', ')}.` : '',
    lines.count > 0 ? `Left out: ${lines.count} lines in another format. The first is ${lines.first}.` : '',
    ...(['old', 'new'] as const).map(
      (name) =>
        `Milliseconds of ${name}: median ${milliseconds[name].median}, 95th percentile ${milliseconds[name].p95}.`,
    ),
    ...kinds.map((kind) => `\n${kind.kind}: ${counted(kind)}\n  ${kind.path}\n  old: ${kind.old}\n  new: ${kind.new}`),
  ]
    .filter((line) => line !== '')
    .join('\n')
}

const counted = ({ requests, inLog }: Share): string =>
  `${requests} request${requests === 1 ? '' : 's'} (${inLog} in the log)`
