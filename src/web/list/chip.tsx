import { type AddressParameter, changed, exchanged, hrefOf, isOgc, type PageAddress } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import type { About } from '../state/fields.ts'
import { formatCount } from '../state/format.ts'
import { readList, type Series } from '../state/rows.ts'
import { ask } from '../state/service.ts'
import { texts } from '../state/text.ts'
import { filterOf, wordsOf } from './filter.ts'

interface ChipProps {
  readonly place: PageAddress
  readonly about: About
  readonly series: readonly Series[] | null
  readonly chip: readonly AddressParameter[]
  readonly isCounted: boolean
  readonly onEdit: () => void
}

/** A count before its answer. It takes about as much room, so little moves. */
const UNKNOWN = '…'.padStart(5, '\u2007')

/** A filter in words. A click edits it, and its link leads to the same list without it. */
export const Chip = ({ place, about, series, chip, isCounted, onEdit }: ChipProps) => {
  const t = texts().list.chips
  const rest = exchanged(
    place,
    chip.map(({ name }) => name),
    [],
  )
  const words = chip.map((each) => wordsOf(each, about, series)).join(', ')
  const { value: count } = useAsked(isCounted ? hrefOf(rest) : null, (signal) => countOf(rest, signal))
  const isEditable = chip.every((each) => filterOf(about, each) !== null)
  return (
    <span class="chip">
      {isEditable ? (
        <button type="button" class="words cut" title={t.edit(words)} onClick={onEdit}>
          {words}
        </button>
      ) : (
        <span class="words cut">{words}</span>
      )}
      {isCounted && <small>{t.count(count === null ? UNKNOWN : formatCount(count))}</small>}
      <a href={hrefOf(rest)} aria-label={t.remove(words)} title={t.remove(words)}>
        ×
      </a>
    </span>
  )
}

const countOf = async (place: PageAddress, signal: AbortSignal): Promise<number | null> => {
  const [size, other] = isOgc(place) ? ['limit', 'page_size'] : ['page_size', 'limit']
  const { body } = await ask(changed(place, { [size]: '1', [other]: null }), signal)
  return readList(body, place.path)?.count ?? null
}
