import { setTimeout } from 'node:timers/promises'
import { accessOf, ask } from '../compare/ask.ts'
import { readLogs } from '../compare/log.ts'
import { createReport, textOf } from '../compare/report.ts'
import { LoadError, optionError, printable } from '../load/error.ts'
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
