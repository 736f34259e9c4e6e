import progress from 'cli-progress'
import type { Report } from './reading.ts'

const EVERY = 10_000 // milliseconds

/**
 * Shows the progress of a load. A terminal gets a bar with the rate and the time left. Any other output gets one line
 * every ten seconds.
 */
export function showProgress(): { readonly report: Report; readonly stop: () => void } {
  const format = '{stage} {bar} {percentage}%, {records} records, {rate} a second, {eta_formatted} left'
  const bar = new progress.SingleBar({ format, clearOnComplete: true, hideCursor: true, etaBuffer: 50 })
  let [stage, started, lastPrinted] = ['', 0, performance.now()]
  const start = (next: string) => {
    ;[stage, started] = [next, performance.now()]
  }
  const rateOf = (records: number) => Math.round((1000 * records) / Math.max(1, performance.now() - started))
  const onTerminal: Report = (next, bytes, size, records) => {
    const payload = { stage: next, records, rate: next === stage ? rateOf(records) : 0 }
    if (next !== stage) bar.start(size, 0, payload)
    if (next !== stage) start(next)
    bar.update(bytes, payload)
  }
  const withoutTerminal: Report = (next, bytes, size, records) => {
    if (next !== stage) start(next)
    if (performance.now() - lastPrinted < EVERY) return
    lastPrinted = performance.now()
    const left = Math.round(((lastPrinted - started) * (size - bytes)) / Math.max(1, bytes) / 1000)
    console.error(
      `${next} ${Math.round((100 * bytes) / size)}%, ${records} records, ${rateOf(records)} a second, ${left} s left`,
    )
  }
  return { report: process.stderr.isTTY ? onTerminal : withoutTerminal, stop: () => bar.stop() }
}
