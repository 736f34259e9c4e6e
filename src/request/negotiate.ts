import { parseAccept } from 'hono/utils/accept'
import { mediaType } from '../downloads.ts'
import { notAcceptable, ValueError } from '../errors.ts'
import { DOCUMENT_FORMATS, type Format, formatsNamed, LIST_FORMATS } from '../formats/formats.ts'
import { read, type Values } from './parameters.ts'

/** The formats of an address. */
export interface Offer {
  /** The parameter that names a format. */
  readonly parameter: 'format' | 'f'
  /** The formats of each of its values. */
  readonly named: Readonly<Record<string, readonly Format[]>>
  /** The formats by the media types in Accept. If the client prefers two equally, the first one is used. */
  readonly types: readonly (readonly [type: string, format: Format])[]
}

const offerOf = (formats: readonly Format[]): Offer => ({
  parameter: 'format',
  named: formatsNamed(formats),
  types: formats.map((format) => [mediaType(format), format]),
})

/** The formats of lists and their items, and those of any other document. */
export const LIST_OFFER = offerOf(LIST_FORMATS)
export const DOCUMENT_OFFER = offerOf(DOCUMENT_FORMATS)

/**
 * Chooses the format of an answer. First the parameter decides. An unknown name is a 400. Between the formats that
 * remain, the header Accept decides. Throws a 406 if Accept excludes all and there is no parameter.
 */
export const readFormat = (values: Values, accept: string | null, { parameter, named, types }: Offer): Format => {
  const chosen = read(values, parameter, formatsIn(named), null)
  const left = chosen === null ? types : types.filter(([, format]) => chosen.includes(format))
  const format = prefer(left, accept?.trim() || '*/*') ?? chosen?.[0]
  if (format === undefined) throw notAcceptable([...new Set(types.map(([type]) => type))])
  return format
}

const formatsIn = (named: Offer['named']) => (name: string) => {
  const formats = Object.hasOwn(named, name) ? named[name] : undefined
  if (formats === undefined) throw new ValueError(`Enter one of ${Object.keys(named).join(', ')}.`)
  return formats
}

/**
 * Returns the format of the highest quality (RFC 9110, 12.5.1), the first among equals. Returns null if none is
 * acceptable.
 */
const prefer = (offered: Offer['types'], header: string): Format | null => {
  const ranges = parseAccept(header)
  let best: Format | null = null
  let highest = 0
  for (const [type, format] of offered) {
    const quality = qualityOf(type, ranges)
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
