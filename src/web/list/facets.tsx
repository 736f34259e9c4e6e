import { useSignal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { changed, givenIn, hrefOf, type PageAddress } from '../state/address.ts'
import { formatCount } from '../state/format.ts'
import { type FacetAnswer, type FacetEntry, type FacetName, facetOf, type SummaryAnswer } from '../state/known.ts'
import type { Series } from '../state/rows.ts'
import { texts } from '../state/text.ts'
import { choosing, chosenIn, FACETS, isAmong, keyOf, searchOf, withChosen, withoutChoice } from './entries.ts'

export interface FacetsProps {
  /** A list of events of version 3. */
  readonly place: PageAddress
  /** The summary of that place. Null until it is known. */
  readonly summary: SummaryAnswer | null
  /** True: the service did not answer with a summary. */
  readonly isFailed: boolean
  /** The series that the reader sees. Null until they are known. */
  readonly series: readonly Series[] | null
  readonly go: (place: PageAddress) => void
}

/** The series, categories and kinds of objects with their counts. The user can choose entries. */
export const Facets = ({ place, go, isFailed, ...known }: FacetsProps) => {
  // A box stays ticked while the page waits for the list, and the next choice adds to it.
  const asked = useSignal({ from: place, to: place })
  const current = () => (hrefOf(asked.value.from) === hrefOf(place) ? asked.value.to : place)
  const choose = (name: FacetName, key: string) => {
    asked.value = { from: place, to: choosing(name, current(), key) }
    go(asked.value.to)
  }
  return (
    <div class="facets">
      {isFailed && <p class="fault">{texts().form.facets.failed}</p>}
      {FACETS.map((name) => (
        <Facet
          key={name}
          name={name}
          place={place}
          chosen={chosenIn(name, current())}
          choose={(key) => choose(name, key)}
          {...known}
        />
      ))}
    </div>
  )
}

interface FacetProps extends Omit<FacetsProps, 'go' | 'isFailed'> {
  readonly name: FacetName
  readonly chosen: readonly string[]
  readonly choose: (key: string) => void
}

/** Returns the entries of a facet: the last known ones, until those of the place are known. */
const useEntries = ({ name, place, summary, series, chosen }: FacetProps): FacetAnswer => {
  const [known, setKnown] = useState<FacetAnswer>({ entries: [], more: 0 })
  const own = summary?.facets?.[name] ?? null
  const shown = chosenIn(name, place)
  const isChosen = shown.length > 0
  useEffect(() => {
    if (!isChosen && own !== null) setKnown(own)
    if (!isChosen) return
    // A summary of the matches has no other entries to choose. So this asks without the choice.
    const asking = new AbortController()
    const set = (counts: FacetAnswer | null) => {
      if (counts !== null) setKnown(counts)
    }
    facetOf(withoutChoice(name, place), name, asking.signal).then(set, () => {})
    return () => asking.abort()
  }, [hrefOf(place), isChosen ? null : own])
  // An entry that the user has just cleared stays until the next counts.
  return withChosen(name, [...new Set([...shown, ...chosen])], known, own, series)
}

/** The service gets a search after a pause of the keys, in milliseconds. A summary may read many rows. */
const PAUSE = 250

/** Searches in the service for entries that are not in the list. Null without a search. */
const useFound = (name: FacetName, place: PageAddress, text: string, more: number): FacetAnswer | null => {
  const [found, setFound] = useState<FacetAnswer | null>(null)
  useEffect(() => {
    setFound(null)
    if (text === '' || more === 0 || givenIn(place, searchOf(name)) !== null) return
    const asking = new AbortController()
    const ask = () => facetOf(changed(withoutChoice(name, place), { [searchOf(name)]: text }), name, asking.signal)
    const wait = setTimeout(() => ask().then(setFound, () => {}), PAUSE)
    return () => {
      clearTimeout(wait)
      asking.abort()
    }
  }, [hrefOf(place), text, more > 0])
  return found
}

/** The number of entries that a list shows at first. */
const FEW = 6

const textOf = ({ name, value }: FacetEntry): string => name ?? (value || texts().form.facets.without)

const Facet = (props: FacetProps) => {
  const { name, place, chosen, choose } = props
  const [search, setSearch] = useState('')
  const [isOpen] = useState(() => matchMedia('(min-width: 62rem)').matches)
  const all = useEntries(props)
  const text = search.trim().toLowerCase()
  const found = useFound(name, place, text, all.more)
  const isChosen = isAmong(name, chosen)
  // Chosen entries come first, and are never hidden.
  const picked = all.entries.filter(isChosen)
  const others = (found ?? all).entries.filter(
    (entry) => !isChosen(entry) && textOf(entry).toLowerCase().includes(text),
  )
  const count = all.entries.length + all.more
  const label = texts().form.facets[name]
  return (
    <section class="facet" aria-label={label} hidden={count < 2 && chosen.length === 0}>
      <details open={isOpen}>
        <summary>
          <h2>{label}</h2>
          {picked.length > 0 && <span class="badge">{picked.length}</span>}
        </summary>
        {count > FEW && (
          <input
            type="search"
            placeholder={texts().form.facets.search(label)}
            aria-label={texts().form.facets.search(label)}
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        )}
        <Entries {...{ picked, others, choose }} isSearched={text !== ''} beyond={all.more} />
      </details>
    </section>
  )
}

interface EntriesProps {
  readonly picked: readonly FacetEntry[]
  readonly others: readonly FacetEntry[]
  readonly choose: (key: string) => void
  readonly isSearched: boolean
  /** The number of entries that only a search finds. */
  readonly beyond: number
}

const Entries = ({ picked, others, choose, isSearched, beyond }: EntriesProps) => {
  const [isWhole, setWhole] = useState(false)
  const t = texts().form.facets
  const few = isWhole || isSearched ? others : others.slice(0, Math.max(0, FEW - picked.length))
  const hidden = others.length - few.length
  const fewer = beyond > 0 ? `${t.fewer}, ${t.beyond(formatCount(beyond))}` : t.fewer
  return (
    <>
      <ul>
        {[...picked, ...few].map((entry) => (
          <Entry
            key={keyOf(entry)}
            entry={entry}
            isChosen={picked.includes(entry)}
            toggle={() => choose(keyOf(entry))}
          />
        ))}
      </ul>
      {!isSearched && (hidden > 0 || (isWhole && picked.length + others.length > FEW)) && (
        <button type="button" class="quiet" onClick={() => setWhole(!isWhole)}>
          {isWhole ? fewer : t.more(formatCount(hidden))}
        </button>
      )}
    </>
  )
}

interface EntryProps {
  readonly entry: FacetEntry
  readonly isChosen: boolean
  readonly toggle: () => void
}

const Entry = ({ entry, isChosen, toggle }: EntryProps) => (
  <li>
    <label>
      <input type="checkbox" value={keyOf(entry)} checked={isChosen} onChange={toggle} />
      {entry.color !== undefined && <span class="swatch" aria-hidden="true" style={{ backgroundColor: entry.color }} />}
      <span class="entry cut" title={textOf(entry)}>
        {textOf(entry)}
      </span>
      <small>{formatCount(entry.count)}</small>
    </label>
  </li>
)
