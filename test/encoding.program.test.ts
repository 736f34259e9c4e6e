import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { get, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type RunningWorker, startWorker } from '../seed/local/worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'encoding-'))
const PATHS = [
  '/api/v3/events/?format=csv',
  '/api/v3/events/?format=ndjson&page_size=all',
  '/api/v3/events/1/?format=csv',
]
let service: RunningWorker

beforeAll(async () => {
  cpSync(inject('seeded'), folder, { recursive: true })
  service = await startWorker(inject('worker'), folder, {}, 0, true, true)
}, 120_000)

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

/** Returns an answer with its bytes on the wire. */
const raw = async (path: string, encodings: string, method = 'GET') => {
  const options = { method, headers: { 'Accept-Encoding': encodings } }
  const send = method === 'GET' ? get : request
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    send(service.address + path, options, resolve)
      .on('error', reject)
      .end()
  })
  return { encoding: message.headers['content-encoding'], body: await buffer(message) }
}

it.each(PATHS)('%s is compressed once and arrives complete', async (path) => {
  const [plain, compressed] = [await raw(path, 'identity'), await raw(path, 'gzip')]
  expect([plain.encoding, compressed.encoding]).toEqual([undefined, 'gzip'])
  expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true)
  expect(await raw(path, 'gzip', 'HEAD')).toEqual({ encoding: 'gzip', body: Buffer.of() })
})
