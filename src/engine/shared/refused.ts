import { Refused } from '../engine.ts'
import { MAX_SORTED } from '../limits.ts'

const MOST = MAX_SORTED.toLocaleString('en')

/** Throws Refused if a page would sort, or skip, too many rows. */
export const refuseOrder = (sorted: number, skipped: number): void => {
  if (sorted > MAX_SORTED)
    throw new Refused(
      'order',
      `More than ${MOST} items match, too many to sort in this order. Choose another order, or add a filter.`,
    )
  if (skipped > MAX_SORTED)
    throw new Refused(
      'order',
      `In this order, a page after ${MOST} others cannot be found by its number. Follow next, or add a filter.`,
    )
}
