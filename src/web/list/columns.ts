import { useMemo } from 'preact/hooks'
import { attributeIn, columnsOf, everyColumn, type Values, valueIn } from '../../formats/columns.ts'
import { givenIn, type PageAddress } from '../state/address.ts'
import type { About, Column, DescribedField } from '../state/fields.ts'
import { facetsOf, isOneSeries, MOST_COUNTED, type SummaryAnswer, summaryKeyOf } from '../state/known.ts'
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
  /** The name of the only series of all matches. Null: there are several, or it is not known. */
  readonly only: string | null
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

/** The length of a whole uuid, which names one series. */
const UUID = 36

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
  const folded = useFolded({ place, listed, list, summary, usual, rows })
  const isLeft = (column: Column) => given !== null || !folded.some((each) => each.column === column)
  const series = new Set(rows.map((row) => row.event_series_name))
  const isAsked = listed !== null && givenIn(listed, 'event_series')?.length === UUID
  const isOne = series.size === 1 && (isAsked || isOneSeries(summary) || list?.count === rows.length)
  const [name] = isOne ? series : []
  return { every, shown: usual.filter(isLeft), folded, only: typeof name === 'string' ? name : null }
}

interface FoldParts extends Pick<Parts, 'place' | 'listed' | 'list' | 'summary'> {
  readonly usual: readonly Column[]
  readonly rows: readonly Values[]
}

/**
 * Returns the columns that have one value in all matches. The rows, a filter or a summary of all matches say so.
 * The page asks for no summary of many matches.
 */
const useFolded = ({ place, listed, list, summary, usual, rows }: FoldParts): readonly Folded[] => {
  const { count = 0 } = list ?? {}
  const equal = useMemo(() => usual.slice(1).filter((column) => isEqualIn(rows, column)), [usual, rows])
  const isGiven = ({ name }: Column) => givenIn(place, name) === String(valueIn(rows[0] ?? {}, name))
  const isWhole = count === rows.length
  const isKnown = (column: Column) => isWhole || isGiven(column) || summary?.facets?.[column.name] !== undefined
  const names = equal.filter((column) => !isKnown(column)).map(({ name }) => name)
  const isAsked = listed !== null && summary !== null && names.length > 0 && count > 1 && count <= MOST_COUNTED
  const key = isAsked ? `equal ${summaryKeyOf(listed)} ${names}` : null
  const { value, isCurrent } = useAsked(key, async (signal) => listed && facetsOf(listed, names, signal))
  const isCounted = ({ name }: Column) => {
    const asked = isCurrent ? value?.facets?.[name] : undefined
    const { entries, more = 0, without = 0 } = summary?.facets?.[name] ?? asked ?? { entries: [] }
    return entries.length === 1 && more + without === 0
  }
  const values = rows[0]
  if (values === undefined || count < 2) return []
  return equal.filter((column) => isWhole || isGiven(column) || isCounted(column)).map((column) => ({ column, values }))
}

/** Tests if a column of texts or attributes has the same value in each of several rows. */
const isEqualIn = (rows: readonly Values[], { name, lookups }: Column): boolean => {
  const value = valueIn(rows[0] ?? {}, name)
  const isCountable = name === 'category' || (attributeIn(name) !== null && lookups.length > 0)
  if (!isCountable || value === undefined || typeof value === 'object') return false
  return rows.every((row) => valueIn(row, name) === value)
}
