import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** A number that is measured when someone asks, such as the free bytes of the disk. */
interface Measurement {
  readonly name: string
  readonly help: string
  readonly measure: () => number | Promise<number>
}

export interface Monitor {
  /** Prints a line of the log with its time, and counts its request. */
  readonly log: (line: string) => void
  /** Counts an answer, also one that the Worker did not see. */
  readonly answered: (status: number) => void
  /** Returns the figures in the format of Prometheus, and its media type. */
  readonly figures: () => Promise<{ readonly text: string; readonly type: string }>
  readonly add: (measures: readonly Measurement[]) => void
}

/** The fields of a line that are counted, see src/http/log.ts. */
interface Entry {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly ms: number
  readonly rows_read: number
}

/** The upper ends of the groups of durations, in seconds. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Makes the log and the figures of a service. `print` writes a line. */
export const makeMonitor = (print: (line: string) => void): Monitor => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Counter({
    name: 'events_requests_total',
    help: 'Requests that the Worker answered.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const answers = new Counter({
    name: 'events_answers_total',
    help: 'All answers, with files of the page and refusals.',
    labelNames: ['status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'events_request_seconds',
    help: 'Time until the end of an answer.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  })
  const rows = new Counter({ name: 'events_rows_read_total', help: 'Rows that the database read.', registers })
  return {
    log: (line) => {
      const entry = entryIn(line)
      if (entry === null) return console.error(line)
      const { method, route, status, ms, rows_read } = entry
      requests.inc({ method, route, status })
      seconds.observe({ route }, ms / 1000)
      rows.inc(rows_read)
      print(`{"time":"${new Date().toISOString()}",${line.slice(1)}`)
    },
    answered: (status) => answers.inc({ status }),
    figures: async () => ({ text: await registry.metrics(), type: registry.contentType }),
    add: (measures) => {
      for (const measure of measures) addGauge(registry, measure)
    },
  }
}

const addGauge = (registry: Registry, { name, help, measure }: Measurement): void => {
  registry.removeSingleMetric(name) // of a database that was replaced
  new Gauge({
    name,
    help,
    registers: [registry],
    collect: async function () {
      this.set(await measure())
    },
  })
}

/** Reads a line of the log. Null: it is another line, such as a warning. */
const entryIn = (line: string): Entry | null => {
  if (!line.startsWith('{"id":')) return null
  return JSON.parse(line)
}
