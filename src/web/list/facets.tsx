import { useRef, useState } from 'preact/hooks'
import { ONE_ATTRIBUTE } from '../../formats/columns.ts'
import { changed, exchanged, givenIn, hrefOf, type PageAddress, parameter } from '../state/address.ts'
import { type About, type Column, choiceLabel, labelOf } from '../state/fields.ts'
import { formatCount, zoneFor } from '../state/format.ts'
import { groupTexts, partLabel } from '../state/groups.ts'
import {
  type FacetAnswer,
  type FacetEntry,
  facetOf,
  MOST_SUMMED,
  type SeriesById,
  type SummaryAnswer,
  TIMES,
} from '../state/known.ts'
import { inTime } from '../state/periods.ts'
import { paused, useAsked } from '../state/service.ts'
import { awaited, go } from '../state/store.ts'
import { textNamed, texts, textsOf } from '../state/text.ts'
import { NotLoaded, Swatch } from './cells.tsx'
import type { ListColumns } from './columns.ts'
import { Frame, NumberFacet, rangeNames } from './numberFacet.tsx'

const facetTexts = textsOf({
  names: {
    event_series: ['Series', 'Reeksen'],
    category: ['Categories', 'Categorieën'],
    object_type__model: ['Objects', 'Objecten'],
  },
  without: ['without', 'zonder'],
  more: ['{} more', 'nog {}'],
  fewer: ['Fewer', 'Minder'],
  beyond: ['{} more by search', 'nog {} met zoeken'],
})

interface FacetsProps {
  /** A list of events of version 3. */
  readonly place: PageAddress
  /** The summary of that place. Null until it is known. */
  readonly summary: SummaryAnswer | null
  readonly isCurrent: boolean
  readonly retry: () => void
  /** The series that the reader sees. */
  readonly series: SeriesById
  readonly about: About
  readonly columns: ListColumns
}

/** The series, categories, own columns, kinds of objects, years and months with their counts, and ranges of numbers. */
export const Facets = ({ place, isCurrent, retry, ...known }: FacetsProps) => {
  // A box stays ticked while the page waits for the list, and the next choice adds to it.
  const nextOf = () => (awaited.value?.path === place.path ? awaited.value : place)
  const next = nextOf()
  const choose = (name: string, key: string) => {
    const chosen = choosing(name, nextOf(), key)
    go(exchanged(chosen, ['timezone'], zoneFor(chosen)))
  }
  const facet = (name: string) => (
    <Facet key={name} {...known} name={name} place={place} next={next} choose={(key) => choose(name, key)} />
  )
  const { only, every } = known.columns
  const numbers = every.filter(({ decimals, lookups }) => decimals !== null && lookups.includes('range'))
  // The columns stay while the page waits for their counts.
  const own = useRef<readonly string[]>([])
  if (known.columns.only === null || known.columns.counted !== null) own.current = ownIn(known, place)
  return (
    <div class="facets">
      {isCurrent && known.summary === null && (
        <p class="fault">
          <NotLoaded retry={retry} />
        </p>
      )}
      {['event_series', 'category'].map(facet)}
      {only !== null &&
        numbers.map((column) => (
          <NumberFacet
            key={column.name}
            column={column}
            place={place}
            isCounted={known.summary !== null && known.summary.count <= MOST_SUMMED}
            choose={(range) => go(exchanged(nextOf(), rangeNames(column.name), range))}
          />
        ))}
      {[...own.current, 'object_type__model', ...TIMES].map(facet)}
    </div>
  )
}

/** The most values of a column that the panel shows. */
const MOST_VALUES = 30

/** Returns the columns of texts with few values in all matches, and those with a choice. */
const ownIn = ({ columns }: Pick<FacetsProps, 'columns'>, place: PageAddress): string[] => {
  const isShown = ({ name }: Column) => {
    const { entries, more } = columns.counted?.[name] ?? { entries: [], more: 0 }
    return chosenIn(name, place).length > 0 || (more === 0 && entries.length > 1 && entries.length <= MOST_VALUES)
  }
  const own = columns.every.filter(({ kind, decimals }) => kind === ONE_ATTRIBUTE && decimals === null)
  return columns.only === null ? [] : own.filter(isShown).map(({ name }) => name)
}

