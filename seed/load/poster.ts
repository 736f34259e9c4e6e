import { createHash } from 'node:crypto'
import { post, RefusedRequest, type Send } from './api.ts'
import { EVENTS, featureOf } from './conversion.ts'
import { LoadError } from './error.ts'
import type { Selected } from './target.ts'

/** The limits of one post. The service accepts 10,000 items and 10 MB. */
const POST_EVENTS = 5_000
const POST_LENGTH = 3_000_000 // characters of JSON, with at most 3 bytes per character

type Posted = Record<'created' | 'changed' | 'unchanged', number>

/** The identity of a series. If a series is deleted and created again, `created` differs. */
export interface SeriesIdentity {
  readonly uuid: string
  readonly created: string | null
}

/**
 * Creates a function that posts events in chunks, and one that posts the rest. The service stores a chunk only once
 * within a day, unless its series is deleted and created again. `salt` is part of each Idempotency-Key.
 */
export function createPoster(ask: Send, seriesOf: ReadonlyMap<number, SeriesIdentity>, salt: string) {
  const done: Posted = { created: 0, changed: 0, unchanged: 0 }
  let [chunk, length, series] = [[] as (Selected & { json: string })[], 0, new Set<string>()]
  const flush = async (): Promise<void> => {
    const [first] = chunk
    if (first === undefined) return
    const body = `{"type":"FeatureCollection","features":[${chunk.map(({ json }) => json).join(',')}]}`
    const key = createHash('sha256')
      .update(JSON.stringify([salt + first.digest, first.number - 1, [...series], body]))
      .digest('hex')
    const posted = await post<Posted>(ask, EVENTS, body, key).catch((cause: Error) => {
      const again = 'Run the same command again within a day to continue. It adds nothing twice.'
      const reason = cause instanceof RefusedRequest ? faultsOf(cause, chunk) : cause.message
      throw new LoadError(`${reason}\n${done.created} earlier events were added. ${again}`, { cause })
    })
    done.created += posted.created
    done.changed += posted.changed
    done.unchanged += posted.unchanged
    ;[chunk, length, series] = [[], 0, new Set()]
  }
  const add = async (selected: Selected): Promise<void> => {
    const { record, digest, storedId } = selected
    if (record.kind !== 'event') return
    const known = seriesOf.get(record.series)
    // The service requires a position of a new event, which may be null.
    const event = storedId === null ? { coordinates: null, ...record } : record
    const json = JSON.stringify(featureOf(event, known?.uuid ?? record.series))
    if (length + json.length > POST_LENGTH || chunk[0]?.digest !== digest) await flush()
    chunk.push({ ...selected, json })
    length += json.length
    if (known !== undefined) series.add(`${known.uuid} ${known.created}`)
    if (chunk.length === POST_EVENTS) await flush()
  }
  return { add, flush, done }
}

/** Lists the faults of a refused post. Places in the file replace the feature numbers of the service. */
function faultsOf({ status, text, message }: RefusedRequest, chunk: readonly Selected[]): string {
  if (status !== 400 || !text.startsWith('{')) return message
  const lines = Object.entries(JSON.parse(text)).map(([path, reasons]) => {
    const { number, member } = /^features\[(?<number>\d+)\]\.?(?<member>.*)$/.exec(path)?.groups ?? {}
    const place = number === undefined ? undefined : chunk[Number(number)]?.place
    return `${place === undefined ? path : `${place()}: "${member}"`}: ${[reasons].flat().join(' ')}`
  })
  return `the service does not accept these values\n${lines.join('\n')}`
}
