import { invalidParameters } from '../../errors.ts'
import type { Order, Slice } from '../conditions/page.ts'
import { indexOf } from '../events.ts'
import { MAX_SORTED } from '../limits.ts'
import { treeOf } from '../sql/seek.ts'

/** Returns true if no index has the order of a list. */
export const isUnindexed = ({ column }: Order): boolean => column !== null && indexOf(column) === null

/** Throws a 400 if a page in the order that the client asked for would read too many rows. */
export const checkOrder = (order: Order, { offset }: Slice, count: number): void => {
  const { column, asked, near } = order
  if (asked === undefined || near !== undefined || treeOf(column) !== null) return
  if (isUnindexed(order) && count > MAX_SORTED) throw tooManyToSort(order)
  if (offset > MAX_SORTED)
    throw fault(order, `In this order, a page after ${MOST} others cannot be found by its number. Follow next`)
}

const MOST = MAX_SORTED.toLocaleString('en')

/** Makes the 400 for an order of too many rows. */
export const tooManyToSort = (order: Order): Error =>
  fault(order, `More than ${MOST} items match, too many to sort in this order. Choose another order`)

const fault = ({ asked }: Order, message: string): Error => {
  if (asked === undefined) throw new RangeError('Only an order of a request has a limit.')
  return invalidParameters({ [asked.parameter]: [`${message}, or add a filter such as ${asked.filters}.`] })
}
