import progress from 'cli-progress'
import type { Report } from '../load/reading.ts'

export interface Progress {
  readonly report: Report
  readonly stop: () => void
}

export const NO_PROGRESS: Progress = { report: () => {}, stop: () => {} }

/** The time between two lines of progress. */
const EVERY = 10_000 // milliseconds

/** Shows the progress of a load: as a bar in a terminal, otherwise as a line every ten seconds. */
export function showProgress(): Progress {
  const format = '{stage} {bar} {percentage}%, {records} records, {rate} a second, {eta_formatted} left'
  const bar = new progress.SingleBar({ format, clearOnComplete: true, hideCursor: true, etaBuffer: 50 })
  let [current, started, printed] = ['', 0, performance.now()]
  const report: Report = (stage, bytes, size, records) => {
    const [now, isNew] = [performance.now(), stage !== current]
    if (isNew) [current, started] = [stage, now]
    const rate = isNew ? 0 : Math.round((1000 * records) / Math.max(1, now - started))
    if (process.stderr.isTTY) {
      if (isNew) bar.start(size, 0, { stage, records, rate })
      bar.update(bytes, { stage, records, rate })
    } else if (now - printed >= EVERY) {
      printed = now
      const left = Math.round(((now - started) * (size - bytes)) / Math.max(1, bytes) / 1000)
      console.error(
        `${stage} ${Math.round((100 * bytes) / size)}%, ${records} records, ${rate} a second, ${left} s left`,
      )
    }
  }
  return { report, stop: () => bar.stop() }
}
