import { changed, givenIn, hrefOf, type PageAddress } from '../state/address.ts'
import { isEvent } from '../state/event.ts'
import { fieldLabel } from '../state/fields.ts'
import { go } from '../state/store.ts'
import { textNamed, texts } from '../state/text.ts'

interface OrderProps {
  readonly place: PageAddress
  /** The names that the list can be ordered by. */
  readonly orderings: readonly string[]
}

/** The orders that people ask for first. */
const FIRST = ['-timestamp_start', '-start', 'timestamp_start', 'start', '-duration', '-value_number', 'distance']

/** The choice of an order, in words. */
export const Order = ({ place, orderings }: OrderProps) => {
  const t = texts().list.order
  const offered = orderings.flatMap((name) => [name, `-${name}`]).filter((each) => fits(each, place))
  const [first, others] = [
    FIRST.filter((each) => offered.includes(each)),
    offered.filter((each) => !FIRST.includes(each)),
  ]
  const choose = (order: string) => go(ordered(place, order === 'id' ? null : order))
  return (
    <label class="order">
      {t.title}{' '}
      <select
        id="ordering"
        value={givenIn(place, 'ordering') ?? 'id'}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {[...first, ...others].map((order) => (
          <option key={order} value={order}>
            {nameOf(order)}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Tests if a place has an order. Only events near a position have a distance. */
const fits = (order: string, place: PageAddress): boolean =>
  order !== '-distance' && (order !== 'distance' || givenIn(place, 'near') !== null)

const ordered = (place: PageAddress, order: string | null): PageAddress =>
  changed(place, { ordering: order, after: null })

const nameOf = (order: string): string => {
  const { names, ascending, descending } = texts().list.order
  const name = textNamed(names, order)
  return name ?? (order.startsWith('-') ? descending(fieldLabel(order.slice(1))) : ascending(fieldLabel(order)))
}

/** The number at the beginning of a value, as the service reads it. It reads none before a decimal comma. */
const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?!\d|,\d)/

/** Says that no value starts with a number, if the list is in the order of the numbers. Values without one come last. */
export const NoNumbers = ({ place, rows }: { readonly place: PageAddress; readonly rows: readonly object[] }) => {
  const isFirst = (givenIn(place, 'page') ?? '1') === '1'
  const [first] = rows
  if (!isFirst || first === undefined || !isEvent(first) || NUMBER.test(first.value)) return null
  if (!/^-?value_number$/.test(givenIn(place, 'ordering') ?? '')) return null
  const others = ['value', place.path.includes('/v4/') ? '-start' : '-timestamp_start']
  return (
    <p class="panel no-numbers">
      {texts().list.order.noNumbers}{' '}
      {others.map((order, i) => (
        <>
          {i > 0 && ' · '}
          <a href={hrefOf(ordered(place, order))}>{nameOf(order)}</a>
        </>
      ))}
    </p>
  )
}
