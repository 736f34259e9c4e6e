import { changed, filtersOf, givenIn, type PageAddress, parameter } from '../state/address.ts'
import type { FacetAnswer, FacetEntry, FacetName } from '../state/known.ts'
import { type Series, uuidOf } from '../state/rows.ts'

/** The lists of entries with counts that filter the events. */
export const FACETS: readonly FacetName[] = ['event_series', 'category', 'object_type__model']

const isOfSeries = (name: FacetName): boolean => name === 'event_series'

/** Returns the parameters that choose entries. */
const ownOf = (name: FacetName): string[] => (isOfSeries(name) ? [name] : [name, `${name}__exact`, `${name}__in`])

/** Returns the parameter that searches for entries. */
export const searchOf = (name: FacetName): string => `${isOfSeries(name) ? 'event_series__name' : name}__icontains`

export const keyOf = ({ uuid, value }: FacetEntry): string => uuid ?? value ?? ''

/** Returns the keys that a place has chosen. A key of a series may be the first characters of a uuid. */
export const chosenIn = (name: FacetName, place: PageAddress): string[] =>
  ownOf(name).flatMap((own) => {
    const value = givenIn(place, own)
    if (value === null || (value === '' && !own.endsWith('__exact'))) return []
    return own.endsWith('__in') || isOfSeries(name) ? value.split(',').map((each) => each.trim()) : [value]
  })

const isKey = (name: FacetName, chosen: string, key: string): boolean =>
  isOfSeries(name) && chosen !== '' ? key.startsWith(chosen) : key === chosen

/** Tests if one of these keys chooses an entry. */
export const isAmong =
  (name: FacetName, chosen: readonly string[]) =>
  (entry: FacetEntry): boolean =>
    chosen.some((each) => isKey(name, each, keyOf(entry)))

/** Returns the place without the choices of a facet. */
export const withoutChoice = (name: FacetName, place: PageAddress): PageAddress =>
  changed(place, Object.fromEntries(ownOf(name).map((own) => [own, null])))

const choiceOf = (name: FacetName, keys: readonly string[]) => {
  const [key, ...others] = keys
  if (key === undefined) return []
  if (isOfSeries(name)) return [parameter(name, keys.join(','))]
  if (others.length > 0) return [parameter(`${name}__in`, keys.join(','))]
  return [parameter(key === '' ? `${name}__exact` : name, key)]
}

/** Returns the place with an entry chosen or cleared. A key with a comma fits no comma list, so it is chosen alone. */
export const choosing = (name: FacetName, place: PageAddress, key: string): PageAddress => {
  const chosen = chosenIn(name, place)
  const rest = chosen.filter((each) => !isKey(name, each, key))
  const next = rest.length < chosen.length ? rest : [...rest, key]
  const keys = next.length > 1 && next.some((each) => each === '' || each.includes(',')) ? [key] : next
  const { path, parameters } = withoutChoice(name, place)
  const filters = filtersOf({ path, parameters })
  const others = parameters.filter((each) => !filters.includes(each))
  return { path, parameters: [...filters, ...choiceOf(name, keys), ...others] }
}

/**
 * Adds an entry for each chosen key, so that the user can clear it. `counts` are those without the choice, and `own`
 * those of the matches.
 */
export const withChosen = (
  name: FacetName,
  chosen: readonly string[],
  counts: FacetAnswer,
  own: FacetAnswer | null,
  series: readonly Series[] | null,
): FacetAnswer => {
  const added = chosen
    .filter((key) => !counts.entries.some(isAmong(name, [key])))
    .map((key) => own?.entries.find(isAmong(name, [key])) ?? emptyEntry(name, key, series))
  return { ...counts, entries: [...counts.entries, ...added] }
}

const emptyEntry = (name: FacetName, key: string, series: readonly Series[] | null): FacetEntry => {
  if (!isOfSeries(name)) return { value: key, count: 0 }
  const found = series?.find((each) => uuidOf(each).startsWith(key))
  return found === undefined
    ? { uuid: key, name: key, count: 0 }
    : { uuid: uuidOf(found), name: found.name, color: found.color, count: 0 }
}
