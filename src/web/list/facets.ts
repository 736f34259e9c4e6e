import { fill, h, swatch } from '../app/dom.ts'
import { changed, filtersOf, givenIn, type PageAddress, parameter } from '../state/address.ts'
import { formatCount } from '../state/format.ts'
import { type FacetAnswer, type FacetEntry, type FacetName, facetOf, type SummaryAnswer } from '../state/known.ts'
import { type Series, uuidOf } from '../state/rows.ts'

/** Lists of series, categories and object models, with their counts among the matches. The user can choose entries. */
export interface Facets {
  readonly element: HTMLElement
  readonly update: (place: PageAddress, summary: SummaryAnswer | null, signal: AbortSignal) => void
}

/** A list of entries, and the parameters that filter by it. */
interface Facet {
  readonly name: FacetName
  readonly label: string
  /** The parameters that choose entries. `search` is the parameter that searches for entries. */
  readonly own: readonly string[]
  readonly search: string
  readonly keyOf: (entry: FacetEntry) => string
  readonly textOf: (entry: FacetEntry) => string
  /** The parameters that choose these entries. */
  readonly choose: (keys: readonly string[]) => Readonly<Record<string, string>>
}

const ofTexts = (name: FacetName & string, label: string): Facet => ({
  name,
  label,
  own: [name, `${name}__exact`, `${name}__in`],
  search: `${name}__icontains`,
  keyOf: ({ value = '' }) => value,
  textOf: ({ value }) => value || 'without',
  choose: (keys) => {
    const [key, ...others] = keys
    if (key === undefined) return {}
    return others.length > 0 ? { [`${name}__in`]: keys.join(',') } : { [key === '' ? `${name}__exact` : name]: key }
  },
})

const FACETS: readonly Facet[] = [
  {
    name: 'event_series',
    label: 'Series',
    own: ['event_series'],
    search: 'event_series__name__icontains',
    keyOf: ({ uuid = '' }) => uuid,
    textOf: ({ name = '' }) => name,
    choose: (keys): Readonly<Record<string, string>> => (keys.length === 0 ? {} : { event_series: keys.join(',') }),
  },
  ofTexts('category', 'Categories'),
  ofTexts('object_type__model', 'Objects'),
]

/** The number of entries that a list shows at first. */
const FEW = 6

/** Makes the lists. `go` opens another place. `current` returns the place, also before its counts are known. */
export const makeFacets = (
  go: (place: PageAddress) => void,
  current: () => PageAddress,
  series: Promise<readonly Series[]>,
): Facets => {
  const views = FACETS.map((facet) =>
    makeFacet(facet, series, (entry) => go(choosing(facet, current(), facet.keyOf(entry)))),
  )
  return {
    element: h(
      'div',
      { class: 'facets' },
      views.map(({ element }) => element),
    ),
    update: (place, summary, signal) => {
      for (const { update } of views) update(place, summary, signal)
    },
  }
}

const makeFacet = (facet: Facet, series: Promise<readonly Series[]>, toggle: (entry: FacetEntry) => void): Facets => {
  const { name, label } = facet
  let [place, all, found]: [PageAddress | null, FacetAnswer | null, FacetAnswer | null] = [null, null, null]
  let [isWhole, signal] = [false, new AbortController().signal]
  const list = h('ul', {})
  const more = h('button', {
    type: 'button',
    class: 'quiet',
    click: () => {
      isWhole = !isWhole
      draw()
    },
  })
  const search = h('input', {
    type: 'search',
    placeholder: `Search ${label.toLowerCase()}`,
    'aria-label': `Search ${label.toLowerCase()}`,
    input: () => seek(),
  })
  const element = h(
    'section',
    { class: 'facet', 'aria-label': label, hidden: true },
    h('h3', {}, label),
    search,
    list,
    more,
  )
  const draw = () => {
    const shown = found ?? all
    const chosen = place === null ? [] : chosenIn(facet, place)
    const text = search.value.trim().toLowerCase()
    const fits = (shown?.entries ?? []).filter((entry) => facet.textOf(entry).toLowerCase().includes(text))
    // Chosen entries come first, and are never hidden.
    const [picked, others] = [fits.filter(isIn(facet, chosen)), fits.filter((entry) => !isIn(facet, chosen)(entry))]
    const few = isWhole || text !== '' ? others : others.slice(0, Math.max(0, FEW - picked.length))
    const focused = list.contains(document.activeElement) ? (document.activeElement as HTMLInputElement).value : null
    fill(
      list,
      [...picked, ...few].map((entry) => entryOf(facet, entry, picked.includes(entry), () => toggle(entry))),
    )
    if (focused !== null)
      [...list.querySelectorAll('input')].find(({ value }) => value === focused)?.focus({ preventScroll: true })
    const hidden = others.length - few.length
    const count = (all?.entries.length ?? 0) + (all?.more ?? 0)
    element.hidden = count < 2 && chosen.length === 0
    search.hidden = count <= FEW
    more.hidden = text !== '' || count <= FEW || (hidden === 0 && !isWhole)
    const beyond = (all?.more ?? 0) > 0 ? `, ${formatCount(all?.more ?? 0)} more by search` : ''
    more.textContent = isWhole ? `Fewer${beyond}` : `${formatCount(hidden)} more`
  }
  const ask = async (more: Readonly<Record<string, string>>) =>
    place === null ? null : facetOf(changed(place, { ...without(facet), ...more }), name, signal).catch(() => null)
  /** Searches in the service for entries that are not in the list. */
  const seek = async () => {
    found = null
    draw()
    const text = search.value.trim()
    if (text === '' || (all?.more ?? 0) === 0 || place === null || givenIn(place, facet.search) !== null) return
    const answer = await ask({ [facet.search]: text })
    if (search.value.trim() !== text) return
    found = answer
    draw()
  }
  return {
    element,
    update: async (next, summary, until) => {
      place = next
      signal = until
      found = null
      const own = summary?.facets?.[name] ?? null
      const chosen = chosenIn(facet, next)
      // A summary of the matches has no other entries to choose. So this asks without the facet.
      const counts = chosen.length > 0 ? await ask({}) : own
      const known = chosen.length > 0 && name === 'event_series' ? await series.catch(() => []) : []
      if (until.aborted) return
      if (counts !== null) all = withChosen(facet, chosen, counts, own, known)
      draw()
    },
  }
}

