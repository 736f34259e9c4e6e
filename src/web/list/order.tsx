import { changed, givenIn, hrefOf, type PageAddress } from '../state/address.ts'
import { isEvent } from '../state/event.ts'
import type { About } from '../state/fields.ts'
import { orderLabel } from '../state/fields.ts'
import { go } from '../state/store.ts'
import { texts } from '../state/text.ts'

interface OrderProps {
  readonly place: PageAddress
  readonly about: About
  /** The names that the list can be ordered by. */
  readonly orderings: readonly string[]
}

/** The choice of an order, in words. */
export const Order = ({ place, about, orderings }: OrderProps) => {
  const t = texts().list.order
  const offered = orderings.flatMap((name) => [name, `-${name}`]).filter((each) => fits(each, place))
  const choose = (order: string) => go(ordered(place, order === 'id' ? null : order))
  return (
    <label class="order">
      {t.title}{' '}
      <select
        id="ordering"
        value={givenIn(place, 'ordering') ?? 'id'}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {offered.map((order) => (
          <option key={order} value={order}>
            {orderLabel(about, order)}
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

/** The number at the beginning of a value, as the service reads it. It reads none before a decimal comma. */
const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?!\d|,\d)/

/** Says that no value starts with a number, if the list is in the order of the numbers. Values without one come last. */
export const NoNumbers = ({
  place,
  about,
  rows,
}: Omit<OrderProps, 'orderings'> & { readonly rows: readonly object[] }) => {
  const isFirst = (givenIn(place, 'page') ?? '1') === '1'
  const [first] = rows
  if (!isFirst || first === undefined || !isEvent(first) || NUMBER.test(first.value)) return null
  if (!/^-?value_number$/.test(givenIn(place, 'ordering') ?? '')) return null
  const instant = about.fields?.find(({ kind, order }) => kind === 'instant' && order !== undefined)?.order
  const others = ['value', ...(instant === undefined ? [] : [`-${instant}`])]
  return (
    <p class="panel no-numbers">
      {texts().list.order.noNumbers}{' '}
      {others.map((order, i) => (
        <>
          {i > 0 && ' · '}
          <a href={hrefOf(ordered(place, order))}>{orderLabel(about, order)}</a>
        </>
      ))}
    </p>
  )
}
