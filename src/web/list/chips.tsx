import { bboxOf } from '../../geometry/bbox.ts'
import { type AddressParameter, filtersOf, hrefOf, type PageAddress, parameter } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import type { About } from '../state/context.ts'
import { formatBounds, formatCount } from '../state/format.ts'
import { readList, type Series, uuidOf } from '../state/rows.ts'
import { ask } from '../state/service.ts'
import { texts } from '../state/text.ts'
import { filterWords } from './form/words.ts'

interface ChipsProps {
  readonly place: PageAddress
  readonly about: About
  readonly series: readonly Series[] | null
  /** True: each chip tells how many rows match without it. */
  readonly isEmpty: boolean
}

/** The active filters. Each is a link to the same list without it. */
export const Chips = ({ place, about, series, isEmpty }: ChipsProps) => {
  const filters = filtersOf(place)
  const t = texts().list.chips
  if (filters.length === 0) return null
  return (
    <ul class="chips" aria-label={t.title}>
      {filters.map((filter) => (
        <Chip key={`${filter.name}=${filter.encoded}`} {...{ place, about, series, isEmpty, filter }} />
      ))}
      {filters.length > 1 && (
        <li>
          <a href={hrefOf(without(place, filters))}>{t.clear}</a>
        </li>
      )}
    </ul>
  )
}

/** A count before its answer. It takes about as much room, so little moves. */
const UNKNOWN = '…'.padStart(5, '\u2007')

const Chip = ({ place, about, series, isEmpty, filter }: ChipsProps & { readonly filter: AddressParameter }) => {
  const rest = without(place, [filter])
  const t = texts().list.chips
  const words = wordsOf(filter, about, series)
  const { value: count } = useAsked(isEmpty ? hrefOf(rest) : null, (signal) => countOf(rest, signal))
  return (
    <li>
      <a class="chip" href={hrefOf(rest)} title={t.remove(words)}>
        <span class="unseen">{t.without}</span> <span class="words cut">{words}</span> <span aria-hidden="true">×</span>
        {isEmpty && <small>{t.count(count === null ? UNKNOWN : formatCount(count))}</small>}
      </a>
    </li>
  )
}

/** Returns the place without some filters, at its first page. */
const without = (place: PageAddress, filters: readonly AddressParameter[]): PageAddress => {
  const isTurn = ({ name }: AddressParameter) => ['page', 'hint', 'offset'].includes(name)
  return { ...place, parameters: place.parameters.filter((each) => !filters.includes(each) && !isTurn(each)) }
}

const countOf = async ({ path, parameters }: PageAddress, signal: AbortSignal): Promise<number | null> => {
  const others = parameters.filter(({ name }) => name !== 'page_size' && name !== 'limit')
  const size = parameter(path.includes('/ogc/') ? 'limit' : 'page_size', '1')
  const { body } = await ask({ path, parameters: [...others, size] }, signal)
  return readList(body, path)?.count ?? null
}

/** The longest value in a chip, in characters. An area may have thousands. */
const LONGEST = 60

/** Says a filter in words, such as "Category contains flood". */
export const wordsOf = (filter: AddressParameter, about: About, series: readonly Series[] | null): string => {
  const [label, text] = filterWords(about, filter)
  const value = filter.name === 'event_series' ? namesOf(text, series) : (areaOf(filter.name, text) ?? text)
  return `${label} ${value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value}`
}

/** The WKT of a polygon that the map writes. The reader of all WKT is not in the first script. */
const POLYGON = /^POLYGON \(\([-\d., ]+\)\)$/

/** Says a polygon by its bounds. Undefined for other filters. */
const areaOf = (name: string, text: string): string | undefined => {
  if (!/^geom(etry_)?_within$/.test(name) || !POLYGON.test(text)) return undefined
  const numbers = text.slice('POLYGON (('.length, -2).split(/,? /)
  const [west, south, east, north] = bboxOf(Float64Array.from(numbers, Number)) ?? []
  if (west === undefined || south === undefined || east === undefined || north === undefined) return undefined
  return formatBounds({ west, south, east, north })
}

const namesOf = (uuids: string, series: readonly Series[] | null): string =>
  uuids
    .split(',')
    .map((uuid) => series?.find((each) => uuidOf(each).startsWith(uuid.trim()))?.name ?? uuid)
    .join(', ')