/** Adds an entry for each chosen key, so that the user can clear it. The entries of `own` have counts of the matches only. */
const withChosen = (
  facet: Facet,
  chosen: readonly string[],
  counts: FacetAnswer,
  own: FacetAnswer | null,
  series: readonly Series[],
): FacetAnswer => {
  const added = chosen
    .filter((key) => !counts.entries.some(isIn(facet, [key])))
    .flatMap((key) => own?.entries.filter(isIn(facet, [key])) ?? [])
  const missing = chosen
    .filter((key) => ![...counts.entries, ...added].some(isIn(facet, [key])))
    .map((key) => emptyEntry(facet, key, series))
  return { ...counts, entries: [...counts.entries, ...added, ...missing] }
}

const emptyEntry = ({ name }: Facet, key: string, series: readonly Series[]): FacetEntry => {
  if (name !== 'event_series') return { value: key, count: 0 }
  const found = series.find((each) => uuidOf(each).startsWith(key))
  return found === undefined
    ? { uuid: key, name: key, count: 0 }
    : { uuid: uuidOf(found), name: found.name, color: found.color, count: 0 }
}

const entryOf = ({ keyOf, textOf }: Facet, entry: FacetEntry, isChosen: boolean, toggle: () => void): HTMLElement => {
  const box = h('input', { type: 'checkbox', value: keyOf(entry), change: toggle })
  box.checked = isChosen
  const text = h('span', { class: 'entry', title: textOf(entry) }, textOf(entry))
  const patch = entry.color === undefined ? null : swatch(entry.color)
  return h('li', {}, h('label', {}, box, patch, text, h('small', {}, formatCount(entry.count))))
}

/** Returns the keys that a place has chosen. A key of a series may be the first characters of a uuid. */
const chosenIn = ({ own, name }: Facet, place: PageAddress): string[] =>
  own.flatMap((parameter) => {
    const value = givenIn(place, parameter)
    if (value === null || (value === '' && !parameter.endsWith('__exact'))) return []
    return parameter.endsWith('__in') || name === 'event_series' ? value.split(',').map((each) => each.trim()) : [value]
  })

const isIn = (facet: Facet, chosen: readonly string[]) => (entry: FacetEntry) => {
  const key = facet.keyOf(entry)
  return chosen.some((each) => (facet.name === 'event_series' && each !== '' ? key.startsWith(each) : key === each))
}

/** Returns the changes that clear all chosen entries. */
const without = ({ own }: Facet): Record<string, null> => Object.fromEntries(own.map((name) => [name, null]))

/** Returns the place with an entry chosen or cleared. A key with a comma fits no comma list, so it is chosen alone. */
export const choosing = (facet: Facet, place: PageAddress, key: string): PageAddress => {
  const chosen = chosenIn(facet, place)
  const isKey = (each: string) => (facet.name === 'event_series' ? key.startsWith(each) : each === key)
  const rest = chosen.filter((each) => !isKey(each))
  const next = rest.length < chosen.length ? rest : [...rest, key]
  const keys = next.length > 1 && next.some((each) => each === '' || each.includes(',')) ? [key] : next
  const { path, parameters } = changed(place, without(facet))
  const set = Object.entries(facet.choose(keys)).map(([name, value]) => parameter(name, value))
  const filters = filtersOf({ path, parameters })
  return { path, parameters: [...filters, ...set, ...parameters.filter((each) => !filters.includes(each))] }
}
