import { parameter } from './address.ts'
import { useAsked } from './asked.ts'
import { type Details, detailsOf, type EventItem } from './event.ts'
import { ask } from './service.ts'

type DetailsById = ReadonlyMap<number, Details>

/** The most ids in one request. */
const MOST = 1000

/** Adds the source ids and attributes to events of version 3, which come without them. */
export const useDetails = (prefix: string, events: readonly EventItem[]): readonly EventItem[] => {
  const ids = events.filter(({ details }) => details === null).map(({ id }) => id)
  const key = ids.length === 0 ? null : `details ${ids.join()}`
  const { value: found } = useAsked(key, (signal) => readDetails(prefix, ids, signal))
  if (found === null) return events
  return events.map((event) => ({ ...event, details: event.details ?? found.get(event.id) ?? null }))
}

/** Reads the source ids and attributes of events. Only the flat form of version 3 has them. */
export const readDetails = async (
  prefix: string,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<DetailsById> => {
  const found = new Map<number, Details>()
  for (let start = 0; start < ids.length; start += MOST) {
    const wanted = ids.slice(start, start + MOST)
    const parameters = [
      parameter('id__in', wanted.join(',')),
      parameter('page_size', String(wanted.length)),
      parameter('format', 'geojson'),
    ]
    const { body } = await ask({ path: `${prefix}/api/v3/events/`, parameters }, signal)
    for (const { id, properties } of featuresOf(body)) {
      const details = detailsOf(properties)
      if (details !== null) found.set(id, details)
    }
  }
  return found
}

const featuresOf = (body: unknown) =>
  typeof body === 'object' && body !== null && 'features' in body
    ? (body.features as readonly { readonly id: number; readonly properties: object }[])
    : []
