/** An array, a typed array or a text. */
interface Sequence<T> {
  readonly length: number
  readonly at: (position: number) => T | undefined
}

/** Returns the element at a position. A negative position counts from the end. Throws if there is none. */
export const at = <T>(list: Sequence<T>, position: number): T => {
  const element = list.at(position)
  if (element === undefined) throw new RangeError(`No element ${position} of ${list.length}`)
  return element
}
