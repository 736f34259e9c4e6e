import { beforeAll, describe, expect, it, vi } from 'vitest'
import { UNREACHABLE } from '../isolates.ts'
import { load, send, withKey } from '../service.ts'
import { connect, post, VERSIONS } from './client.ts'
import { QUESTIONS } from './questions.ts'

beforeAll(() => load())

describe.each(VERSIONS)('the official client, in version %s', (version) => {
  it('finds the tools', async () => {
    const client = await connect(version)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['series', 'count', 'events', 'summary', 'filter'])
    expect(client.getServerVersion()?.name).toBe('Event Query Interface')
    expect(client.getInstructions()).toContain('No tool writes.')
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
  })

  it.each(QUESTIONS)('$question', async ({ tool, given, answer, read }) => {
    const client = await connect(version)
    const { content } = await client.callTool({ name: tool, arguments: { ...given } })
    const [facts = '', data = ''] = (content as { text: string }[]).map(({ text }) => text)
    expect(read({ facts: JSON.parse(facts), data })).toEqual(answer)
  })
})

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const HEADERS = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' }
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: META } }
const CALL = { ...LIST, method: 'tools/call', params: { _meta: META, name: 'count' } }
const calling = (name: string) => ({ ...HEADERS, 'Mcp-Method': 'tools/call', 'Mcp-Name': name })

describe('a message', () => {
  it.each<[string, unknown, Record<string, string>, number, number?]>([
    ['is answered', LIST, HEADERS, 200],
    ['may name its tool', CALL, calling('count'), 200],
    ['may name its tool in Base64', CALL, calling('=?base64?Y291bnQ=?='), 200],
    ['without a version is one of an older client', { ...LIST, params: {} }, {}, 200],
    ['may have no parameters', { jsonrpc: '2.0', id: 'a', method: 'ping' }, {}, 200],
    ['without an id is a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, {}, 202],
    ['must be JSON', '{', {}, 400, -32_700],
    ['must be one message', [LIST], HEADERS, 400, -32_600],
    ['must be a request', { jsonrpc: '2.0', id: 1, result: {} }, {}, 400, -32_600],
    ['must be JSON-RPC 2.0', { id: 1, method: 'ping' }, {}, 400, -32_600],
    ['must name a method of ours', { ...LIST, method: 'toString' }, {}, 400, -32_020],
    ['of an older client too', { jsonrpc: '2.0', id: 1, method: 'toString' }, {}, 404, -32_601],
    [
      'of sessions is unknown without them',
      { ...LIST, method: 'ping' },
      { ...HEADERS, 'Mcp-Method': 'ping' },
      404,
      -32_601,
    ],
    ['needs the header of its version', LIST, {}, 400, -32_020],
    ['needs the header of its method', LIST, { 'MCP-Protocol-Version': '2026-07-28' }, 400, -32_020],
    ['needs the header of its tool', CALL, { ...HEADERS, 'Mcp-Method': 'tools/call' }, 400, -32_020],
    ['must name the tool of its header', CALL, calling('series'), 400, -32_020],
    ['must not have a broken header', CALL, calling('=?base64?%?='), 400, -32_020],
    ['must have an id that is a text or a number', { ...LIST, id: { a: 1 } }, HEADERS, 400, -32_600],
    ['must not have null as its id', { ...LIST, id: null }, HEADERS, 400, -32_600],
    ['must name a tool of ours', { ...CALL, params: { _meta: META, name: 'none' } }, calling('none'), 200, -32_602],
    [
      'must have its arguments by name',
      { ...CALL, params: { ...CALL.params, arguments: [1] } },
      calling('count'),
      200,
      -32_602,
    ],
    [
      'must have arguments that are no text',
      { ...CALL, params: { ...CALL.params, arguments: 'a' } },
      calling('count'),
      200,
      -32_602,
    ],
    ['must tell its version', { ...LIST, params: {} }, HEADERS, 400, -32_602],
    [
      'must know a version of ours',
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { 'MCP-Protocol-Version': '1900-01-01' },
      400,
      -32_022,
    ],
  ])('%s', async (_, message, headers, status, code) => {
    const response = await post(message, { headers })
    const text = await response.text()
    const body = text === '' ? {} : JSON.parse(text)
    expect([response.status, body.error?.code, response.headers.get('Cache-Control')]).toEqual([
      status,
      code,
      'no-store',
    ])
    if (status === 202) expect(text).toBe('')
    if (status === 200) expect(body).toMatchObject({ jsonrpc: '2.0', id: (message as { id: unknown }).id })
  })

  it('that names an unknown version gets the known ones', async () => {
    const meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' }
    const headers = { ...HEADERS, 'MCP-Protocol-Version': '2030-01-01' }
    const { error } = await (await post({ ...LIST, params: { _meta: meta } }, { headers })).json<{ error: object }>()
    const supported = ['2026-07-28', '2025-11-25', '2025-06-18']
    expect(error).toMatchObject({ code: -32_022, data: { supported, requested: '2030-01-01' } })
  })

  it('tells the versions, and an hour for which they hold', async () => {
    const headers = { ...HEADERS, 'Mcp-Method': 'server/discover' }
    const { result } = await (await post({ ...LIST, method: 'server/discover' }, { headers })).json<{
      result: object
    }>()
    expect(result).toMatchObject({
      resultType: 'complete',
      ttlMs: 3_600_000,
      cacheScope: 'public',
      capabilities: { tools: {} },
    })
  })

  it('of an older client gets exactly what that version has', async () => {
    expect(await (await post({ jsonrpc: '2.0', id: 1, method: 'ping' })).json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {},
    })
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } }
    const { result } = await (await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })).json<{
      result: object
    }>()
    expect(result).toMatchObject({ protocolVersion: '2025-06-18', capabilities: { tools: {} } })
  })
})

