/** Returns the element at a position. A negative position counts from the end. Throws if there is none. */
export const at = <T>(list: ArrayLike<T>, position: number): T => {
  const element = list[position < 0 ? list.length + position : position]
  if (element === undefined) throw new RangeError(`No element ${position} of ${list.length}`)
  return element
}

/**
 * Returns a number of a typed array. Throws if there is none. It is faster than `at` in loops over many rows, because
 * the engine compiles it for typed arrays alone.
 */
export const numberAt = (numbers: Float64Array, position: number): number => {
  const number = numbers[position]
  if (number === undefined) throw new RangeError(`No number ${position} of ${numbers.length}`)
  return number
}

export const chunksOf = <T>(list: readonly T[], size: number): (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))

/** Returns the least integer that is not below, by binary search. Returns `high` if all from `low` on are below. */
export const bisect = (low: number, high: number, isBelow: (middle: number) => boolean): number => {
  let [first, last] = [low, high]
  while (first < last) {
    const middle = Math.floor(first + (last - first) / 2)
    if (isBelow(middle)) first = middle + 1
    else last = middle
  }
  return first
}

/** Removes the oldest entry if there are more than `most`. Maps and sets keep the order of insertion. */
export const forgetOldest = <T>(entries: Map<T, unknown> | Set<T>, most: number): void => {
  const [oldest] = entries.size > most ? entries.keys() : []
  if (oldest !== undefined) entries.delete(oldest)
}

/** Returns a function that makes the value of a key once, and keeps it as long as the key exists. */
export const keptFor = <Key extends WeakKey, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    const value = values.get(key) ?? make(key)
    values.set(key, value)
    return value
  }
}

/**
 * Makes an empty map. The sizes of its values are at most `space` in sum. The values that were not used for the longest
 * time give way.
 */
export const boundedMap = <Value>(space: number) => {
  const entries = new Map<string, { readonly value: Value; readonly size: number }>()
  let left = space
  const take = (key: string) => {
    const entry = entries.get(key)
    left += entry?.size ?? 0
    entries.delete(key)
    return entry
  }
  const set = (key: string, value: Value, size = 1): void => {
    take(key)
    if (size > space) return
    entries.set(key, { value, size })
    left -= size
    for (const oldest of entries.keys()) {
      if (left >= 0) return
      take(oldest)
    }
  }
  return {
    get: (key: string): Value | undefined => {
      const entry = take(key)
      if (entry !== undefined) set(key, entry.value, entry.size)
      return entry?.value
    },
    set,
  }
}

/** Integers from first to last, both included. */
export type ValueRange = readonly [first: number, last: number]
