import { sql } from 'drizzle-orm'
import { compare, extentOfInstant, overTexts, pair } from './compare.ts'
import { type Expression, fault } from './expression.ts'
import { constant, ofExtent, ofList, or, type Predicate, plain } from './predicate.ts'
import type { InstantValue, Queryables, Value } from './values.ts'

/** Returns the predicate for IN. The constants become one JSON list, which is one parameter. */
export const isIn = (names: Queryables, [value, list]: readonly Expression[], at: string): Predicate => {
  if (value === undefined || list?.kind !== 'list')
    throw fault(at, "IN takes a list. Enter one such as ('hurricane', 'tropical storm')")
  const constants: Value[] = []
  const others: Predicate[] = []
  let listed: Value | undefined
  for (const item of list.items) {
    const [left, right] = pair(names, [value, item], at)
    if (left.type !== right.type || isConstant(left) || !isConstant(right)) others.push(compare('=', left, right, at))
    else {
      listed = left
      constants.push(right)
    }
  }
  return or([...(listed === undefined ? [] : [isListed(listed, constants)]), ...others])
}

const isConstant = (value: Value): boolean =>
  value.type === 'instant' ? value.column === undefined : value.constant !== undefined

const isListed = (value: Value, constants: readonly Value[]): Predicate => {
  if (value.type === 'text') {
    const texts = constants.flatMap((each) =>
      each.type === 'text' && each.constant !== undefined ? [each.constant] : [],
    )
    const written = JSON.stringify(texts.map((text) => value.canonical?.(text) ?? text))
    return overTexts([value], ([column]) => sql`${column} IN (SELECT value FROM json_each(${written}))`, texts)
  }
  if (value.type === 'number') {
    const numbers = constants.flatMap((each) =>
      each.type === 'number' && each.constant !== undefined ? [each.constant] : [],
    )
    if (value.column !== undefined) return ofList(value.column, numbers.filter(Number.isSafeInteger).map(BigInt))
    return plain(sql`${value.sql} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`)
  }
  return isAmongInstants(
    value,
    constants.flatMap((each) => (each.type === 'instant' ? [each] : [])),
  )
}

/** Returns the predicate that a column is one of several instants or in one of several days. */
const isAmongInstants = (value: InstantValue, constants: readonly InstantValue[]): Predicate => {
  const { column } = value
  if (column === undefined) return constant(false)
  const extents = constants.map((each) => extentOfInstant('=', value, each))
  const values = extents.flatMap(([least, greatest]) => (least !== null && least === greatest ? [least] : []))
  const days = extents.filter(([least, greatest]) => least !== greatest)
  return or([
    ...(values.length === 0 ? [] : [ofList(column, values)]),
    ...days.map((extent) => ofExtent(column, extent)),
  ])
}
