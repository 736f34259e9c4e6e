import { nameOf } from '../list/cells.tsx'
import { changed, hrefOf, isOgc, type PageAddress } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import { type EventItem, isEvent } from '../state/event.ts'
import { formatInstant } from '../state/format.ts'
import { readEvents } from '../state/known.ts'
import { texts } from '../state/text.ts'

const MOST = 5

interface OthersProps {
  /** The event that is left out. Null: none. */
  readonly event: EventItem | null
  /** The list of events that have something in common with the event. */
  readonly place: PageAddress
  readonly title: string
}

/** The newest events of a list, with a link to the list. */
export const Others = ({ event, place, title }: OthersProps) => {
  const [order, size] = isOgc(place) ? ['sortby', 'limit'] : ['ordering', 'page_size']
  const list = changed(place, { [order]: '-timestamp_start' })
  const { value, isCurrent } = useAsked(hrefOf(list), (signal) =>
    readEvents(changed(list, { [size]: String(MOST + 1) }), signal),
  )
  const others = (value?.results ?? []).filter(isEvent).filter(({ id }) => id !== event?.id)
  // The panel has its height before the answer.
  if (isCurrent && others.length === 0) return null
  return (
    <section class="panel others" aria-label={title}>
      <div class="row panel-head">
        <h2>{title}</h2>
        {value !== null && <a href={hrefOf(list)}>{texts().item.all(texts().list.counted('events', value.count))}</a>}
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