const isOfSeries = (name: string): boolean => name === 'event_series'

/** Returns the parameters that choose entries. */
const ownOf = (name: string): string[] => (isOfSeries(name) ? [name] : [name, `${name}__exact`, `${name}__in`])

/** Returns the parameter that searches for entries. */
const searchOf = (name: string): string => `${isOfSeries(name) ? 'event_series__name' : name}__icontains`

const keyOf = ({ uuid, value }: FacetEntry): string => uuid ?? value ?? ''

/** Returns the keys that a place has chosen. A key of a series may be the first characters of a uuid. */
const chosenIn = (name: string, place: PageAddress): string[] =>
  ownOf(name).flatMap((own) => {
    const value = givenIn(place, own)
    if (value === null || (value === '' && !own.endsWith('__exact'))) return []
    return own.endsWith('__in') || isOfSeries(name) ? value.split(',').map((each) => each.trim()) : [value]
  })

const isKey = (name: string, chosen: string, key: string): boolean =>
  isOfSeries(name) && chosen !== '' ? key.startsWith(chosen) : key === chosen

/** Returns the place without the choices of a facet. */
const withoutChoice = (name: string, place: PageAddress): PageAddress => exchanged(place, ownOf(name), [])

/** Returns the place with an entry chosen or cleared. A key with a comma fits no comma list, so it is chosen alone. */
const choosing = (name: string, place: PageAddress, key: string): PageAddress => {
  const chosen = chosenIn(name, place)
  const rest = chosen.filter((each) => !isKey(name, each, key))
  const next = rest.length < chosen.length ? rest : [...rest, key]
  const keys = next.length > 1 && next.some((each) => each === '' || each.includes(',')) ? [key] : next
  const isList = keys.length > 1 && !isOfSeries(name)
  const own = keys[0] === '' ? `${name}__exact` : isList ? `${name}__in` : name
  return exchanged(place, ownOf(name), keys.length === 0 ? [] : [parameter(own, keys.join(','))])
}

interface FacetProps extends Omit<FacetsProps, 'isCurrent' | 'retry'> {
  readonly name: string
  /** The place that the page waits for. */
  readonly next: PageAddress
  readonly choose: (key: string) => void
}

const NO_ENTRIES: FacetAnswer = { entries: [], more: 0 }

/** Returns the entries of a facet: the last known ones, until those of the place are known. */
const useEntries = ({ name, place, next, summary, series, columns }: FacetProps): FacetAnswer => {
  const last = useRef(NO_ENTRIES)
  const counted = columns.counted === null ? null : (columns.counted[name] ?? NO_ENTRIES)
  const own = summary?.facets?.[name] ?? counted
  const shown = chosenIn(name, place)
  const isChosen = shown.length > 0
  // A summary of the matches has no other entries to choose. So this asks without the choice.
  const rest = withoutChoice(name, place)
  const others = useAsked(isChosen ? hrefOf(rest) : null, (signal) => facetOf(rest, name, signal))
  const known = (isChosen ? others.isCurrent && others.value : own) || last.current
  last.current = known
  // Each chosen key has an entry, so the user can clear it. A cleared entry stays until the next counts.
  const missing = [...new Set([...shown, ...chosenIn(name, next)])].filter(
    (key) => !known.entries.some((entry) => isKey(name, key, keyOf(entry))),
  )
  const entryOf = (key: string): FacetEntry => {
    const counted = own?.entries.find((entry) => isKey(name, key, keyOf(entry)))
    if (counted !== undefined) return counted
    if (!isOfSeries(name)) return { value: key, count: 0 }
    const [uuid = key, { name: called = key, color } = {}] = [...series].find(([uuid]) => uuid.startsWith(key)) ?? []
    return { uuid, name: called, count: 0, ...(color && { color }) }
  }
  const entries = [...known.entries, ...missing.map(entryOf)]
  // The last years come first.
  return { ...known, entries: inTime(place, name, entries, name === TIMES[0] ? '-text' : 'text') }
}

