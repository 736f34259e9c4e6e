import { Client, type ClientConfig, type Connection, Pool } from 'pg'
import { inTime } from '../../base/queue.ts'
import { CLIENT_OPTIONS, type Deadlines, type Door, MOST_CONNECTIONS, silent } from './connection.ts'
import { crowded } from './faults.ts'

/** A pool of connections, for a runtime whose requests may share them. */
export interface PoolDoor extends Door {
  /** Returns the number of open connections. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

export const poolTo = (connectionString: string, deadlines: Deadlines): PoolDoor => {
  /** A client that the pool makes. The time of the pool would also limit the wait for a turn. */
  class Impatient extends Client {
    constructor(options?: ClientConfig) {
      super({ ...options, connectionTimeoutMillis: deadlines.connect })
      // An error of the connection also rejects its statements.
      this.on('error', () => {})
    }
  }
  const pool = new Pool({ connectionString, max: MOST_CONNECTIONS, ...CLIENT_OPTIONS, Client: Impatient })
  pool.on('error', () => {})
  return {
    deadlines,
    enter: async (most) => {
      const entering = pool.connect()
      const late = () => (pool.waitingCount > 0 ? crowded() : silent())
      const client = await inTime(entering, most, late).catch((error) => {
        entering.then((late) => late.release()).catch(() => {})
        throw error
      })
      const leave = (isClean: boolean) => {
        // The client would wait for the answers before it ends. Its declared type lacks the connection.
        if (!isClean) (client as unknown as { readonly connection: Connection }).connection.stream.destroy()
        client.release(!isClean)
      }
      return { client, leave }
    },
    connections: () => pool.totalCount,
    close: () => pool.end(),
  }
}
