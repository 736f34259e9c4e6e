/** A statement with its parameters. */
export interface Bound {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** The documented limits of D1 (developers.cloudflare.com/d1/platform/limits/). A local D1 does not apply them. */
export const MAX_VALUE = 2_000_000 // bytes of a text, a blob or a row
export const MAX_ARGUMENTS = 32 // per SQL function
export const MAX_PARAMETERS = 100
export const MAX_SQL = 100_000 // bytes
export const MAX_QUERIES = 1_000 // per invocation of a Worker
export const MAX_TIME = 30_000 // milliseconds per batch
export const MAX_ANSWER = 32 * 2 ** 20 // bytes per call

const encoder = new TextEncoder()
// A character has at most 3 bytes. A text of up to a third of the limit is within the limit, so its exact size does not
// matter.
const bytesOf = (text: string): number => (3 * text.length <= MAX_VALUE ? text.length : encoder.encode(text).length)

/** Returns the size of a value in a row, in bytes. */
const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return bytesOf(value)
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength
  return value === null ? 1 : 8
}

/** Returns the documented limit that a statement exceeds, or null. */
export const faultOf = ({ sql, parameters }: Bound): string | null => {
  if (encoder.encode(sql).length > MAX_SQL) return `statement too long: SQLITE_TOOBIG`
  if (parameters.length > MAX_PARAMETERS) return `too many SQL variables: SQLITE_ERROR`
  if (parameters.some((value) => sizeOf(value) > MAX_VALUE)) return `string or blob too big: SQLITE_TOOBIG`
  const most = mostArguments(sql)
  return most > MAX_ARGUMENTS ? `too many arguments on function (${most}): SQLITE_ERROR` : null
}

/** Returns the documented limit that the rows of a call exceed, or null. The sizes of all rows are added up. */
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

/** Words before a parenthesis that are no functions. */
const WORDS = new Set(
  'and as by case check else exists from if in into is join key not on or over primary references returning select set then unique using values when where'.split(
    ' ',
  ),
)

/**
 * Returns the largest number of arguments of any function. To find them, it counts the commas at each depth of
 * parentheses.
 */
const mostArguments = (sql: string): number => {
  // Texts, names and comments may contain parentheses and commas.
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

/** Returns true if a statement writes. Only the primary runs it then. */
export const isWrite = ({ sql }: Bound): boolean =>
  /\b(insert\s+(or\s+\w+\s+)?into|replace\s+into|update\s+\w+|delete\s+from|create\s|drop\s|alter\s)/i.test(
    sql.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/\bdo\s+update\b/gi, ''),
  )
