import { useMemo } from 'preact/hooks'
import { attributeIn, columnsOf, everyColumn, type Values, valueIn } from '../../formats/columns.ts'
import { filtersOf, givenIn, type PageAddress } from '../state/address.ts'
import type { About, Column, DescribedField } from '../state/fields.ts'
import {
  type FacetAnswer,
  type FacetsByName,
  facetsOf,
  isOneSeries,
  MOST_COUNTED,
  type SummaryAnswer,
  summaryKeyOf,
  TIMES,
} from '../state/known.ts'
import { type ListAnswer, valuesIn } from '../state/rows.ts'
import { useAsked } from '../state/service.ts'

/** A column whose value is the same in all matches. The heading of the list says it. */
export interface Folded {
  readonly column: Column
  readonly values: Values
}

/** The columns of a list. */
export interface ListColumns {
  /** All columns that the reader may choose. */
  readonly every: readonly Column[]
  readonly shown: readonly Column[]
  readonly folded: readonly Folded[]
  /** The names of the columns in the description of the only series. */
  readonly described: readonly string[]
  /** The name of the only series of all matches. Null: there are several, or it is not known. */
  readonly only: string | null
  /** The values of attributes, the years and the months in all matches. Null: they are not known. */
  readonly counted: FacetsByName | null
}

interface Parts {
  readonly place: PageAddress
  /** The list of version 3 with the same events. Null: it has no summary. */
  readonly listed: PageAddress | null
  readonly list: ListAnswer | null
  readonly about: About
  readonly described: readonly DescribedField[]
  readonly summary: SummaryAnswer | null
}

/** The length of a whole uuid, which names one series, and the paths with one. */
const UUID = 36
const WITH_SERIES = /\/(eventseries\/|events-)[\da-f-]{36}\//

const NO_FIELDS: About['fields'] = []

/** Returns the columns of a list. The address has the choice of the reader. */
export const useColumns = ({ place, listed, list, about, described, summary }: Parts): ListColumns => {
  const { fields = NO_FIELDS } = about
  const given = givenIn(place, 'fields')
  const [every, usual, rows] = useMemo(() => {
    const rows = (list?.results ?? []).map(valuesIn)
    const parts = { fields, rows, described, chosen: given?.split(',') ?? null }
    const every = everyColumn(parts)
    return [every, columnsOf(parts, every), rows] as const
  }, [list, fields, described, given])
  const series = new Set(rows.map((row) => row.event_series_name))
  const isAsked = WITH_SERIES.test(place.path) || givenIn(place, 'event_series')?.length === UUID
  const isOne = series.size === 1 && (isAsked || isOneSeries(summary) || list?.count === rows.length)
  const [name] = isOne ? series : []
  const only = typeof name === 'string' ? name : null
  // The description names columns that the rows may lack.
  const told = described.length > 0 ? every : []
  const own = only === null ? null : told
  const { folded, counted } = useFolded({ place, listed, list, summary, usual, rows, own })
  const isLeft = (column: Column) => given !== null || !folded.some((each) => each.column === column)
  return { every, shown: usual.filter(isLeft), folded, only, counted, described: described.map(({ name }) => name) }
}

interface FoldParts extends Pick<Parts, 'place' | 'listed' | 'list' | 'summary'> {
  readonly usual: readonly Column[]
  readonly rows: readonly Values[]
  /** The columns of the only series. They are empty until its description arrives. Null: there are several series. */
  readonly own: readonly Column[] | null
}

const NO_ENTRIES: FacetAnswer = { entries: [], more: 0 }

const NO_FACETS: FacetsByName = {}

/** The most attributes whose values are counted. The service counts 20 columns at a time. */
const MOST_NAMES = 18

/**
 * Returns the columns that have one value in all matches. The rows, a filter or a summary of all matches say so.
 * The page asks for no summary of many matches.
 */
const useFolded = ({ place, listed, list, summary, usual, rows, own }: FoldParts) => {
  const { count = 0 } = list ?? {}
  const equal = useMemo(() => usual.slice(1).filter((column) => isEqualIn(rows, column)), [usual, rows])
  const isGiven = ({ name }: Column) => givenIn(place, name) === String(valueIn(rows[0] ?? {}, name))
  const isWhole = count === rows.length
  const isKnown = (column: Column) => isWhole || isGiven(column) || summary?.facets?.[column.name] !== undefined
  const isAttribute = ({ name, lookups }: Column) => attributeIn(name) !== null && lookups.length > 0
  const asked = own === null ? equal.filter((column) => !isKnown(column)) : own.filter(isAttribute)
  const names = [...TIMES, ...asked.slice(0, MOST_NAMES).map(({ name }) => name)]
  // The page asks for nothing without a filter, because stored counts then answer the summary.
  const isFiltered = listed !== null && filtersOf(listed).length > 0
  const isAsked = isFiltered && summary !== null && count > 1 && count <= MOST_COUNTED
  const key = isAsked ? `equal ${summaryKeyOf(listed)} ${names}` : null
  const { value, isCurrent } = useAsked(key, async (signal) => listed && facetsOf(listed, names, signal))
  let counted: FacetsByName | null = null
  if (key !== null && isCurrent) counted = value
  // Nothing is counted, which is known as well. The counts of other matches must not stay.
  if (key === null && summary !== null) counted = NO_FACETS
  const isCounted = ({ name }: Column) => {
    const { entries, more, without = 0 } = summary?.facets?.[name] ?? counted?.[name] ?? NO_ENTRIES
    return entries.length === 1 && more + without === 0
  }
  const [values = {}] = rows
  const isFolded = (column: Column) => count > 1 && (isWhole || isGiven(column) || isCounted(column))
  const folded: readonly Folded[] = equal.filter(isFolded).map((column) => ({ column, values }))
  return { folded, counted }
}

/** Tests if a column of texts or attributes has the same value in each of several rows. */
const isEqualIn = (rows: readonly Values[], { name, lookups }: Column): boolean => {
  const value = valueIn(rows[0] ?? {}, name)
  const isCountable = name === 'category' || (attributeIn(name) !== null && lookups.length > 0)
  if (!isCountable || value === undefined || typeof value === 'object') return false
  return rows.every((row) => valueIn(row, name) === value)
}
