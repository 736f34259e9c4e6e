declare global {
  interface JSON {
    rawJSON(text: string): unknown
  }
}

/** The least double with full precision. */
const LEAST_NORMAL = 2.2250738585072014e-308

/** A number in JSON that no double holds: a double would be written with other digits. */
export class LongNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }

  /**
   * The nearest double of a decimal. It is null for an integer, because that may be an id. It is null if the number is
   * too large or too small for a double.
   */
  get nearest(): number | null {
    const double = Number(this.digits)
    const isNear = Number.isFinite(double) && Math.abs(double) >= LEAST_NORMAL
    return isNear && /[.e]/i.test(this.digits) ? double : null
  }

  valueOf(): number {
    return Number(this.digits)
  }

  toJSON(): unknown {
    return JSON.rawJSON(this.digits)
  }
}

/** Finds 16 digits, or an exponent of three. Without them, a double holds every number. */
const LONG = /\d[\d.]{15}|\d[eE][+-]?\d{3}/

/** Parses JSON. A number that no double holds becomes a LongNumber. Throws SyntaxError. */
export const parseJson = (text: string): unknown => {
  if (!LONG.test(text)) return JSON.parse(text)
  try {
    return JSON.parse(text, withDigits)
  } catch (error) {
    // The engine visits values by recursion.
    throw error instanceof RangeError ? new SyntaxError('too many levels') : error
  }
}

/** JavaScript cannot write some thousand levels of objects and arrays. */
const MAX_LEVELS = 1000
const TOKEN = /"(?:[^"\\]+|\\.)*"|[[\]{}]/gs

const isDeep = (text: string): boolean => {
  if (text.length < 2 * MAX_LEVELS) return false
  let levels = 0
  for (const [token] of text.matchAll(TOKEN)) {
    levels += Number(/^[[{]/.test(token)) - Number(/^[\]}]/.test(token))
    if (levels > MAX_LEVELS) return true
  }
  return false
}

/** Parses JSON of a database, with all digits of its numbers. It is null if it has too many levels. */
export const storedJson = (text: string): unknown => (isDeep(text) ? null : parseJson(text))

const withDigits = (_: string, value: unknown, { source }: { readonly source?: string } = {}): unknown =>
  typeof value === 'number' && source !== undefined && !isExact(value, source) ? new LongNumber(source) : value

const isExact = (double: number, source: string): boolean =>
  Number.isFinite(double) && (String(double) === source || decimalOf(String(double)) === decimalOf(source))

/** Returns the significant digits of a number and the place of its point. The sign does not matter. */
const decimalOf = (number: string): string => {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)\.?(\d*)(?:e(.*))?$/i.exec(number) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return end === 0 ? '0' : `${digits.slice(0, end)}e${digits.length - fraction.length + Number(exponent)}`
}

/** Returns the text of a number: as JSON writes a double, and otherwise its own digits. Returns other values unchanged. */
export const textOfNumber = (value: unknown): unknown => {
  if (value instanceof LongNumber) return value.digits
  return typeof value === 'number' ? JSON.stringify(value) : value
}

/** Returns an array with the nearest doubles of its numbers. Returns other values unchanged. */
export const doublesIn = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((each) => (each instanceof LongNumber ? each.nearest : each)) : value
