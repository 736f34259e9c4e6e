import { distance } from 'fastest-levenshtein'
import type { Sentence } from '../base/messages.ts'
import { NOT } from '../filters/filter.ts'
import { LOOKUPS } from '../filters/lookups.ts'

/** Names that other services or other versions use, and our names for them in order of preference. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  start: ['timestamp_start'],
  end: ['timestamp_end'],
  timestamp_start: ['start'],
  timestamp_end: ['end'],
  geom_within: ['geometry__within'],
  geometry__within: ['geom_within'],
  limit: ['page_size'],
  offset: ['page'],
  q: ['name__icontains'],
  query: ['q', 'name__icontains'],
  search: ['q', 'name__icontains'],
  sort: ['ordering', 'sortby'],
  order: ['ordering', 'sortby'],
  fields: ['properties', 'format', 'f'],
  page_size: ['limit'],
  page: ['offset'],
  ordering: ['sortby'],
}

/** Says what to enter in place of an unknown parameter. Returns null if no known name is near. */
export const suggestionFor = (name: string, names: readonly string[]): Sentence | null => {
  const known = names.filter((each) => !each.endsWith(NOT))
  const same = known.find((each) => lettersOf(each) === lettersOf(name))
  if (same !== undefined) return mean(same)
  const fields = known.filter((each) => lookupIn(each, known) === null)
  const [stem, lookup] = splitAtLookup(name)
  const isLookup = fields.includes(stem) && Object.hasOwn(LOOKUPS, lookup)
  const field = isLookup ? null : fieldFor(name, fields, known)
  if (field !== null) return mean(field)
  const other = lookup === '' ? null : fieldFor(stem, fields, known)
  return other ? suggestLookup(other, lookup, known) : null
}

const suggestLookup = (field: string, lookup: string, known: readonly string[]): Sentence => {
  const lookups = known.flatMap((name) => (splitAtLookup(name)[0] === field ? (lookupIn(name, known) ?? []) : []))
  const near = lookups.includes(lookup) ? lookup : lookup.length < 4 ? null : nearest(lookup, lookups)
  if (near !== null && known.includes(`${field}__${near}`)) return mean(`${field}__${near}`)
  return lookups.length === 0 ? ['noLookup', field] : ['lookups', field, lookups.join(', ')]
}

const mean = (name: string): Sentence => ['meant', name]

/** Finds the field for a name: by the word of another service, by a similar spelling, or by the start of the field. */
const fieldFor = (name: string, fields: readonly string[], known: readonly string[]): string | null => {
  if (fields.includes(name)) return name
  const synonyms = Object.hasOwn(SYNONYMS, name) ? (SYNONYMS[name] ?? []) : []
  const longer = fields.find((field) => name !== '' && field.startsWith(`${name}_`))
  return synonyms.find((each) => known.includes(each)) ?? nearest(name, fields) ?? longer ?? null
}

/** Returns the lookup at the end of a name. It is null unless the name without it is known. */
const lookupIn = (name: string, known: readonly string[]): string | null => {
  const [stem, lookup] = splitAtLookup(name)
  return Object.hasOwn(LOOKUPS, lookup) && known.includes(stem) ? lookup : null
}

const splitAtLookup = (name: string): readonly [stem: string, lookup: string] => {
  const at = name.lastIndexOf('__')
  return at < 0 ? [name, ''] : [name.slice(0, at), name.slice(at + 2)]
}

const lettersOf = (name: string): string => name.toLowerCase().replace(/[_-]/g, '')

/**
 * Returns the known name that needs the fewest edits. Up to five letters may need one edit, more letters two. It is
 * null if no name is near.
 */
export const nearest = (name: string, known: readonly string[]): string | null => {
  if (name.length > 100) return null
  const most = name.length <= 5 ? 1 : 2
  const [best] = known
    .map((candidate) => ({ candidate, edits: editsBetween(name.toLowerCase(), candidate) }))
    .filter(({ candidate, edits }) => edits <= most && edits < Math.max(name.length, candidate.length))
    .sort((a, b) => a.edits - b.edits)
  return best?.candidate ?? null
}

/** Counts the insertions, deletions and replacements between two names. Two swapped neighbours are one edit. */
const editsBetween = (a: string, b: string): number => {
  const edits = distance(a, b)
  if (edits !== 2 || a.length !== b.length) return edits
  const first = [...a].findIndex((letter, i) => letter !== b[i])
  return a[first] === b[first + 1] && a[first + 1] === b[first] ? 1 : 2
}
