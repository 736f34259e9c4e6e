import { LoadError } from '../load/error.ts'

/** A format of dates and the function that reads it. */
export interface DateFormat {
  readonly format: string
  /**
   * Returns milliseconds since 1970. `zoned` is false if the text has no zone, and then the time is local. Null: the
   * text does not match.
   */
  readonly read: (text: string) => { readonly time: number; readonly zoned: boolean } | null
}

/** The patterns of the parts that a format may have. */
const PARTS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{1,2})',
  HH: '(?<hours>\\d{1,2})',
  mm: '(?<minutes>\\d{2})',
  ss: '(?<seconds>\\d{2})(?:[.,](?<fraction>\\d+))?',
  Z: '(?<zone>Z|[+-]\\d\\d:?\\d\\d)',
}
const PART = new RegExp(Object.keys(PARTS).join('|'), 'g')
const NEEDED = ['YYYY', 'MM', 'DD']

/**
 * Creates a format from the parts YYYY, MM, DD, HH, mm, ss (with any fraction) and Z. Throws LoadError if the format is
 * invalid.
 */
export function dateFormat(format: string): DateFormat {
  const parts: readonly string[] = format.match(PART) ?? []
  const rest = format.replace(PART, '')
  if (!NEEDED.every((part) => parts.includes(part)) || new Set(parts).size < parts.length || /[A-SU-Za-z]/.test(rest))
    throw new LoadError(
      `--date-format is ${JSON.stringify(format)}: enter YYYY, MM and DD, and for times and zones HH, mm, ss and Z, such as "DD-MM-YYYY HH:mm"`,
    )
  // In a format without separators, each part must have all of its digits.
  const fixed = rest === ''
  const pattern = format
    .split(new RegExp(`(${PART.source})`))
    .map((piece) => PARTS[piece]?.replace('{1,2}', fixed ? '{2}' : '{1,2}') ?? piece.replace(/[^\w\s]/g, '\\$&'))
    .join('')
  const whole = new RegExp(`^${pattern}$`)
  return { format, read: (text) => timeOf(whole.exec(text)?.groups) }
}

function timeOf(groups: Readonly<Record<string, string>> | undefined): ReturnType<DateFormat['read']> {
  if (groups === undefined) return null
  const numberOf = (name: string): number => Number(groups[name] ?? 0)
  const [month, day] = [numberOf('month'), numberOf('day')]
  const [hours, minutes, seconds] = [numberOf('hours'), numberOf('minutes'), numberOf('seconds')]
  const milliseconds = Number((groups.fraction ?? '').slice(0, 3).padEnd(3, '0'))
  const date = new Date(0)
  date.setUTCFullYear(numberOf('year'), month - 1, day)
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (!exists || hours > 23 || minutes > 59 || seconds > 59) return null
  const clock = ((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds
  return { time: date.getTime() + clock - offsetOf(groups.zone ?? 'Z'), zoned: groups.zone !== undefined }
}

/** Returns how many milliseconds a zone, such as `+01:00`, is ahead of UTC. */
function offsetOf(zone: string): number {
  const { sign, hours, minutes } = /^(?<sign>[+-])(?<hours>\d\d):?(?<minutes>\d\d)$/.exec(zone)?.groups ?? {}
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000
}
