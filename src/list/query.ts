/** A parameter of a query string. The bytes are kept as they were sent, as `geom_within` takes WKB, which is no text. */
export interface Parameter {
  readonly name: string
  readonly bytes: Uint8Array
}

const PLUS = 0x2b
const PERCENT = 0x25
const BLANK = 0x20
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

/** The parameters of an `application/x-www-form-urlencoded` text, in their order (WHATWG URL, 5.1). */
export const parseQuery = (query: string): Parameter[] =>
  query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=')
      const name = equals < 0 ? pair : pair.slice(0, equals)
      return { name: decoder.decode(unquote(name)), bytes: unquote(equals < 0 ? '' : pair.slice(equals + 1)) }
    })

/** The query string of these parameters, sorted by name as Django REST framework does, with its leading `?` if any. */
export const formatQuery = (parameters: readonly Parameter[]): string => {
  const sorted = [...parameters].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const pairs = sorted.map((parameter) => `${quote(encoder.encode(parameter.name))}=${quote(parameter.bytes)}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

export const parameter = (name: string, value: string): Parameter => ({ name, bytes: encoder.encode(value) })

const hexDigit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 0x20
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

const unquote = (text: string): Uint8Array => {
  const bytes = encoder.encode(text)
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] ?? 0
    if (byte === PLUS) byte = BLANK
    else if (byte === PERCENT) {
      const high = hexDigit(bytes[i + 1] ?? 0)
      const low = hexDigit(bytes[i + 2] ?? 0)
      if (high >= 0 && low >= 0) {
        byte = high * 16 + low
        i += 2
      }
    }
    bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}

const UNRESERVED = new Set(encoder.encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~'))

const quote = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) {
    if (UNRESERVED.has(byte)) text += String.fromCharCode(byte)
    else if (byte === BLANK) text += '+'
    else text += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return text
}
