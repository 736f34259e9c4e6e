import { Socket } from 'node:net'
import { Client, type ClientConfig, Pool } from 'pg'
import { inTime } from '../../base/queue.ts'
import { CLIENT_OPTIONS, crowded, type Deadlines, type Door, MOST_CONNECTIONS, silent } from './connection.ts'

/** A pool of connections, for a runtime whose requests may share them. */
export interface PoolDoor extends Door {
  readonly close: () => Promise<void>
}

export const poolTo = (connectionString: string, deadlines: Deadlines): PoolDoor => {
  /** A client that the pool makes. It can be cut off while the server works. */
  class Cuttable extends Client {
    readonly cut: () => void
    constructor(options?: ClientConfig) {
      const socket = new Socket()
      super({ ...options, stream: () => socket, connectionTimeoutMillis: deadlines.connect })
      this.cut = () => socket.destroy()
      // An error of the connection also rejects its statements.
      this.on('error', () => {})
    }
  }
  const pool = new Pool({ connectionString, max: MOST_CONNECTIONS, ...CLIENT_OPTIONS, Client: Cuttable })
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
        if (!isClean) (client as unknown as Cuttable).cut() // the pool makes no other clients
        client.release(!isClean)
      }
      return { client, leave }
    },
    close: () => pool.end(),
  }
}