/** Searches in the service for entries that are not in the list. Null without a search. */
const useFound = (name: string, place: PageAddress, text: string, more: number): FacetAnswer | null => {
  const isAsked = text !== '' && more > 0 && givenIn(place, searchOf(name)) === null
  const search = changed(withoutChoice(name, place), { [searchOf(name)]: text })
  const { value, isCurrent } = useAsked(isAsked ? hrefOf(search) : null, async (signal) => {
    await paused(signal)
    return facetOf(search, name, signal)
  })
  return isCurrent ? value : null
}

/** At first, a facet shows so many entries, and a facet of months so many. */
const [FEW, MONTHS] = [6, 12]

const textOf = (facet: string, { name, value }: FacetEntry): string =>
  name ?? partLabel(facet, value) ?? (value ? choiceLabel(value) : facetTexts().without)

/** Returns the title of a facet. A column has the title of its series. */
const titleOf = (name: string, { fields = [] }: About): string => {
  const own = fields.find((field) => field.name === name && field.isOwn)
  const named = { ...facetTexts().names, ...groupTexts().parts }
  return own === undefined ? (textNamed<string>(named, name) ?? name) : labelOf(own)
}

interface SearchProps {
  readonly label: string
  readonly value: string
  readonly set: (value: string) => void
}

const SearchBox = ({ label, value, set }: SearchProps) => (
  <input
    type="search"
    tabIndex={-1}
    placeholder={label}
    aria-label={label}
    value={value}
    onInput={({ currentTarget }) => set(currentTarget.value)}
  />
)

const Facet = (props: FacetProps) => {
  const { name, place, next, choose, about } = props
  const [search, setSearch] = useState('')
  const [isWhole, setWhole] = useState(false)
  const all = useEntries(props)
  const text = search.trim().toLowerCase()
  const found = useFound(name, place, text, all.more)
  const chosen = chosenIn(name, next)
  const isChosen = (entry: FacetEntry) => chosen.some((key) => isKey(name, key, keyOf(entry)))
  const few = TIMES.includes(name) ? MONTHS : FEW
  const matches = (entry: FacetEntry) => !isChosen(entry) && textOf(name, entry).toLowerCase().includes(text)
  // Chosen entries come first, and are never hidden.
  const picked = all.entries.filter(isChosen)
  const others = (found ?? all).entries.filter(matches)
  const shown = isWhole || text !== '' ? others : others.slice(0, Math.max(0, few - picked.length))
  const hidden = others.length - shown.length
  const count = all.entries.length + all.more
  const t = facetTexts()
  const title = titleOf(name, about)
  const fewer = all.more > 0 ? `${t.fewer}, ${t.beyond(formatCount(all.more))}` : t.fewer
  return (
    <Frame title={title} chosen={chosen.length} isHidden={count < 2 && chosen.length === 0}>
      {count > few && <SearchBox label={texts().form.facets.search(title)} value={search} set={setSearch} />}
      <ul>
        {[...picked, ...shown].map((entry) => (
          <Entry
            key={keyOf(entry)}
            entry={entry}
            text={textOf(name, entry)}
            isChosen={isChosen(entry)}
            toggle={() => choose(keyOf(entry))}
          />
        ))}
      </ul>
      {text === '' && (hidden > 0 || (isWhole && picked.length + others.length > few)) && (
        <button type="button" class="quiet" tabIndex={-1} onClick={() => setWhole(!isWhole)}>
          {isWhole ? fewer : t.more(formatCount(hidden))}
        </button>
      )}
    </Frame>
  )
}

interface EntryProps {
  readonly entry: FacetEntry
  readonly text: string
  readonly isChosen: boolean
  readonly toggle: () => void
}

const Entry = ({ entry, text, isChosen, toggle }: EntryProps) => (
  <li>
    <label>
      <input type="checkbox" tabIndex={-1} value={keyOf(entry)} checked={isChosen} onChange={toggle} />
      {entry.color !== undefined && <Swatch color={entry.color} />}
      <span class="entry cut" title={text}>
        {text}
      </span>
      <small>{formatCount(entry.count)}</small>
    </label>
  </li>
)
