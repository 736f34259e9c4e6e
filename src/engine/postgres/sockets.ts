import Client from 'pg/lib/client.js'
import { CloudflareSocket } from 'pg-cloudflare'
import { inTime, type Lease, turn } from '../../base/queue.ts'
import { CLIENT_OPTIONS, type Deadlines, type Door, MOST_CONNECTIONS, silent } from './connection.ts'
import { crowded } from './faults.ts'

/**
 * Opens a socket for each transaction: a Worker shares no connection between requests. Hyperdrive keeps connections to
 * the server.
 */
export const socketsTo = (connectionString: string, deadlines: Deadlines): Door => ({
  deadlines,
  enter: async (most) => {
    // A cancelled request never reports its end, so its turn ends with its deadline.
    const lease: Lease = { until: Date.now() + most }
    const until = Date.now() + most
    const end = await turn(lease, connectionString, MOST_CONNECTIONS, () => {
      if (Date.now() > until) throw crowded()
    })
    lease.until = Date.now() + deadlines.connect + deadlines.request + deadlines.grace
    const socket = new CloudflareSocket(false)
    const options = { connectionString, ...CLIENT_OPTIONS, stream: () => socket }
    const client = new Client(options as ConstructorParameters<typeof Client>[0]) // the declared types lack the pipeline
    // An error of the connection also rejects its statements.
    client.on('error', () => {})
    const leave = (isClean: boolean) => {
      end()
      client.end().catch(() => {})
      // The client would wait for the answers before it says goodbye.
      if (!isClean) socket.destroy()
    }
    try {
      await inTime(client.connect(), deadlines.connect, silent)
      return { client, leave }
    } catch (error) {
      leave(false)
      throw error
    }
  },
})
