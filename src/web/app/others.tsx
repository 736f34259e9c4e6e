import { nameOf } from '../list/cells.tsx'
import { changed, hrefOf, isOgc, type PageAddress } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import { type EventItem, isEvent } from '../state/event.ts'
import { formatInstant } from '../state/format.ts'
import { readList } from '../state/rows.ts'
import { ask } from '../state/service.ts'
import { texts } from '../state/text.ts'

const MOST = 5

interface OthersProps {
  /** The event that is left out. Null: none. */
  readonly event: EventItem | null
  /** The list of events that have something in common with the event. Null until it is known. */
  readonly place: PageAddress | null
  readonly title: string
}

/** The newest events of a list, with a link to the list. */
export const Others = ({ event, place: list, title }: OthersProps) => {
  const place = list && changed(list, { [isOgc(list) ? 'sortby' : 'ordering']: '-timestamp_start' })
  const { value, isCurrent } = useAsked(place && hrefOf(place), async (signal) => place && newest(place, signal))
  const others = (value?.results ?? []).filter(isEvent).filter(({ id }) => id !== event?.id)
  // The panel has its height before the answer.
  if (place !== null && isCurrent && others.length === 0) return null
  return (
    <section class="panel others" aria-label={title}>
      <div class="panel-head">
        <h2>{title}</h2>
        {place !== null && value !== null && (
          <a href={hrefOf(place)}>{texts().item.all(texts().list.counted('events', value.count))}</a>
        )}
      </div>
      <ul>
        {others.slice(0, MOST).map((other) => (
          <li key={other.id}>
            <a class="cut" href={other.url}>
              {nameOf(other)}
            </a>{' '}
            <small>{formatInstant(other.start)}</small>
          </li>
        ))}
      </ul>
    </section>
  )
}

const newest = async (place: PageAddress, signal: AbortSignal) => {
  const size = { [isOgc(place) ? 'limit' : 'page_size']: String(MOST + 1) }
  const { body } = await ask(changed(place, size), signal)
  return readList(body, place.path)
}
