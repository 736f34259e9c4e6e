import { isEvent, isSeries, readRow } from '../state/rows.ts'
import { shown } from '../state/store.ts'
import { textNamed, texts } from '../state/text.ts'
import { DocumentFacts, isAddress } from './document.tsx'
import { EventPage } from './event.tsx'
import { SeriesPage } from './series.tsx'

/** The page of an item, or of an address above the lists. */
export const ItemPage = () => {
  const { place, body } = shown.value
  const row = readRow(body as object, place.path)
  if (isEvent(row)) return <EventPage event={row} place={place} />
  if (isSeries(row)) return <SeriesPage series={row} />
  const entries = Object.entries(row)
  const isRoot = entries.length > 0 && entries.every(([, value]) => isAddress(value))
  if (!isRoot) return <DocumentFacts body={row} />
  // Links to the lists below an address.
  return (
    <ul class="roots">
      {entries.map(([name, address]) => (
        <li key={name}>
          <a href={address}>
            <b>{textNamed(texts().item.roots, name) ?? name}</b>
            <code>{new URL(address).pathname}</code>
          </a>
        </li>
      ))}
    </ul>
  )
}
