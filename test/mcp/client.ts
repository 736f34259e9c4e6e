import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type Options, ORIGIN, send } from '../service.ts'
import type { Told } from './questions.ts'

/** The official client (@modelcontextprotocol/client 2.4.0) speaks one version with `initialize`, and one without. */
export const VERSIONS = ['2025-11-25', '2026-07-28'] as const

/** Connects the official client. */
export const connect = async (version: (typeof VERSIONS)[number], options: Options = {}): Promise<Client> => {
  const negotiation = version === '2026-07-28' ? { versionNegotiation: { mode: { pin: version } } } : {}
  const client = new Client({ name: 'test', version: '1.0.0' }, negotiation)
  const fetch = (url: URL | string, init: RequestInit = {}) =>
    send(String(url), {
      ...options,
      ...init,
      headers: { ...options.headers, ...Object.fromEntries(new Headers(init.headers)) },
    })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', ORIGIN), { fetch }))
  return client
}

/** Sends a message of JSON-RPC without a client. */
export const post = (message: unknown, { headers, vars }: Options = {}): Promise<Response> => {
  const body = typeof message === 'string' ? message : JSON.stringify(message)
  return send('/mcp', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
    ...(vars && { vars }),
  })
}

/** Calls a tool without a client. A mistake stands in the facts. */
export const call = async (
  name: string,
  given: object = {},
  options: Options = {},
): Promise<Told & { isError: boolean }> => {
  const params = { name, arguments: given }
  const response = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, options)
  const { result } = await response.json<{ result: { content: { text: string }[]; isError?: boolean } }>()
  const [facts = '', data = ''] = result.content.map(({ text }) => text)
  return { facts: JSON.parse(facts), data, isError: result.isError === true }
}
