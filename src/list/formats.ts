import { parseAccept } from 'hono/utils/accept'
import { notAcceptable, ValueError } from '../errors.ts'
import { htmlOf, type RenderContext } from './html.ts'

/** How an answer is written. */
export interface Format {
  readonly contentType: string
  readonly render: (body: unknown, context: RenderContext) => string
}

const json: Format = { contentType: 'application/json', render: (body) => JSON.stringify(body) }
const html: Format = { contentType: 'text/html; charset=utf-8', render: htmlOf }

/** The formats by the name that the parameter `format` takes. `api` is the page to a client that prefers HTML. */
const NAMED: Readonly<Record<string, readonly Format[]>> = { json: [json], api: [json, html] }

/** The names that the parameter `format` takes. */
export const FORMAT_NAMES = Object.keys(NAMED)

const PREFERENCE = [json, html]

/** The media types that there are. */
export const MEDIA_TYPES = PREFERENCE.map(mediaType)

/** What errors are written in: JSON to every program, the page only where a browser opens an address to look at it. */
export const errorFormat = (destination: string | undefined, name: string | undefined): Format =>
  destination === 'document' && (name ?? 'api') === 'api' ? html : json

/** The formats of a value of the parameter `format`. Throws ValueError for one that there is not. */
export const formatsNamed = (name: string): readonly Format[] => {
  const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined
  if (named === undefined) throw new ValueError(`Enter one of ${FORMAT_NAMES.join(', ')}.`)
  return named
}

/** The format that the header Accept asks for, of those named or, where none is (null), of all. Throws a 406. */
export const chooseFormat = (named: readonly Format[] | null, accept: string | null): Format => {
  const chosen = prefer(named ?? PREFERENCE, accept?.trim() || '*/*') ?? named?.[0]
  if (chosen === undefined) throw notAcceptable(MEDIA_TYPES)
  return chosen
}

function mediaType(format: Format): string {
  return format.contentType.split(';')[0] ?? ''
}

/** The format of the highest quality (RFC 9110, 12.5.1), the first among equals; null where none is acceptable. */
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

/** The quality of the most specific range that covers the type. */
const qualityOf = (type: string, ranges: readonly { type: string; q: number }[]): number => {
  for (const covering of [type, `${type.split('/')[0]}/*`, '*/*']) {
    const range = ranges.find((candidate) => candidate.type.toLowerCase() === covering)
    if (range !== undefined) return range.q
  }
  return 0
}
