import { changed, givenIn, hrefOf, type PageAddress } from '../state/address.ts'
import { isEvent } from '../state/event.ts'
import { type About, orderLabel } from '../state/fields.ts'
import { go } from '../state/store.ts'
import { texts } from '../state/text.ts'

interface OrderProps {
  readonly place: PageAddress
  readonly about: About
}

/** The choice of an order, in words. Only events near a position have a distance. */
export const Order = ({ place, about }: OrderProps) => {
  const isNear = givenIn(place, 'near') !== null
  const offered = (about.ordering ?? [])
    .flatMap((name) => [name, `-${name}`])
    .filter((order) => !/^-?distance$/.test(order) || (isNear && order === 'distance'))
  if (offered.length === 0) return null
  return (
    <label class="order">
      {texts().list.order.title}{' '}
      <select
        id="ordering"
        value={givenIn(place, 'ordering') ?? 'id'}
        onChange={({ currentTarget: { value } }) => go(ordered(place, value === 'id' ? null : value))}
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

const ordered = (place: PageAddress, order: string | null): PageAddress =>
  changed(place, { ordering: order, after: null })

/** The number at the beginning of a value, as the service reads it. It reads none before a decimal comma. */
const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?!\d|,\d)/

/** Says that no value starts with a number, if the list is in the order of the numbers. Values without one come last. */
export const NoNumbers = ({ place, about, rows }: OrderProps & { readonly rows: readonly object[] }) => {
  const [first] = rows
  const isFirst = (givenIn(place, 'page') ?? '1') === '1'
  if (!isFirst || first === undefined || !isEvent(first) || NUMBER.test(first.value)) return null
  if (!/^-?value_number$/.test(givenIn(place, 'ordering') ?? '')) return null
  const instant = about.fields?.find(({ kind, order }) => kind === 'instant' && order !== undefined)
  const others = ['value', ...(instant === undefined ? [] : [`-${instant.order}`])]
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
