import { Column } from 'drizzle-orm'
import type { Properties, Property } from '../cql2/values.ts'
import type { Filter, FilterField } from '../filters/filter.ts'
import type { TextDictionary } from './dictionaries.ts'
import type { Fields, IntegerColumn, LargeFields, NamedFilter } from './field.ts'

const byRank = (a: { readonly rank?: number }, b: { readonly rank?: number }): number => (a.rank ?? 0) - (b.rank ?? 0)

/** Declares a filter. A text is its name in both versions. */
export const named = (
  names: string | Pick<NamedFilter, 'v3' | 'v4' | 'ogc'>,
  filter: Filter,
  words: Pick<NamedFilter, 'about' | 'example' | 'rank' | 'unindexed'>,
): NamedFilter => ({ ...(typeof names === 'string' ? { v3: names, v4: names } : names), ...filter, ...words })

/** Returns all filters of a model, in their order. */
export const allFiltersOf = (fields: Fields): NamedFilter[] =>
  Object.values(fields)
    .flatMap(({ filters = [] }) => filters)
    .sort(byRank)

/** Returns the filters of a version, or of the features of /ogc, by their names. */
export const filtersOf = (fields: Fields, surface: 'v3' | 'v4' | 'ogc'): Readonly<Record<string, FilterField>> =>
  Object.fromEntries(
    allFiltersOf(fields).flatMap((filter) => {
      const name = surface === 'ogc' ? (filter.ogc ?? filter.v3 ?? filter.v4) : filter[surface]
      return name === undefined ? [] : [[name, filter]]
    }),
  )

type OrderedColumn<F> = F extends LargeFields ? IntegerColumn : Column

/** Returns the columns of the orderings of a version by their names. */
export const orderingsOf = <F extends Fields>(
  fields: F,
  version: 'v3' | 'v4',
): Readonly<Record<string, OrderedColumn<F>>> =>
  Object.fromEntries(
    Object.values(fields)
      .flatMap(({ order }) => order ?? [])
      .sort(byRank)
      .flatMap((order) => {
        const name = order[version]
        return name === null ? [] : [[name, order.column as OrderedColumn<F>]]
      }),
  )

/** Returns the properties that CQL2 filters may name: the members of features. */
export const propertiesOf = (fields: Fields): Properties =>
  Object.fromEntries(
    Object.values(fields)
      .flatMap((field) => (field.on.ogc ?? []).map((member) => ({ ...member, columns: Object.values(field.columns) })))
      .sort(byRank)
      .flatMap(({ name, property, columns: [column], unit }) => {
        const own = property === undefined && column ? propertyOf(column, unit) : property
        return own ? [[name, own]] : []
      }),
  )

const propertyOf = (stored: Column | TextDictionary, unit: bigint | undefined): Property => {
  if (!(stored instanceof Column))
    return { kind: 'text', column: stored.text, caseFolded: stored.caseFolded, dictionary: stored }
  if (stored.dataType === 'string') return { kind: 'text', column: stored }
  return unit === undefined ? { kind: 'integer', column: stored } : { kind: 'instant', column: stored, unit }
}
