import { placeOf, turnedTo } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import { type EventItem, isEvent } from '../state/event.ts'
import { readList } from '../state/rows.ts'
import { ask, type LastList, lastList, rememberList } from '../state/service.ts'
import { texts } from '../state/text.ts'

interface NeighboursProps {
  readonly event: EventItem
  /** The path of the list of the event. */
  readonly path: string
}

/** Links back to the list that the reader came from, and to the events before and after in it. */
export const Neighbours = ({ event, path }: NeighboursProps) => {
  const from = lastList(path)
  const t = texts().item
  const at = from?.urls.indexOf(event.url) ?? -1
  const previous = useNeighbour(from, at, -1)
  const next = useNeighbour(from, at, 1)
  return (
    <nav class="back" aria-label={t.neighbours}>
      <a href={from?.address ?? path}>
        ‹ {from === null ? texts().app.toList : t.backTo(texts().list.counted('events', from.count))}
      </a>
      {previous !== null && (
        <a rel="prev" href={previous}>
          ← {t.previous}
        </a>
      )}
      {next !== null && (
        <a rel="next" href={next}>
          {t.next} →
        </a>
      )}
    </nav>
  )
}

/** Returns the address of an event beside another in a list. Beyond the known rows, asks for the page with it. */
const useNeighbour = (list: LastList | null, at: number, step: -1 | 1): string | null => {
  const known = at < 0 ? undefined : list?.urls[at + step]
  const page = (step < 0 ? list?.previous : list?.next) ?? null
  const isBeyond = at >= 0 && known === undefined
  const { value } = useAsked(isBeyond ? page : null, (signal) => joined(list, page, step, signal))
  return known ?? (isBeyond ? value : null)
}

/** Adds a page to the list that the reader came from, so that its events have neighbours as well. */
const joined = async (list: LastList | null, page: string | null, step: -1 | 1, signal: AbortSignal) => {
  if (list === null || page === null) return null
  const place = turnedTo(placeOf(list.address), page)
  const answer = readList((await ask(place, signal)).body, place.path)
  const urls = answer?.results.filter(isEvent).map(({ url }) => url) ?? []
  const now = lastList(place.path) ?? list
  rememberList(
    step < 0
      ? { ...now, urls: [...urls, ...now.urls], previous: answer?.previous ?? null }
      : { ...now, urls: [...now.urls, ...urls], next: answer?.next ?? null },
  )
  return (step < 0 ? urls.at(-1) : urls[0]) ?? null
}
