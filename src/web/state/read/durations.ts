import { partsOf } from '../format.ts'
import { countsOf, isList, readNumber, readNumbers } from './numbers.ts'

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

/** Reads a length of time as people write it, in milliseconds: `1,5 uur`, `90 min`, `1h30m`, `1:30`. Else null. */
const readDuration = (text: string): number | null => {
  const [, sign, words = ''] = /^([-−]?) ?(.*)$/u.exec(text.trim().replace(/\s+/g, ' ').toLowerCase()) ?? []
  const [, hours, minutes] = /^(\d{1,5})(?::| ?[hu]| ?uur )([0-5]?\d)$/.exec(words) ?? []
  const length = hours === undefined ? sumOf(numbered(words)) : Number(hours) * HOUR + Number(minutes) * MINUTE
  return length === null || sign === '' ? length : -length
}

const numbered = (words: string): string =>
  words
    .replace(/^(half an|half a|een half) /, '0.5 ')
    .replace(/^anderhal(f|ve) /, '1.5 ')
    .replace(/^(an?|een) /, '1 ')

const PART = /((?:[\d.,'’]| (?=\d{3}\b))+) ?(\p{L}+)\.?,? ?(?:(?:and|en) )?/uy

const sumOf = (words: string): number | null => {
  let sum = 0
  for (PART.lastIndex = 0; PART.lastIndex < words.length; ) {
    const [, amount = '', unit = ''] = PART.exec(words) ?? []
    const [number, size] = [readNumber(amount), UNITS.get(unit)]
    if (number === null || size === undefined) return null
    sum += Number(number) * size
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
  const [hours = 0, minutes = 0, seconds = 0] = rest.map((part) => Number(part ?? 0))
  const time = hours * HOUR + minutes * MINUTE + seconds * SECOND + Number((rest[3] ?? '').padEnd(3, '0'))
  const [whole, length] = [Number(days || 0) * DAY, sign === '-' ? -time : time]
  return clock === null && sign === '-' ? -whole + length : whole + length
}

const isoOf = (length: number): string => {
  const [days, hours, minutes, seconds = 0, rest = 0] = partsOf(length)
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`
  const clock = [hours && `${hours}H`, minutes && `${minutes}M`, (seconds || rest) && `${seconds}${fraction}S`]
  const time = clock.filter(Boolean).join('')
  const date = days ? `${days}D` : ''
  return `${length < 0 ? '-' : ''}P${date}${time === '' ? (date === '' ? 'T0S' : '') : `T${time}`}`
}

/** Returns the value for the service. Texts that only the service may know stay unchanged. */
export const askedDuration = (lookup: string, text: string): string => {
  const seconds = readNumbers(text, { counts: countsOf(lookup), are: 'any' })
  if (seconds !== null) return seconds
  // A comma within a number separates nothing.
  const parts = isList(lookup) ? text.trim().split(/ *; *|, +|(?<=\p{L}),/u) : [text.trim()]
  const asked = parts.map((part) => {
    const length = readDuration(part)
    if (length !== null) return isoOf(length)
    return readNumber(part) ?? (lengthOf(part) === null ? null : part)
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