describe('the address', () => {
  it('takes only POST', async () => {
    const { status, headers } = await send('/mcp')
    expect([status, headers.get('Allow')]).toEqual([405, 'POST, OPTIONS'])
    expect((await send('/mcp', { method: 'DELETE' })).status).toBe(405)
    expect(await (await send('/mcp', { method: 'OPTIONS' })).json()).toMatchObject({ parses: ['application/json'] })
    expect((await send('/mcp/', { method: 'POST', redirect: 'manual' })).status).toBe(308)
  })

  it('takes only JSON, and a body of a query', async () => {
    const form = { method: 'POST', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, body: 'a=1' }
    expect((await send('/mcp', form)).status).toBe(415)
    expect((await post({ ...LIST, more: 'x'.repeat(100) }, { vars: { BODY_LIMIT: '100' } })).status).toBe(413)
  })

  it('takes no message that is longer than any question', async () => {
    const names = Object.fromEntries([...Array(3000)].map((_, i) => [`name_of_nothing_${i}`, 1]))
    const long = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count', arguments: names } }
    expect((await post(long)).status).toBe(413)
  })

  it('is a 503 if the database fails, as every other address', async () => {
    const vars = { DB: UNREACHABLE }
    const calling = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count' } }
    const { status, headers } = await post(calling, { vars })
    expect([status, headers.get('Retry-After')]).toEqual([503, '5'])
  })

  it('names the faulty parameters of a tool in the log', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    const params = { name: 'count', arguments: { id: 'secret', categroy: 'secret' } }
    await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const line = String(log.mock.calls[0]?.[0])
    log.mockRestore()
    expect(line).not.toContain('secret')
    expect(JSON.parse(line)).toMatchObject({ route: '/mcp', status: 200, fault: ['?'] })
  })

  it('refuses a wrong key', async () => {
    const { vars } = await withKey('private')
    expect(
      (await post(LIST, { headers: { ...HEADERS, Authorization: 'Bearer wrong' }, ...(vars && { vars }) })).status,
    ).toBe(401)
  })

  it('lets pages of other origins send its headers', async () => {
    const headers = { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' }
    const response = await send('/mcp', { method: 'OPTIONS', headers })
    const allowed = response.headers.get('Access-Control-Allow-Headers')?.split(',')
    expect(allowed).toEqual(expect.arrayContaining(['MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Authorization']))
  })
})
