/** A statement as it is bound. */
export interface Bound {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** What D1 documents and the local one does not hold to (developers.cloudflare.com/d1/platform/limits/). */
export const MAX_VALUE = 2_000_000 // bytes of a text, a blob or a row
export const MAX_ARGUMENTS = 32 // of an SQL function
export const MAX_PARAMETERS = 100
export const MAX_SQL = 100_000 // bytes
export const MAX_QUERIES = 1_000 // of a Worker's invocation
export const MAX_TIME = 30_000 // milliseconds of a batch
export const MAX_ANSWER = 32 * 2 ** 20 // bytes of a call

const encoder = new TextEncoder()
// A third of the limit in characters cannot have more bytes.
const bytesOf = (text: string): number => (3 * text.length <= MAX_VALUE ? text.length : encoder.encode(text).length)

/** How many bytes a value takes in a row. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return bytesOf(value)
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength
  return value === null ? 1 : 8
}

/** What the documentation refuses of a statement, null where it is taken. */
export const faultOf = ({ sql, parameters }: Bound): string | null => {
  if (encoder.encode(sql).length > MAX_SQL) return `statement too long: SQLITE_TOOBIG`
  if (parameters.length > MAX_PARAMETERS) return `too many SQL variables: SQLITE_ERROR`
  if (parameters.some((value) => sizeOf(value) > MAX_VALUE)) return `string or blob too big: SQLITE_TOOBIG`
  const most = mostArguments(sql)
  return most > MAX_ARGUMENTS ? `too many arguments on function (${most}): SQLITE_ERROR` : null
}

/** What the documentation refuses of rows that were read, null where they are answered; their bytes are added up. */
export const faultOfRows = (results: readonly (readonly object[])[]): string | null => {
  let total = 0
  for (const rows of results)
    for (const row of rows) {
      const size = Object.values(row).reduce<number>((sum, value) => sum + sizeOf(value), 0)
      if (size > MAX_VALUE) return `string or blob too big: SQLITE_TOOBIG`
      total += size
    }
  return total > MAX_ANSWER ? 'the answer has more than 32 MiB' : null
}

/** Words that stand before a parenthesis without being functions. */
const WORDS = new Set(
  'and as by case check else exists from if in into is join key not on or over primary references returning select set then unique using values when where'.split(
    ' ',
  ),
)

/** How many arguments the function with the most has: what stands between its parentheses, by the commas of that depth. */
const mostArguments = (sql: string): number => {
  // Texts, names and comments hold parentheses and commas of their own.
  const plain = sql.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, 'x')
  const open: { readonly isCall: boolean; commas: number }[] = []
  let most = 0
  for (const { 0: sign, 1: word, index } of plain.matchAll(/(\w+)?\s?\(|[,)]/g)) {
    if (sign === ',') {
      const innermost = open.at(-1)
      if (innermost !== undefined) innermost.commas += 1
    } else if (sign === ')') {
      const closed = open.pop()
      if (closed?.isCall) most = Math.max(most, closed.commas + 1)
    } else {
      const isTable = /\b(into|table|on|with|as)\s+$/i.test(plain.slice(Math.max(0, index - 12), index))
      open.push({ isCall: word !== undefined && !isTable && !WORDS.has(word.toLowerCase()), commas: 0 })
    }
  }
  return most
}

/** Whether a statement writes, so that only the primary takes it. */
export const isWrite = ({ sql }: Bound): boolean =>
  /\b(insert\s+(or\s+\w+\s+)?into|replace\s+into|update\s+\w+|delete\s+from|create\s|drop\s|alter\s)/i.test(
    sql.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/\bdo\s+update\b/gi, ''),
  )
