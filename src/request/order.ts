import type { Order } from '../engine/conditions/page.ts'
import { START } from '../engine/events.ts'
import { ValueError } from '../errors.ts'
import { BY_DISTANCE, EXAMPLE, type LonLat, placeOf } from '../filters/near.ts'
import type { Resource } from '../resource.ts'
import { textIn, type Values } from './parameters.ts'

/** Reads the value of `ordering`. */
export const orderFrom = (resource: Resource, values: Values, text: string): Order =>
  text.startsWith('-')
    ? orderBy(resource, values, 'ordering', text.slice(1), true)
    : orderBy(resource, values, 'ordering', text, false)

/** Returns one of the orders of a list. Throws a ValueError for another name. */
export const orderBy = (
  { orderings, id }: Resource,
  values: Values,
  parameter: string,
  name: string | undefined,
  descending: boolean,
): Order => {
  const sorting = name !== undefined && Object.hasOwn(orderings, name) ? orderings[name] : undefined
  if (sorting === undefined)
    throw new ValueError(`Enter one of ${Object.keys(orderings).join(', ')}, or one of these with a - in front.`)
  const start = Object.keys(orderings).find((each) => orderings[each]?.column === START)
  const asked = { parameter, filters: `category or ${start}__gte` }
  if (sorting === BY_DISTANCE) return { column: null, descending, near: centreOf(values), asked }
  return { ...sorting, column: sorting.column === id ? null : sorting.column, descending, asked }
}

/** Returns the position of `near`. Without it, throws a ValueError. A faulty one is a mistake of `near`. */
const centreOf = (values: Values): LonLat => {
  const text = textIn(values, 'near')
  if (text === '') throw new ValueError(`Enter a position and a radius as well, such as ${EXAMPLE}.`)
  return placeOf(text) ?? [0, 0]
}
