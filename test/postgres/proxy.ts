import { connect, createServer, type Socket } from 'node:net'

/**
 * What a proxy does with the answers of its server: it passes so many bytes from now on, and then ends each connection,
 * or is silent. Null: it passes all.
 */
export type Passing = { readonly bytes: number; readonly end: 'cut' | 'silence' } | null

/** A proxy of TCP in front of a server. It accepts connections also if it passes nothing. */
export interface TcpProxy {
  readonly port: number
  readonly set: (passing: Passing) => void
  /** The number of clients that have not closed their connections. */
  readonly clients: () => number
}

/** Starts a proxy on a free port. It does not keep its process alive. */
export const startProxy = (port: number): Promise<TcpProxy> =>
  new Promise((resolve, reject) => {
    let passing: Passing = null
    let left = 0
    const clients = new Set<Socket>()
    const set = (wanted: Passing) => {
      passing = wanted
      left = wanted?.bytes ?? 0
      if (wanted?.bytes === 0 && wanted.end === 'cut') for (const client of clients) client.destroy()
    }
    /** Returns the bytes that pass, and null if they and all after them are cut off. */
    const passed = (bytes: Buffer): Buffer | null => {
      if (passing === null) return bytes
      const part = bytes.subarray(0, left)
      left -= part.length
      return part.length < bytes.length && passing.end === 'cut' ? null : part
    }
    const server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1').setNoDelay()
      clients.add(client.setNoDelay())
      client.on('data', (bytes) => upstream.write(bytes)).on('error', () => {})
      client.on('close', () => {
        clients.delete(client)
        upstream.destroy()
      })
      upstream.on('error', () => {}).on('close', () => client.destroy())
      upstream.on('data', (bytes: Buffer) => {
        const part = passed(bytes)
        if (part === null) client.destroy()
        else client.write(part)
      })
    })
    server.on('error', reject).unref()
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const own = typeof address === 'object' && address !== null ? address.port : 0
      resolve({ port: own, set, clients: () => clients.size })
    })
  })
