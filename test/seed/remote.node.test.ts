import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { openRemote } from '../../seed/local/database.ts'

const deployment = {
  config: '',
  databaseId: '11111111-1111-1111-1111-111111111111',
  hyperdriveId: null,
  accountId: 'an-account',
}
const asked: string[] = []
let server: Server

/** Starts a server that replaces the API of Cloudflare and refuses every request. */
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.headers.authorization} ${request.url}`)
    const errors = [{ code: 10000, message: 'Authentication error' }]
    response.writeHead(403, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ success: false, errors, messages: [], result: null }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  vi.stubEnv('CLOUDFLARE_API_BASE_URL', `http://127.0.0.1:${port}`)
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', undefined)
  vi.stubEnv('WRANGLER_SEND_METRICS', 'false')
})

afterEach(() => vi.stubEnv('CLOUDFLARE_API_TOKEN', undefined))
afterAll(() => {
  vi.unstubAllEnvs()
  server.close()
})

it('a deployment without a database id is refused', async () => {
  await expect(openRemote({ ...deployment, databaseId: null })).rejects.toThrow('enter the id of your database there')
})

it('an error names the reason why the deployed database cannot be reached', async () => {
  vi.stubEnv('CLOUDFLARE_API_TOKEN', 'a-token')
  const failure = await openRemote(deployment).then(String, String)
  expect(failure).toMatch(/cannot be reached: [\s\S]*Authentication error[\s\S]*\nRun npx wrangler login, or /)
  expect(asked[0]).toMatch(/^Bearer a-token .*\/accounts\/an-account\//)
})
