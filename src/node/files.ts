import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { qualityIn } from '../http/offer.ts'

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
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

/** Returns a function that answers with a file in a folder, which has the form of `[assets]` in wrangler.toml. Null: there is none. */
export const filesIn = (folder: string): ((request: Request) => Response | null) => {
  const rules = rulesIn(join(folder, '_headers'))
  const files = new Map(pathsIn(folder).map((path) => [path, readFile(folder, path, rules)]))
  return ({ method, url, headers: asked }) => {
    const file = files.get(new URL(url).pathname)
    if (file === undefined || (method !== 'GET' && method !== 'HEAD')) return null
    const { ETag: tag = '' } = file.headers
    if (asked.get('If-None-Match')?.includes(tag)) return new Response(null, { status: 304, headers: file.headers })
    const isSmall = qualityIn(asked.get('Accept-Encoding') ?? '', ['gzip', '*']) > 0
    const headers = { ...file.headers, ...(isSmall && { 'Content-Encoding': 'gzip' }) }
    return new Response(isSmall ? file.gzip : file.bytes, { headers })
  }
}

const pathsIn = (folder: string): readonly string[] => {
  const assets = join(folder, 'assets')
  if (!existsSync(assets)) return []
  const entries = readdirSync(assets, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) =>
    entry.isFile() ? [`/${relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/')}`] : [],
  )
}

const readFile = (folder: string, path: string, rules: readonly Rule[]): File => {
  const bytes = new Uint8Array(readFileSync(join(folder, path)))
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  const own = { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream', Vary: 'Accept-Encoding' }
  const headers = { ...own, ...headersOf(path, rules), ETag: `W/"${digest}"` }
  return { headers, bytes, gzip: new Uint8Array(gzipSync(bytes)) }
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
