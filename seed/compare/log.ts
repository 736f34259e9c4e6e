import { chunksOf, linesIn } from '../read/bytes.ts'

/** The requests in access logs of nginx or Apache. */
export interface Log {
  /** Each path with its query, and its number of lines. The most frequent path comes first. */
  readonly requests: readonly (readonly [path: string, times: number])[]
  /** The numbers of other lines, by their methods. */
  readonly others: Readonly<Record<string, number>>
  /** The lines that are no request in a known format, and the place of the first one. */
  readonly unread: { readonly count: number; readonly first: string | null }
}

/** The beginning of a line in the formats `common` and `combined`. The name of the host may come before it. */
const LINE = /^\S+ \S+ .*?\[\d\d\/\w{3}\/\d{4}:[^\][]*\] "((?:[^"\\]|\\.)*)" \d{3} (?:\d+|-)(?:\s|$)/
const REQUEST = /^([A-Z]+) (?:https?:\/\/[^/?]*)?(\/\S*)(?: HTTP\/[\d.]+)?$/

/** So many different requests fit into memory. */
const MOST = 1_000_000

/** Counts the requests of access logs. The file `-` is the standard input. Throws LoadError if a file cannot be read. */
export async function readLogs(files: readonly string[]): Promise<Log> {
  const [paths, others] = [new Map<string, number>(), new Map<string, number>()]
  const unread: { count: number; first: string | null } = { count: 0, first: null }
  for (const file of files)
    for await (const { number, text } of linesIn(file === '-' ? process.stdin : chunksOf(file), file)) {
      const [, method = '', given = ''] = REQUEST.exec(LINE.exec(text)?.[1] ?? '') ?? []
      const path = given.replace(/\\(?:x([\da-f]{2})|(.))/gi, percentEncoded)
      if (method === '') {
        unread.count += 1
        unread.first ??= `${file}, line ${number}`
      } else if (method !== 'GET') add(others, method)
      else if (paths.size < MOST || paths.has(path)) add(paths, path)
      else add(others, 'GET after a million different ones')
    }
  const requests = [...paths].sort(([, times], [, more]) => more - times)
  return { requests, others: Object.fromEntries(others), unread }
}

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** Servers write a quote or a byte beyond ASCII with a backslash, such as \x22. */
const percentEncoded = (_: string, hex: string | undefined, character: string): string =>
  hex === undefined ? encodeURIComponent(character) : `%${hex}`
