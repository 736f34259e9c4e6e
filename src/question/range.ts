/**
 * A range of values, both ends included. Null: no end. Integers are themselves, and doubles are given by their keys.
 * Instants and durations are in ticks, which keep all digits.
 */
export type Extent = readonly [least: bigint | null, greatest: bigint | null]

/** Returns the values in some extents as sorted extents that share none. They have both ends. */
export const unionOf = (extents: readonly (readonly [least: bigint, greatest: bigint])[]): readonly Extent[] => {
  const union: [bigint, bigint][] = []
  for (const [least, greatest] of [...extents].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))) {
    const last = union.at(-1)
    if (last === undefined || least > last[1]) union.push([least, greatest])
    else if (greatest > last[1]) last[1] = greatest
  }
  return union
}

/** The number of ticks in a microsecond. A second has up to 100 decimal digits, and a tick is one unit of the last. */
export const TICKS = 10n ** 94n

/** A millisecond and a second in ticks. */
export const [MILLISECOND, SECOND] = [1000n * TICKS, 1_000_000n * TICKS]
/** The keys of instants begin so many seconds before 1970. Their seconds have so many digits, and the keys so many. */
export const [BEFORE_1970, SECOND_LENGTH, KEY_LENGTH] = [10n ** 12n, 14n, 114n]

/** Returns the text that stands for an instant among texts. Keys have the order of their instants. */
export const keyOfInstant = (ticks: bigint): string =>
  String(ticks + BEFORE_1970 * SECOND).padStart(Number(KEY_LENGTH), '0')

/** Numbers with at most so many decimals are exact. */
const DECIMALS = 100n

/** Returns the integer that stands for a decimal, such as `-1.5e3`, in ranges of exact numbers. Further decimals are cut. */
export const exactOf = (decimal: string): bigint => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^\s*([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?\s*$/i.exec(decimal) ?? []
  const power = DECIMALS - BigInt(fraction.length) + BigInt(exponent)
  const digits = BigInt(whole + fraction)
  if (power < -BigInt(decimal.length) - DECIMALS || digits === 0n) return 0n
  const magnitude = power < 0n ? digits / 10n ** -power : digits * 10n ** power
  return sign === '-' ? -magnitude : magnitude
}

/** Returns the decimal of such an integer. */
export const decimalOf = (exact: bigint): string => {
  const digits = String(exact < 0n ? -exact : exact).padStart(Number(DECIMALS) + 1, '0')
  const [whole, fraction] = [digits.slice(0, -Number(DECIMALS)), digits.slice(-Number(DECIMALS))]
  return `${exact < 0n ? '-' : ''}${whole}.${fraction}`
}

const BYTES = new DataView(new ArrayBuffer(8))
const [SIGN, MAGNITUDE] = [2n ** 63n, 2n ** 63n - 1n]

/** Returns the integer that stands for a double in a range. Integers have the order of their doubles. -0 is 0. */
export const keyOfDouble = (number: number): bigint => {
  BYTES.setFloat64(0, number)
  const bits = BYTES.getBigInt64(0)
  return bits < 0n ? -(bits & MAGNITUDE) : bits
}

/** Returns the double of a key. A key beyond the greatest double gives infinity. */
export const doubleOfKey = (key: bigint): number => {
  BYTES.setBigUint64(0, key < 0n ? SIGN | -key : key)
  return BYTES.getFloat64(0)
}

/** Divides and rounds down. */
export const floor = (value: bigint, unit: bigint): bigint => value / unit - (value % unit < 0n ? 1n : 0n)

/** Divides and rounds up. */
export const ceiling = (value: bigint, unit: bigint): bigint => -floor(-value, unit)

/**
 * Returns the first and the last whole unit in an extent. Exact: 1.5 milliseconds are less than 2 and more than 1. An extent
 * without any ends before it begins.
 */
export const unitsIn = ([least, greatest]: Extent, unit: bigint): Extent => [
  least && ceiling(least, unit),
  greatest && floor(greatest, unit),
]
