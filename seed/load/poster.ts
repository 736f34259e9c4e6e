import { createHash } from 'node:crypto'
import type { FileEvent } from '../read/event.ts'
import { post, Refused } from './api.ts'
import type { Totals } from './check.ts'
import { LoadError } from './error.ts'
import type { Service } from './service.ts'

/** The limits of one post. The service accepts 10,000 items and 10 MB. */
const POST_EVENTS = 5_000
const POST_LENGTH = 3_000_000 // characters of JSON, with at most 3 bytes per character

/** The numbers of events that the service created (totals), had already (stored) and changed. */
export interface PostTotals {
  readonly totals: Totals
  readonly stored: Totals
  readonly numbers: { changed: number }
}

/** Posts the events of a file in chunks. */
export interface Poster {
  /** Adds an event. `index` is its number among all records. `place` returns its position in the file for messages. */
  readonly add: (event: FileEvent, index: number, place: () => string) => Promise<void>
  readonly flush: () => Promise<void>
}

interface Feature {
  readonly json: string
  readonly place: () => string
}

/**
 * Creates a poster. `name` identifies the file in each Idempotency-Key. The service stores a chunk only once within a
 * day, unless its series is deleted and created again.
 */
export function createPoster(service: Service, name: string, { totals, stored, numbers }: PostTotals): Poster {
  let [features, length, first] = [[] as Feature[], 0, 0]
  let series = new Set<string>()
  const flush = async () => {
    if (features.length === 0) return
    const body = `{"type":"FeatureCollection","features":[${features.map(({ json }) => json).join(',')}]}`
    const key = createHash('sha256')
      .update(JSON.stringify([name, first, [...series], body]))
      .digest('hex')
    const answer = await post(service.api, '/api/v3/events/', body, key).catch((cause: Error) => {
      const again = 'Run the same command again within a day to continue. It adds nothing twice.'
      const reason = cause instanceof Refused ? faultsOf(cause, features) : cause.message
      throw new LoadError(`${reason}\n${totals.event} earlier events were added. ${again}`, { cause })
    })
    const { created, changed, unchanged } = answer as { created: number; changed: number; unchanged: number }
    totals.event += created
    numbers.changed += changed
    stored.event += unchanged
    ;[features, length, series] = [[], 0, new Set()]
  }
  const add = async (event: FileEvent, index: number, place: () => string) => {
    const known = service.seriesOf.get(event.series)
    const json = JSON.stringify(featureOf(event, known?.uuid ?? event.series))
    if (length + json.length > POST_LENGTH) await flush()
    if (features.length === 0) first = index
    features.push({ json, place })
    length += json.length
    if (known !== undefined) series.add(`${known.uuid} ${known.created}`)
    if (features.length === POST_EVENTS) await flush()
  }
  return { add, flush }
}

/** Lists the faults of a refused post. Places in the file replace the feature numbers of the service. */
function faultsOf({ status, text, message }: Refused, features: readonly Feature[]): string {
  if (status !== 400 || !text.startsWith('{')) return message
  const lines = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>).map(([path, reasons]) => {
    const [, number = '', member = ''] = /^features\[(\d+)\]\.?(.*)$/.exec(path) ?? []
    const place = features[Number(number)]?.place
    const reason = [reasons].flat().join(' ')
    return number === '' || place === undefined ? `${path}: ${reason}` : `${place()}: "${member}": ${reason}`
  })
  return `the service does not accept these values\n${lines.join('\n')}`
}

/** Converts an event to a feature. It omits fields that the file lacks, so the service does not change them. */
const featureOf = (
  { category, value, start, end, coordinates, object, external_id }: FileEvent,
  event_series: number | string,
) => ({
  type: 'Feature',
  ...(coordinates !== undefined && { geometry: coordinates && { type: 'Point', coordinates } }),
  properties: {
    ...{ category, value, timestamp_start: start, timestamp_end: end === null ? start : end, event_series },
    object: object && { type: object.model, id: object.id },
    ...(external_id && { external_id }),
  },
})
