import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { runService } from '../running.ts'

const EVENTS = '/api/v3/events/'
const service = runService({}, true)
const open: Socket[] = []

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

/** Returns an answer with its bytes on the wire. */
const read = async (path: string, encodings = 'identity', method = 'GET'): Promise<[IncomingMessage, Buffer]> => {
  const options = { method, headers: { 'Accept-Encoding': encodings } }
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    request(service.address + path, options, resolve)
      .on('error', reject)
      .end()
  })
  return [message, await buffer(message)]
}

/** Sends the text of a request, and returns the first line of its answer. Nobody reads the rest. */
const firstLine = (text: string): Promise<string> => {
  const { hostname, port } = new URL(service.address)
  const socket = connect({ host: hostname, port: Number(port) })
  open.push(socket)
  socket.write(text)
  return new Promise((resolve, reject) => {
    socket.once('readable', () => {
      const read = socket.read(64)?.toString() ?? ''
      resolve(read.slice(0, read.indexOf('\r\n')))
    })
    socket.once('error', reject)
  })
}

describe('a body that never ends does not delay', () => {
  it.each([
    ['POST /healthz', 'text/plain', '405 Method Not Allowed'],
    ['PUT /readyz', 'application/json', '405 Method Not Allowed'],
    [`POST ${EVENTS}`, 'application/json', '401 Unauthorized'],
    [`PATCH ${EVENTS}1/`, 'application/json', '401 Unauthorized'],
    ['POST /api/v3/events/summary/', 'application/json', '415 Unsupported Media Type'],
  ])('%s with %s: %s', async (line, type, status) => {
    const headers = `Host: localhost\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked`
    expect(await firstLine(`${line} HTTP/1.1\r\n${headers}\r\n\r\n5\r\nhello\r\n`)).toBe(`HTTP/1.1 ${status}`)
  })
})

describe('a large page', () => {
  const PAGE = `${EVENTS}?page_size=10000&format=geojson`
  it('arrives complete, and its head has its length', async () => {
    const [{ headers }, body] = await read(PAGE)
    expect([headers['content-length'], body.length > 1_000_000]).toEqual([String(body.length), true])
    expect(JSON.parse(body.toString()).features).toHaveLength(10_000)
  })

  it('is a 503 after many that one client does not read, and others get theirs', async () => {
    const from = (address: string) => `GET ${PAGE} HTTP/1.1\r\nHost: localhost\r\nCF-Connecting-IP: ${address}\r\n\r\n`
    const lines: string[] = []
    for (let i = 0; i < 30 && !lines.includes('HTTP/1.1 503 Service Unavailable'); i++)
      lines.push(await firstLine(from('192.0.2.1')))
    expect([...new Set(lines)]).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 503 Service Unavailable'])
    expect(await firstLine(from('192.0.2.2'))).toBe('HTTP/1.1 200 OK')
  })
})

it.each([`${EVENTS}?format=csv`, `${EVENTS}?format=ndjson&page_size=all`, `${EVENTS}1/?format=csv`])(
  '%s is compressed once and arrives complete',
  async (path) => {
    const [plain, text] = await read(path)
    const [compressed, bytes] = await read(path, 'gzip')
    const encodings = [plain, compressed].map(({ headers }) => headers['content-encoding'])
    expect(encodings).toEqual([undefined, 'gzip'])
    expect(gunzipSync(bytes).equals(text)).toBe(true)
    const [head, nothing] = await read(path, 'gzip', 'HEAD')
    expect([head.headers['content-encoding'], nothing.length]).toEqual(['gzip', 0])
  },
)
