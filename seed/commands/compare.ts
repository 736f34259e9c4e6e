import { setTimeout } from 'node:timers/promises'
import { type Attempt, accessOf, ask } from '../compare/ask.ts'
import { type Difference, differencesOf, withoutSecrets } from '../compare/differences.ts'
import { LoadError, optionError, printable } from '../load/error.ts'
import { chunksOf, linesIn } from '../read/bytes.ts'
import { interruption, type Options, runCommand } from './command.ts'
import { NO_PROGRESS, showProgress } from './progress.ts'

const USAGE = `Usage: npm run compare -- LOG... --old URL --new URL [OPTION...]

Sends the GETs of access logs to two services, and tells which answers differ. LOG is a file of nginx or Apache in the
format common or combined, also with gzip, or - for the standard input. Equal requests are sent once, and the most
frequent ones first. Both services get a request at once, and then the next. The exit code is 0 if no answer differs. See docs/moving.md.

  --old URL          the service that is right. The variable EVENTS_KEY_OLD has its key
  --new URL          the service to compare with it. The variable EVENTS_KEY_NEW has its key
  --rate N           send each service at most N requests a second (default 5)
  --limit N          compare only the N most frequent requests
  --path PREFIX      compare only paths that begin so, such as /api/
  --ignore KIND      leave out a kind of difference, written as in the report; may be repeated
  --timeout SECONDS  wait so long for an answer (default 30)
  --json             print the report as JSON
  --help             show this text`

/** How many different requests, and how many lines of the log. */
interface Share {
  readonly requests: number
  readonly inLog: number
}

/** A kind of difference, with the path of its example. */
interface Kind extends Share, Difference {
  readonly path: string
}

type Report = ReturnType<ReturnType<typeof createReport>['end']>
type Sample = readonly [milliseconds: number, times: number]

const NONE: Share = { requests: 0, inLog: 0 }
const plus = ({ requests, inLog }: Share, times: number): Share => ({ requests: requests + 1, inLog: inLog + times })

/** Compares and counts the answers of a run. `ignored` has the kinds of differences to leave out. */
function createReport({ others, unread }: Log, ignored: readonly string[]) {
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
function textOf({ compared, differing, kinds, milliseconds, leftOut: { methods, lines } }: Report): string {
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

/** The requests in access logs of nginx or Apache. */
interface Log {
  /** Each path with its query, and its number of lines. The most frequent path comes first. */
  readonly requests: readonly (readonly [path: string, times: number])[]
  /** The numbers of other lines, by their methods. */
  readonly others: Readonly<Record<string, number>>
  /** The lines that are no request in a known format, and the place of the first one. */
  readonly unread: { readonly count: number; readonly first: string | null }
}

/** The beginning of a line in the formats `common` and `combined`. The name of the host may come before it. */
const LINE = /^\S+ \S+ .*?\[\d\d\/\w{3}\/\d{4}:[^\][]*\] "((?:[^"\\]|\\.)*)" \d{3} (?:\d+|-)(?:\s|$)/
const REQUEST = /^([A-Z]+) (?:https?:\/\/[^/?]*)?(\/\S*)(?: HTTP\/[\d.]+)?$/

/** So many different requests fit into memory. */
const MOST = 1_000_000

/** Counts the requests of access logs. The file `-` is the standard input. Throws LoadError if a file cannot be read. */
async function readLogs(files: readonly string[]): Promise<Log> {
  const [paths, others] = [new Map<string, number>(), new Map<string, number>()]
  const unread: { count: number; first: string | null } = { count: 0, first: null }
  for (const file of files)
    for await (const { number, text } of linesIn(file === '-' ? process.stdin : chunksOf(file), file)) {
      const [, method = '', given = ''] = REQUEST.exec(LINE.exec(text)?.[1] ?? '') ?? []
      const path = given.replace(/\\(?:x([\da-f]{2})|(.))/gi, percentEncoded)
      if (method === '') {
        unread.count += 1
        unread.first ??= `${file}, line ${number}`
      } else if (method !== 'GET') add(others, method)
      else if (paths.size < MOST || paths.has(path)) add(paths, path)
      else add(others, 'GET after a million different ones')
    }
  const requests = [...paths].sort(([, times], [, more]) => more - times)
  return { requests, others: Object.fromEntries(others), unread }
}

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** Servers write a quote or a byte beyond ASCII with a backslash, such as \x22. */
const percentEncoded = (_: string, hex: string | undefined, character: string): string =>
  hex === undefined ? encodeURIComponent(character) : `%${hex}`

await runCommand({ name: 'compare', usage: USAGE, files: Number.POSITIVE_INFINITY }, async (options, files) => {
  const { text, texts, flag } = options
  const [rate, seconds] = [numberOf(options, 'rate', 5), numberOf(options, 'timeout', 30)]
  const [limit, prefix] = [numberOf(options, 'limit', 1_000_000), text('path') ?? '/']
  const access = [accessOf('old', text('old')), accessOf('new', text('new'))] as const
  const log = await readLogs(files)
  const requests = log.requests.filter(([path]) => path.startsWith(prefix)).slice(0, limit)
  if (requests.length === 0)
    throw new LoadError(`${files.join(', ')} has no GET of ${prefix} in the format common or combined`)
  const signal = interruption()
  const [old, now] = [
    { ...access[0], seconds, signal },
    { ...access[1], seconds, signal },
  ] as const
  for (const service of [old, now]) {
    const answer = await ask(service, '/')
    if ('fault' in answer) throw new LoadError(`${service.address} cannot be reached: ${answer.fault}`)
  }
  const { add, end } = createReport(log, texts('ignore'))
  const progress = process.stderr.isTTY ? showProgress() : NO_PROGRESS
  for (const [i, [path, times]] of requests.entries()) {
    progress.report('Comparing', i, requests.length, i)
    const pause = setTimeout(1000 / rate, undefined, { signal }).catch(() => {})
    const [one, other] = await Promise.all([ask(old, path), ask(now, path)])
    if (signal.aborted) break
    add(path, times, one, other)
    await pause
  }
  progress.stop()
  const report = end()
  console.log(printable(flag('json') ? JSON.stringify(report, null, 2) : textOf(report)))
  return signal.aborted ? 130 : Math.sign(report.differing.requests)
})

function numberOf({ text }: Options, name: string, usual: number): number {
  const number = Number(text(name) ?? usual)
  if (number >= 0.001 && number <= 1_000_000) return number
  throw optionError(`--${name}`, text(name) ?? '', `enter a number from 0.001 to a million, such as ${usual}`)
}
