import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { qualityIn } from '../../src/http/offer.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** A file of the page. It is compressed once. */
interface File {
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly gzip: Uint8Array
}

/**
 * Returns a function that answers with a file in a folder, which has the form of `[assets]` in wrangler.toml. It returns false
 * if there is no such file.
 */
export const filesIn = (folder: string): ((incoming: IncomingMessage, outgoing: ServerResponse) => boolean) => {
  const rules = rulesIn(join(folder, '_headers'))
  const files = new Map(pathsIn(folder).map((path) => [path, readFile(folder, path, rules)]))
  return ({ method, url = '', headers: asked }, outgoing) => {
    const file = files.get(url.replace(/\?.*/s, ''))
    if (file === undefined || (method !== 'GET' && method !== 'HEAD')) return false
    const { headers } = file
    if (hasTag(asked['if-none-match'], headers.ETag)) {
      outgoing.writeHead(304, headers).end()
      return true
    }
    const isSmall = qualityIn(String(asked['accept-encoding'] ?? ''), ['gzip', '*']) > 0
    const [bytes, coding] = isSmall ? [file.gzip, { 'Content-Encoding': 'gzip' }] : [file.bytes, {}]
    outgoing.writeHead(200, { ...headers, ...coding, 'Content-Length': bytes.length })
    outgoing.end(method === 'HEAD' ? undefined : bytes)
    return true
  }
}

/** Tests if a header If-None-Match has a tag. It compares weakly (RFC 9110, 13.1.2). */
const hasTag = (header = '', tag = ''): boolean =>
  header.split(',').some((each) => ['*', tag.replace('W/', '')].includes(each.trim().replace('W/', '')))

const pathsIn = (folder: string): readonly string[] => {
  const assets = join(folder, 'assets')
  if (!existsSync(assets)) return []
  const entries = readdirSync(assets, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) =>
    entry.isFile() ? [`/${relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')}`] : [],
  )
}

const readFile = (folder: string, path: string, rules: readonly Rule[]): File => {
  const bytes = readFileSync(join(folder, path))
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const own = { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream', Vary: 'Accept-Encoding' }
  const headers = { ...own, ...headersOf(path, rules), ETag: `W/"${digest}"` }
  return { headers, bytes, gzip: gzipSync(bytes) }
}

/** The headers of the paths that begin with a text. A value of null takes an earlier one away. */
interface Rule {
  readonly start: string
  readonly headers: readonly (readonly [name: string, value: string | null])[]
}

/** Reads the rules in a file of headers, as Cloudflare does. */
const rulesIn = (file: string): readonly Rule[] => {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return text.split(/^(?=\/)/m).map((rule) => {
    const [pattern = '', ...lines] = rule.trimEnd().split('\n')
    const headers = lines.map((line) => {
      const [, removed, name = '', value = ''] = /^\s*(!)?\s*([\w-]+)(?::\s*(.*))?$/.exec(line) ?? []
      return [name, removed === undefined ? value : null] as const
    })
    return { start: pattern.replace('*', ''), headers }
  })
}

const headersOf = (path: string, rules: readonly Rule[]): Record<string, string> => {
  const given = new Map<string, string>()
  for (const { headers } of rules.filter(({ start }) => path.startsWith(start)))
    for (const [name, value] of headers) value === null ? given.delete(name) : given.set(name, value)
  return Object.fromEntries(given)
}
