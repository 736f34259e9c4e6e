import { parentPort, workerData } from 'node:worker_threads'
import { CONFIGURATION, PAGE_FILES } from '../../seed/local/configuration.ts'
import { listen } from '../../seed/serve/listen.ts'
import { makeMonitor } from '../../seed/serve/monitor.ts'
import type { NodeModule } from '../../seed/serve/postgres.ts'

for (const level of ['log', 'error'] as const) console[level] = () => {}

/** A thread that serves databases under Node, without its log. For each message with options, it posts the address. */
const { open }: NodeModule = await import(workerData)
const [{ simple: limits }] = CONFIGURATION.ratelimits
parentPort?.on('message', async ({ number, options }) => {
  const monitor = makeMonitor(() => {})
  const service = open({ ...options, limits, log: monitor.log })
  const { address } = await listen(service, monitor, {
    host: '127.0.0.1',
    port: 0,
    believesProxy: false,
    files: PAGE_FILES,
  })
  parentPort?.postMessage({ number, address })
})
