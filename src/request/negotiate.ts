import { parseAccept } from 'hono/utils/accept'
import { notAcceptable, ValueError } from '../errors.ts'
import { type Format, formatNames, mediaType, mediaTypes, NAMED } from '../formats/formats.ts'
import { read, type Values } from './parameters.ts'

/**
 * Chooses one of the offered formats for a request. First the parameter `format` decides. An unknown name is a 400.
 * Between the formats that remain, the header Accept decides. Throws a 406 if Accept excludes all and there is no
 * parameter.
 */
export const readFormat = (values: Values, accept: string | null, offered: readonly Format[]): Format => {
  const named = read(values, 'format', formatsNamed(offered), null)
  const chosen = prefer(named ?? offered, accept?.trim() || '*/*') ?? named?.[0]
  if (chosen === undefined) throw notAcceptable(mediaTypes(offered))
  return chosen
}

const formatsNamed =
  (offered: readonly Format[]) =>
  (name: string): readonly Format[] => {
    const names = formatNames(offered)
    if (!names.includes(name)) throw new ValueError(`Enter one of ${names.join(', ')}.`)
    return NAMED[name] ?? []
  }

/**
 * Returns the format of the highest quality (RFC 9110, 12.5.1), the first among equals. Returns null if none is
 * acceptable.
 */
const prefer = (offered: readonly Format[], header: string): Format | null => {
  const ranges = parseAccept(header)
  let best: Format | null = null
  let highest = 0
  for (const format of offered) {
    const quality = qualityOf(mediaType(format), ranges)
    if (quality > highest) {
      best = format
      highest = quality
    }
  }
  return best
}

/** Returns the quality of the most specific range that contains the type. */
const qualityOf = (type: string, ranges: readonly { type: string; q: number }[]): number => {
  for (const covering of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const range = ranges.find((candidate) => candidate.type.toLowerCase() === covering)
    if (range !== undefined) return range.q
  }
  return 0
}
