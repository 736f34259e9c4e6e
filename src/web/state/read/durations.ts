const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]
const DAY = 24 * HOUR

/** The names of units in English and Dutch, and their milliseconds. */
const NAMES: readonly [string, number][] = [
  ['ms millisecond milliseconds milliseconde milliseconden', 1],
  ['s sec second seconds seconde seconden', SECOND],
  ['m min mins minute minutes minuut minuten', MINUTE],
  ['h hr hrs hour hours u uur uren', HOUR],
  ['d day days dag dagen', DAY],
  ['w wk week weeks weken', 7 * DAY],
]

/** Milliseconds of each unit, by its name. */
export const UNITS: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap(([names, size]) => names.split(' ').map((name): [string, number] => [name, size])),
)

const PART = /(\d+(?:[.,]\d+)?) ?(\p{L}+)\.?,? ?(?:(?:and|en) )?/uy

/** Reads a length of time as people write it, in milliseconds: `1,5 uur`, `90 min`, `1h30m`, `1:30`. Else null. */
export const readDuration = (text: string): number | null => {
  const [, sign, words = ''] = /^([-−]?) ?(.*)$/u.exec(text.trim().replace(/\s+/g, ' ').toLowerCase()) ?? []
  const [, hours, minutes] = /^(\d{1,5})(?::| ?[hu]| ?uur )([0-5]?\d)$/.exec(words) ?? []
  const length = hours === undefined ? sumOf(numbered(words)) : Number(hours) * HOUR + Number(minutes) * MINUTE
  return length === null ? null : sign === '' ? length : -length
}

const numbered = (words: string): string =>
  words
    .replace(/^(half an|half a|een half) /, '0.5 ')
    .replace(/^anderhal(f|ve) /, '1.5 ')
    .replace(/^(an?|een) /, '1 ')

const sumOf = (words: string): number | null => {
  let sum = 0
  for (PART.lastIndex = 0; PART.lastIndex < words.length; ) {
    const [, amount = '', unit = ''] = PART.exec(words) ?? []
    const size = UNITS.get(unit)
    if (size === undefined) return null
    sum += Number(amount.replace(',', '.')) * size
  }
  return words === '' ? null : Math.round(sum)
}

const CLOCK = /^(?:(-?\d+) (?:days?, )?)?(-?)(?:(?:(\d+):)?(\d+):)?(\d+)(?:[.,](\d{1,3}))?$/
const ISO = /^([-+]?)P(?=.*\d)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d{1,3}))?S)?)?$/i

/** Reads a value of the service in milliseconds. Null if it has more digits. */
const lengthOf = (value: string): number | null => {
  const [clock, iso] = [CLOCK.exec(value), ISO.exec(value)]
  if (clock === null && iso === null) return null
  const [, days = '', sign = '', ...rest] = clock ?? [null, iso?.[2], iso?.[1], ...(iso?.slice(3) ?? [])]
  const [hours, minutes, seconds] = rest.map((part) => Number(part ?? 0))
  const time = (hours ?? 0) * HOUR + (minutes ?? 0) * MINUTE + (seconds ?? 0) * SECOND
  const length = time + Number((rest[3] ?? '').padEnd(3, '0'))
  const whole = Number(days || 0) * DAY
  return clock === null && sign === '-' ? -whole - length : whole + (sign === '-' ? -length : length)
}

const SIZES = [DAY, HOUR, MINUTE, SECOND, 1]

/** Splits a length of time into days, hours, minutes, seconds and milliseconds. */
const partsOf = (length: number): number[] => {
  let rest = Math.abs(length)
  return SIZES.map((size) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count
  })
}

const isoOf = (length: number): string => {
  const [days, hours, minutes, seconds = 0, rest] = partsOf(length)
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`
  const date = days === 0 ? '' : `${days}D`
  const time = [hours && `${hours}H`, minutes && `${minutes}M`, (seconds || rest) && `${seconds}${fraction}S`]
  const clock = time.filter(Boolean).join('')
  return `${length < 0 ? '-' : ''}P${date}${clock === '' ? (date === '' ? 'T0S' : '') : `T${clock}`}`
}

const isList = (lookup: string): boolean => lookup === 'range' || lookup.startsWith('in')

/** Returns the value for the service. Texts that only the service may know stay unchanged. */
export const askedDuration = (lookup: string, text: string): string => {
  // A comma within a number separates nothing.
  const parts = isList(lookup) ? text.trim().split(/ *; *|, +|(?<=\p{L}),/u) : [text.trim()]
  const asked = parts.map((part) => {
    const length = readDuration(part)
    return length === null ? (lengthOf(part) === null ? null : part) : isoOf(length)
  })
  return asked.includes(null) ? text : asked.join(',')
}

/** Returns the text that the form shows for a value, such as 1 h 30 min. `names` are those of the five units. */
export const shownDuration = (lookup: string, value: string, names: readonly string[]): string => {
  const lengths = (isList(lookup) ? value.split(',') : [value]).map((part) => lengthOf(part.trim()))
  const words = lengths.map((length) => {
    const parts = partsOf(length ?? 0).flatMap((count, i) => (count === 0 ? [] : [`${count} ${names[i]}`]))
    return `${(length ?? 0) < 0 ? '−' : ''}${parts.join(' ') || `0 ${names[3]}`}`
  })
  return lengths.includes(null) ? value : words.join('; ')
}
