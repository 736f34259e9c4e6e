import { badRequest } from '../../../base/errors.ts'
import type { FieldRef } from '../../../question/condition.ts'
import { MAX_DISTINCT } from '../../limits.ts'
import type { Facet } from '../../summaries.ts'

/** Returns a facet without entries, which numbers the values of a field. */
export const unlisted = (field: FieldRef): Facet => ({
  field,
  reads: [],
  size: 0,
  offset: 0,
  order: { by: 'count', descending: true },
})

/** A field has these different values in all matches, and in each entry of each facet by its key. A value has a number. */
export interface DistinctValues {
  readonly whole: ReadonlySet<number>
  readonly facets: readonly ReadonlyMap<number, ReadonlySet<number>>[]
}

/**
 * Notes the different values of so many fields, also for each entry of so many facets. Rows without an entry have the key
 * -1, and a value of -1 is none. Throws a 400 if they need too much memory.
 */
export const distinctCounter = (fields: number, facets: number) => {
  let size = 0
  const mapsOf = (length: number) => Array.from({ length }, () => new Map<number, Set<number>>())
  // All matches are one entry more.
  const all = Array.from({ length: fields }, () => mapsOf(facets + 1))
  const note = (field: number, map: number, key: number, value: number): void => {
    const entries = all[field]?.[map]
    if (value < 0 || entries === undefined) return
    const known = entries.get(key)
    if (known?.has(value)) return
    if (size === MAX_DISTINCT)
      throw badRequest(
        `The names in distinct have more than ${MAX_DISTINCT.toLocaleString('en')} different values in the entries of facets and by. Add a filter, or enter fewer names in distinct or in facets.`,
      )
    size += 1
    if (known === undefined) entries.set(key, new Set([value]))
    else known.add(value)
  }
  return {
    /** Notes a value of a field. */
    add: (field: number, value: number): void => note(field, facets, 0, value),
    /** Notes a value of a field in an entry of a facet. */
    addTo: (field: number, facet: number, key: number, value: number): void => note(field, facet, key, value),
    values: (): readonly DistinctValues[] =>
      all.map((maps) => ({ whole: maps[facets]?.get(0) ?? new Set(), facets: maps.slice(0, facets) })),
  }
}

/** Returns the number of different values in the entries of a facet that are not listed. */
export const distinctInRest = (entries: DistinctValues['facets'][number], listed: ReadonlySet<number>): number => {
  const rest = new Set<number>()
  for (const [key, values] of entries) if (!listed.has(key)) for (const value of values) rest.add(value)
  return rest.size
}
