import { parentPort, workerData } from 'node:worker_threads'
import { filesOfPage, type NodeModule } from '../../seed/local/node.ts'

for (const level of ['log', 'error'] as const) console[level] = () => {}

/** A thread that serves databases under Node, without its log. For each message with options, it posts the address. */
const { start }: NodeModule = await import(workerData)
parentPort?.on('message', async ({ number, options }) => {
  const { address } = await start({ ...options, files: filesOfPage(), port: 0 })
  parentPort?.postMessage({ number, address })
})
